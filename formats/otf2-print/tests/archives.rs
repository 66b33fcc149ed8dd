//! Checks that the output of otf2-print for an archive is read in the same way as the archive itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../otf2/tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Event, events_of};
use foldtrace_otf2::Otf2;
use foldtrace_otf2_print::Otf2Print;
use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, EventBatch, Format, Input, ReadOptions, Step,
    TraceReader, ValueType,
};

/// A definition: kind, fields, list, text.
type Definition = (DefinitionKind, Vec<u64>, Vec<u64>, String);

struct All {
    definitions: Vec<Definition>,
    events: BTreeMap<u64, Vec<Event>>,
    diagnostics: Diagnostics,
}

fn records(definitions: &Definitions) -> Vec<Definition> {
    let records = definitions.in_order();
    let fields = records.iter().map(|record| {
        let fields = 0..record.kind.fields().len();
        let fields = fields.map(|field| record.get(field)).collect();
        let (list, text) = (record.list().to_vec(), record.text().to_owned());
        (record.kind, fields, list, text)
    });
    fields.collect()
}

fn read(reader: &dyn TraceReader) -> All {
    let mut definitions = reader.definitions().clone();
    let mut diagnostics = reader.diagnostics().clone();
    let mut events = BTreeMap::<u64, Vec<Event>>::new();
    for index in 0..reader.streams().len() {
        let mut stream = reader.open_stream(index).unwrap();
        let mut batch = EventBatch::default();
        while stream.next_batch(&mut batch, &mut diagnostics).unwrap() == Step::Batch {
            definitions.append(&batch.definitions);
            let own = events.entry(batch.location.0).or_default();
            events_of(&batch, stream.symbols(), own);
        }
        definitions.append(&batch.definitions);
    }
    All {
        definitions: records(&definitions),
        events,
        diagnostics,
    }
}

/// Returns the output of otf2-print for an archive; `None` if otf2-print crashes.
fn print(anchor: &Path) -> Option<Vec<u8>> {
    let mut command = Command::new("otf2-print");
    let output = command.args(["-A", "-M", "-C"]).arg(anchor).output();
    let output = output.expect("otf2-print has to be installed");
    output.status.code().map(|_| output.stdout)
}

fn read_text(text: &[u8]) -> All {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("printed.txt");
    std::fs::write(&path, text).unwrap();
    let reader = Otf2Print.open(Input::Path(path), &ReadOptions::default());
    read(reader.unwrap().as_ref())
}

fn read_archive(anchor: &Path) -> All {
    let reader = Otf2.open(Input::Path(anchor.to_owned()), &ReadOptions::default());
    read(reader.unwrap().as_ref())
}

/// Returns a floating-point number as otf2-print prints it.
fn printed(value_type: u8, bits: u64) -> u64 {
    let value_type = ValueType::from_code(value_type).unwrap();
    match value_type.as_double(bits) {
        Some(value) if value.is_nan() => f64::NAN.to_bits(),
        Some(value) => value_type.from_double(format!("{value:.14e}").parse().unwrap()),
        None => bits,
    }
}

fn without_what_is_not_printed(all: &mut All) {
    use DefinitionKind::{
        LocalDefinition, Marker, MarkerCategory, MarkerGroup, Snapshot, SnapshotAttribute,
        Thumbnail, ThumbnailDescription, ThumbnailSample,
    };
    all.definitions.retain(|(kind, ..)| {
        !matches!(
            kind,
            LocalDefinition
                | Marker
                | MarkerCategory
                | MarkerGroup
                | Snapshot
                | SnapshotAttribute
                | Thumbnail
                | ThumbnailDescription
                | ThumbnailSample
        )
    });
    // The definitions of locations come at the end, in an order of their own.
    all.definitions.sort_by_key(|(kind, fields, ..)| {
        let is_last = matches!(
            kind,
            DefinitionKind::MappingTable | DefinitionKind::ClockOffset
        );
        is_last.then(|| fields[0])
    });
    for events in all.events.values_mut() {
        for event in events {
            for (value_type, bits) in &mut event.metrics {
                *bits = printed(*value_type, *bits);
            }
            for (_, value_type, bits) in &mut event.attributes {
                *bits = printed(*value_type, *bits);
            }
        }
    }
    all.events.retain(|_, events| !events.is_empty());
    for (kind, fields, ..) in &mut all.definitions {
        if let Some(value) = kind.slot("value") {
            fields[value] = printed(fields[value - 1] as u8, fields[value]);
        }
        if *kind == DefinitionKind::ClockOffset {
            fields[3] = printed(ValueType::Double as u8, fields[3]);
        }
    }
}

fn assert_same(mut ours: All, mut theirs: All, archive: &Path) {
    without_what_is_not_printed(&mut ours);
    without_what_is_not_printed(&mut theirs);
    let name = archive.display();
    for (a, b) in ours.definitions.iter().zip(&theirs.definitions) {
        assert_eq!(a, b, "{name}: left as printed, right of the archive");
    }
    assert_eq!(ours.definitions.len(), theirs.definitions.len(), "{name}");
    assert!(ours.events.keys().eq(theirs.events.keys()), "{name}");
    for (location, events) in &ours.events {
        let of_archive = &theirs.events[location];
        for (position, (a, b)) in events.iter().zip(of_archive).enumerate() {
            assert_eq!(
                a, b,
                "{name}: left as printed, right of the archive; {location}@{position}"
            );
        }
        assert_eq!(events.len(), of_archive.len(), "{name}, {location}");
    }
}

/// Returns the examples, and all archives in the folder that the environment variable names.
fn archives() -> Vec<PathBuf> {
    let mut found = common::recorded();
    if let Some(folder) = std::env::var_os("FOLDTRACE_TRACES") {
        let mut folders = vec![PathBuf::from(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "otf2") {
                    found.push(path);
                }
            }
        }
    }
    found
}

#[test]
fn recorded_archives_are_read_from_what_is_printed_of_them() {
    for anchor in archives() {
        let Some(printed) = print(&anchor) else {
            // A value does not have the type that its record should have; libotf2 takes it for an address.
            assert!(anchor.iter().any(|part| part == "everything"));
            continue;
        };
        let ours = read_text(&printed);
        let name = anchor.display();
        assert_eq!(ours.diagnostics, Diagnostics::default(), "{name}");
        assert_same(ours, read_archive(&anchor), &anchor);
    }
}

#[test]
fn every_record_is_read_from_what_is_printed_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = otf2_sys::samples::every_record(folder.path()).unwrap();
    let ours = read_text(&print(&anchor).unwrap());
    assert_same(ours, read_archive(&anchor), &anchor);
}

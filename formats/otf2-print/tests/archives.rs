//! Checks that the output of otf2-print for an archive is read in the same way as the archive itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use foldtrace_otf2::Otf2;
use foldtrace_otf2_print::Otf2Print;
use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, EventBatch, Format, Input, ReadOptions, Step,
    TraceReader, ValueType,
};

use crate::common::{Event, events_of, recorded};

/// A definition: kind, fields, list, text.
type Definition = (DefinitionKind, Vec<u64>, Vec<u64>, String);

/// The content of a trace.
struct TraceContent {
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

fn read(reader: &dyn TraceReader) -> TraceContent {
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
    TraceContent {
        definitions: records(&definitions),
        events,
        diagnostics,
    }
}

/// Returns the output of otf2-print for an archive; `None` if otf2-print crashes.
fn print(anchor: &Path) -> Option<Vec<u8>> {
    let mut command = Command::new("otf2-print");
    let output = command.args(["-A", "-M", "-C"]).arg(anchor).output();
    let output = output.expect("otf2-print must be installed");
    output.status.code().map(|_| output.stdout)
}

fn read_text(text: &[u8]) -> TraceContent {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("printed.txt");
    std::fs::write(&path, text).unwrap();
    let reader = Otf2Print.open(Input::Path(path), &ReadOptions::default());
    read(reader.unwrap().as_ref())
}

fn read_archive(anchor: &Path) -> TraceContent {
    let reader = Otf2.open(Input::Path(anchor.to_owned()), &ReadOptions::default());
    read(reader.unwrap().as_ref())
}

/// Returns a floating-point number as otf2-print prints it.
fn as_printed(value_type: u8, bits: u64) -> u64 {
    let value_type = ValueType::from_code(value_type).unwrap();
    match value_type.as_double(bits) {
        Some(value) if value.is_nan() => f64::NAN.to_bits(),
        Some(value) => value_type.from_double(format!("{value:.14e}").parse().unwrap()),
        None => bits,
    }
}

/// Removes everything that otf2-print does not print, and rounds numbers as it does.
fn remove_unprinted(all: &mut TraceContent) {
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
                *bits = as_printed(*value_type, *bits);
            }
            for (_, value_type, bits) in &mut event.attributes {
                *bits = as_printed(*value_type, *bits);
            }
        }
    }
    all.events.retain(|_, events| !events.is_empty());
    for (kind, fields, ..) in &mut all.definitions {
        if let Some(value) = kind.slot("value") {
            fields[value] = as_printed(fields[value - 1] as u8, fields[value]);
        }
        if *kind == DefinitionKind::ClockOffset {
            fields[3] = as_printed(ValueType::Double as u8, fields[3]);
        }
    }
}

fn assert_same(mut printed: TraceContent, mut original: TraceContent, archive: &Path) {
    remove_unprinted(&mut printed);
    remove_unprinted(&mut original);
    let name = archive.display();
    for (a, b) in printed.definitions.iter().zip(&original.definitions) {
        assert_eq!(a, b, "{name}: left: as printed, right: from the archive");
    }
    assert_eq!(
        printed.definitions.len(),
        original.definitions.len(),
        "{name}"
    );
    assert!(printed.events.keys().eq(original.events.keys()), "{name}");
    for (location, events) in &printed.events {
        let original_events = &original.events[location];
        for (position, (a, b)) in events.iter().zip(original_events).enumerate() {
            assert_eq!(
                a, b,
                "{name}: left: as printed, right: from the archive; {location}@{position}"
            );
        }
        assert_eq!(events.len(), original_events.len(), "{name}, {location}");
    }
}

/// Returns the examples, and all archives in the folder that the environment variable names.
fn archives() -> Vec<PathBuf> {
    let mut found = recorded();
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
fn recorded_archives_are_read_from_their_printed_output() {
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
fn every_record_is_read_from_its_printed_output() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = otf2_sys::samples::every_record(folder.path()).unwrap();
    let ours = read_text(&print(&anchor).unwrap());
    assert_same(ours, read_archive(&anchor), &anchor);
}

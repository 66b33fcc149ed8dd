//! Compares the reader and the writer with libotf2: archives are read as libotf2 reads them, and libotf2 reads
//! written archives as it reads the original ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{Told, anchor, library, open, ours, recorded, rewrite};
use foldtrace_trace::{DefinitionKind, Definitions, EventKind, TraceReader};
use otf2_sys::safe::{Archive, Thumbnail};
use otf2_sys::samples::{EMPTY, LOCATIONS, MAPPED, PLAIN, every_record, thumbnails};

fn read(anchor: &Path) -> Box<dyn TraceReader> {
    open(anchor, false).unwrap()
}

#[test]
fn every_record_of_the_library_is_read_as_the_library_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = every_record(&folder.path().join("archive")).unwrap();
    let (expected, told) = (
        library::tell(&anchor).unwrap(),
        ours(read(&anchor).as_ref()),
    );
    told.assert_same(&expected);

    // The archive has every kind of event, except newer kinds and kinds that OTF2 does not have.
    let kinds: BTreeSet<&str> = told.events[&PLAIN]
        .iter()
        .map(|event| event.kind.as_str())
        .collect();
    let newer = ["mpi_probe", "mpi_mrecv", "mpi_imrecv_request", "mpi_imrecv"];
    let missing: Vec<_> = EventKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|name| !kinds.contains(name))
        .collect();
    let expected: Vec<_> = ["unknown"]
        .into_iter()
        .chain(newer)
        .chain(["local"])
        .collect();
    assert_eq!(missing, expected);
    assert_eq!(told.events.len(), LOCATIONS.len());
    assert!(told.events[&EMPTY].is_empty());
    assert!(told.mappings[&MAPPED].len() > 10 && told.clocks[&MAPPED].len() == 3);
    assert!(told.own[&MAPPED].len() > 20);
    assert!(told.snapshots.len() == 2 && told.markers.len() > 5);
}

#[test]
fn recorded_archives_are_read_as_the_library_reads_them() {
    let mut long = 0;
    for anchor in recorded() {
        let expected = library::tell(&anchor).unwrap();
        ours(read(&anchor).as_ref()).assert_same(&expected);
        assert!(expected.events.values().any(|events| !events.is_empty()));
        long += usize::from(expected.events.values().any(|events| events.len() > 10));
    }
    assert!(long > 5);
}

/// The written events are those of the trace, with ids and times that hold for all locations, so the corrections that
/// were applied are not written again.
#[test]
fn what_is_written_the_library_reads_like_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let every = every_record(&folder.path().join("archive")).unwrap();
    for (number, original) in recorded().into_iter().chain([every]).enumerate() {
        let target = folder.path().join(format!("back-{number}"));
        let back = rewrite(read(&original).as_ref(), &target);
        let empty = |told: &Told| Told {
            mappings: told.mappings.keys().map(|&id| (id, Vec::new())).collect(),
            clocks: told.clocks.keys().map(|&id| (id, Vec::new())).collect(),
            ..told.clone()
        };
        let (expected, told) = (
            library::tell(&original).unwrap(),
            library::tell(&back).unwrap(),
        );
        told.assert_same(&empty(&expected));
        ours(read(&back).as_ref()).assert_same(&told);

        let anchor = |path: &Path| Archive::open(path).unwrap().anchor().unwrap();
        let (before, after) = (anchor(&original), anchor(&back));
        assert_eq!(
            (after.creator, after.description, after.machine_name),
            (before.creator, before.description, before.machine_name)
        );
        assert_eq!(after.properties, before.properties);
        assert_eq!(after.trace_id, before.trace_id);
        assert_eq!(
            (after.locations, after.snapshots, after.thumbnails),
            (before.locations, before.snapshots, before.thumbnails)
        );
        assert_eq!(after.global_definitions, told.definitions.len() as u64);
    }
}

/// Returns the thumbnails among definitions.
fn thumbnails_of(definitions: &Definitions) -> Vec<Thumbnail> {
    let descriptions = definitions.records(DefinitionKind::ThumbnailDescription);
    let thumbnails = definitions.records(DefinitionKind::Thumbnail);
    thumbnails
        .zip(descriptions)
        .map(|(record, description)| {
            assert_eq!(record.get(0), description.get(0));
            let samples = definitions.records(DefinitionKind::ThumbnailSample);
            let own = samples.filter(|sample| sample.get(0) == record.get(0));
            let samples: Vec<_> = own
                .map(|sample| (sample.get(1), sample.list().to_vec()))
                .collect();
            assert_eq!(record.get(2), samples.len() as u64);
            Thumbnail {
                name: record.text().to_owned(),
                description: description.text().to_owned(),
                kind: record.get(1) as u8,
                references: record.list().to_vec(),
                samples,
            }
        })
        .collect()
}

#[test]
fn thumbnails_are_what_the_library_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let original = every_record(&folder.path().join("archive")).unwrap();
    let target = folder.path().join("back");
    let back = rewrite(read(&original).as_ref(), &target);
    assert_eq!(back, anchor(&target));
    for anchor in [original, back] {
        let reader = read(&anchor);
        assert_eq!(thumbnails_of(reader.definitions()), thumbnails());
        let mut archive = Archive::open(&anchor).unwrap();
        for (number, expected) in (0..).zip(thumbnails()) {
            match archive.thumbnail(number) {
                Ok(thumbnail) => assert_eq!(thumbnail, expected),
                // Version 3.0 of libotf2 cannot read any thumbnails.
                Err(error) => assert!(error.message.starts_with("Expected thumbnail header")),
            }
        }
    }
}

//! Compares the reader and the writer with libotf2: archives are read as libotf2 reads them, and libotf2 reads
//! written archives as it reads the original ones.

use std::collections::BTreeSet;
use std::path::Path;

use foldtrace_trace::{DefinitionKind, Definitions, EventKind, TraceReader};
use otf2_sys::safe::{Archive, Thumbnail};
use otf2_sys::samples::{EMPTY, LOCATIONS, MAPPED, PLAIN, every_record, thumbnails};

use crate::common::{ArchiveContent, anchor, library, open, read_content, recorded, rewrite};

fn read(anchor: &Path) -> Box<dyn TraceReader> {
    open(anchor, false).unwrap()
}

#[test]
fn every_record_is_read_as_the_library_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = every_record(&folder.path().join("archive")).unwrap();
    let (expected, content) = (
        library::read_content(&anchor).unwrap(),
        read_content(read(&anchor).as_ref()),
    );
    content.assert_same(&expected);

    // The archive has every kind of event, except newer kinds and kinds that OTF2 does not have.
    let kinds: BTreeSet<&str> = content.events[&PLAIN]
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
    assert_eq!(content.events.len(), LOCATIONS.len());
    assert!(content.events[&EMPTY].is_empty());
    assert!(content.mappings[&MAPPED].len() > 10 && content.clocks[&MAPPED].len() == 3);
    assert!(content.own[&MAPPED].len() > 20);
    assert!(content.snapshots.len() == 2 && content.markers.len() > 5);
}

#[test]
fn recorded_archives_are_read_as_the_library_reads_them() {
    let mut long = 0;
    for anchor in recorded() {
        let expected = library::read_content(&anchor).unwrap();
        read_content(read(&anchor).as_ref()).assert_same(&expected);
        assert!(expected.events.values().any(|events| !events.is_empty()));
        long += usize::from(expected.events.values().any(|events| events.len() > 10));
    }
    assert!(long > 5);
}

/// The written events are those of the trace, with ids and times that hold for all locations, so the corrections that
/// were applied are not written again.
#[test]
fn the_library_reads_written_archives_like_the_originals() {
    let folder = tempfile::tempdir().unwrap();
    let every = every_record(&folder.path().join("archive")).unwrap();
    for (number, original) in recorded().into_iter().chain([every]).enumerate() {
        let target = folder.path().join(format!("back-{number}"));
        let back = rewrite(read(&original).as_ref(), &target);
        let empty = |content: &ArchiveContent| ArchiveContent {
            mappings: content
                .mappings
                .keys()
                .map(|&id| (id, Vec::new()))
                .collect(),
            clocks: content.clocks.keys().map(|&id| (id, Vec::new())).collect(),
            ..content.clone()
        };
        let (expected, content) = (
            library::read_content(&original).unwrap(),
            library::read_content(&back).unwrap(),
        );
        content.assert_same(&empty(&expected));
        read_content(read(&back).as_ref()).assert_same(&content);

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
        assert_eq!(after.global_definitions, content.definitions.len() as u64);
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
fn thumbnails_come_back() {
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

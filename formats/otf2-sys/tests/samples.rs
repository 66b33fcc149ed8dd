//! Checks that the samples have every record that the library can write, and that the safe layer reads all of them.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use otf2_sys::safe::{
    Archive, Attributes, DefinitionCode, DefinitionVisitor, EventCode, LocalVisitor, MarkerVisitor,
    SnapshotCode, SnapshotVisitor, UNDEFINED,
};
use otf2_sys::samples::{
    EMPTY, LOCATIONS, LONG, MAPPED, MAPPED_OTHERWISE, PLAIN, every_record, thumbnails,
};

use crate::common::Events;

/// Functions of writers that do not write records.
const NO_RECORDS: &[&str] = &[
    "OTF2_EvtWriter_GetLocationID",
    "OTF2_EvtWriter_SetLocationID",
    "OTF2_EvtWriter_GetUserData",
    "OTF2_EvtWriter_SetUserData",
    "OTF2_EvtWriter_GetNumberOfEvents",
    "OTF2_EvtWriter_StoreRewindPoint",
    "OTF2_EvtWriter_Rewind",
    "OTF2_EvtWriter_ClearRewindPoint",
    "OTF2_SnapWriter_GetLocationID",
];

/// Returns all identifiers of a source text.
fn identifiers(source: &str) -> HashSet<&str> {
    source
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect()
}

#[test]
fn every_writer_of_a_record_is_called() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let bindings = fs::read_to_string(root.join("bindings.rs")).unwrap();
    let samples: String = fs::read_dir(root.join("samples"))
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let (functions, called) = (identifiers(&bindings), identifiers(&samples));
    let writers: Vec<&str> = functions
        .into_iter()
        .filter(|name| {
            ["OTF2_EvtWriter_", "OTF2_SnapWriter_"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
                || ["GlobalDef", "Def", "Marker", "Thumb"]
                    .iter()
                    .any(|kind| name.starts_with(&format!("OTF2_{kind}Writer_Write")))
        })
        .filter(|name| !NO_RECORDS.contains(name) && !name.ends_with("_struct"))
        .collect();
    let missing: BTreeSet<&&str> = writers
        .iter()
        .filter(|name| !called.contains(*name))
        .collect();
    assert!(missing.is_empty(), "not called: {missing:#?}");
    assert!(writers.len() > 170, "only {} writers", writers.len());
}

/// A definition: its code, fields, list and text.
type Record = (DefinitionCode, Vec<u64>, Vec<u64>, Vec<u8>);

#[derive(Default)]
struct Definitions(Vec<Record>);

impl Definitions {
    fn codes(&self) -> HashSet<DefinitionCode> {
        self.0.iter().map(|(code, ..)| *code).collect()
    }

    fn records_of(&self, code: DefinitionCode) -> impl Iterator<Item = (&[u64], &[u64], &[u8])> {
        self.0
            .iter()
            .filter(move |record| record.0 == code)
            .map(|(_, fields, list, text)| (&fields[..], &list[..], &text[..]))
    }
}

impl DefinitionVisitor for Definitions {
    fn definition(&mut self, code: DefinitionCode, fields: &[u64], list: &[u64], text: &[u8]) {
        self.0
            .push((code, fields.to_vec(), list.to_vec(), text.to_vec()));
    }
}

#[derive(Default)]
struct Local {
    definitions: Definitions,
    tables: Vec<(u8, Vec<u64>)>,
    offsets: Vec<(u64, i64, f64)>,
}

impl LocalVisitor for Local {
    fn mapping_table(&mut self, kind: u8, pairs: &[u64]) {
        self.tables.push((kind, pairs.to_vec()));
    }

    fn clock_offset(&mut self, time: u64, offset: i64, standard_deviation: f64) {
        self.offsets.push((time, offset, standard_deviation));
    }

    fn definition(&mut self, code: DefinitionCode, fields: &[u64], list: &[u64], text: &[u8]) {
        DefinitionVisitor::definition(&mut self.definitions, code, fields, list, text);
    }
}

fn sample() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let anchor = every_record(folder.path()).unwrap();
    (folder, anchor)
}

#[test]
fn the_anchor_has_the_counts_of_the_archive() {
    let (_folder, anchor) = sample();
    let mut archive = Archive::open(&anchor).unwrap();
    let content = archive.anchor().unwrap();
    let mut definitions = Definitions::default();
    let read = archive.global_definitions(u64::MAX, &mut definitions);
    assert_eq!(read, Ok(content.global_definitions));
    assert_eq!(content.locations, LOCATIONS.len() as u64);
    assert_eq!((content.snapshots, content.thumbnails), (2, 4));
    assert_eq!(content.machine_name, "Maschine für Proben");
    assert_eq!(content.properties.len(), 4);
    assert!(
        content
            .properties
            .contains(&("FOLDTRACE::GREEK".to_owned(), "λόγος".to_owned()))
    );
}

#[test]
fn every_kind_of_global_definition_comes_back() {
    let (_folder, anchor) = sample();
    let mut definitions = Definitions::default();
    let mut archive = Archive::open(&anchor).unwrap();
    archive
        .global_definitions(u64::MAX, &mut definitions)
        .unwrap();
    let (codes, all) = (definitions.codes(), DefinitionCode::ALL);
    for code in all {
        let known = *code != DefinitionCode::Unknown;
        assert_eq!(codes.contains(code), known, "{code:?}");
        assert!(
            !known || definitions.records_of(*code).count() >= 2,
            "{code:?}"
        );
    }
    let lists = definitions.records_of(DefinitionCode::Group);
    let lengths: Vec<usize> = lists.map(|(_, list, _)| list.len()).collect();
    assert_eq!(lengths, [3, 3, 0, 300, 2, 1, 2, 0]);
    let texts = definitions.records_of(DefinitionCode::String);
    let longest = texts.map(|(.., text)| text.len()).max();
    assert_eq!(longest, Some(200_000));
    let locations = definitions.records_of(DefinitionCode::Location);
    let ids: Vec<u64> = locations.map(|(fields, ..)| fields[0]).collect();
    assert_eq!(ids, LOCATIONS);
}

#[test]
fn every_kind_of_local_definition_comes_back() {
    let (_folder, anchor) = sample();
    let mut read = Vec::new();
    let locations = LOCATIONS.map(|location| (location, u64::MAX));
    Archive::open(&anchor)
        .unwrap()
        .local_definitions(
            &locations,
            |_| Local::default(),
            |id, local, result| {
                let records = local.definitions.0.len() + local.tables.len() + local.offsets.len();
                assert_eq!(result, Ok(records as u64), "{id}");
                read.push((id, local));
            },
        )
        .unwrap();
    for (id, local) in &read {
        let kinds: Vec<u8> = local.tables.iter().map(|(kind, _)| *kind).collect();
        let mapped = matches!(*id, MAPPED | MAPPED_OTHERWISE);
        assert_eq!(kinds, if mapped { (0..15).collect() } else { vec![] });
        let offsets = [
            (PLAIN, 0),
            (MAPPED, 3),
            (LONG, 2),
            (MAPPED_OTHERWISE, 1),
            (EMPTY, 0),
        ];
        assert!(offsets.contains(&(*id, local.offsets.len())), "{id}");
    }
    let tables = |location| {
        let local = read.iter().find(|(id, _)| *id == location).unwrap();
        &local.1.tables
    };
    let (dense, sparse) = (
        [0, 2, 1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 6, 0, 7, 1],
        [1, 2, 2, 0xffff_fffe, 5, 0, 1000, 3, 0xffff_fffe, 2],
    );
    assert_eq!(tables(MAPPED)[2].1, dense);
    assert_eq!(tables(MAPPED_OTHERWISE)[2].1, sparse);
    let codes = read[1].1.definitions.codes();
    for code in DefinitionCode::ALL {
        let global = matches!(
            code,
            DefinitionCode::Unknown
                | DefinitionCode::ClockProperties
                | DefinitionCode::Paradigm
                | DefinitionCode::ParadigmProperty
                | DefinitionCode::IoParadigm
        );
        assert_eq!(codes.contains(code), !global, "{code:?}");
    }
    // The same definitions are written globally and locally, except the locations.
    let mut global = Definitions::default();
    let mut archive = Archive::open(&anchor).unwrap();
    archive.global_definitions(u64::MAX, &mut global).unwrap();
    for code in codes {
        let local: Vec<_> = read[1].1.definitions.records_of(code).collect();
        let of_all: Vec<_> = global.records_of(code).collect();
        assert_eq!(
            local == of_all,
            code != DefinitionCode::Location,
            "{code:?}"
        );
    }
}

/// Returns the events of a location, after at most `local_definitions` definitions of the location are applied.
fn events(anchor: &Path, location: u64, local_definitions: u64) -> Vec<crate::common::ReadEvent> {
    let archive = Archive::open(anchor).unwrap();
    let mut reader = archive.into_events(location, local_definitions).unwrap();
    let mut events = Events::default();
    while reader.read(1000, &mut events).unwrap() > 0 {}
    events.0
}

#[test]
fn every_kind_of_event_comes_back_with_every_type_of_attribute() {
    let (_folder, anchor) = sample();
    for location in [PLAIN, MAPPED, MAPPED_OTHERWISE] {
        let seen = events(&anchor, location, u64::MAX);
        let codes: HashSet<_> = seen.iter().map(|event| event.code).collect();
        for code in EventCode::ALL {
            let known = *code != EventCode::Unknown;
            assert_eq!(codes.contains(&Some(*code)), known, "{code:?}");
            let mut same_kind = seen.iter().filter(|event| event.code == Some(*code));
            let attributed = same_kind.any(|event| event.attributes.len() == 50);
            assert_eq!(attributed, known, "{code:?}");
        }
        let types: BTreeSet<u8> = seen
            .iter()
            .flat_map(|event| event.attributes.iter().map(|attribute| attribute.1))
            .collect();
        assert_eq!(types, (1..=25).collect());
        let undefined = seen
            .iter()
            .filter(|event| event.code == Some(EventCode::MpiSend))
            .filter(|event| event.operands.contains(&UNDEFINED));
        assert_eq!(
            undefined.count(),
            3 * 4,
            "all operands and each of three, three times"
        );
    }
    assert!(events(&anchor, EMPTY, u64::MAX).is_empty());
    assert_eq!(events(&anchor, PLAIN, 0).last().unwrap().time, u64::MAX - 1);
}

#[test]
fn mapping_tables_and_clock_offsets_change_events() {
    let (_folder, anchor) = sample();
    for location in [MAPPED, MAPPED_OTHERWISE] {
        let (raw, read) = (
            events(&anchor, location, 0),
            events(&anchor, location, u64::MAX),
        );
        assert_eq!(raw.len(), read.len());
        let operands = raw
            .iter()
            .zip(&read)
            .filter(|(a, b)| a.operands != b.operands);
        assert!(operands.count() > 100, "{location}");
        let attributes = raw
            .iter()
            .zip(&read)
            .filter(|(a, b)| a.attributes != b.attributes);
        assert!(attributes.count() > 100, "{location}");
        let offsets: BTreeSet<i64> = raw
            .iter()
            .zip(&read)
            .map(|(raw, read)| read.time.wrapping_sub(raw.time).cast_signed())
            .collect();
        match location {
            MAPPED => assert!(
                offsets.len() > 100 && offsets.first() < Some(&0),
                "{offsets:?}"
            ),
            _ => assert_eq!(offsets, BTreeSet::from([0])),
        }
    }
    let (raw, read) = (events(&anchor, LONG, 0), events(&anchor, LONG, u64::MAX));
    assert!(
        raw.iter()
            .zip(&read)
            .all(|(raw, read)| read.time > raw.time)
    );
    let size = fs::metadata(anchor.with_extension("").join(format!("{LONG}.evt"))).unwrap();
    assert!(
        size.len() > 4 * 256 * 1024,
        "the file must have several chunks"
    );
}

#[test]
fn every_kind_of_snapshot_record_comes_back() {
    #[derive(Default)]
    struct Snapshots {
        codes: HashSet<SnapshotCode>,
        attributed: HashSet<SnapshotCode>,
        members: BTreeSet<usize>,
        records: u64,
        last: Vec<u64>,
    }
    impl SnapshotVisitor for Snapshots {
        fn record(
            &mut self,
            code: SnapshotCode,
            _time: u64,
            fields: &[u64],
            attributes: Attributes<'_>,
        ) {
            self.codes.insert(code);
            if attributes.len() == 50 {
                self.attributed.insert(code);
            }
            self.records += 1;
            self.last = fields.to_vec();
        }

        fn metric(
            &mut self,
            _time: u64,
            _event_time: u64,
            _metric: u64,
            types: &[u8],
            values: &[u64],
            _attributes: Attributes<'_>,
        ) {
            assert_eq!(types.len(), values.len());
            self.members.insert(types.len());
            self.records += 1;
        }
    }
    let (_folder, anchor) = sample();
    for location in LOCATIONS {
        let mut snapshots = Snapshots::default();
        let mut archive = Archive::open(&anchor).unwrap();
        let read = archive.snapshots(location, &mut snapshots).unwrap();
        assert_eq!(read, snapshots.records);
        if ![PLAIN, MAPPED].contains(&location) {
            assert_eq!(read, 0);
            continue;
        }
        for code in SnapshotCode::ALL {
            let known = *code != SnapshotCode::Unknown;
            assert_eq!(snapshots.codes.contains(code), known, "{code:?}");
            assert_eq!(snapshots.attributed.contains(code), known, "{code:?}");
        }
        assert_eq!(snapshots.members, BTreeSet::from([0, 1, 9, 255]));
        assert_eq!(snapshots.last, [UNDEFINED]);
    }
}

#[test]
fn markers_of_every_scope_and_severity_come_back() {
    #[derive(Default)]
    struct Markers {
        severities: Vec<u8>,
        scopes: BTreeSet<u8>,
        texts: Vec<Vec<u8>>,
        last: (u64, u64, u64, u64),
    }
    impl MarkerVisitor for Markers {
        fn definition(&mut self, _marker: u64, _group: &[u8], category: &[u8], severity: u8) {
            self.severities.push(severity);
            self.texts.push(category.to_vec());
        }

        fn marker(
            &mut self,
            time: u64,
            duration: u64,
            marker: u64,
            scope: u8,
            scope_ref: u64,
            text: &[u8],
        ) {
            self.scopes.insert(scope);
            self.texts.push(text.to_vec());
            self.last = (time, duration, marker, scope_ref);
        }

        fn unknown(&mut self) {
            panic!("the archive has an unknown record");
        }
    }
    let (_folder, anchor) = sample();
    let mut markers = Markers::default();
    let read = Archive::open(&anchor).unwrap().markers(&mut markers);
    assert_eq!(read, Ok(markers.texts.len() as u64));
    assert_eq!(markers.severities, [0, 1, 2, 3, 255]);
    assert_eq!(markers.scopes, BTreeSet::from([0, 1, 2, 3, 4, 5, 255]));
    assert_eq!(markers.last, (UNDEFINED, UNDEFINED, UNDEFINED, 0));
    assert!(markers.texts.contains(&"größer".as_bytes().to_vec()));
}

#[test]
fn thumbnails_come_back_unless_the_library_cannot_read_any() {
    let (_folder, anchor) = sample();
    let mut archive = Archive::open(&anchor).unwrap();
    for (expected, number) in thumbnails().iter().zip(0..) {
        match archive.thumbnail(number) {
            Ok(thumbnail) => assert_eq!(&thumbnail, expected),
            Err(error) => assert!(
                error
                    .message
                    .starts_with("Expected thumbnail header record"),
                "{error}"
            ),
        }
        let file = anchor.with_extension(format!("{number}.thumb"));
        assert!(fs::metadata(file).unwrap().len() > 20);
    }
    assert!(archive.thumbnail(99).is_err());
}

#[test]
fn otf2_print_prints_everything() {
    let (_folder, anchor) = sample();
    for options in [&[][..], &["-G"], &["-A"], &["-I"], &["-M", "-C"]] {
        let output = Command::new("otf2-print")
            .args(options)
            .arg(&anchor)
            .output();
        let output = output.expect("otf2-print must be installed");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{options:?}: {}", output.status);
        assert!(!text.contains("==ERROR=="), "{options:?}");
        assert!(text.lines().count() > 20, "{options:?}");
    }
}

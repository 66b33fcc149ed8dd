//! Archives through a store and back, judged by others: libotf2, its `otf2-print`, and the Python
//! module, which refuses what is not strictly right.

#[path = "../formats/otf2/tests/common/mod.rs"]
mod records;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use foldtrace::repair::Repaired;
use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, EventKind, EventStream, FieldType, Names, TraceError,
    TraceHead, TraceReader, UNDEFINED,
};
use otf2_sys::samples::every_record;
use proptest::prelude::*;

use crate::common::{EXAMPLES, FOLDTRACE, Folder, Ran, example};
use records::random::{Trace, kinds_of_3_0, trace};
use records::{ArchiveContent, anchor, library, open, rewrite};

/// All archives: the recorded ones, and one with every record.
fn archives(folder: &Folder) -> Vec<PathBuf> {
    let every = folder.path("every");
    every_record(&every).unwrap();
    EXAMPLES
        .iter()
        .map(|name| example(name))
        .chain([every])
        .collect()
}

/// What is applied to the events is not written beside them.
fn applied(told: ArchiveContent) -> ArchiveContent {
    ArchiveContent {
        mappings: told.events.keys().map(|&id| (id, Vec::new())).collect(),
        clocks: told.events.keys().map(|&id| (id, Vec::new())).collect(),
        ..told
    }
}

#[test]
fn through_a_store_and_back_the_library_reads_the_same() {
    let folder = Folder::new();
    for (number, archive) in archives(&folder).into_iter().enumerate() {
        let (store, back) = (format!("{number}.fold"), format!("{number}.otf2"));
        let archive = anchor(&archive);
        folder
            .run(["convert".as_ref(), archive.as_os_str(), store.as_ref()])
            .exits(0);
        folder.say(&format!("convert {store} {back}")).exits(0);
        let told = library::read_content(&folder.path(&back)).unwrap();
        told.assert_same(&applied(library::read_content(&archive).unwrap()));
    }
}

#[test]
fn through_a_store_and_back_otf2_print_prints_the_same() {
    round_trip(&[]);
}

#[test]
fn through_an_archive_and_a_store_and_back_otf2_print_prints_the_same() {
    round_trip(&["--archive"]);
}

fn round_trip(options: &[&str]) {
    let folder = Folder::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/otf2-roundtrip.sh");
    let output = Command::new(script)
        .args(options)
        .args(archives(&folder))
        .env("FOLDTRACE", FOLDTRACE)
        .env("TMPDIR", folder.root())
        .output();
    let ran = Ran::from(output.unwrap()).exits(0);
    let same = ran.stdout.lines().filter(|line| line.ends_with(" same"));
    assert_eq!(same.count(), EXAMPLES.len() + 1, "{}", ran.stdout);
}

/// Opens an archive with Debian's Python module and counts its events; it belongs to the Python of the
/// system, whatever other there is.
fn python(folder: &Folder, archive: &Path) -> Ran {
    const COUNT: &str = "\
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    print(len(trace.definitions.locations), sum(1 for _ in trace.events))
";
    let mut command = folder.command("/usr/bin/python3");
    command.arg("-c").arg(COUNT).arg(archive);
    command.output().expect("Python is installed").into()
}

#[test]
fn what_is_repaired_a_strict_reader_reads_to_its_end() {
    let folder = Folder::new();
    for name in EXAMPLES {
        let (archive, repaired) = (anchor(&example(name)), format!("{name}.otf2"));
        let refused = python(&folder, &archive);
        assert_ne!(refused.code, Some(0));
        assert!(
            refused.stderr.contains("Duplicate definition"),
            "{}",
            refused.stderr
        );

        let arguments = ["convert".as_ref(), archive.as_os_str(), repaired.as_ref()];
        folder
            .run(arguments.into_iter().chain(["--repair".as_ref()]))
            .exits(0);
        let told = library::read_content(&archive).unwrap();
        let events: usize = told.events.values().map(Vec::len).sum();
        let read = python(&folder, &folder.path(&repaired)).exits(0);
        assert_eq!(read.stdout, format!("{} {events}\n", told.events.len()));
    }
}

/// No definition has the id of another.
fn assert_unique(definitions: &Definitions) {
    let mut known = HashSet::new();
    for record in definitions.in_order() {
        let kind = record.kind;
        let is_id = |field: &foldtrace_trace::Field| field.field_type == FieldType::Id;
        if let Some(field) = kind.fields().iter().position(is_id) {
            let id = record.get(field);
            assert!(
                known.insert((kind.numbering(), id)),
                "{} {id} is there again",
                kind.name()
            );
        }
    }
}

/// What an event says to a reader: its kind, its time, and names in place of ids.
fn named(reader: &dyn TraceReader) -> BTreeMap<u64, Vec<String>> {
    let definitions = reader.definitions();
    let names = Names::new(definitions);
    let mut all = BTreeMap::new();
    for (index, stream) in reader.streams().iter().enumerate() {
        let mut events = Vec::new();
        records::each_batch(reader, index, |batch, symbols| {
            for event in batch.iter(symbols) {
                let symbol = symbols.symbol(event.symbol);
                let region = matches!(symbol.kind, EventKind::Enter | EventKind::Leave)
                    .then(|| names.name(DefinitionKind::Region, symbol.operands[0]));
                let quantities = event.quantities;
                events.push(format!(
                    "{} {} {region:?} {quantities:?}",
                    symbol.kind, event.time
                ));
            }
        });
        all.insert(stream.location.unwrap().0, events);
    }
    all
}

#[test]
fn repaired_events_are_the_same_up_to_their_ids() {
    for name in EXAMPLES {
        let archive = anchor(&example(name));
        let original = named(open(&archive, false).unwrap().as_ref());
        let repaired = Repaired::new(open(&archive, false).unwrap());
        assert_eq!(named(&repaired), original);
        assert_unique(repaired.definitions());
    }
}

/// Definitions that do not refer to each other in a circle, which no order can mend.
fn without_circles(mut trace: Trace) -> Definitions {
    const METRICS: u64 = 3;
    for record in &mut trace.records {
        let kind = record.kind;
        for (field, value) in kind.fields().iter().zip(&mut record.fields) {
            match field.field_type {
                FieldType::Ref(to) if to.numbering() == kind.numbering() => *value = UNDEFINED,
                FieldType::Number if kind == DefinitionKind::Group && *value == METRICS => {
                    *value = 0
                }
                _ => {}
            }
        }
        if kind == DefinitionKind::IoParadigm {
            record.list.clear();
        }
    }
    trace.definitions()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_repair_is_strict_and_enough(trace in trace(kinds_of_3_0())) {
        let folder = Folder::new();
        let write = |reader: &dyn TraceReader, name: &str| rewrite(reader, &folder.path(name));
        let first = {
            let source = Random(TraceHead {
                definitions: without_circles(trace),
                ..TraceHead::default()
            });
            let repaired = Repaired::new(Box::new(source));
            assert_unique(repaired.definitions());
            write(&repaired, "first.otf2")
        };
        // What was repaired is as it should be: repaired again, it stays.
        let again = Repaired::new(open(&first, false).unwrap());
        let odd = again.diagnostics().groups().flat_map(|(_, group)| &group.cases);
        // Locations keep their ids, in whatever order they come.
        let is_order = |case: &&Diagnostic| case.message.starts_with("location ");
        let odd: Vec<_> = odd.filter(|case| !is_order(case)).map(|case| &case.message).collect();
        prop_assert!(odd.is_empty(), "{:?}", odd);
        let second = write(&again, "second.otf2");
        library::read_content(&second).unwrap().assert_same(&library::read_content(&first).unwrap());
    }
}

/// Definitions without events.
struct Random(TraceHead);

impl TraceReader for Random {
    fn head(&self) -> &TraceHead {
        &self.0
    }

    fn open_stream(&self, _index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        unreachable!("there are no streams")
    }
}

#[test]
fn an_archive_is_replaced_only_by_force_and_only_if_it_is_one() {
    let folder = Folder::with_store("ring-4");
    let convert = "convert ring-4.fold out/run.otf2";
    folder.say(convert).exits(0);
    let refused = folder.say(convert).exits(5);
    assert!(refused.stderr.contains("it already exists"), "{refused:?}");
    folder.write("out/run/9.evt", "of another archive");
    folder.say(&format!("{convert} --force")).exits(0);
    assert!(!folder.path("out/run/9.evt").exists());
    folder.write("out/run/notes.txt", "mine");
    let refused = folder.say(&format!("{convert} --force")).exits(5);
    assert!(
        refused
            .stderr
            .contains("it contains files that do not belong"),
        "{refused:?}"
    );
    assert_eq!(fs::read(folder.path("out/run/notes.txt")).unwrap(), b"mine");
    fs::remove_dir_all(folder.path("out/run")).unwrap();
    folder.write("out/run", "a file");
    let refused = folder.say(&format!("{convert} --force")).exits(5);
    assert!(
        refused.stderr.contains("it is not part of an OTF2 archive"),
        "{refused:?}"
    );
    assert_eq!(folder.names(), ["out", "ring-4.fold"]);
}

#[test]
fn an_archive_that_is_not_complete_leaves_nothing() {
    let folder = Folder::with("ring-4");
    let events = folder.path("ring-4/eztrace_log/536870911.evt");
    let bytes = fs::read(&events).unwrap();
    fs::write(&events, &bytes[..bytes.len() / 2]).unwrap();
    folder.say("convert ring-4 new/folder/run.otf2").exits(4);
    assert_eq!(folder.names(), ["ring-4"]);
    folder
        .say("convert ring-4 new/folder/run.otf2 --salvage")
        .exits(3);
    let names = fs::read_dir(folder.path("new/folder")).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["run", "run.def", "run.otf2"]);
}

/// Ids are given by all definitions together, and a text trace has them among its events.
#[test]
fn what_is_defined_among_the_events_is_repaired_through_a_store() {
    let folder = Folder::new();
    folder.write("run.trace", "0 send 1 17 time=1\n1 recv 0 17 time=2\n");
    let refused = folder
        .say("convert run.trace out/run.otf2 --repair")
        .exits(2);
    assert!(refused.stderr.contains("cannot be repaired"), "{refused:?}");
    assert!(
        refused
            .stderr
            .contains("hint: convert the trace to a store first"),
        "{refused:?}"
    );
    assert_eq!(folder.names(), ["run.trace"]);
    folder.say("convert run.trace run.fold").exits(0);
    folder
        .say("convert run.fold out/run.otf2 --repair")
        .exits(0);
    let info = folder.say("info --json out/run.otf2").exits(0).json();
    assert_eq!(info["events"], 2);
}

/// A snapshot or a definition of a location is left out with a word if there is no such record.
#[test]
fn records_that_there_are_not_are_told() {
    let folder = Folder::new();
    folder.write(
        "run.trace",
        "#: snapshot location=0 index=0 record=99 time=1\n\
         #: local_definition location=0 record=250\n0 send 1 17 time=1\n",
    );
    let told = folder.say("convert run.trace run.otf2").exits(3);
    let what = "records of locations of a type that OTF2 does not have: 2";
    assert!(told.stderr.contains(what), "{told:?}");
}

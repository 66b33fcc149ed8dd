//! Derived tables: added to a store, which is replaced as a whole or not at all.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::util::display::array_value_to_string;
use foldtrace::derive::{Request, derive_into};
use foldtrace::matching::RankRange;
use foldtrace::read::Progress;
use foldtrace::store::{Derived, StoreReader};
use insta::assert_snapshot;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;

use crate::common;
use crate::common::{Folder, files};

/// The bytes of all files of a store.
fn contents(store: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = files(store).into_iter();
    paths
        .map(|path| {
            let bytes = fs::read(store.join(&path)).unwrap();
            (path, bytes)
        })
        .collect()
}

fn is_derived(path: &Path) -> bool {
    path.starts_with("derived") || path.to_string_lossy().starts_with("models/dag_")
}

/// The rows of a derived table, of all its files.
fn rows(store: &Path, table: &str) -> Vec<RecordBatch> {
    let path = store.join("derived").join(table);
    let paths = if path.is_dir() {
        files(&path).iter().map(|file| path.join(file)).collect()
    } else {
        vec![path.with_extension("parquet")]
    };
    let batches = paths.into_iter().flat_map(|path| {
        let file = File::open(path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        reader.build().unwrap().map(Result::unwrap)
    });
    batches.collect()
}

fn count(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

/// The numbers in a column; nulls are left out.
fn numbers(batches: &[RecordBatch], column: &str) -> Vec<u64> {
    let columns = batches.iter().map(|batch| {
        let column = batch.column_by_name(column).unwrap();
        foldtrace_columns::numbers(column).unwrap()
    });
    let numbers = columns.flat_map(|column| column.iter().flatten().collect::<Vec<_>>());
    numbers.collect()
}

/// How many events of a kind a store has.
fn events(folder: &Folder, store: &str, kind: &str) -> u64 {
    let info = folder.say(&format!("info --json {store}")).exits(0).json();
    info["kinds"][kind].as_u64().unwrap_or(0)
}

#[test]
fn the_tables_are_added_and_the_rest_stays() {
    let folder = Folder::with_store("farm-5");
    let store = folder.path("farm-5.fold");
    let before = contents(&store);
    let inode = |path: &Path| fs::metadata(store.join(path)).unwrap().ino();
    let symbols = inode(Path::new("symbols.parquet"));
    let ran = folder.say("derive farm-5.fold").exits(0);
    // How large they are is not the point.
    let report = ran.report();
    let (head, size) = report.split_once("derived tables take ").unwrap();
    let (_, tail) = size.split_once('\n').unwrap();
    assert_snapshot!(format!("{head}derived tables take …\n{tail}"));
    assert_eq!(folder.names(), ["farm-5.fold"]);
    folder.say("verify farm-5.fold").exits(0);

    let after = contents(&store);
    let new: Vec<_> = after
        .keys()
        .filter(|path| !before.contains_key(*path))
        .collect();
    assert!(new.iter().all(|path| is_derived(path)), "{new:?}");
    let changed: Vec<_> = before
        .keys()
        .filter(|path| before[*path] != after[*path])
        .collect();
    let expected = ["diagnostics.parquet", "manifest.json", "views.sql"].map(PathBuf::from);
    assert_eq!(changed, expected.iter().collect::<Vec<_>>());
    assert_eq!(inode(Path::new("symbols.parquet")), symbols, "is shared");

    let calls = rows(&store, "calls");
    assert_eq!(
        count(&calls) as u64,
        events(&folder, "farm-5.fold", "enter")
    );
    let messages = rows(&store, "messages");
    assert_eq!(
        count(&messages) as u64,
        events(&folder, "farm-5.fold", "mpi_send")
    );
    let received = numbers(&messages, "receive_position").len() as u64;
    assert_eq!(received, events(&folder, "farm-5.fold", "mpi_recv"));
    let members = rows(&store, "collective_members");
    assert_eq!(
        count(&members) as u64,
        events(&folder, "farm-5.fold", "mpi_collective_end")
    );
    let of_collectives: u64 = numbers(&rows(&store, "collectives"), "members")
        .iter()
        .sum();
    assert_eq!(of_collectives, count(&members) as u64);
}

#[test]
fn at_conversion_they_are_the_same() {
    let folder = Folder::with_store("stencil-9");
    folder.say("derive -q stencil-9.fold").exits(0);
    let input = common::example("stencil-9").display().to_string();
    fs::create_dir(folder.path("other")).unwrap();
    let converted = folder.say(&format!("convert {input} other/stencil-9.fold --derive"));
    let converted = converted.exits(0);
    assert!(
        converted
            .stderr
            .contains("stencil-9.fold: derived tables take")
    );
    let other = contents(&folder.path("other/stencil-9.fold"));
    assert_eq!(contents(&folder.path("stencil-9.fold")), other);
    folder.say("verify other/stencil-9.fold").exits(0);
    let kept = folder.path("other/stencil-9.fold/diagnostics.parquet");
    let file = ParquetRecordBatchReaderBuilder::try_new(File::open(kept).unwrap()).unwrap();
    let told: usize = file
        .build()
        .unwrap()
        .map(|rows| rows.unwrap().num_rows())
        .sum();
    assert!(told > 0, "{converted:?}");
}

#[test]
fn made_anew_they_stay_the_same() {
    let folder = Folder::with_store("tree-4");
    let store = folder.path("tree-4.fold");
    folder.say("derive tree-4.fold messages").exits(0);
    let tables: Vec<_> = contents(&store)
        .into_keys()
        .filter(|path| is_derived(path))
        .collect();
    assert_eq!(tables, [PathBuf::from("derived/messages.parquet")]);
    folder.say("derive tree-4.fold").exits(0);
    let all = contents(&store);
    folder
        .say("derive tree-4.fold calls messages calls")
        .exits(0);
    assert_eq!(contents(&store), all);
    folder.say("derive tree-4.fold collectives").exits(0);
    assert_eq!(contents(&store), all);
    // Another store that is made of this one has none of them.
    folder.say("convert -q tree-4.fold again.fold").exits(0);
    let again = contents(&folder.path("again.fold"));
    assert!(again.keys().all(|path| !is_derived(path)));
}

#[test]
fn a_trace_without_communication_has_empty_tables() {
    let folder = Folder::new();
    folder.write("alone.trace", "0 local enter region=1 time=5\n");
    folder
        .say("convert -q alone.trace alone.fold --derive")
        .exits(0);
    folder.write("nothing.trace", "");
    folder
        .say("convert -q nothing.trace nothing.fold --from text --derive=calls,messages --derive=collectives")
        .exits(0);
    for (store, calls) in [("alone.fold", 1), ("nothing.fold", 0)] {
        folder.say(&format!("verify {store}")).exits(0);
        let counts = ["calls", "messages", "collectives", "collective_members"]
            .map(|table| count(&rows(&folder.path(store), table)));
        assert_eq!(counts, [calls, 0, 0, 0], "{store}");
    }
}

#[test]
fn a_link_to_a_store_stays_a_link() {
    let folder = Folder::with_store("ring-4");
    symlink("ring-4.fold", folder.path("link.fold")).unwrap();
    folder.say("derive link.fold calls").exits(0);
    assert!(folder.path("link.fold").is_symlink());
    assert_eq!(folder.names(), ["link.fold", "ring-4.fold"]);
    assert!(folder.path("ring-4.fold/derived/calls").is_dir());
    folder.say("verify ring-4.fold").exits(0);
}

#[test]
fn killed_at_any_moment_there_is_the_old_store_or_the_new_one() {
    let folder = Folder::with_store("stencil-9");
    for moment in [0, 20, 50, 90, 140, 200, 280] {
        let mut child = folder
            .foldtrace(["derive", "stencil-9.fold"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        folder.say("verify stencil-9.fold").exits(0);
    }
    folder.say("derive stencil-9.fold").exits(0);
    folder.say("verify stencil-9.fold").exits(0);
}

#[test]
fn an_interrupt_leaves_the_old_store() {
    for moment in [0, 5, 30, 80] {
        let folder = Folder::with_store("stencil-9");
        let before = contents(&folder.path("stencil-9.fold"));
        let mut child = folder
            .foldtrace(["derive", "stencil-9.fold"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Before it begins to write, it knows nothing of signals yet.
        while folder.names().len() == 1 && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(moment));
        // It may have come to its end meanwhile.
        let _ = kill(
            Pid::from_raw(child.id().try_into().unwrap()),
            Signal::SIGINT,
        );
        let code = child.wait().unwrap().code();
        assert_eq!(folder.names(), ["stencil-9.fold"], "{moment}");
        let is_old = contents(&folder.path("stencil-9.fold")) == before;
        assert_eq!(code, Some(if is_old { 130 } else { 0 }), "{moment}");
        folder.say("verify stencil-9.fold").exits(0);
    }
}

#[test]
fn what_cannot_be_derived() {
    let folder = Folder::with_store("ring-4");
    let before = contents(&folder.path("ring-4.fold"));
    let report = |arguments: &str, code| folder.say(arguments).exits(code).report();
    assert_snapshot!("no_store", report("derive missing.fold", 4));
    assert_snapshot!("unknown_table", report("derive ring-4.fold steps", 2));
    assert_snapshot!(
        "tables_of_a_text",
        report("convert ring-4.fold ring.trace --derive", 2)
    );
    folder.write("ring-4.fold/notes.txt", "mine");
    assert_snapshot!("a_stranger_in_the_folder", report("derive ring-4.fold", 5));
    fs::remove_file(folder.path("ring-4.fold/notes.txt")).unwrap();
    let manifest = folder.path("ring-4.fold/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        text.replace("\"events\": 536", "\"events\": 537"),
    )
    .unwrap();
    assert_snapshot!("a_changed_manifest", report("derive ring-4.fold", 4));
    fs::write(&manifest, &text).unwrap();
    assert_eq!(contents(&folder.path("ring-4.fold")), before);
    assert_eq!(folder.names(), ["ring-4.fold"]);
}

#[test]
fn a_damaged_table_stops_it() {
    let folder = Folder::with_parts();
    fs::write(
        folder.path("ring-4.fold/topology/part-00001.parquet"),
        "no table",
    )
    .unwrap();
    let before = contents(&folder.path("ring-4.fold"));
    let ran = folder.say("derive ring-4.fold").exits(4);
    assert_snapshot!(ran.report());
    assert_eq!(contents(&folder.path("ring-4.fold")), before);
    assert_eq!(folder.names(), ["ring-4.fold"]);
}

/// An event of a location that concerns messages, as text.
pub fn message_event(ranks: u64) -> impl Strategy<Value = String> {
    (0..13, 0..ranks, 0..ranks, 0..2, 0..3).prop_map(|(kind, me, peer, tag, request)| match kind {
        0 => format!("{me} send {peer} {tag} bytes=8"),
        1 => format!("{me} isend {peer} {tag} request={request}"),
        2 => format!("{peer} recv {me} {tag} bytes=4"),
        3 => format!("{peer} irecv {me} {tag} request={request}"),
        4 => format!("{me} local mpi_isend_complete request={request}"),
        5 => format!("{me} local mpi_irecv_request request={request}"),
        6 => format!("{me} local mpi_request_cancelled request={request}"),
        7 => format!("{me} local mpi_probe peer={peer} communicator=0 tag={tag} value={request}"),
        8 => format!("{me} local mpi_mrecv value={request}"),
        9 => format!("{me} local mpi_imrecv_request request={request} value={tag}"),
        10 => format!("{me} local mpi_imrecv request={request}"),
        11 => format!("{me} local enter work"),
        _ => format!("{me} local leave work"),
    })
}

/// The rows of a table as text, sorted.
fn sorted(batches: &[RecordBatch]) -> Vec<String> {
    let rows = batches.iter().flat_map(|batch| {
        (0..batch.num_rows()).map(move |row| {
            let cells = batch.columns().iter();
            let cells = cells.map(|column| array_value_to_string(column, row).unwrap());
            cells.collect::<Vec<_>>().join(" ")
        })
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Each process receives some of the messages, whatever becomes of requests and probes.
    #[test]
    fn messages_of_some_receivers_are_a_part_of_all(
        events in prop::collection::vec(message_event(5), 0..120),
        cuts in [0..6_u64, 0..6_u64],
    ) {
        let folder = Folder::new();
        let lines = events.iter().enumerate().map(|(time, event)| format!("{event} time={time}\n"));
        folder.feed("convert - run.fold --from text --quiet", lines.collect::<String>()).exits(0);
        let store = StoreReader::open(&folder.path("run.fold")).unwrap();
        let derived = |name: &str, ranks: RankRange| {
            let path = folder.path(name);
            fs::create_dir(&path).unwrap();
            let tables = [Derived::Messages, Derived::Calls];
            let request = Request { ranks, ..Request::new(&tables) };
            let (_, problems) =
                derive_into(&path, &store, request, &Progress::default()).unwrap();
            let count = problems.groups().map(|(key, _)| (key, problems.count(key)));
            let tables = ["calls", "messages"].map(|table| rows(&path, table));
            (tables, count.collect::<BTreeMap<_, _>>())
        };
        let (all, problems) = derived("all", RankRange::ALL);
        let mut bounds = [0, cuts[0], cuts[1], u64::MAX];
        bounds.sort_unstable();
        let mut parts = [Vec::new(), Vec::new()];
        let mut summed = BTreeMap::new();
        for (number, bounds) in bounds.windows(2).enumerate() {
            let ranks = RankRange { begin: bounds[0], end: bounds[1] };
            let (tables, problems) = derived(&format!("part-{number}"), ranks);
            for (part, table) in parts.iter_mut().zip(tables) {
                part.extend(table);
            }
            for (key, count) in problems {
                *summed.entry(key).or_insert(0) += count;
            }
        }
        let sends = events.iter().filter(|event| event.contains("send ") && !event.contains("local"));
        prop_assert!(count(&all[1]) >= sends.count());
        for (part, all) in parts.iter().zip(&all) {
            prop_assert_eq!(sorted(part), sorted(all));
        }
        prop_assert_eq!(summed, problems);
    }
}

#[test]
fn tables_of_all_processes_are_not_divided() {
    let folder = Folder::with_store("ring-4");
    let store = StoreReader::open(&folder.path("ring-4.fold")).unwrap();
    let tables = [Derived::Messages, Derived::Collectives];
    let request = Request {
        ranks: RankRange { begin: 0, end: 2 },
        ..Request::new(&tables)
    };
    let error = derive_into(&folder.path(""), &store, request, &Progress::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("collectives cannot be derived for some processes")
    );
}

//! Folders of several databases.

use std::fs;
use std::path::Path;

use foldtrace_nsight::Nsight;
use foldtrace_testing::{Read, read};
use foldtrace_trace::{DefinitionKind, ErrorKind, Format, Input, PathKind, Probe, ReadOptions};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::databases::{keys, read_whole, sample, shown};

/// The processes of the sample, which has the reports of both, by rank.
const PROCESSES: [i64; 2] = [281_508_547_919_872, 281_508_531_142_656];
/// How much later the session of the second report begins, in nanoseconds.
const LATER: i64 = 700;

/// Leaves only what the report of a process would have, with times from the start of a session that began later.
fn keep(connection: &Connection, process: i64, later: i64) {
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_schema")
        .unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    for table in tables.map(Result::unwrap) {
        let run = |sql: &str| connection.execute_batch(&sql.replace('#', &table));
        // Not every table has each of these columns.
        for column in ["globalTid", "globalPid"] {
            let _ = run(&format!(
                "DELETE FROM # WHERE {column} >> 24 <> {process} >> 24"
            ));
        }
        for column in ["start", "end", "timestamp"] {
            let _ = run(&format!("UPDATE # SET {column} = {column} - {later}"));
        }
    }
    let sql = format!(
        "DELETE FROM MPI_COMMUNICATORS WHERE rank NOT IN (SELECT rank FROM MPI_RANKS);
         UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + {later};"
    );
    connection.execute_batch(&sql).unwrap();
}

/// Writes the sample as one report for each process, and changes the second one.
fn reports(change: impl FnOnce(&Connection)) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        let path = folder.path().join(name);
        fs::copy(sample("good/program"), &path).unwrap();
        Connection::open(path).unwrap()
    };
    keep(&open("rank-9.sqlite"), PROCESSES[0], 0);
    let second = open("rank-10.sqlite");
    keep(&second, PROCESSES[1], LATER);
    second.execute_batch("DELETE FROM GPU_METRICS").unwrap();
    change(&second);
    folder
}

fn sniffs(path: &Path) -> bool {
    let (kind, head) = (PathKind::Folder, &[]);
    Nsight.sniff(&Probe { path, kind, head })
}

#[test]
fn reports_of_single_processes_are_the_trace_that_one_report_of_all_is() {
    let folder = reports(|_| {});
    assert!(sniffs(folder.path()));
    let (trace, whole) = (
        read_whole(folder.path()),
        read_whole(&sample("good/program")),
    );
    assert_eq!(shown(&trace), shown(&whole));
    assert_eq!(trace.definitions.clock(), whole.definitions.clock());
    let properties = |trace: &Read| {
        let properties = trace.definitions.records(DefinitionKind::TraceProperty);
        properties
            .map(|it| it.text().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(properties(&trace), properties(&whole));
    // Both have the rows that belong to no process, which are left out.
    assert_eq!(
        keys(&trace),
        [("nsight.left_out", 4), ("nsight.overlapping_call", 2)]
    );
}

#[test]
fn reports_in_subfolders_are_a_trace() {
    let folder = reports(|_| {});
    for name in ["rank-9.sqlite", "rank-10.sqlite"] {
        let host = folder.path().join(format!("host of {name}"));
        fs::create_dir(&host).unwrap();
        fs::rename(folder.path().join(name), host.join(name)).unwrap();
    }
    assert!(sniffs(folder.path()));
    let whole = read_whole(&sample("good/program"));
    assert_eq!(shown(&read_whole(folder.path())), shown(&whole));
}

#[test]
fn reports_of_different_runs_have_no_communicator() {
    let folder = reports(|second| {
        let sql = "UPDATE MPI_RANKS SET rank = 0; UPDATE MPI_COMMUNICATORS SET rank = 0;";
        second.execute_batch(sql).unwrap();
    });
    let trace = read_whole(folder.path());
    let keys = keys(&trace);
    assert!(keys.contains(&("nsight.repeated_rank", 1)), "{keys:?}");
    assert!(
        keys.iter()
            .any(|&(key, _)| key == "nsight.unknown_communicator")
    );
}

#[test]
fn a_session_without_a_date_begins_with_the_first_one() {
    let folder = reports(|second| {
        let sql = "DELETE FROM TARGET_INFO_SESSION_START_TIME";
        second.execute_batch(sql).unwrap();
    });
    let trace = read_whole(folder.path());
    assert!(keys(&trace).contains(&("nsight.no_date", 1)));
    let locations = shown(&trace);
    let (_, events) = locations
        .iter()
        .find(|(name, _)| name == "1.0 main")
        .unwrap();
    // It was at 900 and is at 200 now; all times count from the earliest, which is at -650.
    assert_eq!(events[0], "850 CPU=4");
    assert!(keys(&trace).contains(&("nsight.negative_time", 1)));
}

#[test]
fn ranks_that_are_not_recorded_are_those_of_the_order_of_names() {
    let folder = reports(|second| second.execute_batch("DELETE FROM MPI_RANKS").unwrap());
    let first = Connection::open(folder.path().join("rank-9.sqlite")).unwrap();
    first.execute_batch("DELETE FROM MPI_RANKS").unwrap();
    drop(first);
    let whole = read_whole(&sample("good/program"));
    assert_eq!(shown(&read_whole(folder.path())), shown(&whole));
}

#[test]
fn other_files_are_not_read_and_damaged_ones_are_lost_if_the_rest_is_salvaged() {
    let folder = reports(|_| {});
    let other = folder.path().join("other.sqlite");
    let connection = Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE t(a)").unwrap();
    drop(connection);
    let trace = read_whole(folder.path());
    assert!(keys(&trace).contains(&("nsight.other_file", 1)));
    // The schema stays, but the file is in use by a program that has not written everything.
    fs::write(folder.path().join("rank-10.sqlite-wal"), "more").unwrap();
    let error = read(&Nsight, folder.path(), false).err().unwrap();
    assert!(error.message.contains("-wal"), "{error}");
    let trace = read(&Nsight, folder.path(), true).unwrap();
    assert!(keys(&trace).contains(&("nsight.damaged", 1)));
    assert!(
        shown(&trace)
            .iter()
            .any(|(name, _)| name.ends_with(" main"))
    );
    fs::write(folder.path().join("rank-9.sqlite-wal"), "more").unwrap();
    let error = read(&Nsight, folder.path(), true).err().unwrap();
    assert!(error.message.contains("-wal"), "nothing is left: {error}");
}

#[test]
fn a_report_that_is_not_exported_must_be() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("run.nsys-rep");
    fs::write(&report, "QDREP").unwrap();
    let advice = |path, kind| {
        Nsight.advice(&Probe {
            path,
            kind,
            head: b"QDREP",
        })
    };
    for (path, kind) in [
        (&*report, PathKind::File),
        (folder.path(), PathKind::Folder),
    ] {
        assert!(advice(path, kind).unwrap().contains("nsys export"));
    }
    fs::remove_file(&report).unwrap();
    assert_eq!(advice(folder.path(), PathKind::Folder), None);
    assert_eq!(advice(&folder.path().join("run.txt"), PathKind::File), None);
}

#[test]
fn a_folder_without_reports_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!sniffs(folder.path()));
    let input = Input::Path(folder.path().to_owned());
    let error = Nsight.open(input, &ReadOptions::default()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Foreign);
    assert!(error.hint.unwrap().contains("*.sqlite"));
}

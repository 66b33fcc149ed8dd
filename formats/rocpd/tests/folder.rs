//! Folders of several databases.

use std::fs;
use std::path::Path;

use foldtrace_rocpd::Rocpd;
use foldtrace_trace::{Format, PathKind, Probe};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::databases::{keys, read_whole, sample, shown};

/// The suffixes of the sets of tables in the merged sample, in their order.
const SUFFIXES: [&str; 2] = [
    "_0000a1b2_c3d4_7e5f_8899_aabbccddeeff",
    "_0000ffee_ddcc_7bbb_9988_77665544ffee",
];

/// Writes a database for each process of the merged sample into the folder of its machine.
fn databases() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (number, suffix) in (9..).zip(SUFFIXES) {
        let host = folder.path().join(format!("host{number}"));
        fs::create_dir(&host).unwrap();
        let path = host.join(format!("{number}_results.db"));
        fs::copy(sample("good/merged"), &path).unwrap();
        let connection = Connection::open(path).unwrap();
        let mut tables = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .unwrap();
        let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let tables: Vec<_> = tables.map(Result::unwrap).collect();
        for table in tables.iter().filter(|it| !it.ends_with(suffix)) {
            connection
                .execute_batch(&format!("DROP TABLE {table}"))
                .unwrap();
        }
    }
    folder
}

fn sniffs(path: &Path) -> bool {
    let (kind, head) = (PathKind::Folder, &[]);
    Rocpd.sniff(&Probe { path, kind, head })
}

#[test]
fn databases_of_single_processes_are_the_trace_that_a_merged_one_is() {
    let folder = databases();
    assert!(sniffs(folder.path()));
    let (trace, merged) = (
        read_whole(folder.path()),
        read_whole(&sample("good/merged")),
    );
    assert_eq!(shown(&trace), shown(&merged));
    assert_eq!(trace.definitions.clock(), merged.definitions.clock());
    assert_eq!(keys(&trace), keys(&merged));
}

#[test]
fn clocks_of_several_machines_may_differ() {
    let folder = databases();
    let path = folder.path().join("host10/10_results.db");
    let connection = Connection::open(path).unwrap();
    let sql = format!(
        "UPDATE rocpd_info_node{} SET hostname = 'another'",
        SUFFIXES[1]
    );
    connection.execute_batch(&sql).unwrap();
    drop(connection);
    let trace = read_whole(folder.path());
    assert!(keys(&trace).contains(&("rocpd.several_machines", 1)));
}

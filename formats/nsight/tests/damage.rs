//! Damaged databases: an error that names the file, and everything that can be salvaged.

use foldtrace_nsight::Nsight;
use foldtrace_testing::{check_changed_bytes, read};
use foldtrace_trace::{ErrorKind, Severity};
use rusqlite::{Connection, OpenFlags};

use crate::databases::{keys, read_whole, sample, shown};

#[test]
fn a_damaged_table_is_an_error_or_a_loss() {
    let path = sample("bad/damaged");
    let error = read(&Nsight, &path, false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    assert!(error.place.file.is_some() && error.hint.is_some());
    let salvaged = read(&Nsight, &path, true).unwrap();
    assert!(salvaged.errors.is_empty());
    assert!(keys(&salvaged).contains(&("nsight.damaged", 1)));
    assert_eq!(salvaged.diagnostics.worst(), Some(Severity::Loss));
    let events =
        |trace: &foldtrace_testing::Read| trace.events.values().map(Vec::len).sum::<usize>();
    let whole = read_whole(&sample("good/program"));
    let lost = 6 * 4;
    assert_eq!(
        events(&salvaged) + lost,
        events(&whole),
        "three operations of two processes"
    );
}

#[test]
fn a_damaged_table_of_names_loses_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let good = sample("good/program");
    let connection = Connection::open_with_flags(&good, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let page = |column: &str| {
        let sql = format!("SELECT {column}");
        let number: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        usize::try_from(number).unwrap()
    };
    let size = page("page_size FROM pragma_page_size");
    let root = page("rootpage FROM sqlite_schema WHERE name = 'PROCESSES'");
    let mut bytes = std::fs::read(&good).unwrap();
    bytes[(root - 1) * size..root * size].fill(0xaa);
    std::fs::write(&path, bytes).unwrap();
    let error = read(&Nsight, &path, false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    let salvaged = read(&Nsight, &path, true).unwrap();
    assert!(keys(&salvaged).contains(&("nsight.damaged", 1)));
    let whole = read_whole(&good);
    assert_eq!(
        shown(&salvaged),
        shown(&whole),
        "ranks and names of threads"
    );
}

#[test]
fn a_part_of_a_database_is_read_as_far_as_it_goes() {
    let path = sample("bad/cut_off");
    let error = read(&Nsight, &path, false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
    let salvaged = read(&Nsight, &path, true).unwrap();
    let calls = salvaged.events.values().map(Vec::len).sum::<usize>() / 2;
    assert!((100..200).contains(&calls), "{calls}");
}

#[test]
fn changes_beside_the_database_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input.sqlite");
    std::fs::copy(sample("good/no_events"), &path).unwrap();
    std::fs::write(folder.path().join("input.sqlite-wal"), "changes").unwrap();
    let error = read(&Nsight, &path, true).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreadable);
    assert!(error.message.contains("input.sqlite-wal"), "{error}");
}

#[test]
fn changed_bytes_never_take_long() {
    check_changed_bytes(&Nsight, &sample("good/program"), "a.sqlite");
}

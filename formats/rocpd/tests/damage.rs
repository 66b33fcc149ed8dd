//! Damaged databases: an error that names the file, and everything that can be salvaged.

use foldtrace_rocpd::Rocpd;
use foldtrace_testing::{check_changed_bytes, read};
use foldtrace_trace::{ErrorKind, Severity};

use crate::databases::{keys, read_whole, sample};

#[test]
fn a_damaged_table_is_an_error_or_a_loss() {
    let path = sample("bad/damaged");
    let error = read(&Rocpd, &path, false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    assert!(error.place.file.is_some() && error.hint.is_some());
    let salvaged = read(&Rocpd, &path, true).unwrap();
    assert!(salvaged.errors.is_empty());
    assert!(keys(&salvaged).contains(&("rocpd.damaged", 2)));
    assert_eq!(salvaged.diagnostics.worst(), Some(Severity::Loss));
    let events =
        |trace: &foldtrace_testing::Read| trace.events.values().map(Vec::len).sum::<usize>();
    let whole = read_whole(&sample("good/process"));
    let lost = 3;
    assert_eq!(
        events(&salvaged) + lost,
        events(&whole),
        "the kernel and its counter"
    );
}

#[test]
fn a_part_of_a_database_is_read_as_far_as_it_goes() {
    let path = sample("bad/cut_off");
    let error = read(&Rocpd, &path, false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
    let salvaged = read(&Rocpd, &path, true).unwrap();
    let calls = salvaged.events.values().map(Vec::len).sum::<usize>() / 2;
    assert!((100..200).contains(&calls), "{calls}");
}

#[test]
fn changed_bytes_never_take_long() {
    check_changed_bytes(&Rocpd, &sample("good/process"), "a.db");
}

//! Checks that any trace is unchanged after writing and reading it, in whatever pieces it is read.

use std::fs;

use foldtrace_perfetto::Perfetto;
use foldtrace_testing::{check_reads_back, part, read, record, write};
use foldtrace_trace::ErrorKind;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_file_reads_back(
        records in prop::collection::vec(record(), 0..40),
        parts in prop::collection::vec(part(), 0..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pftrace");
        let written = write(&Perfetto, &path, &records, &parts, false);
        check_reads_back(&Perfetto, &path, &written, "")?;
    }

    #[test]
    fn a_file_that_is_cut_off_keeps_the_events_before_the_cut(
        parts in prop::collection::vec(part(), 1..4),
        at in any::<prop::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pftrace");
        let written = write(&Perfetto, &path, &[], &parts, false);
        let whole = fs::read(&path).unwrap();
        let cut = at.index(whole.len());
        fs::write(&path, &whole[..cut]).unwrap();
        let found = match read(&Perfetto, &path, false) {
            Ok(read) => read.errors.into_iter().next(),
            Err(error) => Some(error),
        };
        prop_assert!(cut == 0 || found.is_some_and(|error| error.kind == ErrorKind::Truncated));
        let kept = read(&Perfetto, &path, true).unwrap();
        for (location, events) in kept.events {
            prop_assert!(written.events[&location].starts_with(&events));
        }
    }
}

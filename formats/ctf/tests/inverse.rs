//! Any trace that is written reads back unchanged, in both versions.

use foldtrace_ctf::{Ctf, Ctf2};
use foldtrace_testing::{Events, Part, Record, check_reads_back, part, read, record, write};
use foldtrace_trace::Format;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

fn check(
    format: &dyn Format,
    records: &[Record],
    parts: &[Part],
    all_symbols_first: bool,
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ctf");
    let written = write(format, &path, records, parts, all_symbols_first);
    prop_assert!(written.diagnostics.is_empty());
    let metadata = std::fs::read_to_string(path.join("metadata")).unwrap();
    check_reads_back(&Ctf, &path, &written, &metadata)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_trace_reads_back(
        records in prop::collection::vec(record(), 0..40),
        parts in prop::collection::vec(part(), 0..6),
        is_second in any::<bool>(),
        first in any::<bool>(),
    ) {
        let format: &dyn Format = if is_second { &Ctf2 } else { &Ctf };
        check(format, &records, &parts, first)?;
    }
}

/// A reader that does not know who wrote a trace finds every event in the fields that the metadata describe.
#[test]
fn others_find_every_event() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = prop::collection::vec(part(), 1..6);
    for format in [&Ctf as &dyn Format, &Ctf2] {
        let parts = strategy.new_tree(&mut runner).unwrap().current();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.ctf");
        let written = write(format, &path, &[], &parts, false);
        let metadata = path.join("metadata");
        let text = std::fs::read_to_string(&metadata).unwrap();
        let text = text.replace("/* written by foldtrace, layout 1 */", "");
        let text = text.replace("\"attributes\":{\"foldtrace\":{\"layout\":1}},", "");
        std::fs::write(&metadata, text).unwrap();
        let read = read(&Ctf, &path, false).unwrap();
        assert!(read.errors.is_empty(), "{:?}", read.errors);
        let count = |events: &Events| events.values().map(Vec::len).sum::<usize>();
        assert!(count(&written.events) > 0);
        assert_eq!(count(&read.events), count(&written.events));
    }
}

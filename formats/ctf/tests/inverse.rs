//! Any trace that is written reads back unchanged, in both versions.

use foldtrace_ctf::{Ctf, Ctf2};
use foldtrace_testing::{Event, Events, Part, Record, check_reads_back, part, read, record, write};
use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, Format, LocationId, Output, Position,
    Quantity, Symbol, SymbolTable, Timestamp, UNDEFINED,
};
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
        let unsigned = text.replace("/* written by foldtrace, layout 1 */", "");
        let unsigned = unsigned.replace("\"attributes\":{\"foldtrace\":{\"layout\":1}},", "");
        assert!(unsigned.len() < text.len());
        std::fs::write(&metadata, unsigned).unwrap();
        let read = read(&Ctf, &path, false).unwrap();
        assert!(read.errors.is_empty(), "{:?}", read.errors);
        let count = |events: &Events| events.values().map(Vec::len).sum::<usize>();
        assert!(count(&written.events) > 0);
        assert_eq!(count(&read.events), count(&written.events));
    }
}

/// Returns calls of region 7 in location 3.
fn calls(count: u64) -> Part {
    let event = |time| Event {
        symbol: Symbol::new(
            [EventKind::Enter, EventKind::Leave][(time % 2) as usize],
            &[7],
        ),
        time,
        quantities: [UNDEFINED; Quantity::COUNT],
        metrics: Vec::new(),
        attributes: Vec::new(),
    };
    Part {
        location: 3,
        definitions: Vec::new(),
        events: (0..count).map(event).collect(),
    }
}

#[test]
fn names_with_null_characters_read_back() {
    let record = |kind: DefinitionKind, fields: &[u64], text: &str| {
        let mut fields = fields.to_vec();
        fields.resize(kind.fields().len(), UNDEFINED);
        (kind, fields, Vec::new(), text.to_owned())
    };
    let records = [
        record(DefinitionKind::String, &[1], "a\0b\u{1}"),
        record(DefinitionKind::Region, &[7, 1, 1], ""),
    ];
    for format in [&Ctf as &dyn Format, &Ctf2] {
        check(format, &records, &[calls(2)], false).unwrap();
    }
}

#[test]
fn a_packet_that_is_cut_off_is_salvaged_up_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ctf");
    write(&Ctf, &path, &[], &[calls(10)], false);
    let stream = std::fs::OpenOptions::new()
        .write(true)
        .open(path.join("location_3"))
        .unwrap();
    stream
        .set_len(stream.metadata().unwrap().len() - 1)
        .unwrap();
    for salvages in [false, true] {
        let read = read(&Ctf, &path, salvages).unwrap();
        assert_eq!(read.events[&LocationId(3)].len(), 9);
        assert_eq!(read.errors.is_empty(), salvages);
        let problems = read.diagnostics.groups();
        let problems: Vec<_> = problems.map(|(key, group)| (key, group.count)).collect();
        let expected: &[_] = if salvages { &[("ctf.cut_off", 1)] } else { &[] };
        assert_eq!(problems, expected);
    }
}

#[test]
fn a_location_has_one_stream() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ctf");
    write(&Ctf, &path, &[], &[calls(2)], false);
    std::fs::copy(path.join("location_3"), path.join("location_03")).unwrap();
    let error = read(&Ctf, &path, false).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("expected a data stream called location_ID, found ")
    );
}

#[test]
fn a_stream_that_cannot_be_written_is_called_by_its_final_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ctf");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Ctf.create(output).unwrap();
    writer.definitions(&Definitions::default()).unwrap();
    let (mut batch, mut symbols) = (EventBatch::default(), SymbolTable::default());
    batch.reset(LocationId(3), Position(0));
    let symbol = symbols.intern(Symbol::new(EventKind::Enter, &[7]));
    batch.push(symbol, Timestamp(1), &[]);
    writer.write(&batch, &symbols).unwrap();
    for entry in folder.path().read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        }
    }
    let error = writer.finish().unwrap_err();
    assert_eq!(error.place.file, Some(path.join("location_3")));
}

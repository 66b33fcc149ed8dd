//! Checks that any trace is unchanged after writing and reading it.

use foldtrace_testing::{Part, Record, check_reads_back, fill, part, read, record, write};
use foldtrace_text::TextFormat;
use foldtrace_trace::{EventBatch, EventText, LocationId, Names, Position, SymbolTable};
use proptest::prelude::*;

fn check(records: &[Record], parts: &[Part], name: &str) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let written = write(&TextFormat, &path, records, parts, false);
    let text = if name.ends_with('/') {
        String::new()
    } else {
        std::fs::read_to_string(&path).unwrap()
    };
    check_reads_back(&TextFormat, &path, &written, &text)
}

/// The reader accepts the text of `EventText`, although the writer has its own implementation.
fn check_event_text(records: &[Record], parts: &[Part]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.trace");
    // Definitions are not part of the text of an event, so all of them come first.
    let mut parts = parts.to_vec();
    parts.iter_mut().for_each(|part| part.definitions.clear());
    write(&TextFormat, &path, records, &[], false);
    let mut text = std::fs::read_to_string(&path).unwrap();
    let header = text.len();
    let written = write(&TextFormat, &path, records, &parts, false);
    let names = Names::new(&written.definitions);
    let mut symbols = SymbolTable::default();
    let mut batch = EventBatch::default();
    for part in &parts {
        batch.reset(LocationId(part.location), Position(0));
        fill(&mut batch, &part.events, &mut symbols);
        for event in batch.iter(&symbols) {
            let line = EventText::new(&names, &batch, event, &symbols).to_string();
            prop_assert!(!line.contains('\n'));
            text.push_str(&line);
            text.push('\n');
        }
    }
    let by_writer = std::fs::read_to_string(&path).unwrap();
    for (line, by_writer) in text[header..].lines().zip(by_writer[header..].lines()) {
        // Only descriptions are shorter, if their texts are sufficient.
        prop_assert!(
            line == by_writer || line.contains(" string="),
            "{}\n{}",
            line,
            by_writer
        );
    }
    std::fs::write(&path, &text).unwrap();
    check_reads_back(&TextFormat, &path, &written, &text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_file_reads_back(
        records in prop::collection::vec(record(), 0..40),
        parts in prop::collection::vec(part(), 0..8),
    ) {
        check(&records, &parts, "out.trace")?;
    }

    #[test]
    fn event_texts_read_back(
        records in prop::collection::vec(record(), 0..40),
        parts in prop::collection::vec(part(), 0..4),
    ) {
        check_event_text(&records, &parts)?;
    }

    #[test]
    fn a_folder_reads_back(
        records in prop::collection::vec(record(), 0..30),
        parts in prop::collection::vec(part(), 0..8),
    ) {
        check(&records, &parts, "out/")?;
    }

    #[test]
    fn no_input_makes_the_reader_hang_or_panic(
        lines in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..30),
                "[0-3@.]{1,4} (send|recv|sync|isync|local) [ -~]{0,20}".prop_map(String::into_bytes),
                "#: (comm|group|region|location|string) [ -~]{0,20}".prop_map(String::into_bytes),
                "#: (comm|group|location) id=[0-3] (group|members|location_group)=[0-3]".prop_map(String::into_bytes),
                "[0-3] (send [0-3] [0-3]|local enter [a-b]|sync MPI_Barrier [0-1](-[0-3])?)( time=[0-9])?".prop_map(String::into_bytes),
            ],
            0..30,
        ),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.trace");
        std::fs::write(&path, lines.join(&b'\n')).unwrap();
        let kept = read(&TextFormat, &path, true).unwrap();
        prop_assert!(kept.errors.is_empty());
        if let Ok(whole) = read(&TextFormat, &path, false) {
            prop_assert_eq!(whole.errors.len() as u64, kept.diagnostics.count("text.bad_line"));
            prop_assert_eq!(whole.events, kept.events, "the kept events do not depend on salvaging");
        }
    }
}

//! Writing and reading back gives what was there, whatever it was.

#![allow(clippy::unwrap_used, clippy::panic)]

use foldtrace_testing::{Events, Part, Record, collect, definitions, fill, part, read, record};
use foldtrace_text::TextFormat;
use foldtrace_trace::{
    EventBatch, EventText, Format, LocationId, Names, Output, Position, SymbolTable,
};
use proptest::prelude::*;

fn check(records: &[Record], parts: &[Part], name: &str) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = TextFormat.create(output).unwrap();
    let mut all = definitions(records);
    writer.definitions(&all).unwrap();
    let mut symbols = SymbolTable::default();
    let mut events = Events::default();
    for part in parts {
        let location = LocationId(part.location);
        let mut batch = EventBatch::default();
        let first = events
            .get(&location)
            .map_or(0, |events| events.len() as u64);
        batch.reset(location, Position(first));
        batch.definitions = definitions(&part.definitions);
        all.append(&batch.definitions);
        fill(&mut batch, &part.events, &mut symbols);
        if !batch.is_empty() {
            collect(&mut events, &batch, &symbols);
        }
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    let read = read(&TextFormat, &path, false).unwrap();
    let errors: Vec<_> = read
        .errors
        .iter()
        .map(|e| format!("{} {e}", e.place))
        .collect();
    let written = if name.ends_with('/') {
        String::new()
    } else {
        std::fs::read_to_string(&path).unwrap()
    };
    prop_assert!(errors.is_empty(), "{:?}\n{}", errors, written);
    prop_assert_eq!(&read.events, &events, "\n{}", written);
    prop_assert_eq!(&read.definitions, &all, "\n{}", written);
    Ok(())
}

/// What `EventText` says of an event is what the reader takes, though the writer has its own way.
fn check_event_text(records: &[Record], parts: &[Part]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.trace");
    let mut writer = TextFormat
        .create(Output::Path {
            path: path.clone(),
            replace: false,
        })
        .unwrap();
    let all = definitions(records);
    writer.definitions(&all).unwrap();
    writer.finish().unwrap();
    let mut text = std::fs::read_to_string(&path).unwrap();
    let header = text.len();
    let names = Names::new(&all);
    let mut symbols = SymbolTable::default();
    let mut events = Events::default();
    let output = Output::Path {
        path: path.clone(),
        replace: true,
    };
    let mut writer = TextFormat.create(output).unwrap();
    writer.definitions(&all).unwrap();
    for part in parts {
        let (location, mut batch) = (LocationId(part.location), EventBatch::default());
        let first = events
            .get(&location)
            .map_or(0, |events| events.len() as u64);
        batch.reset(location, Position(first));
        fill(&mut batch, &part.events, &mut symbols);
        if !batch.is_empty() {
            collect(&mut events, &batch, &symbols);
        }
        for event in batch.iter(&symbols) {
            let line = EventText::new(&names, &batch, event, &symbols).to_string();
            prop_assert!(!line.contains('\n'));
            text.push_str(&line);
            text.push('\n');
        }
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    for (line, written) in text[header..].lines().zip(written[header..].lines()) {
        // Only descriptions are shorter where their texts suffice.
        prop_assert!(
            line == written || line.contains(" string="),
            "{}\n{}",
            line,
            written
        );
    }
    std::fs::write(&path, &text).unwrap();
    let read = read(&TextFormat, &path, false).unwrap();
    prop_assert!(read.errors.is_empty(), "{:?}\n{}", read.errors, text);
    prop_assert_eq!(&read.events, &events, "\n{}", text);
    prop_assert_eq!(&read.definitions, &all, "\n{}", text);
    Ok(())
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
            prop_assert_eq!(whole.events, kept.events, "what is kept does not depend on salvage");
        }
    }
}

//! Writes a random trace and reads it back.

use std::path::Path;

use foldtrace_trace::{
    Definitions, Diagnostics, EventBatch, Format, LocationId, Output, Position, SymbolTable,
};
use proptest::prop_assert_eq;
use proptest::test_runner::TestCaseError;

use crate::{Events, Part, Record, collect, definitions, fill, read};

/// The content of a trace that was written.
#[derive(Debug)]
pub struct Written {
    /// All definitions, in order.
    pub definitions: Definitions,
    /// All events, by location.
    pub events: Events,
    /// The diagnostics of the writer.
    pub diagnostics: Diagnostics,
}

/// Writes `parts`, one batch after another. With `first`, all symbols are known before the first event, as some
/// writers require; otherwise, they become known with the events.
pub fn write(
    format: &dyn Format,
    path: &Path,
    records: &[Record],
    parts: &[Part],
    first: bool,
) -> Written {
    let output = Output::Path {
        path: path.to_owned(),
        replace: true,
    };
    let mut writer = format.create(output).unwrap();
    let mut all = definitions(records);
    writer.definitions(&all).unwrap();
    let mut symbols = SymbolTable::default();
    if first {
        for event in parts.iter().flat_map(|part| &part.events) {
            symbols.intern(event.symbol);
        }
    }
    let mut events = Events::default();
    for part in parts {
        let location = LocationId(part.location);
        let mut batch = EventBatch::default();
        let position = events.get(&location).map_or(0, Vec::len);
        batch.reset(location, Position(position as u64));
        batch.definitions = definitions(&part.definitions);
        all.append(&batch.definitions);
        fill(&mut batch, &part.events, &mut symbols);
        if !batch.is_empty() {
            collect(&mut events, &batch, &symbols);
        }
        writer.write(&batch, &symbols).unwrap();
    }
    Written {
        definitions: all,
        events,
        diagnostics: writer.finish().unwrap(),
    }
}

/// Checks that `written` reads back unchanged. If it does not, `text` is shown.
///
/// # Errors
/// If it does not read back unchanged.
pub fn check_reads_back(
    format: &dyn Format,
    path: &Path,
    written: &Written,
    text: &str,
) -> Result<(), TestCaseError> {
    let read = read(format, path, false).unwrap();
    let errors = read.errors.iter().map(|e| format!("{} {e}", e.place));
    prop_assert_eq!(errors.collect::<Vec<_>>(), [""; 0], "\n{}", text);
    prop_assert_eq!(&read.events, &written.events, "\n{}", text);
    prop_assert_eq!(&read.definitions, &written.definitions, "\n{}", text);
    Ok(())
}

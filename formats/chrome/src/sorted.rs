//! Opens a foreign file: all events are read and sorted.

use std::path::PathBuf;

use foldtrace_sort::{
    Operation, SortedRows, SortedTrace, StreamSource, UnmatchedEnd, scratch_error,
};
use foldtrace_trace::{
    Definitions, Diagnostic, Diagnostics, Place, Severity, TraceError, TraceHead,
};

use crate::counters::Counters;
use crate::elements::Elements;
use crate::foreign::{Collector, collect};
use crate::meaning::Plain;

/// All events of a trace, with what their rows refer to.
pub(crate) struct Collected {
    pub counters: Counters,
    pub rows: SortedRows,
    /// The sources of the locations, in order.
    pub sources: Vec<StreamSource>,
    /// The operations of rows that communicate, by index; `None` if the call does not count as an operation.
    pub operations: Vec<Option<Operation>>,
}

/// Reads and sorts all events.
///
/// # Errors
/// If the file is damaged and not salvaged, or if the disk has no space for the rows to be sorted.
pub(crate) fn read(mut elements: Elements) -> Result<SortedTrace, TraceError> {
    let path = elements.path().to_owned();
    let mut diagnostics = Diagnostics::default();
    let mut collector = Collector::new(Plain);
    collect(
        &mut elements,
        &mut collector,
        &mut diagnostics,
        Collector::property,
    )?;
    let (definitions, collected, zero) = collector.finish().map_err(scratch_error)?;
    if zero < 0 {
        diagnostics.report(shifted(-zero).at(Place::file(&path)));
    }
    Ok(open(path, definitions, diagnostics, collected))
}

/// Opens a trace whose events are collected.
pub(crate) fn open(
    path: PathBuf,
    definitions: Definitions,
    diagnostics: Diagnostics,
    collected: Collected,
) -> SortedTrace {
    let trace = SortedTrace {
        path,
        head: TraceHead {
            definitions,
            diagnostics,
            ..TraceHead::default()
        },
        rows: collected.rows,
        sources: collected.sources,
        operations: collected.operations,
        doubles: collected.counters.doubles(),
        unmatched_end: UnmatchedEnd {
            kind: (Severity::Warning, "chrome.unmatched_end"),
            message: "an event of phase E has no matching event of phase B",
        },
    };
    trace.with_streams()
}

/// Returns the note that all times are later than in the file, because some are before 0.
pub(crate) fn shifted(nanoseconds: i64) -> Diagnostic {
    let message = format!("all times are {nanoseconds} ns later than in the file");
    Diagnostic::new(Severity::Note, "chrome.negative_time", message)
        .hint("the file contains times before 0")
}

//! All events of a trace, sorted by location.

use std::path::PathBuf;

use foldtrace_sort::{Operation, SortedRows, SortedTrace, StreamSource, UnmatchedEnd};
use foldtrace_trace::{Definitions, Diagnostics, Severity, TraceHead};

use crate::counters::Counters;

/// All events of a trace, with what their rows refer to.
pub(crate) struct Collected {
    pub counters: Counters,
    pub rows: SortedRows,
    /// The sources of the locations, in order.
    pub sources: Vec<StreamSource>,
    /// The operations of rows that communicate, by index; `None` if the call does not count as an operation.
    pub operations: Vec<Option<Operation>>,
}

impl Collected {
    /// Opens the trace, which has these definitions and problems.
    pub(crate) fn open(
        self,
        path: PathBuf,
        definitions: Definitions,
        diagnostics: Diagnostics,
    ) -> SortedTrace {
        let trace = SortedTrace {
            path,
            head: TraceHead {
                definitions,
                diagnostics,
                ..TraceHead::default()
            },
            rows: self.rows,
            sources: self.sources,
            operations: self.operations,
            doubles: self.counters.doubles(),
            unmatched_end: UnmatchedEnd {
                kind: (Severity::Warning, "chrome.unmatched_end"),
                message: "an event of phase E has no matching event of phase B",
            },
        };
        trace.with_streams()
    }
}

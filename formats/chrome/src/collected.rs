//! All events of a trace, sorted by location, with what their rows refer to.

use foldtrace_trace::{LocationId, Symbol};

use crate::counters::Counters;
use crate::sort::SortedRows;

/// All events of a trace.
pub(crate) struct Collected {
    pub counters: Counters,
    pub rows: SortedRows,
    /// The locations in order.
    pub sources: Vec<StreamSource>,
    /// The operations of rows that communicate, by index; `None` if the call does not count as an operation.
    pub operations: Vec<Option<Operation>>,
}

/// The source of the events of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamSource {
    pub location: LocationId,
    pub track: u32,
    /// The nanosecond of the file at time 0, which is negative if there are events before 0.
    pub zero: i64,
}

/// The operation of calls that communicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// The symbol of the event that sends, receives, or completes a collective operation.
    pub symbol: Symbol,
    /// The number of the first operation of the group that counts. Calls without a number always count.
    pub first: u64,
}

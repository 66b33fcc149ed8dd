//! The single calls of a location.

use std::ops::Range;

use foldtrace_matching::{Action, CalleeIndex, RegionIndex, Regions};
use foldtrace_store::{Field, StoreReader};
use foldtrace_trace::{
    CallStack, LocationId, OpenCalls, Position, SymbolId, Timestamp, TraceError,
};

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub region: RegionIndex,
    /// The number of calls around it.
    pub depth: u32,
    /// The position of the event that enters it.
    pub position: Position,
    pub begin: Timestamp,
    /// `None` if it is open after the last event that is read.
    pub end: Option<Timestamp>,
}

/// Returns the calls that are open at some time between the events of a location at `positions`, in the order in which they are
/// entered. `open` are those before the first of these events.
///
/// # Errors
/// Returns an error if a table is missing or damaged.
pub(super) fn calls(
    store: &StoreReader,
    regions: &Regions,
    location: LocationId,
    positions: Range<Position>,
    open: &OpenCalls<Position>,
) -> Result<Vec<Call>, TraceError> {
    let entered: Vec<_> = open.calls().map(|(symbol, &at)| (symbol, at)).collect();
    let at: Vec<Position> = entered.iter().map(|&(_, at)| at).collect();
    let begins = store.gather(location, &at, &[Field::Time])?.pop();
    let begins = begins.unwrap_or_default().values;
    let mut calls = Vec::new();
    let mut stack: CallStack<CalleeIndex, usize> = CallStack::default();
    let mut depth = 0;
    let mut take = |symbol: SymbolId, position, time| match regions.action(symbol.row()) {
        Action::Enter(callee, region) => {
            stack.enter(callee, calls.len());
            calls.push(Call {
                region,
                depth,
                position,
                begin: time,
                end: None,
            });
            depth += 1;
        }
        Action::Leave(callee) => {
            if let Some(left) = stack.leave(callee) {
                calls[left.call].end = Some(time);
                depth -= 1;
            }
        }
        Action::None => {}
    };
    for ((symbol, position), begin) in entered.into_iter().zip(begins) {
        take(symbol, position, Timestamp(begin));
    }
    let mut stream = store.events_in(location, positions.clone());
    let (mut symbols, mut times) = (Vec::new(), Vec::new());
    let mut all = (positions.start.0..).map(Position);
    loop {
        stream.next_times(&mut symbols, &mut times)?;
        if symbols.is_empty() {
            return Ok(calls);
        }
        for ((&symbol, &time), position) in symbols.iter().zip(&times).zip(&mut all) {
            take(symbol, position, time);
        }
    }
}

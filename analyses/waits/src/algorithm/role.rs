//! The role of an event for wait states.

use foldtrace_matching::{
    Action, CalleeIndex, CollectiveCalls, Collectives, Matching, Messages, RegionIndex, Regions,
};
use foldtrace_mpi::Routine;
use foldtrace_trace::{EventKind, SymbolTable};

/// What MPI does in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Callee {
    pub routine: Routine,
    /// The code of the collective operation, if the call is one without events of its own.
    pub operation: Option<usize>,
}

/// The role of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// The event is not relevant.
    #[default]
    None,
    /// It enters a call.
    Enter(CalleeIndex, RegionIndex, Callee),
    /// It leaves a call.
    Leave(CalleeIndex),
    /// It sends a message; whether the send only begins here.
    Send { is_begun: bool },
    /// It completes a non-blocking send.
    SendComplete,
    /// It posts a non-blocking receive.
    Post,
    /// It completes a receive.
    Receive,
    /// It completes a collective operation.
    CollectiveEnd,
    /// Only matching needs it.
    Matched,
}

impl Role {
    /// Returns the role of each row of a table of symbols.
    pub fn of_symbols(
        regions: &Regions,
        calls: &CollectiveCalls,
        symbols: &SymbolTable,
    ) -> Vec<Self> {
        let roles = symbols
            .iter()
            .map(|(id, symbol)| match regions.action(id.row()) {
                Action::Enter(callee, region) => {
                    let name = &regions.regions()[region.0 as usize].name;
                    let routine = Routine::called(name);
                    let operation = calls.operation(id);
                    Self::Enter(callee, region, Callee { routine, operation })
                }
                Action::Leave(callee) => Self::Leave(callee),
                Action::None => Self::of_kind(symbol.kind),
            });
        roles.collect()
    }

    fn of_kind(kind: EventKind) -> Self {
        match kind {
            EventKind::MpiSend => Self::Send { is_begun: false },
            EventKind::MpiIsend => Self::Send { is_begun: true },
            EventKind::MpiIsendComplete => Self::SendComplete,
            EventKind::MpiIrecvRequest | EventKind::MpiImrecvRequest => Self::Post,
            EventKind::MpiRecv
            | EventKind::MpiIrecv
            | EventKind::MpiMrecv
            | EventKind::MpiImrecv => Self::Receive,
            kind if kind.is_collective() => Self::CollectiveEnd,
            kind if Messages::needs(kind) || Collectives::needs(kind) => Self::Matched,
            _ => Self::None,
        }
    }
}

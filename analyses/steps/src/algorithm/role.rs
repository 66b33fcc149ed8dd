//! Determines the role of an event for steps, from its kind and the name of its routine.

use foldtrace_matching::{Collectives, Matching, Messages};
use foldtrace_mpi::Routine;
use foldtrace_trace::{DefinitionKind, EventKind, Names, Symbol};

/// The role of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// An event without relevance to steps.
    #[default]
    Other,
    /// Enters a call; whether the call is an instance of the region of phases.
    Enter(Routine, bool),
    /// Leaves a call; whether the call was an instance of the region of phases.
    Leave(bool),
    /// Sends a message; whether the send only begins here.
    Send(bool),
    /// Completes a receive.
    Receive,
    /// Begins a collective operation.
    CollectiveBegin,
    /// Completes a collective operation.
    CollectiveEnd,
    /// Completes a send.
    SendComplete,
    /// An event that only matching needs.
    Matched,
}

impl Role {
    /// Returns whether such an event is part of an operation.
    pub const fn is_part_of_operation(self) -> bool {
        matches!(
            self,
            Self::Send(_) | Self::Receive | Self::CollectiveBegin | Self::CollectiveEnd
        )
    }

    /// Returns whether matching needs such an event.
    pub const fn is_matched(self) -> bool {
        !matches!(self, Self::Other | Self::Enter(..) | Self::Leave(_))
    }

    /// Returns the role of events with a symbol; `phases` is the name of the region of phases.
    pub fn of_symbol(symbol: Symbol, names: &Names, phases: Option<&str>) -> Self {
        let callee = || names.name(DefinitionKind::Region, names.callee(&symbol)?);
        let is_phase = || phases.is_some_and(|phases| callee() == Some(phases));
        match symbol.kind {
            EventKind::Enter | EventKind::CallingContextEnter => {
                Self::Enter(callee().map_or(Routine::Other, Routine::called), is_phase())
            }
            kind if kind.is_leave() => Self::Leave(is_phase()),
            EventKind::MpiSend => Self::Send(false),
            EventKind::MpiIsend => Self::Send(true),
            EventKind::MpiRecv
            | EventKind::MpiIrecv
            | EventKind::MpiMrecv
            | EventKind::MpiImrecv => Self::Receive,
            EventKind::MpiCollectiveBegin | EventKind::RmaCollectiveBegin => Self::CollectiveBegin,
            kind if kind.is_collective() => Self::CollectiveEnd,
            EventKind::MpiIsendComplete => Self::SendComplete,
            kind if Messages::needs(kind) || Collectives::needs(kind) => Self::Matched,
            _ => Self::Other,
        }
    }
}

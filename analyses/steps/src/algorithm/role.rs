//! What an event does for steps, as its kind and the name of its routine tell.

use foldtrace_mpi::Routine;
use foldtrace_trace::{DefinitionKind, EventKind, Names, Symbol};

/// What an event does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing that concerns steps.
    #[default]
    Other,
    /// It enters a call; whether that is an instance of the region of phases.
    Enter(Routine, bool),
    /// It leaves a call; whether that was such an instance.
    Leave(bool),
    /// It sends; whether that is only begun.
    Send(bool),
    /// It has received.
    Receive,
    /// A collective operation begins.
    CollectiveBegin,
    /// A collective operation is complete.
    CollectiveEnd,
    /// A send is complete.
    SendComplete,
    /// Matching has to know of it.
    Matched,
}

impl Role {
    /// That of events with a symbol; `phases` is the region of phases.
    pub fn of(symbol: Symbol, names: &Names, phases: Option<&str>) -> Self {
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
            EventKind::MpiIrecvRequest
            | EventKind::MpiImrecvRequest
            | EventKind::MpiRequestCancelled
            | EventKind::MpiProbe
            | EventKind::NonBlockingCollectiveRequest => Self::Matched,
            _ => Self::Other,
        }
    }
}

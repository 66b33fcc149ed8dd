//! The roles of events in messages and collective operations.

use foldtrace_trace::EventKind;

/// The role of the events of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The events are not needed.
    None,
    /// The events only identify messages: probes and requests.
    Identifies,
    Send,
    Receive,
    Begin,
    End,
}

impl Role {
    /// Returns the role of events of a kind.
    pub const fn of(kind: EventKind) -> Self {
        match kind {
            EventKind::MpiSend | EventKind::MpiIsend => Self::Send,
            EventKind::MpiRecv
            | EventKind::MpiIrecv
            | EventKind::MpiMrecv
            | EventKind::MpiImrecv => Self::Receive,
            EventKind::MpiProbe | EventKind::MpiImrecvRequest | EventKind::MpiRequestCancelled => {
                Self::Identifies
            }
            EventKind::MpiCollectiveBegin
            | EventKind::RmaCollectiveBegin
            | EventKind::NonBlockingCollectiveRequest => Self::Begin,
            EventKind::MpiCollectiveEnd
            | EventKind::RmaCollectiveEnd
            | EventKind::NonBlockingCollectiveComplete => Self::End,
            _ => Self::None,
        }
    }
    /// Returns whether the events depend on other events, or other events on them.
    pub const fn is_related(self) -> bool {
        !matches!(self, Self::None | Self::Identifies)
    }
}

//! The direction in which an event moves bytes.

use foldtrace_trace::EventKind;

/// The direction in which the quantity `bytes` of an event moves, seen from its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// To other processes.
    Sent,
    /// From other processes.
    Received,
    /// To or from a file.
    Io,
}

impl Transfer {
    /// Returns the direction for events of a kind; `None` if they move no bytes, or another event counts the same bytes.
    #[must_use]
    pub const fn of(kind: EventKind) -> Option<Self> {
        match kind {
            EventKind::MpiSend
            | EventKind::MpiIsend
            | EventKind::MpiCollectiveEnd
            | EventKind::NonBlockingCollectiveComplete
            | EventKind::RmaCollectiveEnd
            | EventKind::RmaPut
            | EventKind::RmaAtomic => Some(Self::Sent),
            EventKind::MpiRecv | EventKind::MpiIrecv | EventKind::MpiMrecv | EventKind::RmaGet => {
                Some(Self::Received)
            }
            EventKind::IoOperationComplete => Some(Self::Io),
            _ => None,
        }
    }
}

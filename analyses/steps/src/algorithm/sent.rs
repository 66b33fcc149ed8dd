//! Defines the lateness of an event, and the messages whose sends have left the window before their receives.

use foldtrace_trace::{LocationId, Position};

use super::origins::OriginId;

/// The lateness of an event, and its origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lateness {
    pub ticks: u64,
    pub origin: Option<OriginId>,
}

/// A message whose send has left the window before its receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentBefore {
    pub location: LocationId,
    /// The position and the step of the send.
    pub position: Position,
    pub step: u64,
    /// The lateness of the send.
    pub late: Lateness,
}

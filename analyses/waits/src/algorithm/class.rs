//! The classes of wait states.

use serde::{Deserialize, Serialize};

/// The class of a wait state, after the pattern documentation of Scalasca.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A blocking receive begins before its message is sent.
    LateSender,
    /// A late sender, while a message that was sent earlier to the same location is received later.
    WrongOrder,
    /// A blocking send begins before its receive is posted, and does not end before that.
    LateReceiver,
    /// A call that completes non-blocking sends or receives begins before the other side does its part.
    WaitAtCompletion,
    /// A process enters a barrier before the last one does.
    WaitAtBarrier,
    /// A process enters an operation in which all receive from all before the last one does.
    WaitAtNxn,
    /// The root of a reduction or gather enters the operation before the last of the others does.
    EarlyReduce,
    /// A process enters a broadcast or scatter before its root does.
    LateBroadcast,
    /// A process enters a scan before the last of those whose data it receives.
    EarlyScan,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 9] = [
        Self::LateSender,
        Self::WrongOrder,
        Self::LateReceiver,
        Self::WaitAtCompletion,
        Self::WaitAtBarrier,
        Self::WaitAtNxn,
        Self::EarlyReduce,
        Self::LateBroadcast,
        Self::EarlyScan,
    ];

    /// Returns the name in JSON and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LateSender => "late_sender",
            Self::WrongOrder => "wrong_order",
            Self::LateReceiver => "late_receiver",
            Self::WaitAtCompletion => "wait_at_completion",
            Self::WaitAtBarrier => "wait_at_barrier",
            Self::WaitAtNxn => "wait_at_nxn",
            Self::EarlyReduce => "early_reduce",
            Self::LateBroadcast => "late_broadcast",
            Self::EarlyScan => "early_scan",
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::LateSender => "late sender",
            Self::WrongOrder => "late sender, wrong order",
            Self::LateReceiver => "late receiver",
            Self::WaitAtCompletion => "wait at completion",
            Self::WaitAtBarrier => "wait at barrier",
            Self::WaitAtNxn => "wait at N×N",
            Self::EarlyReduce => "early reduce",
            Self::LateBroadcast => "late broadcast",
            Self::EarlyScan => "early scan",
        }
    }
}

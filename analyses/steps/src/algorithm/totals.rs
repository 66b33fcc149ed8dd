//! The counts of a trace, or of a stage of it.

use serde::{Deserialize, Serialize};

/// The counts of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The number of global steps.
    pub steps: u64,
    /// The number of partitions.
    pub partitions: u64,
    /// The number of operations.
    pub operations: u64,
    /// The number of aggregates that have a duration or events.
    pub aggregates: u64,
    /// The number of messages with both a send and a receive.
    pub messages: u64,
    /// The number of these messages at which partitions were cut.
    pub cut_messages: u64,
    /// The number of contradictions: messages that are not received after the step of their send, operations whose
    /// step is not after that of the preceding one, and members of a collective operation at different steps.
    pub violations: u64,
    /// The number of late operations and aggregates by class, in the order of [`Class`](super::Class).
    pub late: [u64; 4],
}

impl Totals {
    /// Adds the counts of the next stage, which begins at `step`.
    pub(super) fn add(&mut self, stage: &Self, step: u64) {
        self.steps = self.steps.max(stage.steps + step);
        self.partitions += stage.partitions;
        self.operations += stage.operations;
        self.aggregates += stage.aggregates;
        self.messages += stage.messages;
        self.cut_messages += stage.cut_messages;
        self.violations += stage.violations;
        for (own, late) in self.late.iter_mut().zip(stage.late) {
            *own += late;
        }
    }
}

//! Logical steps: which operations of a program happen side by side, and who is late for them.
//!
//! After Isaacs et al., Extracting Logical Structure and Identifying Stragglers in Parallel Execution
//! Traces. An **operation** is what one call does: it sends, receives, or is one of a collective operation.
//! What a location does between two of them is an **aggregate**. Related operations are a partition; each
//! has a step, which it shares with those that happen beside it.

use foldtrace_trace::{LocationId, Position, Timestamp};

/// What happens at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// All that a location does before the operation of the same step.
    Aggregate,
    /// Messages are sent.
    Send,
    /// Messages have been received.
    Receive,
    /// A collective operation.
    Collective,
}

/// Where most of the lateness of an event is from (figure 2 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// (a) Created here: it took longer than others.
    Created,
    /// (b) It began late, because what came before it in its location was late.
    LateToStart,
    /// (c) Its sender was late.
    LateSender,
    /// (d) Its message took longer than others.
    Message,
}

/// An operation or an aggregate, with its step and its lateness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepEvent {
    /// Whose it is.
    pub location: LocationId,
    /// Its first event.
    pub position: Position,
    /// How many events it has.
    pub events: u64,
    /// What it is.
    pub kind: Kind,
    /// Number of its partition.
    pub partition: u64,
    /// The global step: from 0 on; an aggregate has that of the operation behind it, and stands before it.
    pub step: u64,
    /// When it begins.
    pub start: Timestamp,
    /// When it is complete.
    pub end: Timestamp,
    /// Ticks that it is complete after the first of its kind at this step of its partition: operations
    /// compare with operations, aggregates with aggregates.
    pub lateness: u64,
    /// What of the lateness is new here: neither that of what came before nor that of a sender.
    pub differential_lateness: u64,
    /// Where most of the lateness is from; `None` if it is not late.
    pub class: Option<Class>,
}

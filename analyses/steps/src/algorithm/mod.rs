//! Logical steps: which operations of a program happen side by side, and who is late for them.
//!
//! After Isaacs et al., Extracting Logical Structure and Identifying Stragglers in Parallel Execution
//! Traces. An **operation** is what one call does: it sends, receives, or is one of a collective operation.
//! What a location does between two of them is an **aggregate**. Related operations are a partition; each
//! has a step, which it shares with those that happen beside it.
//!
//! [`Steps`] takes the events of all locations in the order of time. `cut` makes operations of them, the
//! matching of messages and collective operations relates these, and a `window` holds what is not complete.
//! Whenever it has doubled, the `partitions` that are complete, with all before them, get their steps
//! (`order`) and their `lateness`, and leave. So time is linear in the events, and memory that of what
//! is under way. The page `schemas/steps.md` says what each number means.

mod calls;
mod check;
mod cut;
mod lateness;
mod leaps;
mod order;
mod origins;
mod partitions;
mod phases;
mod role;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
mod tests;
mod window;

pub use calls::{CollectiveCalls, LocationSurvey, Meetings, Survey};
pub use lateness::Totals;
pub use origins::{Hop, Origin};

use foldtrace_matching::{
    Census, Collective, Collectives, Communicators, Matching, Message, Messages,
};
use foldtrace_trace::{
    Diagnostics, EventRef, LocationId, Names, Position, SymbolTable, Timestamp, TraceError,
};

use cut::Cutter;
use lateness::Metrics;
use partitions::Merging;
use window::Window;

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

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Aggregate, Self::Send, Self::Receive, Self::Collective];

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aggregate => "aggregate",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Collective => "collective",
        }
    }
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

impl Class {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Created,
        Self::LateToStart,
        Self::LateSender,
        Self::Message,
    ];

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::LateToStart => "late_to_start",
            Self::LateSender => "late_sender",
            Self::Message => "message",
        }
    }
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

/// A message between two operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepMessage {
    /// The operation that sends it: its location and first event.
    pub send: (LocationId, Position),
    /// The operation that receives it.
    pub receive: (LocationId, Position),
    /// The step of the send.
    pub send_step: u64,
    /// The step of the receive.
    pub receive_step: u64,
}

/// Who is told what comes of a trace, partition by partition.
pub trait Sink {
    /// The next operation or aggregate: those of a partition by step, aggregates of a step first.
    ///
    /// # Errors
    /// If it cannot be kept; that ends the work.
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError>;

    /// A message of the partition whose events were given last.
    ///
    /// # Errors
    /// If it cannot be kept; that ends the work.
    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        let _ = message;
        Ok(())
    }
}

/// Nobody wants to know more than the totals.
impl Sink for () {
    fn event(&mut self, _: &StepEvent) -> Result<(), TraceError> {
        Ok(())
    }
}

/// Two who are told.
impl<A: Sink, B: Sink> Sink for (&mut A, &mut B) {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.0.event(event)?;
        self.1.event(event)
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.0.message(message)?;
        self.1.message(message)
    }
}

/// Somebody who may be told.
impl<S: Sink> Sink for Option<S> {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.as_mut().map_or(Ok(()), |sink| sink.event(event))
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.as_mut().map_or(Ok(()), |sink| sink.message(message))
    }
}

/// How steps are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether partitions that belong together without constraints are merged, so that each process is
    /// active at any distance in the graph of partitions. Needs all operations in memory.
    pub leaps: bool,
    /// The region whose instances are the phases of the program. Needs all operations in memory.
    pub phases: Option<String>,
    /// How many origins of lateness are kept: so many between operations, and in them.
    pub origins: usize,
    /// Operations that the window has at least before it is examined.
    pub window: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            leaps: false,
            phases: None,
            origins: 10,
            window: 1 << 14,
        }
    }
}

/// What is known at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Counts.
    pub totals: Totals,
    /// Where most lateness begins between operations, the largest first.
    pub origins: Vec<Origin>,
    /// Where most lateness begins in operations, the largest first.
    pub in_operations: Vec<Origin>,
}

/// Finds the logical steps of a trace.
#[derive(Debug)]
pub struct Steps<'a> {
    messages: Messages<'a>,
    collectives: Collectives<'a>,
    cutter: Cutter,
    window: Window,
    metrics: Metrics,
    merging: Merging,
}

impl<'a> Steps<'a> {
    /// The steps of a trace in which `census` has counted.
    #[must_use]
    pub fn new(
        names: &'a Names,
        communicators: &'a Communicators,
        census: &Census,
        symbols: &SymbolTable,
        options: &Options,
    ) -> Self {
        Self {
            messages: Messages::new(names, communicators, census, symbols),
            collectives: Collectives::new(names, communicators, census, symbols),
            cutter: Cutter::new(names, symbols, options.phases.as_deref()),
            window: Window::new(options.window),
            metrics: Metrics::new(options.origins),
            merging: Merging {
                leaps: options.leaps,
                phases: options.phases.is_some(),
            },
        }
    }

    /// Takes calls for collective operations, as a [`Survey`] has found.
    #[must_use]
    pub fn with_calls(mut self, calls: CollectiveCalls) -> Self {
        self.cutter.expect(calls);
        self
    }

    /// Takes the next event in the order of time; `symbols` is the table that the census was of.
    ///
    /// # Errors
    /// That of the sink.
    pub fn take(
        &mut self,
        location: LocationId,
        event: &EventRef,
        symbols: &SymbolTable,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        let lane = self.cutter.take(location, event, symbols, &mut self.window);
        self.metrics.see(lane, location, event);
        if self.cutter.is_matched(event.symbol) {
            self.messages.take(location, event, symbols);
            self.collectives.take(location, event, symbols);
            for message in self.messages.found() {
                relate_message(&message, &self.cutter, &mut self.window);
            }
            for collective in self.collectives.found() {
                relate_collective(&collective, &self.cutter, &mut self.window);
            }
        }
        // What merges over the whole trace needs the whole trace.
        if self.window.is_due() && !self.merging.needs_all() {
            self.window.examine(self.merging, &mut self.metrics, sink)?;
        }
        Ok(())
    }

    /// The end of the trace: the rest gets its steps. Gives totals, and what was odd about messages and
    /// collective operations.
    ///
    /// # Errors
    /// That of the sink.
    pub fn finish(mut self, sink: &mut impl Sink) -> Result<(Summary, Diagnostics), TraceError> {
        let (messages, mut diagnostics) = self.messages.finish();
        for message in messages {
            relate_message(&message, &self.cutter, &mut self.window);
        }
        let (collectives, odd) = self.collectives.finish();
        diagnostics.merge(odd);
        for collective in collectives {
            relate_collective(&collective, &self.cutter, &mut self.window);
        }
        self.cutter.finish(&mut self.window);
        self.window.settle_all();
        self.window.examine(self.merging, &mut self.metrics, sink)?;
        Ok((self.metrics.finish(), diagnostics))
    }
}

/// Both ends of a message are found, or one of them will stay alone.
fn relate_message(message: &Message, cutter: &Cutter, window: &mut Window) {
    let mut operation = |side: Option<foldtrace_matching::Side>| {
        let side = side?;
        window.settle(cutter.lane(side.location)?, side.moment.position)
    };
    let (send, receive) = (operation(message.send), operation(message.receive));
    if let (Some(send), Some(receive)) = (send, receive) {
        window.message(send, receive);
    }
}

/// All members of a collective operation are found.
fn relate_collective(collective: &Collective, cutter: &Cutter, window: &mut Window) {
    let mut first = None;
    for member in &collective.members {
        let lane = cutter.lane(member.location);
        let own = lane.and_then(|lane| window.settle(lane, member.end.position));
        if let Some(own) = own {
            window.member(own, *first.get_or_insert(own));
        }
    }
}

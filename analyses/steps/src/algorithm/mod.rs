//! Finds logical steps: which operations of a program happen side by side, and which of them are late.
//!
//! The algorithm follows Isaacs et al., Extracting Logical Structure and Identifying Stragglers in Parallel Execution
//! Traces. An **operation** is the communication of one call: a send, a receive, or the participation in a collective
//! operation. The activity of a location between two operations is an **aggregate**. Related operations form a
//! partition. Each operation has a step, which it shares with the operations that happen beside it.
//!
//! [`Steps`] follows the calls of each location, and takes the events that communicate in chronological order. `cut` turns
//! them into operations, the matching of messages and collective operations relates these operations, and a `window` holds the incomplete ones. Whenever
//! the window has doubled, the `partitions` that are complete, together with all partitions before them, get their
//! steps (`order`) and their `lateness`, and leave the window. So the running time is linear in the number of events,
//! and memory is proportional to the operations under way. If these are too many, the `oldest` ones leave as well, which
//! cuts their partitions. The page `analyses/steps/README.md` defines each number.

mod check;
mod components;
mod cut;
mod graph;
mod lateness;
mod leaps;
mod lists;
mod merging;
mod oldest;
mod operation;
mod order;
mod origins;
mod outlook;
mod partitions;
mod phases;
mod role;
mod sent;
mod stage;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
mod tests;
mod totals;
mod window;

pub use origins::{Hop, Origin};
pub(crate) use stage::{Item, RunSteps, StageSteps};
pub use totals::Totals;

use foldtrace_matching::{
    Census, Collective, CollectiveCalls, Collectives, Communicators, Matching, Message, Messages,
    StagePart,
};
use foldtrace_stream::timeline::Passing;
use foldtrace_trace::{
    Diagnostics, EventRef, LocationId, Names, Position, SymbolTable, Timestamp, TraceError,
};
use serde::{Deserialize, Serialize};

use cut::{Cutter, Need};
use lateness::Metrics;
use merging::Merging;
use window::Window;

/// The kind of an event at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Everything that a location does before the operation of the same step.
    Aggregate,
    /// A send of one or more messages.
    Send,
    /// The receipt of one or more messages.
    Receive,
    /// A collective operation.
    Collective,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Aggregate, Self::Send, Self::Receive, Self::Collective];

    /// Returns the name used in tables.
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

/// The source of most of the lateness of an event (figure 2 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// (a) Created here: the event took longer than others.
    Created,
    /// (b) The event began late, because the event before it in its location was late.
    LateToStart,
    /// (c) The sender of a message was late.
    LateSender,
    /// (d) The message took longer than others.
    Message,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 4] = [
        Self::Created,
        Self::LateToStart,
        Self::LateSender,
        Self::Message,
    ];

    /// Returns the name used in tables.
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

/// An operation or an aggregate, with its step and lateness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepEvent {
    /// The location of the event.
    pub location: LocationId,
    /// The position of its first trace event.
    pub position: Position,
    /// The number of its trace events.
    pub events: u64,
    /// The kind of the event.
    pub kind: Kind,
    /// The number of its partition.
    pub partition: u64,
    /// The global step, counted from 0. An aggregate has the step of the operation that follows it, and precedes that
    /// operation.
    pub step: u64,
    /// The start time.
    pub start: Timestamp,
    /// The completion time.
    pub end: Timestamp,
    /// The time in ticks by which it completes after the first event of its step and partition: operations are
    /// compared with operations, and aggregates with aggregates.
    pub lateness: u64,
    /// The part of the lateness that is new here: passed on neither by the preceding event nor by a sender.
    pub differential_lateness: u64,
    /// The source of most of the lateness; `None` if the event is not late.
    pub class: Option<Class>,
}

/// A message between two operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepMessage {
    /// The operation that sends the message: its location and the position of its first trace event.
    pub send: (LocationId, Position),
    /// The operation that receives the message.
    pub receive: (LocationId, Position),
    /// The step of the send.
    pub send_step: u64,
    /// The step of the receive.
    pub receive_step: u64,
}

/// A receiver of the steps of a trace, partition by partition.
pub trait Sink {
    /// Returns whether events and messages are wanted at all.
    fn is_wanted(&self) -> bool {
        true
    }

    /// Takes the next operation or aggregate. The events of a partition come by step, and within a step, aggregates
    /// come first.
    ///
    /// # Errors
    /// Returns an error if the sink cannot keep the event; this ends the work.
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError>;

    /// Takes a message of the partition whose events were passed last.
    ///
    /// # Errors
    /// Returns an error if the sink cannot keep the message; this ends the work.
    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        let _ = message;
        Ok(())
    }
}

/// A sink that discards everything, for callers that only need the totals.
impl Sink for () {
    fn is_wanted(&self) -> bool {
        false
    }

    fn event(&mut self, _: &StepEvent) -> Result<(), TraceError> {
        Ok(())
    }
}

/// A sink that passes everything to two sinks.
impl<A: Sink, B: Sink> Sink for (&mut A, &mut B) {
    fn is_wanted(&self) -> bool {
        self.0.is_wanted() || self.1.is_wanted()
    }

    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.0.event(event)?;
        self.1.event(event)
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.0.message(message)?;
        self.1.message(message)
    }
}

/// A sink that discards everything if it is `None`.
impl<S: Sink> Sink for Option<S> {
    fn is_wanted(&self) -> bool {
        self.as_ref().is_some_and(Sink::is_wanted)
    }

    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.as_mut().map_or(Ok(()), |sink| sink.event(event))
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.as_mut().map_or(Ok(()), |sink| sink.message(message))
    }
}

/// Options for finding steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether to merge partitions that belong together although no constraint relates them, so that each process is
    /// active at every distance in the graph of partitions.
    pub leaps: bool,
    /// The region whose instances are the phases of the program. Needs all operations in memory.
    pub phases: Option<String>,
    /// The number of lateness origins to keep: at most this many between operations, and as many in operations.
    pub origins: usize,
    /// The minimum number of operations in the window before it is examined.
    pub window: usize,
    /// The number of operations in the window from which partitions are cut, so that the oldest of them can leave. Only
    /// complete operations leave. `None` never cuts. Partitions that are merged by an option are not cut.
    pub most: Option<usize>,
    /// The least number of events of a stage. Without a number, a stage has as many as make it worth to divide the run.
    pub stage_events: Option<u64>,
}

impl Options {
    /// Returns whether the stages of a run are independent of each other: nothing relates partitions across an operation in which all
    /// take part, or cuts that operation. Stages would need the memory several times, too.
    pub(crate) const fn has_stages(&self) -> bool {
        !self.leaps && self.phases.is_none() && self.most.is_none()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            leaps: false,
            phases: None,
            origins: 10,
            window: 1 << 12,
            most: None,
            stage_events: None,
        }
    }
}

/// The totals and the origins of lateness of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The counts of the trace.
    pub totals: Totals,
    /// The largest origins of lateness between operations, in descending order.
    pub origins: Vec<Origin>,
    /// The largest origins of lateness in operations, in descending order.
    pub in_operations: Vec<Origin>,
}

/// The state of the search for the logical steps of a trace.
#[derive(Debug)]
pub struct Steps<'a> {
    messages: Messages<'a>,
    collectives: Collectives<'a>,
    cutter: Cutter,
    window: Window,
    metrics: Metrics,
    merging: Merging,
    /// The number of lateness origins to keep.
    origins: usize,
}

impl<'a> Steps<'a> {
    /// Creates the search for the steps of the trace whose events `census` has counted.
    #[must_use]
    pub fn new(
        names: &'a Names,
        communicators: &'a Communicators,
        census: &Census,
        symbols: &SymbolTable,
        options: &Options,
    ) -> Self {
        let cutter = Cutter::new(names, census, symbols, options.phases.as_deref());
        let mut window = Window::new(options.window, options.most);
        window.outlook.locations = cutter.locations();
        Self {
            messages: Messages::new(names, communicators, census, symbols),
            collectives: Collectives::new(names, communicators, census, symbols),
            cutter,
            window,
            metrics: Metrics::new(options.origins),
            merging: Merging {
                leaps: options.leaps,
                phases: options.phases.is_some(),
            },
            origins: options.origins,
        }
    }

    /// Treats calls as collective operations.
    #[must_use]
    pub fn with_calls(mut self, calls: CollectiveCalls) -> Self {
        self.cutter.expect(calls);
        self.window.outlook.locations = self.cutter.locations();
        self
    }

    /// Begins a stage of the trace, where these parts begin.
    #[must_use]
    pub(crate) fn in_stage(mut self, parts: &[StagePart<'_>]) -> Self {
        let borders = parts.iter().filter_map(|part| {
            let operation = part.border?.operation.clone();
            Some((part.location, operation))
        });
        self.metrics.begin_after(borders.collect());
        self
    }

    /// Takes an event out of the order of time; those of its location must come in their order. Returns whether the event
    /// must be [taken](Self::take) in the order of time as well, before the next event of its location comes here.
    /// `symbols` is the table on which the census is based.
    #[inline]
    pub fn pass(&mut self, event: Passing, symbols: &SymbolTable) -> bool {
        let (is_wanted, lane) = self.cutter.pass(event, symbols, &mut self.window);
        self.metrics.note_first(lane, event);
        is_wanted
    }

    /// Takes the next event, for which [`pass`](Self::pass) has returned true, in the order of time.
    ///
    /// # Errors
    /// Returns an error if the sink does.
    pub fn take(
        &mut self,
        location: LocationId,
        event: &EventRef,
        symbols: &SymbolTable,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        match self.cutter.take(location, event, &mut self.window) {
            Need::Nothing => {}
            Need::Relate(collective) => {
                relate_collective(&collective, &self.cutter, &mut self.window);
            }
            Need::Match => {
                self.messages.take(location, event, symbols);
                self.collectives.take(location, event, symbols);
                for message in self.messages.found() {
                    relate_message(&message, &self.cutter, &mut self.window);
                }
                for collective in self.collectives.found() {
                    relate_collective(&collective, &self.cutter, &mut self.window);
                }
            }
        }
        // The phase of a partition may be that of its last operation.
        if self.window.is_due() && !self.merging.phases {
            self.window.examine(self.merging, &mut self.metrics, sink)?;
        }
        Ok(())
    }

    /// Ends the trace: assigns steps to the remaining operations. Returns the summary, and diagnostics about messages
    /// and collective operations.
    ///
    /// # Errors
    /// Returns an error if the sink does.
    pub fn finish(self, sink: &mut impl Sink) -> Result<(Summary, Diagnostics), TraceError> {
        let mut run = RunSteps::new(self.origins);
        run.add(self.finish_stage(sink)?);
        Ok(run.finish())
    }

    /// Ends a stage: assigns steps to the remaining operations.
    ///
    /// # Errors
    /// Returns an error if the sink does.
    pub(crate) fn finish_stage(mut self, sink: &mut impl Sink) -> Result<StageSteps, TraceError> {
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
        Ok(self.metrics.finish(diagnostics))
    }
}

/// Relates the two ends of a message, or settles the end that stays without a partner.
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

/// Relates all members of a collective operation.
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

//! Measures how late operations and aggregates are, how much of the lateness is new, and where the rest comes from.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;
use foldtrace_stream::timeline::Passing;
use foldtrace_trace::{Diagnostics, LocationId, Position, Timestamp, TraceError};

use super::check::Checker;
use super::graph::Graph;
use super::lists::Items;
use super::operation::Operation;
use super::order::Order;
use super::origins::{OriginId, Origins};
use super::sent::{Lateness, SentBefore};
use super::stage::StageSteps;
use super::totals::Totals;
use super::{Class, Kind, Sink, StepEvent, StepMessage};

/// An event is an origin of lateness if at least `1 / NEW` of its lateness is new.
const NEW: u64 = 16;

/// The lateness of an operation and of its aggregate.
#[derive(Clone, Copy, Debug, Default)]
struct Late {
    operation: Lateness,
    aggregate: Lateness,
}

/// The last operation of a location, or its first event.
#[derive(Clone, Copy, Debug)]
struct LastOperation {
    location: LocationId,
    /// The first position after it.
    next_position: Position,
    end: Timestamp,
    late: Lateness,
    /// The first step after its partition.
    step: u64,
}

/// Computes the steps and the lateness of partitions, and emits them.
#[derive(Debug)]
pub(super) struct Metrics {
    order: Order,
    passed: Vec<LastOperation>,
    checker: Checker,
    origins: Origins,
    totals: Totals,
    /// By operation of the window: its lateness.
    late: Vec<Late>,
    /// The operations of a partition, by step in it.
    sequence: Vec<(u32, u32)>,
    /// The messages whose sends have left the window since they were last taken, with the operations that receive them.
    sent_before: Vec<(usize, SentBefore)>,
    /// The positions of the operation with which a later stage begins, by location. The stage before has emitted it.
    borders: HashMap<LocationId, Range<Position>, FixedState>,
}

impl Metrics {
    pub fn new(origins: usize) -> Self {
        Self {
            order: Order::default(),
            passed: Vec::new(),
            checker: Checker::default(),
            origins: Origins::new(origins),
            totals: Totals::default(),
            late: Vec::new(),
            sequence: Vec::new(),
            sent_before: Vec::new(),
            borders: HashMap::default(),
        }
    }

    /// Begins after these operations.
    pub fn begin_after(&mut self, borders: HashMap<LocationId, Range<Position>, FixedState>) {
        self.borders = borders;
    }

    /// Returns whether an operation is one with which a later stage begins.
    fn is_border(&self, operation: &Operation) -> bool {
        let location = self.passed[operation.lane()].location;
        let border = self.borders.get(&location);
        border.is_some_and(|border| border.contains(&operation.position))
    }

    /// Passes the operation with which a later stage begins. Whatever is late after it has an origin in an earlier stage.
    fn pass_border(&mut self, graph: &Graph, members: Items<'_>) {
        let operations = members.map(|member| &graph.operations[member]);
        let first_end = operations.clone().map(|it| it.end).min();
        let first_end = first_end.unwrap_or_default();
        for operation in operations {
            let passed = &mut self.passed[operation.lane()];
            passed.next_position = Position(operation.position.0 + operation.events);
            passed.end = operation.end;
            passed.late = Lateness {
                ticks: operation.end.0 - first_end.0,
                origin: Some(OriginId::Carried(passed.location)),
            };
            passed.step = 1;
            self.checker.operation(operation.lane(), 0);
        }
        self.totals.steps = self.totals.steps.max(1);
    }

    /// Notes the first event of a location, at which its first aggregate begins.
    pub fn note_first(&mut self, lane: usize, event: Passing) {
        if lane == self.passed.len() {
            self.passed.push(LastOperation {
                location: event.location,
                next_position: event.position,
                end: event.time,
                late: Lateness::default(),
                step: 0,
            });
        }
    }

    /// Resets the buffers for the operations of a window.
    pub fn begin(&mut self, graph: &Graph) {
        self.order.begin(graph);
        self.late.clear();
        self.late.resize(graph.len(), Late::default());
    }

    /// Emits a partition whose predecessors have all been emitted.
    pub fn emit(
        &mut self,
        graph: &Graph,
        members: Items<'_>,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        let mut all = members.clone();
        if all
            .next()
            .is_some_and(|it| self.is_border(&graph.operations[it]))
        {
            self.pass_border(graph, members);
            return Ok(());
        }
        let length = self.order.find(graph, &members);
        let lanes = members.clone();
        let lanes = lanes.map(|member| graph.operations[member].lane());
        let reached = lanes.clone().map(|lane| self.passed[lane].step);
        let sent = members.clone().flat_map(|it| graph.sent_before(it));
        let reached = reached.chain(sent.map(|sent| sent.step + 1)).max();
        let first = reached.unwrap_or_default();

        let mut sequence = std::mem::take(&mut self.sequence);
        let steps = members.clone();
        sequence.extend(steps.map(|it| (self.order.step(it), it as u32)));
        sequence.sort_by_key(|&(step, _)| step);
        for together in sequence.chunk_by(|a, b| a.0 == b.0) {
            let all = together.iter();
            let all = all.map(|&(_, it)| &graph.operations[it as usize]);
            let first_end = all.clone().map(|it| it.end).min().unwrap_or_default();
            let first_start = all.map(|it| it.start).min().unwrap_or_default();
            for &(_, member) in together {
                let operation = &graph.operations[member as usize];
                let late = &mut self.late[member as usize];
                late.operation.ticks = operation.end.0 - first_end.0;
                late.aggregate.ticks = operation.start.0 - first_start.0;
            }
        }
        for together in sequence.chunk_by(|a, b| a.0 == b.0) {
            for &(step, member) in together {
                let (step, member) = (first + u64::from(step), member as usize);
                self.aggregate(&graph.operations[member], member, step, sink)?;
            }
            for &(step, member) in together {
                let (step, member) = (first + u64::from(step), member as usize);
                self.operation(graph, member, step, sink)?;
            }
        }
        sequence.clear();
        self.sequence = sequence;

        for member in members {
            self.messages(graph, member, first, sink)?;
        }
        for lane in lanes {
            self.passed[lane].step = first + length;
        }
        self.totals.partitions += 1;
        self.totals.steps = self.totals.steps.max(first + length);
        Ok(())
    }

    /// Emits the aggregate between an operation and the one before.
    fn aggregate(
        &mut self,
        operation: &Operation,
        member: usize,
        step: u64,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        let before = self.passed[operation.lane()];
        let late = &mut self.late[member].aggregate;
        let mut event = StepEvent {
            location: before.location,
            position: before.next_position,
            events: operation.position.0.saturating_sub(before.next_position.0),
            kind: Kind::Aggregate,
            partition: self.totals.partitions,
            step,
            start: before.end.min(operation.start),
            end: operation.start,
            lateness: late.ticks,
            differential_lateness: 0,
            class: None,
        };
        event.differential_lateness = new_lateness(&event, before.late.ticks);
        event.class = class(&event, Class::LateToStart, Class::Created);
        late.origin = if begins(&event) {
            self.origins.begin(&event, operation.call)
        } else {
            before.late.origin
        };
        let origin = late.origin;
        if event.events == 0 && event.end <= before.end {
            return Ok(());
        }
        if !begins(&event)
            && event.lateness > 0
            && let Some(origin) = origin
        {
            self.origins.reach(origin, &event, event.location);
        }
        self.totals.aggregates += 1;
        self.emit_event(&event, sink)
    }

    /// Emits an operation.
    fn operation(
        &mut self,
        graph: &Graph,
        member: usize,
        step: u64,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        let operation = graph.operations[member];
        let location = self.passed[operation.lane()].location;
        let Late {
            operation: own,
            aggregate,
        } = self.late[member];
        let (sender, from) = self.latest_sender(graph, member);
        let passed_on = aggregate.ticks.max(sender.ticks);
        let mut event = StepEvent {
            location,
            position: operation.position,
            events: operation.events,
            kind: operation.kind,
            partition: self.totals.partitions,
            step,
            start: operation.start,
            end: operation.end,
            lateness: own.ticks,
            differential_lateness: 0,
            class: None,
        };
        let (older, by) = if sender.ticks > aggregate.ticks {
            (Class::LateSender, (sender.origin, from))
        } else {
            (Class::LateToStart, (aggregate.origin, location))
        };
        let waits = match operation.kind {
            Kind::Receive => {
                graph.senders.of(member).len() > 0 || graph.sent_before(member).next().is_some()
            }
            Kind::Collective => graph.members(graph.node(member)).len() > 1,
            Kind::Send | Kind::Aggregate => false,
        };
        let new = if waits {
            Class::Message
        } else {
            Class::Created
        };
        event.differential_lateness = new_lateness(&event, passed_on);
        event.class = class(&event, older, new);
        let origin = match (begins(&event), by) {
            (true, _) => self.origins.begin(&event, operation.call),
            (false, (origin, from)) if event.lateness > 0 => {
                if let Some(origin) = origin {
                    self.origins.reach(origin, &event, from);
                }
                origin
            }
            (false, _) => None,
        };
        let late = Lateness {
            ticks: own.ticks,
            origin,
        };
        self.late[member].operation = late;
        let passed = &mut self.passed[operation.lane()];
        passed.next_position = Position(operation.position.0 + operation.events);
        passed.end = operation.end;
        passed.late = late;
        self.checker.operation(operation.lane(), step);
        self.totals.operations += 1;
        self.emit_event(&event, sink)
    }

    /// Returns the largest lateness of the events that an operation waits for, and the location of that event: the
    /// senders of its messages, or the aggregates of the other members before a collective operation.
    fn latest_sender(&self, graph: &Graph, member: usize) -> (Lateness, LocationId) {
        let senders = graph.senders.of(member);
        let senders = senders.map(|sender| (self.late[sender].operation, sender));
        let is_collective = graph.operations[member].kind == Kind::Collective;
        let all = is_collective.then(|| graph.members(graph.node(member)));
        let all = all.into_iter().flatten().filter(|&other| other != member);
        let all = all.map(|other| (self.late[other].aggregate, other));
        let mut latest = (Lateness::default(), member);
        for (late, other) in senders.chain(all) {
            if late.ticks > latest.0.ticks {
                latest = (late, other);
            }
        }
        let lane = graph.operations[latest.1].lane();
        let mut latest = (latest.0, self.passed[lane].location);
        for sent in graph.sent_before(member) {
            if sent.late.ticks > latest.0.ticks {
                latest = (sent.late, sent.location);
            }
        }
        latest
    }

    fn emit_event(&mut self, event: &StepEvent, sink: &mut impl Sink) -> Result<(), TraceError> {
        if let Some(class) = event.class {
            self.totals.late[class as usize] += 1;
        }
        sink.event(event)
    }

    /// Returns the messages whose sends have been emitted without their receives since the last call, each with the operation
    /// that receives it.
    pub fn sent_before(&mut self) -> std::vec::Drain<'_, (usize, SentBefore)> {
        self.sent_before.drain(..)
    }

    /// Emits the messages that an operation receives, and checks its steps.
    fn messages(
        &mut self,
        graph: &Graph,
        member: usize,
        first: u64,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        let step = |operation: usize| first + u64::from(self.order.step(operation));
        let node = graph.node(member);
        if node != member {
            self.checker.member(step(node), step(member));
        }
        let place = |operation: usize| {
            let operation = &graph.operations[operation];
            (self.passed[operation.lane()].location, operation.position)
        };
        let received = |location: LocationId, position: Position, send_step: u64| StepMessage {
            send: (location, position),
            receive: place(member),
            send_step,
            receive_step: step(member),
        };
        let senders = graph.senders.of(member);
        let messages = senders.map(|sender| {
            let (location, position) = place(sender);
            received(location, position, step(sender))
        });
        let before = graph.sent_before(member);
        let before = before.map(|sent| received(sent.location, sent.position, sent.step));
        for message in messages.chain(before) {
            self.checker
                .message(message.send_step, message.receive_step);
            self.totals.messages += 1;
            sink.message(&message)?;
        }
        for receive in graph.receivers.of(member) {
            if !self.order.is_inside(receive) {
                let (location, position) = place(member);
                let sent = SentBefore {
                    location,
                    position,
                    step: step(member),
                    late: self.late[member].operation,
                };
                self.sent_before.push((receive, sent));
                self.totals.cut_messages += 1;
            }
        }
        Ok(())
    }

    /// Ends the stage, in which messages and collective operations have these problems.
    pub fn finish(mut self, diagnostics: Diagnostics) -> StageSteps {
        self.totals.violations = self.checker.violations;
        let (origins, carried) = self.origins.into_stage();
        let ends = self.passed.iter();
        StageSteps {
            totals: self.totals,
            origins,
            carried,
            ends: ends
                .map(|passed| (passed.location, passed.late.origin))
                .collect(),
            diagnostics,
        }
    }
}

/// Returns the part of the lateness that was not passed on to the event. It is at most the duration of the event: any
/// more began earlier, where there was nothing to compare with.
fn new_lateness(event: &StepEvent, passed_on: u64) -> u64 {
    let took = event.end.0.saturating_sub(event.start.0);
    event.lateness.saturating_sub(passed_on).min(took)
}

/// Returns the source of most of the lateness.
fn class(event: &StepEvent, older: Class, new: Class) -> Option<Class> {
    let passed_on = event.lateness - event.differential_lateness;
    match event.lateness {
        0 => None,
        _ if event.differential_lateness >= passed_on => Some(new),
        _ => Some(older),
    }
}

/// Returns whether lateness begins with the event, on top of the lateness passed on to it.
fn begins(event: &StepEvent) -> bool {
    event.differential_lateness > 0
        && event.differential_lateness.saturating_mul(NEW) >= event.lateness
}

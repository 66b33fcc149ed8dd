//! Computes the costs of the constructs of a program: time and bytes, summed over all of their instances.
//!
//! The events of each process are read once, in step with its model, in memory that does not grow with the trace.

use foldtrace_fold::merge::{Construct, Kind, LoopStep, Process, System};
use foldtrace_fold::{EventConstruct, Selection};
use foldtrace_store::{LocationStream, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    BatchCursor, Diagnostics, ErrorKind, EventBatch, EventKind, EventStream, Position, Quantity,
    Remedy, Step, SymbolId, Timestamp, TraceError,
};
use rayon::prelude::*;

use crate::Program;

/// The costs of a construct, summed over all instances and processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time in ticks. For a loop: from its first event to its last one. For any other construct: the time of the
    /// calls that contain its events. Negative values are possible if clocks go backwards.
    pub ticks: i64,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
}

impl Cost {
    fn add(&mut self, other: &Self) {
        self.ticks = self.ticks.wrapping_add(other.ticks);
        self.add_bytes(other);
    }

    fn add_bytes(&mut self, other: &Self) {
        self.sent = self.sent.saturating_add(other.sent);
        self.received = self.received.saturating_add(other.received);
    }
}

/// Returns the cost of each construct of a program, in the order of [`outline`](super::outline::outline).
///
/// # Errors
/// If a table is missing or damaged, the program is not of this store, or the work was stopped.
pub fn costs(
    store: &StoreReader,
    program: &Program,
    progress: &Progress,
) -> Result<Vec<Cost>, TraceError> {
    let system = &program.model.system;
    let nothing = || vec![Cost::default(); system.terms() as usize];
    let processes: Vec<Process> = program.model.processes().collect();
    let own = processes.into_par_iter().map(|process| {
        let mut costs = nothing();
        let mut walk = Walk {
            events: store.events(program.location(process), Position(0)),
            selection: program.selection,
            store,
            progress,
            batch: EventBatch::default(),
            cursor: BatchCursor::default(),
            calls: vec![Call::default()],
            costs: &mut costs,
        };
        walk.run(&steps(system, process, 0, 0))?;
        Ok::<_, TraceError>(costs)
    });
    let all = own.try_reduce(nothing, |mut all, one| {
        for (sum, cost) in all.iter_mut().zip(&one) {
            sum.add(cost);
        }
        Ok(all)
    });
    let mut all = all?;
    sum_up(system, 0, &mut all);
    Ok(all)
}

/// Adds to each loop the bytes of its body, and returns the bytes of the whole system.
fn sum_up(system: &System, first: usize, costs: &mut [Cost]) -> Cost {
    let (mut next, mut sum) = (first, Cost::default());
    for construct in &system.constructs {
        if let Some((_, body)) = construct.as_loop() {
            let inner = sum_up(body, next + 1, costs);
            costs[next].add_bytes(&inner);
        }
        sum.add_bytes(&costs[next]);
        next += terms(construct);
    }
    sum
}

fn terms(construct: &Construct) -> usize {
    1 + construct
        .as_loop()
        .map_or(0, |(_, body)| body.terms() as usize)
}

/// A step of one process.
enum Doing {
    /// An event, with the index of its construct.
    Event(usize, EventConstruct),
    /// A loop: the index of its construct, the number of iterations, and its body.
    Loop(usize, u64, Vec<Doing>),
}

/// Returns the steps of a process in a system that is in `depth` loops and whose first construct has the index `first`.
fn steps(system: &System, process: Process, first: usize, depth: u16) -> Vec<Doing> {
    let mut next = first;
    let mut doing = Vec::new();
    for construct in &system.constructs {
        let number = next;
        next += terms(construct);
        if !construct.covers(process) {
            continue;
        }
        doing.extend(match &construct.kind {
            Kind::Event { member, steps } => {
                let steps = LoopStep::steps(steps, depth);
                let symbol = member.symbol;
                Some(Doing::Event(number, EventConstruct { symbol, steps }))
            }
            Kind::Collective { members, .. } => {
                let own = members.binary_search_by_key(&process, |member| member.process);
                own.ok().map(|index| {
                    let (symbol, steps) = (members[index].symbol, Vec::new());
                    Doing::Event(number, EventConstruct { symbol, steps })
                })
            }
            Kind::Loop { count, body } => Some(Doing::Loop(
                number,
                *count,
                steps(body, process, number + 1, depth + 1),
            )),
        });
    }
    doing
}

/// An open call, or everything outside of calls.
#[derive(Clone, Copy, Debug, Default)]
struct Call {
    /// The start of the time that is not yet assigned to a construct; `None` outside of calls.
    since: Option<Timestamp>,
    /// The construct of the last event, if no other call was entered after it.
    last: Option<usize>,
}

/// A walk over the events of one process.
struct Walk<'a> {
    store: &'a StoreReader,
    progress: &'a Progress,
    events: LocationStream<'a>,
    selection: Selection,
    batch: EventBatch,
    cursor: BatchCursor,
    /// The open calls, from the outermost to the innermost.
    calls: Vec<Call>,
    costs: &'a mut [Cost],
}

impl Walk<'_> {
    fn run(&mut self, steps: &[Doing]) -> Result<(), TraceError> {
        self.walk(steps, &mut Vec::new())?;
        // The call that contains the last event ends after it.
        while self.event(None)?.is_some() {}
        Ok(())
    }

    /// Walks through the steps and returns the times of the first and the last event.
    fn walk(
        &mut self,
        steps: &[Doing],
        indices: &mut Vec<i64>,
    ) -> Result<Option<(Timestamp, Timestamp)>, TraceError> {
        let mut span: Option<(Timestamp, Timestamp)> = None;
        let mut extend = |inner: Option<(Timestamp, Timestamp)>| {
            if let Some((first, last)) = inner {
                span = Some((span.map_or(first, |(first, _)| first), last));
            }
        };
        for step in steps {
            match step {
                Doing::Event(construct, event) => {
                    let symbol = event.symbol_at(indices, self.store.symbols());
                    let time = self.event(Some((*construct, symbol.ok_or_else(differs)?)))?;
                    let time = time.ok_or_else(differs)?;
                    extend(Some((time, time)));
                }
                Doing::Loop(construct, count, body) => {
                    let mut whole: Option<(Timestamp, Timestamp)> = None;
                    for index in 0..*count {
                        indices.push(index as i64);
                        if let Some((first, last)) = self.walk(body, indices)? {
                            whole = Some((whole.map_or(first, |(first, _)| first), last));
                        }
                        indices.pop();
                    }
                    if let Some((first, last)) = whole {
                        self.spend(*construct, first, last);
                    }
                    extend(whole);
                }
            }
        }
        Ok(span)
    }

    fn spend(&mut self, construct: usize, from: Timestamp, to: Timestamp) {
        if let Some(cost) = self.costs.get_mut(construct) {
            let ticks = to.0.wrapping_sub(from.0) as i64;
            cost.ticks = cost.ticks.wrapping_add(ticks);
        }
    }

    /// Advances to the next event of the selection, which must be the expected one, and returns its time.
    fn event(
        &mut self,
        expected: Option<(usize, SymbolId)>,
    ) -> Result<Option<Timestamp>, TraceError> {
        loop {
            let Some(event) = self.cursor.next(&self.batch, self.store.symbols()) else {
                self.progress.check()?;
                let step = self
                    .events
                    .next_batch(&mut self.batch, &mut Diagnostics::default())?;
                self.cursor = BatchCursor::default();
                self.progress.count(self.batch.len());
                if step == Step::End && self.batch.is_empty() {
                    return Ok(None);
                }
                continue;
            };
            let kind = self.store.symbols().kind(event.symbol);
            self.pass_call(kind, event.time);
            if !self.selection.contains(kind) {
                continue;
            }
            let Some((construct, symbol)) = expected else {
                return Err(differs());
            };
            if symbol != event.symbol {
                return Err(differs());
            }
            let bytes = event.get(Quantity::Bytes).unwrap_or(0);
            let received = event.get(Quantity::BytesReceived).unwrap_or(0);
            let is_receive = kind.is_receive();
            let is_counted = kind.is_communication();
            let cost = Cost {
                ticks: 0,
                sent: if is_receive || !is_counted { 0 } else { bytes },
                received: match (is_receive, is_counted) {
                    (true, _) => bytes,
                    (false, true) => received,
                    (false, false) => 0,
                },
            };
            if let Some(sum) = self.costs.get_mut(construct) {
                sum.add(&cost);
            }
            if is_counted && let Some(call) = self.calls.last().copied() {
                if let Some(since) = call.since {
                    self.spend(construct, since, event.time);
                }
                if let Some(call) = self.calls.last_mut() {
                    call.since = call.since.map(|_| event.time);
                    call.last = Some(construct);
                }
            }
            return Ok(Some(event.time));
        }
    }

    fn pass_call(&mut self, kind: EventKind, time: Timestamp) {
        if matches!(kind, EventKind::Enter | EventKind::CallingContextEnter) {
            if let Some(around) = self.calls.last_mut() {
                around.last = None;
            }
            self.calls.push(Call {
                since: Some(time),
                last: None,
            });
        } else if kind.is_leave() && self.calls.len() > 1 {
            // The time from the last event of a call to the end of the call belongs to that event.
            if let Some(Call {
                since: Some(since),
                last: Some(construct),
            }) = self.calls.pop()
            {
                self.spend(construct, since, time);
            }
            if let Some(around) = self.calls.last_mut() {
                around.since = around.since.map(|_| time);
            }
        }
    }
}

fn differs() -> TraceError {
    let message = "the events of the store differ from its model";
    TraceError::new(ErrorKind::Malformed, message).remedy(Remedy::Verify)
}

//! Measures one location: assigns its time to the calls and computations in each iteration of its loops.
//!
//! Time in a call of MPI or of another runtime belongs to the innermost loop with that call. Time between two calls is
//! computation. It belongs to the innermost loop that contains both calls, and to the functions that were innermost
//! meanwhile.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_matching::CalleeIndex;
use foldtrace_trace::{CallStack, EventBatch, Quantity, Timestamp, UNDEFINED};

use crate::ids::{NameId, NodeId, PathId, Paths};
use crate::series::{Block, Series};
use crate::tokens::{Effect, Step, Tokens};
use crate::walk::{Iteration, Walk};

/// What a process does meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// It computes, before a call of that name.
    Computation(Option<NameId>),
    /// It is in a call, the last one of the call path.
    Call,
    /// It is in a call that sends or receives messages of this number of binary digits in bytes, in any loop.
    Message(u8),
}

/// What is compared: an activity in a loop, on a call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Construct {
    /// The innermost loop.
    pub node: NodeId,
    /// The call path.
    pub path: PathId,
    /// The activity.
    pub activity: Activity,
}

impl Construct {
    /// Returns whether the construct consists of messages of a size, which are also part of other constructs.
    #[must_use]
    pub const fn is_message(&self) -> bool {
        matches!(self.activity, Activity::Message(_))
    }
}

/// The time of a construct in a location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The ticks by iteration of the loop, or by occurrence outside of loops.
    pub series: Series,
    /// The number of calls, or of intervals of computation.
    pub occurrences: u64,
    /// The bytes that the calls sent and received.
    pub bytes: u64,
}

/// The measurements of a location.
#[derive(Clone, Debug, Default)]
pub struct LocationMeasures {
    /// The call paths of the location.
    pub paths: Paths,
    /// The constructs, in the order of their first occurrences.
    pub constructs: indexmap::IndexMap<Construct, Measured, FixedState>,
    /// The number of iterations of each loop.
    pub iterations: Vec<u64>,
    /// The ticks from the first event to the last.
    pub duration: i64,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    path: PathId,
    is_runtime: bool,
}

/// A call of a runtime that is open, with everything within it.
#[derive(Clone, Copy, Debug)]
struct RuntimeCall {
    path: PathId,
    name: NameId,
    iteration: Iteration,
    ticks: i64,
    bytes: u64,
    largest: u64,
    /// Whether the call does something: a routine that sends or receives does nothing without a message.
    is_effective: bool,
    /// The number of open calls of runtimes, one within the other.
    depth: u32,
}

/// The measurements of a location whose events are being read.
#[derive(Debug)]
pub struct Tally<'a> {
    tokens: &'a Tokens,
    walk: Walk<'a>,
    blocks: usize,
    open: CallStack<CalleeIndex, Open>,
    /// The computation since the last token, by call path.
    computed: Vec<(PathId, i64)>,
    call: Option<RuntimeCall>,
    own: Iteration,
    latest: Option<Timestamp>,
    first: Timestamp,
    ids: HashMap<(PathId, NameId), PathId, FixedState>,
    measures: LocationMeasures,
}

/// The maximum number of call paths that computation is divided into between two tokens.
const MOST_COMPUTED: usize = 64;

impl<'a> Tally<'a> {
    /// Begins a location. Each construct has at most `blocks` sums.
    pub fn new(tokens: &'a Tokens, walk: Walk<'a>, blocks: usize) -> Self {
        Self {
            tokens,
            walk,
            blocks,
            open: CallStack::default(),
            computed: Vec::new(),
            call: None,
            own: Iteration::default(),
            latest: None,
            first: Timestamp::default(),
            ids: HashMap::default(),
            measures: LocationMeasures::default(),
        }
    }

    /// Adds the next events.
    pub fn take(&mut self, batch: &EventBatch) {
        if self.latest.is_none()
            && let Some(&first) = batch.times.first()
        {
            (self.first, self.latest) = (first, Some(first));
        }
        let mut bytes = batch.quantities[Quantity::Bytes as usize].iter();
        for (symbol, &time) in batch.symbols.iter().zip(&batch.times) {
            let Some(&effect) = self.tokens.effect_of(symbol.row()) else {
                continue;
            };
            self.pass(time);
            if effect.is_message
                && let Some(call) = &mut self.call
            {
                call.is_effective = true;
            }
            if effect.has_bytes
                && let Some(&bytes) = bytes.next().filter(|bytes| **bytes != UNDEFINED)
                && let Some(call) = &mut self.call
            {
                call.bytes = call.bytes.saturating_add(bytes);
                call.largest = call.largest.max(bytes);
            }
            self.event(&effect);
        }
    }

    fn event(&mut self, effect: &Effect) {
        let place = effect.token.map(|_| self.walk.next());
        if let Some(place) = place {
            self.own = place.own;
        }
        match effect.step {
            Step::None => {
                if let Some(place) = place.filter(|_| effect.name.is_some() && self.call.is_none())
                {
                    self.computed_until(place.common, effect.name);
                }
            }
            Step::Enter(callee, name) => {
                if let Some(place) = place.filter(|_| self.call.is_none()) {
                    self.computed_until(place.common, None);
                }
                let path = self.child(name);
                self.open.enter(
                    callee,
                    Open {
                        path,
                        is_runtime: false,
                    },
                );
            }
            Step::EnterRuntime(callee, name) => {
                if let Some(call) = &mut self.call {
                    call.depth += 1;
                } else {
                    if let Some(place) = place {
                        self.computed_until(place.common, Some(name));
                    }
                    self.call = Some(RuntimeCall {
                        path: self.child(name),
                        name,
                        iteration: self.own,
                        ticks: 0,
                        bytes: 0,
                        largest: 0,
                        is_effective: !self.tokens.has_message(name),
                        depth: 1,
                    });
                }
                let path = self.open.last().map_or(PathId::OUTSIDE, |call| call.path);
                self.open.enter(
                    callee,
                    Open {
                        path,
                        is_runtime: true,
                    },
                );
            }
            Step::Leave(callee) => {
                if let Some(left) = self.open.leave(callee)
                    && left.call.is_runtime
                    && let Some(call) = &mut self.call
                {
                    call.depth -= 1;
                    if call.depth == 0 {
                        self.end_call();
                    }
                }
            }
        }
    }

    /// Returns the path of a call of `name` from the innermost open call.
    fn child(&mut self, name: NameId) -> PathId {
        let caller = self.open.last().map_or(PathId::OUTSIDE, |call| call.path);
        let paths = &mut self.measures.paths;
        *self
            .ids
            .entry((caller, name))
            .or_insert_with(|| paths.child(caller, name))
    }

    /// Assigns the time until `now`.
    fn pass(&mut self, now: Timestamp) {
        let Some(latest) = self.latest.replace(now) else {
            return;
        };
        let ticks = now.0.wrapping_sub(latest.0) as i64;
        if let Some(call) = &mut self.call {
            call.ticks = call.ticks.wrapping_add(ticks);
            return;
        }
        if ticks == 0 {
            return;
        }
        let path = self.open.last().map_or(PathId::OUTSIDE, |call| call.path);
        let is_full = self.computed.len() >= MOST_COMPUTED;
        let known = self
            .computed
            .iter_mut()
            .rev()
            .find(|(other, _)| *other == path || is_full);
        match known {
            Some((_, sum)) => *sum = sum.wrapping_add(ticks),
            None => self.computed.push((path, ticks)),
        }
    }

    /// Adds the computation since the last token to an iteration.
    fn computed_until(&mut self, iteration: Iteration, before: Option<NameId>) {
        let mut computed = std::mem::take(&mut self.computed);
        for (path, ticks) in computed.drain(..) {
            let activity = Activity::Computation(before);
            let construct = Construct {
                node: iteration.node,
                path,
                activity,
            };
            let time = Block {
                sum: ticks,
                least: ticks,
            };
            self.add(construct, iteration.number, time, 0);
        }
        self.computed = computed;
    }

    fn end_call(&mut self) {
        let Some(call) = self.call.take() else {
            return;
        };
        let Iteration { node, number } = call.iteration;
        let construct = Construct {
            node,
            path: call.path,
            activity: Activity::Call,
        };
        let time = Block {
            sum: call.ticks,
            least: if call.is_effective {
                call.ticks
            } else {
                i64::MAX
            },
        };
        self.add(construct, number, time, call.bytes);
        if call.largest > 0 {
            let path = self.measures.paths.child(PathId::OUTSIDE, call.name);
            let digits = (u64::BITS - call.largest.leading_zeros()) as u8;
            let construct = Construct {
                node: NodeId::PROGRAM,
                path,
                activity: Activity::Message(digits),
            };
            self.add(construct, 0, time, call.bytes);
        }
    }

    /// Adds an occurrence of a construct in an iteration of its loop.
    fn add(&mut self, construct: Construct, iteration: u64, time: Block, bytes: u64) {
        let measured = self.measures.constructs.entry(construct).or_default();
        let is_in_loop = construct.node != NodeId::PROGRAM;
        let index = if is_in_loop {
            iteration
        } else {
            measured.occurrences
        };
        measured.series.add(index, time, self.blocks);
        measured.occurrences += 1;
        measured.bytes = measured.bytes.saturating_add(bytes);
    }

    /// Ends the location.
    pub fn finish(mut self) -> LocationMeasures {
        self.computed_until(Iteration::default(), None);
        self.end_call();
        let mut measures = self.measures;
        measures.iterations = self.walk.into_iterations();
        let latest = self.latest.unwrap_or(self.first);
        measures.duration = latest.0.wrapping_sub(self.first.0) as i64;
        measures
    }
}

//! Computes how long nodes take, in a walk over the call tree of each location alongside the times of its events.

use foldtrace_calltree::MetricNodes;
use foldtrace_fold::dag::{Dag, Graph, NodeId, Root, Visit, Visits};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Position, SymbolId, Timestamp, TraceError};
use rayon::prelude::*;

/// The times of nodes in ticks, summed over all of their occurrences. A sum may be negative if a clock runs
/// backwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The inclusive time of each node: from its first event to its last.
    pub inclusive: Vec<i64>,
    /// The exclusive time of each node: the inclusive time without the calls within it.
    pub exclusive: Vec<i64>,
    /// The time from the first event to the last, summed over all locations.
    pub total: i64,
}

impl Times {
    fn zero(nodes: usize) -> Self {
        Self {
            inclusive: vec![0; nodes],
            exclusive: vec![0; nodes],
            total: 0,
        }
    }

    fn merge(mut self, other: &Self) -> Self {
        let add = |mine: &mut Vec<i64>, others: &[i64]| {
            for (mine, other) in mine.iter_mut().zip(others) {
                *mine = mine.wrapping_add(*other);
            }
        };
        add(&mut self.inclusive, &other.inclusive);
        add(&mut self.exclusive, &other.exclusive);
        self.total = self.total.wrapping_add(other.total);
        self
    }
}

/// Returns the times of all nodes of a DAG of this store. Locations that have only metric events are not counted.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or if the work was stopped.
pub fn times(store: &StoreReader, dag: &Dag, progress: &Progress) -> Result<Times, TraceError> {
    let nodes = dag.graph.len();
    let metrics = MetricNodes::in_dag(dag, store.symbols());
    dag.roots
        .par_iter()
        .filter(|root| !metrics.contains(root.node))
        .try_fold(
            || Times::zero(nodes),
            |mut times, &root| {
                let mut last = 0;
                walk(store, dag, root, progress, &mut |passed| {
                    match passed {
                        WalkStep::Enter { .. } => {}
                        WalkStep::End {
                            node,
                            inclusive,
                            exclusive,
                            nests,
                        } => {
                            let index = node.index();
                            times.exclusive[index] = times.exclusive[index].wrapping_add(exclusive);
                            // If a node nests in itself, the time of the outermost level includes that of all others.
                            if !nests {
                                times.inclusive[index] =
                                    times.inclusive[index].wrapping_add(inclusive);
                            }
                        }
                        WalkStep::All(ticks) => last = ticks,
                    }
                })?;
                let index = root.node.index();
                times.inclusive[index] = times.inclusive[index].wrapping_add(last);
                times.total = times.total.wrapping_add(last);
                Ok(times)
            },
        )
        .try_reduce(|| Times::zero(nodes), |a, b| Ok(a.merge(&b)))
}

/// A step of a walk.
pub(super) enum WalkStep {
    /// The beginning of a call.
    Enter {
        /// The node of the call.
        node: NodeId,
    },
    /// The end of a call.
    End {
        /// The node of the call.
        node: NodeId,
        /// The inclusive time of the call, in ticks.
        inclusive: i64,
        /// The exclusive time of the call, in ticks.
        exclusive: i64,
        /// Whether the call is directly within another call of the same node.
        nests: bool,
    },
    /// The end of the location, with the ticks from its first event to its last.
    All(i64),
}

/// An open call.
struct Open {
    node: NodeId,
    begin: Timestamp,
    /// Ticks of the calls within it.
    within: i64,
}

/// Walks over the call tree of a location and passes each step to `pass`.
pub(super) fn walk(
    store: &StoreReader,
    dag: &Dag,
    root: Root,
    progress: &Progress,
    pass: &mut impl FnMut(WalkStep),
) -> Result<(), TraceError> {
    let graph: &Graph = &dag.graph;
    let mut clock = Clock::new(store, root, progress);
    let mut open: Vec<Open> = Vec::new();
    let (mut first, mut now) = (None, Timestamp(0));
    for visit in Visits::new(graph, root.node) {
        if visit.is_event(graph) {
            let Some(time) = clock.next()? else { break };
            now = time;
            first.get_or_insert(now);
        }
        match visit {
            Visit::Leaf(_) => {}
            Visit::Enter(node) => {
                open.push(Open {
                    node,
                    begin: now,
                    within: 0,
                });
                pass(WalkStep::Enter { node });
            }
            Visit::End(node) => {
                let Some(call) = open.pop() else { continue };
                let inclusive = ticks(call.begin, now);
                let mut nests = false;
                if let Some(around) = open.last_mut() {
                    around.within = around.within.wrapping_add(inclusive);
                    nests = around.node == node;
                }
                pass(WalkStep::End {
                    node,
                    inclusive,
                    exclusive: inclusive.wrapping_sub(call.within),
                    nests,
                });
            }
        }
    }
    pass(WalkStep::All(ticks(first.unwrap_or_default(), now)));
    Ok(())
}

fn ticks(from: Timestamp, to: Timestamp) -> i64 {
    to.0.wrapping_sub(from.0) as i64
}

/// The times of the events of a location, in order.
pub(super) struct Clock<'a> {
    events: foldtrace_store::LocationStream<'a>,
    progress: &'a Progress,
    symbols: Vec<SymbolId>,
    times: Vec<Timestamp>,
    next: usize,
}

impl<'a> Clock<'a> {
    pub fn new(store: &'a StoreReader, root: Root, progress: &'a Progress) -> Self {
        Self {
            events: store.events(root.location, Position(0)),
            progress,
            symbols: Vec::new(),
            times: Vec::new(),
            next: 0,
        }
    }

    /// Returns the time of the next event, or `None` after the last event.
    pub fn next(&mut self) -> Result<Option<Timestamp>, TraceError> {
        if self.next == self.times.len() {
            self.progress.check()?;
            self.events.next_times(&mut self.symbols, &mut self.times)?;
            self.progress.count(self.times.len());
            self.next = 0;
        }
        let time = self.times.get(self.next).copied();
        self.next += 1;
        Ok(time)
    }

    /// Skips `events` events and returns the time of the event after them, or `None` after the last event.
    pub fn nth(&mut self, mut events: u64) -> Result<Option<Timestamp>, TraceError> {
        loop {
            let left = (self.times.len() - self.next.min(self.times.len())) as u64;
            if events < left {
                self.next += events as usize;
                return self.next();
            }
            events -= left;
            self.next = self.times.len();
            match self.next()? {
                None => return Ok(None),
                Some(time) if events == 0 => return Ok(Some(time)),
                Some(_) => events -= 1,
            }
        }
    }
}

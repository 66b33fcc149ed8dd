//! Locates nodes: finds the positions of some nodes below any other node, without walking its whole tree.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::graph::{Graph, NodeId, Stretch};

/// The number of edges from one mark to the next, and so the maximum number that a search passes over.
const BETWEEN_MARKS: usize = 64;

/// Occurrences of a node at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OccurrenceRun {
    /// The node.
    pub node: NodeId,
    /// The parent of the node; the node itself if the search began there.
    pub parent: NodeId,
    /// The position of the first occurrence, relative to the start of the search.
    pub position: u64,
    /// The number of occurrences.
    pub times: u64,
    /// The number of events from one occurrence to the next; meaningless if there is only one.
    pub step: u64,
}

/// The occurrences of selected nodes, none of which is below another.
///
/// The numbers of events and occurrences in each node locate any occurrence in time proportional to the depth of the
/// graph; nodes with many edges have marks.
#[derive(Clone, Debug)]
pub struct Occurrences<'a> {
    graph: &'a Graph,
    is_selected: Vec<bool>,
    /// The number of occurrences of selected nodes in each node.
    counts: Vec<u64>,
    marks: HashMap<NodeId, Vec<Mark>, FixedState>,
}

/// The numbers of occurrences and events before an edge, within one time of its stretch.
#[derive(Clone, Copy, Debug)]
struct Mark {
    occurrences: u64,
    events: u64,
}

impl<'a> Occurrences<'a> {
    /// Finds the occurrences of the nodes for which `is_selected` returns `true`.
    #[must_use]
    pub fn new(graph: &'a Graph, is_selected: impl Fn(NodeId) -> bool) -> Self {
        let is_selected: Vec<bool> = graph.nodes().map(is_selected).collect();
        let mut counts: Vec<u64> = Vec::with_capacity(graph.len());
        for node in graph.nodes() {
            counts.push(if is_selected[node.index()] {
                1
            } else {
                graph.stretches(node).fold(0, |sum: u64, stretch| {
                    let once = stretch.sum(0, |child| counts[child.index()]);
                    sum.saturating_add(stretch.times.saturating_mul(once))
                })
            });
        }
        let mut occurrences = Self {
            graph,
            is_selected,
            counts,
            marks: HashMap::default(),
        };
        let has_many =
            |&node: &NodeId| occurrences.count(node) > 0 && graph.edges(node).len() > BETWEEN_MARKS;
        let marks = graph
            .nodes()
            .filter(has_many)
            .map(|node| (node, occurrences.mark(node)));
        occurrences.marks = marks.collect();
        occurrences
    }

    /// Returns the number of occurrences of selected nodes in one occurrence of `node`.
    #[must_use]
    pub fn count(&self, node: NodeId) -> u64 {
        self.counts[node.index()]
    }

    /// Returns the number of events per occurrence of a node.
    #[must_use]
    pub fn length(&self, node: NodeId) -> u64 {
        self.graph.length(node)
    }

    /// Returns the marks of a node, one at every `BETWEEN_MARKS`th edge, each relative to the start of its stretch.
    fn mark(&self, node: NodeId) -> Vec<Mark> {
        let mut marks = Vec::new();
        for stretch in self.graph.stretches(node) {
            let mut mark = start(&stretch);
            for (index, edge) in stretch.edges.iter().enumerate() {
                if (stretch.order + index).is_multiple_of(BETWEEN_MARKS) {
                    marks.push(mark);
                }
                mark = self.advance(mark, edge.node, edge.times());
            }
        }
        marks
    }

    /// Returns the mark after `times` repetitions of a child.
    fn advance(&self, mark: Mark, child: NodeId, times: u64) -> Mark {
        Mark {
            occurrences: mark.occurrences + times * self.count(child),
            events: mark.events + times * self.graph.length(child),
        }
    }

    /// Returns occurrence number `number` in `root` on its own, or `None` if there are fewer.
    #[must_use]
    pub fn get(&self, root: NodeId, mut number: u64) -> Option<OccurrenceRun> {
        if number >= self.count(root) {
            return None;
        }
        let (mut node, mut parent, mut position) = (root, root, 0);
        while !self.is_selected[node.index()] {
            let (child, before, events) = self.step(node, number)?;
            (number, position) = (number - before, position + events);
            (parent, node) = (node, child);
        }
        Some(OccurrenceRun {
            node,
            parent,
            position,
            times: 1,
            step: self.graph.length(node),
        })
    }

    /// Returns the child of `node` that contains occurrence number `number`, and the numbers of occurrences and
    /// events before that child.
    fn step(&self, node: NodeId, number: u64) -> Option<(NodeId, u64, u64)> {
        let mut before = Mark {
            occurrences: 0,
            events: 0,
        };
        for stretch in self.graph.stretches(node) {
            let once = self.once(&stretch);
            let all = once.occurrences * stretch.times;
            if number >= before.occurrences + all {
                before.occurrences += all;
                before.events += once.events * stretch.times;
                continue;
            }
            let time = (number - before.occurrences) / once.occurrences;
            before.occurrences += time * once.occurrences;
            before.events += time * once.events;
            let rest = number - before.occurrences;
            let (from, mut mark) = self.nearest(node, &stretch, rest);
            for edge in &stretch.edges[from..] {
                let after = self.advance(mark, edge.node, edge.times());
                if rest < after.occurrences {
                    let time = (rest - mark.occurrences) / self.count(edge.node);
                    let mark = self.advance(mark, edge.node, time);
                    let (occurrences, events) = (mark.occurrences, mark.events);
                    let passed = before.occurrences + occurrences;
                    return Some((edge.node, passed, before.events + events));
                }
                mark = after;
            }
            return None;
        }
        None
    }

    /// Returns the numbers of occurrences and events in one time of a stretch.
    fn once(&self, stretch: &Stretch<'_>) -> Mark {
        let edges = stretch.edges.iter();
        let mark = edges.fold(start(stretch), |mark, edge| {
            self.advance(mark, edge.node, edge.times())
        });
        Mark {
            events: mark.events + u64::from(stretch.has_last),
            ..mark
        }
    }

    /// Returns the edge from which to search for an occurrence in one time of a stretch, and the mark at that edge.
    fn nearest(&self, node: NodeId, stretch: &Stretch<'_>, occurrence: u64) -> (usize, Mark) {
        let from = (0, start(stretch));
        let Some(marks) = self.marks.get(&node) else {
            return from;
        };
        let first = stretch.order.div_ceil(BETWEEN_MARKS);
        let end = (stretch.order + stretch.edges.len()).div_ceil(BETWEEN_MARKS);
        let marks = marks.get(first..end).unwrap_or_default();
        let count = marks.partition_point(|mark| mark.occurrences <= occurrence);
        match count.checked_sub(1) {
            Some(at) => ((first + at) * BETWEEN_MARKS - stretch.order, marks[at]),
            None => from,
        }
    }

    /// Returns all occurrences in `root` by position; equal consecutive ones are returned together.
    #[must_use]
    pub fn runs(&self, root: NodeId) -> Runs<'_> {
        let is_all = self.is_selected[root.index()];
        Runs {
            all: self,
            whole: self.get(root, 0).filter(|_| is_all),
            levels: if is_all {
                Vec::new()
            } else {
                vec![Level::new(self, root, 0)]
            },
        }
    }

    /// Returns the positions of all occurrences in `root` in ascending order, each with its node and the parent of
    /// that node.
    pub fn positions(&self, root: NodeId) -> impl Iterator<Item = OccurrenceRun> + '_ {
        self.runs(root).flat_map(|run| {
            (0..run.times).map(move |time| OccurrenceRun {
                position: run.position + time * run.step,
                times: 1,
                ..run
            })
        })
    }
}

/// Returns the mark before the first edge of a stretch.
fn start(stretch: &Stretch<'_>) -> Mark {
    Mark {
        occurrences: 0,
        events: u64::from(stretch.begins),
    }
}

/// A node on the current path.
#[derive(Clone, Debug)]
struct Level<'a> {
    node: NodeId,
    stretches: [Option<Stretch<'a>>; 3],
    stretch: usize,
    time: u64,
    edge: usize,
    repetition: u64,
    position: u64,
}

impl<'a> Level<'a> {
    fn new(all: &Occurrences<'a>, node: NodeId, position: u64) -> Self {
        let mut level = Self {
            node,
            stretches: all.graph.all_stretches(node),
            stretch: 0,
            time: 0,
            edge: 0,
            repetition: 0,
            position,
        };
        level.begin();
        level
    }

    /// Begins one time of a stretch.
    fn begin(&mut self) {
        if let Some(stretch) = self.stretches.get(self.stretch).copied().flatten() {
            self.position += u64::from(stretch.begins);
        }
    }
}

/// An iterator over occurrences, which skips everything without any.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    all: &'a Occurrences<'a>,
    /// The node where the search began, if it is selected itself.
    whole: Option<OccurrenceRun>,
    levels: Vec<Level<'a>>,
}

impl Iterator for Runs<'_> {
    type Item = OccurrenceRun;

    fn next(&mut self) -> Option<OccurrenceRun> {
        if let Some(whole) = self.whole.take() {
            return Some(whole);
        }
        let (all, graph) = (self.all, self.all.graph);
        loop {
            let level = self.levels.last_mut()?;
            let Some(stretch) = level.stretches.get(level.stretch).copied().flatten() else {
                self.levels.pop();
                continue;
            };
            let Some(edge) = stretch.edges.get(level.edge) else {
                level.position += u64::from(stretch.has_last);
                (level.edge, level.time) = (0, level.time + 1);
                // Times without selected nodes are skipped together.
                if level.time < stretch.times && all.once(&stretch).occurrences == 0 {
                    let once = all.once(&stretch).events;
                    level.position += (stretch.times - level.time) * once;
                    level.time = stretch.times;
                }
                if level.time == stretch.times {
                    (level.stretch, level.time) = (level.stretch + 1, 0);
                }
                level.begin();
                continue;
            };
            let (child, times) = (edge.node, edge.times());
            let (count, length) = (all.count(child), graph.length(child));
            let position = level.position;
            let single = (count == 1 && level.repetition == 0)
                .then(|| all.get(child, 0))
                .flatten();
            if let Some(single) = single {
                let parent = if all.is_selected[child.index()] {
                    level.node
                } else {
                    single.parent
                };
                (level.edge, level.position) = (level.edge + 1, position + times * length);
                return Some(OccurrenceRun {
                    position: position + single.position,
                    parent,
                    times,
                    step: length,
                    ..single
                });
            }
            if count == 0 || level.repetition == times {
                if count == 0 {
                    level.position += times * length;
                }
                (level.edge, level.repetition) = (level.edge + 1, 0);
                continue;
            }
            level.repetition += 1;
            level.position += length;
            self.levels.push(Level::new(all, child, position));
        }
    }
}

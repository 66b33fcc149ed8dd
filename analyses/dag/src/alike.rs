//! Unites the nodes of a picture that are alike, so that equal processes are drawn once.
//!
//! Calls are alike if they are calls of the same region in which the same things happen, however often and in whatever order.
//! Events are alike if they differ at most in their peers and tags. Locations are alike if their calls and events are.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldtrace_calltree::MetricNodes;
use foldtrace_fold::dag::{Dag, LabelId, NodeId, NodeKind};
use foldtrace_trace::{Operand, Symbol, SymbolTable};

use super::view::{Line, Shown, View};

/// A set of nodes that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Class(u32);

/// What nodes that are alike have in common.
#[derive(PartialEq, Eq, Hash)]
struct Likeness {
    kind: NodeKind,
    /// The symbol of its first event, without peer and tag; `None` for a location.
    symbol: Option<Symbol>,
    children: BTreeSet<Class>,
}

/// The classes of all nodes of a DAG.
struct Classes {
    of: Vec<Class>,
    /// The length of the longest path downwards, by class.
    heights: Vec<u32>,
}

impl Classes {
    fn new(dag: &Dag, symbols: &SymbolTable, left_out: &MetricNodes) -> Self {
        let graph = &dag.graph;
        let mut known: HashMap<Likeness, Class> = HashMap::new();
        let mut classes = Self {
            of: Vec::with_capacity(graph.len()),
            heights: Vec::new(),
        };
        for node in graph.nodes() {
            let edges = graph.edges(node).iter();
            let children = edges.filter(|edge| !left_out.contains(edge.node));
            let likeness = Likeness {
                kind: graph.kind(node),
                symbol: symbol(dag, symbols, node),
                children: children.map(|edge| classes.of(edge.node)).collect(),
            };
            let below = likeness.children.iter();
            let height = below
                .map(|child| classes.heights[child.0 as usize] + 1)
                .max();
            let next = Class(known.len() as u32);
            let class = *known.entry(likeness).or_insert(next);
            if class == next {
                classes.heights.push(height.unwrap_or_default());
            }
            classes.of.push(class);
        }
        classes
    }

    fn of(&self, node: NodeId) -> Class {
        self.of[node.index()]
    }
}

/// Returns the symbol of the first event of a node, without peer and tag.
fn symbol(dag: &Dag, symbols: &SymbolTable, node: NodeId) -> Option<Symbol> {
    let label: LabelId = dag.graph.label(node).into();
    let label = dag.labels.get(label)?;
    let mut symbol = symbols.common(label.symbol);
    for operand in [Operand::Peer, Operand::Tag] {
        if let Some(slot) = symbol.kind.slot(operand) {
            symbol.operands[slot] = 0;
        }
    }
    (dag.graph.kind(node) != NodeKind::Root).then_some(symbol)
}

/// The lines between two classes.
#[derive(Default)]
struct Lines {
    order: usize,
    edges: u64,
    levels: Option<u32>,
    /// By parent: how often children of the class occur in it.
    times: BTreeMap<NodeId, u64>,
}

impl View {
    /// Returns the picture with each set of nodes that are alike as one node.
    #[must_use]
    pub fn united(self, dag: &Dag, symbols: &SymbolTable, left_out: &MetricNodes) -> Self {
        let classes = Classes::new(dag, symbols, left_out);
        let mut nodes: BTreeMap<(Reverse<u32>, Class), Vec<NodeId>> = BTreeMap::new();
        for shown in &self.nodes {
            let class = classes.of(shown.node);
            let height = classes.heights[class.0 as usize];
            nodes
                .entry((Reverse(height), class))
                .or_default()
                .push(shown.node);
        }
        let mut lines: BTreeMap<(Class, Class), Lines> = BTreeMap::new();
        for line in &self.lines {
            let ends = (classes.of(line.from), classes.of(line.to));
            let all = lines.entry(ends).or_insert_with(|| Lines {
                order: line.order,
                ..Lines::default()
            });
            all.order = all.order.min(line.order);
            all.edges += line.edges;
            all.levels = all.levels.max(line.levels);
            *all.times.entry(line.from).or_default() += line.times;
        }
        let mut view = Self {
            hidden: self.hidden,
            is_united: true,
            ..Self::default()
        };
        // A node represents its class.
        let first: HashMap<Class, NodeId> =
            nodes.iter().map(|(key, all)| (key.1, all[0])).collect();
        let mut layers: HashMap<Class, usize> = HashMap::new();
        // Parents are higher than their children.
        for ((_, class), mut all) in nodes {
            let layer = layers.get(&class).copied().unwrap_or_default();
            let own = lines.range((class, Class(0))..=(class, Class(u32::MAX)));
            let mut own: Vec<Line> = own
                .map(|(&(_, to), all)| {
                    let below = layers.entry(to).or_default();
                    *below = (*below).max(layer + 1);
                    let times = all.times.values().copied();
                    Line {
                        from: first[&class],
                        to: first[&to],
                        order: all.order,
                        edges: all.edges,
                        least: times.clone().min().unwrap_or_default(),
                        times: times.max().unwrap_or_default(),
                        levels: all.levels,
                    }
                })
                .collect();
            own.sort_by_key(|line| line.order);
            view.lines.append(&mut own);
            view.nodes.push(Shown {
                node: all.remove(0),
                others: all,
                layer,
            });
        }
        view
    }
}

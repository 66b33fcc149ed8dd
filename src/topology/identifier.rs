//! Which topology some traffic has: filtered first, or not, whichever is something known. If neither is, rare pairs
//! are separated from frequent ones where their traffic has a gap.

use std::collections::HashMap;

use super::{Component, Otherwise, Part, Scope, THRESHOLD, answer};
use crate::analysis::Pairs;
use crate::analysis::topology::{
    Flow, Graph, Identification, Library, components, identify, recognise,
};

/// A graph as nodes and edges.
type Key = (usize, Vec<(u32, u32, Flow)>);

/// Identifies graphs; those that are the same, once.
pub(super) struct Identifier<'a> {
    library: &'a Library,
    threshold: f64,
    known: HashMap<Key, Identification>,
}

/// Gaps in the traffic of pairs that are tried at most.
const MOST_GAPS: usize = 8;

/// How many times more traffic a pair above a gap has than one below.
const NARROWEST: f64 = 1.25;

/// The share of the traffic that pairs below a gap have at most.
const MOST_BELOW: f64 = 0.25;

/// Traffic with a threshold.
struct Cut {
    threshold: f64,
    kept: Pairs,
    filtered: Pairs,
    components: Vec<Component>,
}

impl<'a> Identifier<'a> {
    pub fn new(library: &'a Library, threshold: f64) -> Self {
        Self {
            library,
            threshold,
            known: HashMap::new(),
        }
    }

    /// What traffic between processes of these ranks is.
    pub fn part(&mut self, scope: Scope, ranks: Vec<u64>, pairs: Pairs) -> Part {
        let wanted = self.cut(&pairs, self.threshold);
        let other = if wanted.threshold > 0.0 {
            0.0
        } else {
            THRESHOLD
        };
        let other = self.cut(&pairs, other);
        let (mut cut, mut other) = (wanted, Some(other));
        if let Some(better) = other.take_if(|other| {
            answer(&cut.components).is_empty() && !answer(&other.components).is_empty()
        }) {
            other = Some(std::mem::replace(&mut cut, better));
        }
        if answer(&cut.components).is_empty()
            && let Some(better) = self.above_gap(&pairs)
        {
            other = Some(std::mem::replace(&mut cut, better));
        }
        let otherwise = other.map(|other| Otherwise {
            threshold: other.threshold,
            answer: answer(&other.components),
        });
        let own = answer(&cut.components);
        Part {
            scope,
            ranks,
            pairs,
            threshold: cut.threshold,
            kept: cut.kept,
            filtered: cut.filtered,
            components: cut.components,
            otherwise: otherwise.filter(|other| other.answer != own),
        }
    }

    /// The traffic above a gap, if all processes that communicate are one known topology there. On a multigrid,
    /// a torus is found below the few messages of coarse levels, whose processes are further apart.
    fn above_gap(&self, pairs: &Pairs) -> Option<Cut> {
        let all = pairs.graph();
        let busy = (0..all.nodes() as u32).filter(|&node| all.degree(node) > 0);
        let busy = busy.count();
        gaps(pairs).into_iter().find_map(|threshold| {
            let [kept, filtered] = pairs.split(threshold);
            let (nodes, graph) = components(&kept.graph())
                .into_iter()
                .find(|(nodes, _)| nodes.len() == busy)?;
            let identification = recognise(&graph, self.library);
            (!identification.isomorphic.is_empty()).then(|| Cut {
                threshold,
                kept,
                filtered,
                components: vec![Component {
                    nodes,
                    identification,
                    graph,
                }],
            })
        })
    }

    fn cut(&mut self, pairs: &Pairs, threshold: f64) -> Cut {
        let [kept, filtered] = pairs.split(threshold);
        let parts = components(&kept.graph()).into_iter();
        let parts = parts.filter(|(_, graph)| graph.edges() > 0);
        let components = parts.map(|(nodes, graph)| Component {
            nodes,
            identification: self.identify(&graph),
            graph,
        });
        Cut {
            threshold,
            components: components.collect(),
            kept,
            filtered,
        }
    }

    fn identify(&mut self, graph: &Graph) -> Identification {
        let key = (graph.nodes(), graph.iter().collect());
        let found = self.known.entry(key);
        found
            .or_insert_with(|| identify(graph, self.library))
            .clone()
    }
}

/// Thresholds in the gaps of the traffic of pairs, the widest gap first.
fn gaps(pairs: &Pairs) -> Vec<f64> {
    let measure = pairs.measure();
    let amounts = pairs.pairs.values().map(|pair| measure.of(pair.total()));
    let mut amounts: Vec<f64> = amounts.map(|amount| amount as f64).collect();
    amounts.sort_unstable_by(f64::total_cmp);
    let most = amounts.last().copied().unwrap_or_default();
    let all: f64 = amounts.iter().sum();
    let mut below = 0.0;
    let mut gaps: Vec<(f64, f64)> = Vec::new();
    for pair in amounts.windows(2) {
        let [less, more] = pair else { continue };
        below += less;
        if below > MOST_BELOW * all {
            break;
        }
        let width = more / less.max(1.0);
        if width >= NARROWEST {
            gaps.push((width, (less + more) / 2.0 / most));
        }
    }
    gaps.sort_by(|one, other| other.0.total_cmp(&one.0));
    gaps.truncate(MOST_GAPS);
    gaps.into_iter().map(|(_, threshold)| threshold).collect()
}

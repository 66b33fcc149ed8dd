//! Identifies the topology of traffic between processes. Pairs below a threshold are ignored at first. If no
//! topology matches, another threshold is tried, then thresholds in gaps between rare and frequent pairs.

use std::collections::HashMap;

use super::{Component, Otherwise, Part, Scope, THRESHOLD, answer};
use crate::Pairs;
use crate::recognition::{Flow, Graph, Identification, Library, components, identify, recognise};

/// A graph, as its number of nodes and its edges.
type Key = (usize, Vec<(u32, u32, Flow)>);

/// Identifies the topologies of graphs, and remembers the result for each graph.
pub(super) struct Identifier<'a> {
    library: &'a Library,
    threshold: f64,
    known: HashMap<Key, Identification>,
}

/// Maximum number of gaps in the traffic that are tried as thresholds.
const MOST_GAPS: usize = 8;

/// Minimum ratio between the traffic of a pair above a gap and that of a pair below the gap.
const NARROWEST: f64 = 1.25;

/// Maximum share of the total traffic for the pairs below a gap.
const MOST_BELOW: f64 = 0.25;

/// Traffic, divided by a threshold.
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

    /// Identifies the topology of the traffic between processes of the given ranks.
    pub fn part(&mut self, scope: Scope, ranks: Vec<u64>, pairs: Pairs) -> Part {
        let requested = self.cut(&pairs, self.threshold);
        let other = if requested.threshold > 0.0 {
            0.0
        } else {
            THRESHOLD
        };
        let other = self.cut(&pairs, other);
        let (mut cut, mut other) = (requested, Some(other));
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

    /// Finds a gap above which all communicating processes form one known topology, and cuts the traffic there.
    ///
    /// In a multigrid program, for example, a torus is found if the few messages of the coarse levels, which go to
    /// distant processes, are ignored.
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

/// Returns thresholds in the gaps between the traffic of pairs, the widest gap first.
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

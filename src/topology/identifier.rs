//! Which topology some traffic has: filtered first, or not, whichever is something known.

use std::collections::HashMap;

use super::{Component, Otherwise, Part, Scope, THRESHOLD, answer};
use crate::analysis::Pairs;
use crate::analysis::topology::{Flow, Graph, Identification, Library, components, identify};

/// A graph as nodes and edges.
type Key = (usize, Vec<(u32, u32, Flow)>);

/// Identifies graphs; those that are the same, once.
pub(super) struct Identifier<'a> {
    library: &'a Library,
    threshold: f64,
    known: HashMap<Key, Identification>,
}

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

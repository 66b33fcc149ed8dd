//! Names the nodes of a DAG.

use std::collections::{HashMap, HashSet};

use foldtrace_fold::dag::{Dag, Key, LabelId, NodeId, NodeKind};
use foldtrace_trace::{LabelText, Names, Symbol, SymbolId, SymbolTable, format_labels};

/// The names of the labels and nodes of a DAG. The text of each label is unique: repeated texts are numbered, such as
/// functions with the same name.
#[derive(Clone, Debug)]
pub struct NamedNodes<'a> {
    dag: &'a Dag,
    names: &'a Names,
    texts: Vec<String>,
}

impl<'a> NamedNodes<'a> {
    /// Creates the names of a DAG whose labels refer to rows of `symbols`.
    #[must_use]
    pub fn new(dag: &'a Dag, names: &'a Names, symbols: &SymbolTable) -> Self {
        Self::from_symbols(dag, names, |id| symbols.common(id))
    }

    /// Creates the names of a DAG whose labels refer to `symbols`, with their tags.
    #[must_use]
    pub fn with_tags(dag: &'a Dag, names: &'a Names, symbols: &SymbolTable) -> Self {
        Self::from_symbols(dag, names, |id| symbols.symbol(id))
    }

    fn from_symbols(dag: &'a Dag, names: &'a Names, symbol: impl Fn(SymbolId) -> Symbol) -> Self {
        let mut counts: HashMap<String, u32> = HashMap::new();
        let texts = dag.labels.iter().map(|label| {
            let symbol = symbol(label.symbol);
            let text = LabelText { names, symbol }.to_string();
            let number = counts.entry(text.clone()).or_default();
            *number += 1;
            match number {
                1 => text,
                number => format!("{text} ({number})"),
            }
        });
        let texts = texts.collect();
        Self { dag, names, texts }
    }

    /// Returns the text of a label.
    #[must_use]
    pub fn label(&self, label: LabelId) -> &str {
        self.texts.get(label.index()).map_or("", String::as_str)
    }

    /// Returns the text of a node; for a root, the locations that it represents.
    #[must_use]
    pub fn node(&self, node: NodeId) -> String {
        if self.dag.graph.kind(node) != NodeKind::Root {
            return self.label(self.dag.graph.label(node).into()).to_owned();
        }
        let mut locations = Vec::new();
        let mut more = 0;
        for root in self.dag.roots.iter().filter(|root| root.node == node) {
            if locations.len() < 8 {
                locations.push(self.names.label(root.location));
            } else {
                more += 1;
            }
        }
        let plural = if locations.len() == 1 { "" } else { "s" };
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("location{plural} {}{more}", locations.join(", "))
    }

    /// Returns the text of several nodes that are shown as one: the words that their texts have in common; for roots, all of
    /// their locations.
    #[must_use]
    pub fn common(&self, nodes: &[NodeId]) -> String {
        let Some((&first, others)) = nodes.split_first() else {
            return String::new();
        };
        if self.dag.graph.kind(first) == NodeKind::Root {
            let nodes: HashSet<NodeId> = nodes.iter().copied().collect();
            let roots = self.dag.roots.iter();
            let roots = roots.filter(|root| nodes.contains(&root.node));
            let labels: Vec<String> = roots.map(|root| self.names.label(root.location)).collect();
            return format!("locations {}", format_labels(&labels));
        }
        let mut words: Vec<String> = self.node(first).split(' ').map(str::to_owned).collect();
        for &other in others {
            let text = self.node(other);
            words.retain(|word| text.split(' ').any(|other| other == word));
        }
        words.join(" ")
    }

    /// Returns a key for each label, which is the same in all traces.
    #[must_use]
    pub fn keys(&self) -> Vec<Key> {
        let texts = self.texts.iter();
        texts
            .map(|text| blake3::hash(text.as_bytes()).into())
            .collect()
    }
}

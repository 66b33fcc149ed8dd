//! Names the nodes of a DAG.

use std::collections::HashMap;

use foldtrace_fold::dag::{Dag, Key, LabelId, NodeId, NodeKind};
use foldtrace_trace::{LabelText, Names, Symbol, SymbolId, SymbolTable};

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

    /// Returns a key for each label, which is the same in all traces.
    #[must_use]
    pub fn keys(&self) -> Vec<Key> {
        let texts = self.texts.iter();
        texts
            .map(|text| blake3::hash(text.as_bytes()).into())
            .collect()
    }
}

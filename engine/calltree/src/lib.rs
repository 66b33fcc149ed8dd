//! Builds the DAG of a program: the call trees of its locations, their messages, and the names of the nodes.
//!
//! [`read_or_grow`] reads the DAG of a store from its tables, or grows it from the events, in parallel over locations.

mod metrics;
mod named;
mod pattern;

pub use metrics::MetricNodes;
pub use named::NamedNodes;
pub use pattern::{Pattern, PatternOccurrence, TracePattern};

use foldtrace_fold::dag::{Dag, Graph, Grower, LabelId, NodeId, Oddity, Roles, Root, Rules};
use foldtrace_matching::{Census, Links, Meaning};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    Diagnostic, Diagnostics, LocationId, Operand, Place, Position, RowSums, Severity, SymbolId,
    SymbolTable, TraceError,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A DAG, with the by-products of growing it.
#[derive(Clone, Debug, Default)]
pub struct Grown {
    /// The DAG of the requested locations.
    pub dag: Dag,
    /// By location: the number of its events with each symbol of communication.
    pub census: Census,
    /// Diagnostics about calls.
    pub diagnostics: Diagnostics,
}

/// Returns the DAG of `locations` of a store. Reads the tables of the DAG if the store has any and they match the
/// request, and otherwise grows the DAG from the events.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or the work was stopped.
pub fn read_or_grow(
    store: &StoreReader,
    locations: &[LocationId],
    rules: Rules,
    progress: &Progress,
) -> Result<Grown, TraceError> {
    let is_all = store.locations().eq(locations.iter().copied());
    let stored = if is_all && rules == Rules::default() {
        store.dag()?
    } else {
        None
    };
    let Some(dag) = stored else {
        return grow(store, locations, rules, progress);
    };
    let symbols = store.symbols();
    let census = dag.roots.iter().map(|&Root { location, node }| {
        count(location, &dag.graph, node, symbols, |label| {
            dag.labels.symbol(location, LabelId::from(label))
        })
    });
    Ok(Grown {
        census: census.collect(),
        dag,
        diagnostics: Diagnostics::default(),
    })
}

/// Grows the DAG of `locations` of a store anew; reads only the symbols of events. Leaves whose symbols share a row,
/// because they differ only in their tags, are the same, so the DAG does not grow with the number of tags.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or the work was stopped.
pub fn grow(
    store: &StoreReader,
    locations: &[LocationId],
    rules: Rules,
    progress: &Progress,
) -> Result<Grown, TraceError> {
    let trees = Trees::new(store, rules, progress);
    let trees = locations
        .par_iter()
        .map(|&location| trees.of(location))
        .collect::<Result<Vec<_>, TraceError>>()?;
    Ok(Grown::of(store, trees, rules))
}

impl Grown {
    /// Joins the call trees of locations of a store, which were grown by the same rules.
    #[must_use]
    pub fn of(store: &StoreReader, trees: Vec<Tree>, rules: Rules) -> Self {
        let mut diagnostics = Diagnostics::default();
        let graphs = trees.into_iter().map(|tree| {
            diagnostics.merge(tree.diagnostics);
            (tree.location, tree.graph, tree.root)
        });
        let (mut dag, census) = join(graphs.collect(), &Meaning::new(store));
        if !rules.sharing {
            dag = dag.unshared();
        }
        Self {
            dag,
            census,
            diagnostics,
        }
    }
}

/// Joins locations to a DAG, each with the graph of a [`Grower`] and its root. Also returns the census: how often
/// each location has which symbols of communication.
#[must_use]
pub fn join(locations: Vec<(LocationId, Graph, NodeId)>, meaning: &Meaning<'_>) -> (Dag, Census) {
    let census = locations.iter().map(|(location, graph, root)| {
        count(*location, graph, *root, meaning.symbols, |label| {
            Some(SymbolId::from(label))
        })
    });
    let census: Census = census.collect();
    let canonical = canonical_symbols(meaning, &census);
    (Dag::merge(locations, &canonical), census)
}

/// Returns the messages of a DAG whose labels have tags; `census` has counted the events of its locations.
#[must_use]
pub fn messages(dag: &Dag, census: &Census, meaning: &Meaning<'_>) -> Links {
    let communicators = meaning.communicators(census);
    Links::new(dag, meaning.names, &communicators, census, meaning.symbols)
}

/// Returns the messages of a DAG of this store.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or the work was stopped.
pub fn links(store: &StoreReader, grown: &Grown, progress: &Progress) -> Result<Links, TraceError> {
    let communicators = Meaning::new(store).communicators(&grown.census);
    Links::from_store(&grown.dag, &communicators, &grown.census, store, progress)
}

/// The call tree of a location, as a graph in which equal subtrees are one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tree {
    location: LocationId,
    graph: Graph,
    root: NodeId,
    diagnostics: Diagnostics,
}

/// Grows the call trees of locations of a store.
#[derive(Debug)]
pub struct Trees<'a> {
    store: &'a StoreReader,
    rules: Rules,
    roles: Roles,
    progress: &'a Progress,
}

impl<'a> Trees<'a> {
    /// Prepares to grow call trees by some rules.
    #[must_use]
    pub fn new(store: &'a StoreReader, rules: Rules, progress: &'a Progress) -> Self {
        Self {
            store,
            rules,
            roles: Roles::of(store.symbols()),
            progress,
        }
    }

    /// Grows the call tree of a location; reads only the symbols of its events.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn of(&self, location: LocationId) -> Result<Tree, TraceError> {
        let mut grower = Grower::new(self.rules);
        let mut diagnostics = Diagnostics::default();
        let mut on_oddity = |oddity, position| report(&mut diagnostics, oddity, location, position);
        let mut events = self.store.events(location, Position(0));
        let mut symbols = Vec::new();
        loop {
            self.progress.check()?;
            events.next_symbols(&mut symbols)?;
            if symbols.is_empty() {
                break;
            }
            let rows = symbols.iter_mut();
            rows.for_each(|symbol| *symbol = symbol.without_tag());
            grower.push(&symbols, &self.roles, &mut on_oddity);
            self.progress.count(symbols.len());
        }
        let (graph, root) = grower.finish(&mut on_oddity);
        Ok(Tree {
            location,
            graph,
            root,
            diagnostics,
        })
    }
}

/// Adds a diagnostic about an oddity of the calls of a location.
fn report(diagnostics: &mut Diagnostics, oddity: Oddity, location: LocationId, at: Position) {
    let (severity, key, message) = match oddity {
        Oddity::Misnested => (
            Severity::Note,
            "dag.misnested",
            "a call is left before a call within it; it ends when the inner call ends",
        ),
        Oddity::NeverEntered => (
            Severity::Note,
            "dag.never_entered",
            "a call is left without having been entered; the leave is a leaf",
        ),
        Oddity::NeverLeft => (
            Severity::Note,
            "dag.never_left",
            "a call is entered and never left; it ends at the end of its location",
        ),
    };
    diagnostics.report_with(severity, key, || {
        let place = Place::default().event(location, at);
        Diagnostic::new(severity, key, message).at(place)
    });
}

/// Counts the symbols of a location, from the leaves of its graph; `own` returns the symbol of a label.
fn count(
    location: LocationId,
    graph: &Graph,
    root: NodeId,
    symbols: &SymbolTable,
    own: impl Fn(u64) -> Option<SymbolId>,
) -> Census {
    let mut counts = RowSums::default();
    for (node, count) in graph.below(root) {
        if graph.kind(node).is_leaf()
            && let Some(symbol) = own(graph.label(node))
        {
            counts.add(symbol, count);
        }
    }
    Census::from_counts(location, counts, symbols)
}

/// Returns for each row of the table of symbols the first row that equals it apart from repeated definitions: of regions,
/// and of communicators that each process defines for itself.
fn canonical_symbols(meaning: &Meaning<'_>, census: &Census) -> Vec<SymbolId> {
    let communicators = meaning.communicators(census);
    let mut distinct = SymbolTable::unbounded();
    let mut first = Vec::new();
    let canonical = meaning.symbols.iter().map(|(id, symbol)| {
        let mut symbol = meaning.names.canonical(symbol);
        if let Some(slot) = symbol.kind.slot(Operand::Communicator) {
            symbol.operands[slot] = communicators.canonical(symbol.operands[slot]);
        }
        let is_tagged = meaning.symbols.is_tagged(id);
        let index = distinct.intern_row(symbol, is_tagged).row();
        if index == first.len() {
            first.push(id);
        }
        first[index]
    });
    canonical.collect()
}

//! The ordered DAG of a store: its call trees from the topology, in parallel over locations, and what
//! the quantities say of its nodes.

mod durations;
mod named;
mod pattern;
mod stacks;
mod table;
mod times;

pub use durations::{Durations, Histogram, Occurrence, durations, occurred};
pub use named::NamedNodes;
pub use pattern::{Pattern, PatternOccurrence, TracePattern};
pub use stacks::{Stack, Weight, stacks};
pub use table::{Counts, Folded, Table, table};
pub use times::{Times, times};

use foldtrace_trace::{
    Diagnostic, Diagnostics, LocationId, Operand, Place, Position, Severity, SymbolId, SymbolTable,
    TraceError, TraceReader,
};
use rayon::prelude::*;

use crate::analysis::{Census, Communicators, Links};
use crate::fold::dag::{Dag, Graph, Grower, NodeId, Oddity, Roles, Rules};
use crate::read::Progress;
use crate::store::StoreReader;

/// A DAG, and what was found on the way.
#[derive(Clone, Debug, Default)]
pub struct Grown {
    /// The DAG of the locations that were asked for.
    pub dag: Dag,
    /// How often each location has which symbols of communication.
    pub census: Census,
    /// What is odd about calls.
    pub diagnostics: Diagnostics,
}

/// The DAG of `locations` of a store; only what happened is read.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn grow(
    store: &StoreReader,
    locations: &[LocationId],
    rules: Rules,
    progress: &Progress,
) -> Result<Grown, TraceError> {
    let roles = Roles::of(store.symbols());
    let grown = locations
        .par_iter()
        .map(|&location| grow_location(store, location, rules, &roles, progress))
        .collect::<Result<Vec<_>, TraceError>>()?;
    let mut diagnostics = Diagnostics::default();
    let mut trees = Vec::with_capacity(grown.len());
    let mut census = Vec::with_capacity(grown.len());
    for (location, tree) in locations.iter().zip(grown) {
        diagnostics.merge(tree.diagnostics);
        census.push(count(*location, &tree.graph, tree.root, store.symbols()));
        trees.push((*location, tree.graph, tree.root));
    }
    let census: Census = census.into_iter().collect();
    let stands = stands(store, &census);
    let mut dag = Dag::merge(trees, &stands);
    if !rules.sharing {
        dag = dag.unshared();
    }
    Ok(Grown {
        dag,
        census,
        diagnostics,
    })
}

/// The messages of a DAG of this store.
#[must_use]
pub fn links(store: &StoreReader, grown: &Grown) -> Links {
    let (names, symbols) = (store.names(), store.symbols());
    let census = &grown.census;
    let communicators = Communicators::new(store.definitions(), names, census, symbols);
    Links::of(&grown.dag, names, &communicators, census, symbols)
}

struct Tree {
    graph: Graph,
    root: NodeId,
    diagnostics: Diagnostics,
}

fn grow_location(
    store: &StoreReader,
    location: LocationId,
    rules: Rules,
    roles: &Roles,
    progress: &Progress,
) -> Result<Tree, TraceError> {
    let mut grower = Grower::new(rules);
    let mut diagnostics = Diagnostics::default();
    let mut tell = |oddity, position| report(&mut diagnostics, oddity, location, position);
    let mut events = store.events(location, Position(0));
    let mut symbols = Vec::new();
    loop {
        progress.check()?;
        events.next_symbols(&mut symbols)?;
        if symbols.is_empty() {
            break;
        }
        grower.push(&symbols, roles, &mut tell);
        progress.count(symbols.len());
    }
    let (graph, root) = grower.finish(&mut tell);
    Ok(Tree {
        graph,
        root,
        diagnostics,
    })
}

fn report(diagnostics: &mut Diagnostics, oddity: Oddity, location: LocationId, at: Position) {
    let mut tell = |severity, key, message| {
        diagnostics.report_with(severity, key, || {
            let place = Place::default().event(location, at);
            Diagnostic::new(severity, key, message).at(place)
        });
    };
    match oddity {
        Oddity::Misnested => {
            let message = "a call is left before a call within it; it ends with that one";
            tell(Severity::Note, "dag.misnested", message);
        }
        Oddity::NeverEntered => {
            let message = "a call is left without having been entered; that is a leaf";
            tell(Severity::Note, "dag.never_entered", message);
        }
        Oddity::NeverLeft => {
            let message = "a call is entered and never left; it ends with its location";
            tell(Severity::Note, "dag.never_left", message);
        }
    }
}

/// How often a location has which symbols: what its graph says of leaves.
fn count(location: LocationId, graph: &Graph, root: NodeId, symbols: &SymbolTable) -> Census {
    let mut counts = vec![0; symbols.len()];
    let of_nodes = graph.occurrences([root]);
    for node in graph.nodes().filter(|&node| graph.kind(node).is_leaf()) {
        counts[graph.label(node) as usize] += of_nodes[node.index()];
    }
    Census::of(location, &counts, symbols)
}

/// For each symbol of a store, the first that is the same but for definitions that are repeated: those
/// of regions, and those of communicators that each process has for itself.
fn stands(store: &StoreReader, census: &Census) -> Vec<SymbolId> {
    let (names, symbols) = (store.names(), store.symbols());
    let communicators = Communicators::new(store.definitions(), names, census, symbols);
    let mut canonical = SymbolTable::default();
    let mut first = Vec::new();
    let stands = symbols.iter().map(|(id, symbol)| {
        let mut symbol = names.canonical(symbol);
        if let Some(slot) = symbol.kind.slot(Operand::Communicator) {
            symbol.operands[slot] = communicators.canonical(symbol.operands[slot]);
        }
        let known = canonical.intern(symbol).index();
        if known == first.len() {
            first.push(id);
        }
        first[known]
    });
    stands.collect()
}

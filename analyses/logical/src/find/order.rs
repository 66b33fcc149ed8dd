//! Determines the order in which processes first communicate with their neighbours, and the tags that are sent
//! between them.

use std::collections::BTreeMap;

use foldtrace_fold::Construct;
use foldtrace_matching::Exchange;
use foldtrace_store::StoreReader;
use foldtrace_topology::recognition::Graph;
use foldtrace_trace::{SymbolId, TraceError};

use super::meanings::{MainLocation, Understanding};
use crate::model::{Signs, Tags};

/// Derives signs for the edges of a graph between processes from the models of the store. The order of constructs
/// in a model is the order in which they are executed.
///
/// The first signs returned are based on tags. The second are based on that order alone, for programs whose tags
/// depend on the process.
pub(super) fn signs(
    store: &StoreReader,
    understanding: &Understanding<'_>,
    places: &[MainLocation],
    (graph, ranks): (&Graph, &[u64]),
    exchange: &Exchange,
) -> Result<[Signs; 2], TraceError> {
    let mut tags: BTreeMap<(u32, u32), Tags> = BTreeMap::new();
    for lane in exchange.lanes.keys() {
        let ends = [lane.sender, lane.receiver];
        let ends = ends.map(|rank| rank.and_then(|rank| understanding.process(rank)));
        if let [Some(from), Some(to)] = ends {
            tags.entry((from, to)).or_default().push(lane.tag);
        }
    }
    for tags in tags.values_mut() {
        tags.sort_unstable();
        tags.dedup();
    }
    let mut neighbours = Vec::with_capacity(places.len());
    for (process, place) in (0..).zip(places) {
        let mut order = Order {
            understanding,
            rank: ranks[process as usize],
            graph,
            process,
            found: Vec::new(),
        };
        let locations = place.location.into_iter().collect();
        for stored in store.models_of(locations)? {
            order.look(&stored?.model.constructs);
        }
        neighbours.push(order.finish());
    }
    let by_tags = Signs::new(&tags, &neighbours);
    Ok([by_tags, Signs::new(&orders(&neighbours), &neighbours)])
}

/// Returns for each process and neighbour the position of the neighbour in the order in which the process first
/// communicates with its neighbours, in the form of tags.
fn orders(neighbours: &[Vec<u32>]) -> BTreeMap<(u32, u32), Tags> {
    let all = (0..).zip(neighbours).flat_map(|(process, others)| {
        let others = others.iter().zip(0_u64..);
        others.map(move |(&other, place)| ((process, other), vec![Some(place)]))
    });
    all.collect()
}

/// A search for the neighbours of a process, in the order in which the process first communicates with them.
struct Order<'a> {
    understanding: &'a Understanding<'a>,
    rank: u64,
    graph: &'a Graph,
    process: u32,
    found: Vec<u32>,
}

impl Order<'_> {
    fn look(&mut self, constructs: &[Construct]) {
        for construct in constructs {
            if self.found.len() == self.graph.degree(self.process) {
                return;
            }
            match construct {
                Construct::Event(event) => self.meet(event.symbol),
                Construct::Loop(inner) => self.look(&inner.body),
            }
        }
    }

    fn meet(&mut self, symbol: SymbolId) {
        let kind = self.understanding.symbols.kind(symbol);
        if !kind.is_send() && !kind.is_receive() {
            return;
        }
        let symbol = self.understanding.symbols.symbol(symbol);
        if let Some(peer) = self.understanding.peer(self.rank, &symbol)
            && self.graph.has_edge(self.process, peer)
            && !self.found.contains(&peer)
        {
            self.found.push(peer);
        }
    }

    /// Returns the neighbours in order. Neighbours that a loop reaches only in later iterations, because their number
    /// grows with its index, come last.
    fn finish(mut self) -> Vec<u32> {
        for &other in self.graph.neighbours(self.process) {
            if !self.found.contains(&other) {
                self.found.push(other);
            }
        }
        self.found
    }
}

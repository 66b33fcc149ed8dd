//! Ranks the points of interest of all locations, and finds out what happens there.

use std::collections::HashMap;

use foldtrace_fold::patterns::PatternName;
use foldtrace_store::StoreReader;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, OpenCalls, Operand, Position, Printable,
    Ranks, Step, SymbolId, SymbolText, TraceError, TraceReader,
};

use crate::contents::{Content, contents};
use crate::occurrences::{Point, Points};
use crate::{Alphabet, Filter, LocationPatterns};

/// The number of events before a cause that are read to find the call that contains it. Calls that communicate
/// have few events.
const BEFORE: u64 = 256;

/// A point of interest, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPoint {
    /// The location of the point.
    pub location: LocationId,
    /// The point.
    pub point: Point,
    /// The name of its pattern.
    pub name: PatternName,
    /// The calls in its pattern, such as `MPI_Recv, MPI_Send ×249`.
    pub calls: String,
    /// The number of events of the occurrence.
    pub events: u64,
    /// The time between two events that exceeds the usual time most.
    pub cause: Option<PlacedCause>,
}

/// A time between two events that is longer than usual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedCause {
    /// The position of the second event.
    pub position: u64,
    /// The second event.
    pub event: String,
    /// The innermost call in which the time is spent, if it began shortly before.
    pub call: Option<String>,
    /// The rank of the process whose message the second event receives.
    pub waits_for: Option<u64>,
    /// The time between the two events, in ticks.
    pub ticks: u64,
    /// The median time between them, in ticks.
    pub usual: u64,
}

/// The kind of points to rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// Occurrences that compute longer than usual.
    Computing,
    /// Occurrences that communicate longer than usual.
    Communicating,
}

impl Spent {
    fn points(self, points: &Points) -> &[Point] {
        match self {
            Self::Computing => &points.computing,
            Self::Communicating => &points.communicating,
        }
    }
}

/// Returns the points of all locations with the greatest excess: at most `most` points, in descending order of
/// excess.
///
/// # Errors
/// Returns an error if a table is missing or damaged.
pub fn points(
    store: &StoreReader,
    found: &[LocationPatterns],
    alphabet: &Alphabet,
    filters: &[Filter],
    spent: Spent,
    most: usize,
) -> Result<Vec<PlacedPoint>, TraceError> {
    let mut all: Vec<(usize, &Point)> = Vec::new();
    for (index, filter) in filters.iter().enumerate() {
        all.extend(
            spent
                .points(&filter.points)
                .iter()
                .map(|point| (index, point)),
        );
    }
    all.sort_by_key(|&(index, point)| (std::cmp::Reverse(point.excess), index, point.position));
    all.truncate(most);
    let ranks = Ranks::new(store.definitions(), store.names());
    let mut calls: HashMap<usize, Vec<Content>> = HashMap::new();
    let mut placed = Vec::with_capacity(all.len());
    for (index, point) in all {
        let found = &found[index];
        let cause = match point.cause {
            None => None,
            Some(cause) => {
                let (event, call, waits_for) = look(store, &ranks, found.location, cause.position)?;
                Some(PlacedCause {
                    position: cause.position,
                    event,
                    call,
                    waits_for,
                    ticks: cause.ticks,
                    usual: cause.usual,
                })
            }
        };
        let contents = calls
            .entry(index)
            .or_insert_with(|| contents(found, alphabet, store.names()));
        let content = contents.get(point.pattern.index());
        placed.push(PlacedPoint {
            calls: content.map_or_else(String::new, |content| content.calls.clone()),
            location: found.location,
            point: point.clone(),
            name: found.names[point.pattern.index()],
            events: found.patterns.length(point.pattern),
            cause,
        });
    }
    Ok(placed)
}

/// Returns the text of the event at a position, the call that contains it or that it leaves, and the rank whose
/// message it receives.
fn look(
    store: &StoreReader,
    ranks: &Ranks,
    location: LocationId,
    position: u64,
) -> Result<(String, Option<String>, Option<u64>), TraceError> {
    let (names, symbols) = (store.names(), store.symbols());
    let from = position.saturating_sub(BEFORE);
    let mut events = store.events_in(location, Position(from)..Position(position + 1));
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    let mut calls = OpenCalls::default();
    let mut call: Option<SymbolId> = None;
    let (mut text, mut waits_for) = (String::new(), None);
    while events.next_batch(&mut batch, &mut diagnostics)? == Step::Batch {
        for event in batch.iter(symbols) {
            if event.position.0 == position {
                call = calls.entered().next_back();
                let symbol = symbols.symbol(event.symbol);
                text = SymbolText::new(names, location, symbol).to_string();
                let peer = symbol
                    .get(Operand::Peer)
                    .filter(|_| symbol.kind.is_receive());
                let own = names.rank(location).map(|(rank, _)| rank);
                let communicator = symbol.get(Operand::Communicator);
                waits_for = peer.map(|peer| ranks.rank(communicator, peer, own));
            }
            calls.take(event.symbol, symbols);
        }
    }
    let call = call.and_then(|enter| names.called(&symbols.symbol(enter)));
    Ok((
        text,
        call.map(|call| Printable(call).to_string()),
        waits_for,
    ))
}

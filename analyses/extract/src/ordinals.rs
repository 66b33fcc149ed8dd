//! Converts positions in a model to positions in a store.
//!
//! A model of a selection counts only the events of that selection. Their positions follow from the symbols of the
//! location: one pass counts them block by block, and later only blocks with requested events are read again.

use std::collections::HashMap;

use foldtrace_fold::Selection;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, SymbolId, TraceError};
use rayon::prelude::*;

/// Number of positions per block.
const BLOCK: u64 = 1 << 16;

/// The selected events of some locations.
pub(super) struct Ordinals<'a> {
    store: &'a StoreReader,
    /// Whether the symbols of each row are selected; `None` if all symbols are.
    selected: Option<Vec<bool>>,
    locations: HashMap<LocationId, Counts>,
}

/// The number of selected events of a location.
#[derive(Default)]
struct Counts {
    /// The number of selected events before each block.
    before: Vec<u64>,
    all: u64,
}

impl<'a> Ordinals<'a> {
    /// Counts the selected events of the given locations.
    pub fn new(
        store: &'a StoreReader,
        selection: Selection,
        locations: &[LocationId],
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let mut ordinals = Self {
            store,
            selected: None,
            locations: HashMap::new(),
        };
        if selection == Selection::All {
            let count = |&location: &LocationId| Counts {
                before: Vec::new(),
                all: store.index().events(location),
            };
            ordinals.locations = locations.iter().map(|l| (*l, count(l))).collect();
            return Ok(ordinals);
        }
        let symbols = store.symbols();
        let selected = symbols.iter().map(|(_, s)| selection.contains(s.kind));
        let selected: Vec<bool> = selected.collect();
        let counted = locations.par_iter().map(|&location| {
            let counts = count(store, location, &selected, progress)?;
            Ok((location, counts))
        });
        ordinals.locations = counted.collect::<Result<_, TraceError>>()?;
        ordinals.selected = Some(selected);
        Ok(ordinals)
    }

    /// Returns the positions of the selected events with the given numbers, which must be in ascending order. Numbers
    /// beyond the last event have no position in the result.
    pub fn positions(
        &self,
        location: LocationId,
        ordinals: &[u64],
    ) -> Result<Vec<Position>, TraceError> {
        let Some(counts) = self.locations.get(&location) else {
            return Ok(Vec::new());
        };
        let there = ordinals.partition_point(|&ordinal| ordinal < counts.all);
        let mut rest = &ordinals[..there];
        let Some(selected) = &self.selected else {
            return Ok(rest.iter().map(|&ordinal| Position(ordinal)).collect());
        };
        let mut positions = Vec::with_capacity(there);
        let (mut symbols, mut here): (Vec<SymbolId>, Vec<u64>) = Default::default();
        while let Some(&first) = rest.first() {
            let block = counts.before.partition_point(|&before| before <= first) - 1;
            let mut position = block as u64 * BLOCK;
            let mut before = counts.before[block];
            let mut stream = self.store.events(location, Position(position));
            while let Some(&next) = rest.first() {
                // An event in a later block is found through the counts of the blocks.
                let next_block = (position / BLOCK + 2) as usize;
                if counts.before.get(next_block).is_some_and(|&b| b <= next) {
                    break;
                }
                stream.next_symbols(&mut symbols)?;
                if symbols.is_empty() {
                    return Ok(positions);
                }
                here.clear();
                let is_selected = |symbol: SymbolId| selected.get(symbol.row()) == Some(&true);
                let numbered = (position..).zip(&symbols);
                here.extend(numbered.filter(|(_, s)| is_selected(**s)).map(|(p, _)| p));
                let end = before + here.len() as u64;
                let (found, after) = rest.split_at(rest.partition_point(|&o| o < end));
                rest = after;
                let place = |&ordinal: &u64| Position(here[(ordinal - before) as usize]);
                positions.extend(found.iter().map(place));
                before = end;
                position += symbols.len() as u64;
            }
        }
        Ok(positions)
    }
}

fn count(
    store: &StoreReader,
    location: LocationId,
    selected: &[bool],
    progress: &Progress,
) -> Result<Counts, TraceError> {
    let mut counts = Counts::default();
    let mut stream = store.events(location, Position(0));
    let (mut symbols, mut position) = (Vec::new(), 0);
    loop {
        stream.next_symbols(&mut symbols)?;
        if symbols.is_empty() {
            return Ok(counts);
        }
        progress.check()?;
        let mut rest: &[SymbolId] = &symbols;
        while !rest.is_empty() {
            if position % BLOCK == 0 {
                counts.before.push(counts.all);
            }
            let to_block = BLOCK - position % BLOCK;
            let (some, after) = rest.split_at(rest.len().min(to_block as usize));
            let is_selected = |symbol: &&SymbolId| selected.get(symbol.row()) == Some(&true);
            counts.all += some.iter().filter(is_selected).count() as u64;
            position += some.len() as u64;
            rest = after;
        }
    }
}

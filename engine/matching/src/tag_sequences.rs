//! Compares the tags of messages where they are sent and where they are received.
//!
//! A program may count iterations in tags. Its messages then have as many channels as tags, although each process
//! sends and receives them in the same order. If so, one channel for all tags matches the same messages.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use foldtrace_fold::{Construct, Model};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Operand, SymbolId, SymbolTable, TraceError};
use rayon::prelude::*;

use super::channels::{Channels, End, Pairs};
use super::scan::{ALL, fold_symbols};

/// The tags of the messages at an end of a channel, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TagSequence {
    /// A hash of the first tags, as many as both ends have.
    hash: u64,
    length: u64,
    /// Whether a tag is not recorded, or has more than 32 bits.
    has_others: bool,
}

/// The tags at the ends of channels that one location has.
type OwnSequences = HashMap<(usize, End), TagSequence, FixedState>;

/// Adds the tags of some events of a location to those of the channels for all tags.
fn add_tags(
    own: &mut OwnSequences,
    location: LocationId,
    events: impl IntoIterator<Item = SymbolId>,
    channels: &Channels,
    symbols: &SymbolTable,
) {
    for id in events {
        let Some((number, end)) = channels.end(location, id, symbols.kind(id)) else {
            continue;
        };
        if channels.has_all_tags(number) {
            let tag = symbols.symbol(id).get(Operand::Tag);
            let sequence = own.entry((number, end)).or_default();
            if sequence.length < channels.pairs_of_ends(number) {
                sequence.hash = FixedState::default().hash_one((sequence.hash, tag));
            }
            sequence.length += 1;
            sequence.has_others |= tag.is_none_or(|tag| u32::try_from(tag).is_err());
        }
    }
}

/// Returns the channels at whose ends a location each has the same tags of at most 32 bits in the same order. One end may
/// have further messages.
fn in_order(locations: Vec<OwnSequences>) -> HashSet<usize, FixedState> {
    let mut all: HashMap<(usize, End), Vec<TagSequence>, FixedState> = HashMap::default();
    for (key, sequence) in locations.into_iter().flatten() {
        all.entry(key).or_default().push(sequence);
    }
    let is_in_order = |number| {
        let sides = [End::Send, End::Receive].map(|end| all.get(&(number, end)));
        let mut sequences = sides.iter().flatten().copied().flatten();
        let has_others = sequences.clone().any(|one| one.has_others);
        let first = sequences.next().map(|one| one.hash);
        sides.iter().flatten().all(|side| side.len() == 1)
            && !has_others
            && sequences.all(|one| Some(one.hash) == first)
    };
    let numbers = all.keys().map(|&(number, _)| number);
    numbers.filter(|&number| is_in_order(number)).collect()
}

/// Returns the channels for all tags whose messages are received in the order in which they are sent.
///
/// # Errors
/// Returns an error if a table of the store is missing or damaged, or the work was stopped.
pub(super) fn channels_in_order(
    store: &StoreReader,
    locations: &[LocationId],
    channels: &Channels,
    progress: &Progress,
) -> Result<HashSet<usize, FixedState>, TraceError> {
    let sequences = locations.par_iter().map(|&location| {
        fold_symbols(store, location, ALL, progress, |own, batch| {
            let events = batch.iter().copied();
            add_tags(own, location, events, channels, store.symbols());
        })
    });
    Ok(in_order(sequences.collect::<Result<_, TraceError>>()?))
}

/// The models of some locations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Models<'a> {
    pub locations: &'a [LocationId],
    pub models: &'a [Model],
    pub symbols: &'a SymbolTable,
}

impl Models<'_> {
    /// Returns the pairs of processes that exchange messages whose tags grow with the iterations of a loop.
    pub fn pairs_with_growing_tags(self, channels: &Channels) -> Pairs {
        let mut pairs = Pairs::default();
        for (&location, model) in self.locations.iter().zip(self.models) {
            self.collect_growing(location, &model.constructs, channels, &mut pairs);
        }
        pairs
    }

    fn collect_growing(
        self,
        location: LocationId,
        constructs: &[Construct],
        channels: &Channels,
        pairs: &mut Pairs,
    ) {
        for construct in constructs {
            match construct {
                Construct::Event(event) => {
                    let slot = self.symbols.kind(event.symbol).slot(Operand::Tag);
                    let mut steps = event.steps.iter();
                    if steps.any(|step| Some(usize::from(step.slot)) == slot) {
                        pairs.extend(channels.pair(location, event.symbol));
                    }
                }
                Construct::Loop(l) => self.collect_growing(location, &l.body, channels, pairs),
            }
        }
    }

    /// Returns those of `pairs` whose messages are received in the order in which they are sent; `channels` are for all
    /// tags of these pairs.
    pub fn pairs_in_order(self, mut pairs: Pairs, channels: &Channels) -> Pairs {
        let processes = self.locations.par_iter().zip(self.models);
        let sequences = processes.map(|(&location, model)| {
            let mut own = OwnSequences::default();
            let events = model.expand(self.symbols);
            add_tags(&mut own, location, events, channels, self.symbols);
            own
        });
        let in_order = in_order(sequences.collect());
        for (number, channel) in channels.iter().enumerate() {
            if !in_order.contains(&number)
                && let Some(pair) = channel.pair()
            {
                pairs.remove(&pair);
            }
        }
        pairs
    }
}

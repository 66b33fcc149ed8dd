//! Compares the tags of messages where they are sent and where they are received.
//!
//! A program may count iterations in tags. Its messages then have as many channels as tags, although each process
//! sends and receives them in the same order. If so, one channel for all tags matches the same messages.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use foldtrace_fold::{Construct, Model};
use foldtrace_trace::{LocationId, Operand, SymbolTable};
use rayon::prelude::*;

use super::channels::{Channels, End, Pair};

/// Pairs of a sender and a receiver.
pub(super) type Pairs = HashSet<Pair, FixedState>;

/// The models of some locations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Models<'a> {
    pub locations: &'a [LocationId],
    pub models: &'a [Model],
    pub symbols: &'a SymbolTable,
}

/// The tags of the messages at an end of a channel, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TagSequence {
    /// A hash of all tags.
    hash: u64,
    length: u64,
    /// Whether each tag is recorded and has at most 32 bits.
    fits_ids: bool,
}

impl Default for TagSequence {
    fn default() -> Self {
        Self {
            hash: 0,
            length: 0,
            fits_ids: true,
        }
    }
}

impl TagSequence {
    fn push(&mut self, tag: Option<u64>) {
        self.hash = FixedState::default().hash_one((self.hash, tag));
        self.length += 1;
        self.fits_ids &= tag.is_some_and(|tag| u32::try_from(tag).is_ok());
    }
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

    /// Returns those of `pairs` whose messages have the same tags in the same order at both ends of each channel, with
    /// one location at each end. `channels` are for all tags of these pairs.
    pub fn pairs_in_order(self, pairs: Pairs, channels: &Channels) -> Pairs {
        let processes = self.locations.par_iter().zip(self.models);
        let sequences = processes.map(|(&location, model)| {
            let mut own: HashMap<(usize, End), TagSequence, FixedState> = HashMap::default();
            for id in model.expand(self.symbols) {
                let Some(number) = channels.number(location, id) else {
                    continue;
                };
                if channels
                    .pair(location, id)
                    .is_none_or(|pair| !pairs.contains(&pair))
                {
                    continue;
                }
                let symbol = self.symbols.symbol(id);
                if let Some((_, end)) = channels.end(location, id, symbol.kind) {
                    let sequence = own.entry((number, end)).or_default();
                    sequence.push(symbol.get(Operand::Tag));
                }
            }
            own
        });
        let mut all: HashMap<(usize, End), Vec<TagSequence>, FixedState> = HashMap::default();
        for (key, sequence) in sequences.collect::<Vec<_>>().into_iter().flatten() {
            all.entry(key).or_default().push(sequence);
        }
        let at = |number, end| all.get(&(number, end)).map(Vec::as_slice);
        let mut in_order = pairs;
        for (number, channel) in channels.iter().enumerate() {
            let is_in_order = match (at(number, End::Send), at(number, End::Receive)) {
                (Some([sent]), Some([received])) => sent == received && sent.fits_ids,
                _ => false,
            };
            if !is_in_order && let Some(pair) = channel.pair() {
                in_order.remove(&pair);
            }
        }
        in_order
    }
}

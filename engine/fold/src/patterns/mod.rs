//! Patterns: sequences of events that occur several times, found in one pass over a location.
//!
//! After Trahay et al., Selecting points of interest in traces using patterns of events, section III. Two
//! items that stand side by side more than once become a pattern; a pattern that follows itself becomes a
//! loop; one that is always followed by the same grows by it. The paper looks through the whole sequence
//! for each pair. Here an index of pairs tells at once whether a new one was seen before, so that each
//! event is looked at a bounded number of times: no pair of items occurs twice, and no pattern is used
//! only once, after each event (Nevill-Manning and Witten, Identifying hierarchical structure in sequences, 1997,
//! have that invariant; loops are ours). While a loop runs, an event costs a comparison with what
//! its pattern predicts.
//!
//! What is found is a list of items, [`Patterns::top`]: events, patterns, and loops of both. It is exact:
//! [`Patterns::expand`] gives the sequence back.

mod collect;
mod finder;
mod names;
mod sequence;
#[cfg(test)]
mod tests;
mod walk;

pub use finder::Finder;
pub use names::PatternName;
pub use walk::{Expansion, Visit, Walk};

/// One distinct event, as far as events are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter(pub u32);

impl Letter {
    /// As an index into columns.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of a pattern among those of its location, in the order in which they first begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub u32);

impl PatternId {
    /// As an index into columns.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// An event.
    Event(Letter),
    /// All events of a pattern.
    Pattern(PatternId),
}

/// Something that happens once, or several times without anything between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// What happens.
    pub what: What,
    /// How often; more than once is a loop.
    pub count: u64,
}

/// The patterns of one location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    /// Events of the location.
    pub events: u64,
    /// The location as items.
    pub top: Vec<Item>,
    items: Vec<Item>,
    /// Where the items of each pattern end; they begin where those of the pattern before end.
    ends: Vec<usize>,
    lengths: Vec<u64>,
}

impl Patterns {
    /// How many patterns there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing repeats.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All patterns.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = PatternId> + use<> {
        (0..self.ends.len() as u32).map(PatternId)
    }

    /// What a pattern consists of: two items at least, or a loop.
    #[must_use]
    pub fn items(&self, pattern: PatternId) -> &[Item] {
        let index = pattern.index();
        let begin = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let end = self.ends.get(index).copied().unwrap_or_default();
        self.items
            .get(begin.copied().unwrap_or_default()..end)
            .unwrap_or_default()
    }

    /// Index of the first of a pattern's items among those of all patterns, for columns of what is known
    /// of items.
    #[must_use]
    pub fn first_item(&self, pattern: PatternId) -> usize {
        let before = pattern.index().checked_sub(1);
        before
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or_default()
    }

    /// How many items all patterns have together.
    #[must_use]
    pub fn items_of_all(&self) -> usize {
        self.items.len()
    }

    /// Events of one occurrence of a pattern.
    #[must_use]
    pub fn length(&self, pattern: PatternId) -> u64 {
        self.lengths
            .get(pattern.index())
            .copied()
            .unwrap_or_default()
    }

    /// Events of an item, all of its repetitions together.
    #[must_use]
    pub fn events_of(&self, item: &Item) -> u64 {
        let once = match item.what {
            What::Event(_) => 1,
            What::Pattern(pattern) => self.length(pattern),
        };
        once.saturating_mul(item.count)
    }

    /// Events in the outermost patterns: those of the paper's *occupation* (table II).
    #[must_use]
    pub fn occupied(&self) -> u64 {
        let repeated = self
            .top
            .iter()
            .filter(|item| matches!(item.what, What::Pattern(_)) || item.count > 1);
        repeated.map(|item| self.events_of(item)).sum()
    }

    /// The loop or pattern of the outermost ones that has most events, the first of several.
    #[must_use]
    pub fn main(&self) -> Option<Item> {
        let mut main: Option<Item> = None;
        for &item in self
            .top
            .iter()
            .filter(|item| matches!(item.what, What::Pattern(_)))
        {
            if main.is_none_or(|main| self.events_of(&item) > self.events_of(&main)) {
                main = Some(item);
            }
        }
        main
    }

    /// All patterns, each after those that it consists of.
    #[must_use]
    pub fn inside_out(&self) -> Vec<PatternId> {
        let mut order = Vec::with_capacity(self.len());
        let mut is_known = vec![false; self.len()];
        let mut open = Vec::new();
        for pattern in self.ids() {
            open.push((pattern, self.items(pattern).iter()));
            while let Some((pattern, items)) = open.last_mut() {
                let inner = items.find_map(|item| match item.what {
                    What::Pattern(inner) if !is_known[inner.index()] => Some(inner),
                    _ => None,
                });
                match inner {
                    Some(inner) => open.push((inner, self.items(inner).iter())),
                    None => {
                        if !std::mem::replace(&mut is_known[pattern.index()], true) {
                            order.push(*pattern);
                        }
                        open.pop();
                    }
                }
            }
        }
        order
    }

    /// The events again.
    #[must_use]
    pub fn expand(&self) -> Expansion<'_> {
        Expansion::new(self)
    }
}

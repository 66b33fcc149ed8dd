//! Finds patterns, sequences of events that occur several times, in one pass over a location.
//!
//! The method follows Trahay et al., Selecting points of interest in traces using patterns of events, section III.
//! Two items that occur next to each other more than once become a pattern. A pattern that follows itself becomes a
//! loop. A pattern that is always followed by the same item is extended by it. The paper searches the whole sequence
//! for each pair. Here, an index of pairs shows at once whether a new pair has occurred before, so each event is
//! examined a bounded number of times. After each event, no pair of items occurs twice, and no pattern is used only
//! once (the invariant of Nevill-Manning and Witten, Identifying hierarchical structure in sequences, 1997; the loops
//! are an addition). While a loop runs, each event costs one comparison with the prediction of the loop's pattern.
//!
//! The result is a list of items, [`Patterns::top`]: events, patterns, and loops of both. It is exact:
//! [`Patterns::expand`] restores the sequence.

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

/// The number of a distinct event. Events that need not be distinguished share one letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter(pub u32);

impl Letter {
    /// Returns the number as an index into columns.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a pattern among those of its location, in the order in which they first begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub u32);

impl PatternId {
    /// Returns the number as an index into columns.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The content of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// An event.
    Event(Letter),
    /// One occurrence of a pattern.
    Pattern(PatternId),
}

/// An event or pattern that occurs once, or several times in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The event or pattern.
    pub what: What,
    /// The number of repetitions; more than one make a loop.
    pub count: u64,
}

/// The patterns of one location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    /// The number of events of the location.
    pub events: u64,
    /// The location as a sequence of items.
    pub top: Vec<Item>,
    items: Vec<Item>,
    /// The end of each pattern's items, which begin where those of the previous pattern end.
    ends: Vec<usize>,
    lengths: Vec<u64>,
}

impl Patterns {
    /// Returns the number of patterns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no patterns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the ids of all patterns.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = PatternId> + use<> {
        (0..self.ends.len() as u32).map(PatternId)
    }

    /// Returns the items of a pattern: at least two, or one loop.
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

    /// Returns the index of a pattern's first item among the items of all patterns, for columns with one value per
    /// item.
    #[must_use]
    pub fn first_item(&self, pattern: PatternId) -> usize {
        let before = pattern.index().checked_sub(1);
        before
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or_default()
    }

    /// Returns the number of items of all patterns in total.
    #[must_use]
    pub fn items_of_all(&self) -> usize {
        self.items.len()
    }

    /// Returns the number of events per occurrence of a pattern.
    #[must_use]
    pub fn length(&self, pattern: PatternId) -> u64 {
        self.lengths
            .get(pattern.index())
            .copied()
            .unwrap_or_default()
    }

    /// Returns the number of events of an item, including all of its repetitions.
    #[must_use]
    pub fn events_of(&self, item: &Item) -> u64 {
        let once = match item.what {
            What::Event(_) => 1,
            What::Pattern(pattern) => self.length(pattern),
        };
        once.saturating_mul(item.count)
    }

    /// Returns the number of events in the outermost patterns and loops, the basis of the paper's *occupation* (table
    /// II).
    #[must_use]
    pub fn occupied(&self) -> u64 {
        let repeated = self
            .top
            .iter()
            .filter(|item| matches!(item.what, What::Pattern(_)) || item.count > 1);
        repeated.map(|item| self.events_of(item)).sum()
    }

    /// Returns the outermost pattern, or loop of a pattern, with the most events; the first one if several have the
    /// same number.
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

    /// Returns all patterns, each after the patterns that it contains.
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

    /// Returns an iterator over the events of the location.
    #[must_use]
    pub fn expand(&self) -> Expansion<'_> {
        Expansion::new(self)
    }
}

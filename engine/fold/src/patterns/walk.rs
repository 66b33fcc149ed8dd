//! Walks over the events of a location along its patterns.

use super::{Item, Letter, PatternId, Patterns, What};

/// A step of a [`Walk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// An occurrence of a pattern begins.
    Begin {
        /// The pattern.
        pattern: PatternId,
        /// Whether it follows another occurrence of the pattern in the same loop.
        again: bool,
    },
    /// An event.
    Event {
        /// The event.
        letter: Letter,
        /// The index of its item among those of all patterns (see [`Patterns::first_item`]); meaningless outside of
        /// patterns.
        item: usize,
    },
    /// An occurrence of a pattern ends.
    End(PatternId),
    /// A loop that is an item of a pattern ends.
    EndLoop {
        /// The index of the item among those of all patterns.
        item: usize,
    },
}

/// A walk over all events and pattern occurrences. Its memory is proportional to the depth of the patterns.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    patterns: &'a Patterns,
    open: Vec<Open<'a>>,
    /// The step to return before any other.
    pending: Option<Visit>,
}

/// A list of items that is being walked over.
#[derive(Clone, Debug)]
struct Open<'a> {
    pattern: Option<PatternId>,
    items: &'a [Item],
    /// The index of the first of `items` among those of all patterns.
    first: usize,
    next: usize,
    /// The number of completed repetitions of the next item.
    done: u64,
}

impl<'a> Walk<'a> {
    /// Creates a walk that starts at the first event.
    #[must_use]
    pub fn new(patterns: &'a Patterns) -> Self {
        let top = Open {
            pattern: None,
            items: &patterns.top,
            first: 0,
            next: 0,
            done: 0,
        };
        Self {
            patterns,
            open: vec![top],
            pending: None,
        }
    }

    /// Returns the index of the current item of the open occurrence that has `around` others around it. After an
    /// event, this may already be the index of the following item.
    #[must_use]
    pub fn item(&self, around: usize) -> Option<usize> {
        let open = self.open.get(around + 1)?;
        Some(open.first + open.next)
    }
}

impl Iterator for Walk<'_> {
    type Item = Visit;

    #[inline]
    fn next(&mut self) -> Option<Visit> {
        if let Some(visit) = self.pending.take() {
            return Some(visit);
        }
        let open = self.open.last_mut()?;
        let Some(item) = open.items.get(open.next) else {
            let pattern = open.pattern?;
            self.open.pop();
            // One more repetition of the item that this occurrence belongs to.
            if let Some(around) = self.open.last_mut() {
                self.pending = around.repeated();
            }
            return Some(Visit::End(pattern));
        };
        match item.what {
            What::Event(letter) => {
                let item = open.first + open.next;
                self.pending = open.repeated();
                Some(Visit::Event { letter, item })
            }
            What::Pattern(pattern) => {
                let again = open.done > 0;
                let open = Open {
                    pattern: Some(pattern),
                    items: self.patterns.items(pattern),
                    first: self.patterns.first_item(pattern),
                    next: 0,
                    done: 0,
                };
                self.open.push(open);
                Some(Visit::Begin { pattern, again })
            }
        }
    }
}

impl Open<'_> {
    /// Counts one more repetition of the next item. Returns a step if that ends a loop in a pattern.
    #[inline]
    fn repeated(&mut self) -> Option<Visit> {
        self.done += 1;
        let count = self.items.get(self.next).map_or(1, |item| item.count);
        if self.done < count {
            return None;
        }
        let item = self.first + self.next;
        self.next += 1;
        self.done = 0;
        (count > 1 && self.pattern.is_some()).then_some(Visit::EndLoop { item })
    }
}

/// An iterator over the events of a location, restored from its patterns; see [`Patterns::expand`].
#[derive(Clone, Debug)]
pub struct Expansion<'a> {
    walk: Walk<'a>,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(patterns: &'a Patterns) -> Self {
        Self {
            walk: Walk::new(patterns),
        }
    }
}

impl Iterator for Expansion<'_> {
    type Item = Letter;

    fn next(&mut self) -> Option<Letter> {
        self.walk.find_map(|visit| match visit {
            Visit::Event { letter, .. } => Some(letter),
            _ => None,
        })
    }
}

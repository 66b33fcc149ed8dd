//! Walking over a location as its patterns have it.

use super::{Item, Letter, PatternId, Patterns, What};

/// What a [`Walk`] comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// An occurrence of a pattern begins.
    Begin(PatternId),
    /// An event.
    Event(Letter),
    /// An occurrence of a pattern ends.
    End(PatternId),
    /// An item is complete, with all of its repetitions: its index among the items of all patterns
    /// (see [`Patterns::first_item`]). Items outside of patterns are not told.
    Item(usize),
}

/// A walk over all events and occurrences, in memory of the depth of the patterns.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    patterns: &'a Patterns,
    open: Vec<Open<'a>>,
    /// What is to be told before anything else.
    pending: Option<Visit>,
}

/// A list that is being walked over.
#[derive(Clone, Debug)]
struct Open<'a> {
    pattern: Option<PatternId>,
    items: &'a [Item],
    /// The index of the first of `items` among those of all patterns.
    first: usize,
    next: usize,
    /// Repetitions of the next item that came.
    done: u64,
}

impl<'a> Walk<'a> {
    /// From the first event on.
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

    /// How many patterns are open around.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len() - 1
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
            // One more repetition of the item that it is.
            if let Some(around) = self.open.last_mut() {
                self.pending = around.repeated();
            }
            return Some(Visit::End(pattern));
        };
        match item.what {
            What::Event(letter) => {
                self.pending = open.repeated();
                Some(Visit::Event(letter))
            }
            What::Pattern(pattern) => {
                let open = Open {
                    pattern: Some(pattern),
                    items: self.patterns.items(pattern),
                    first: self.patterns.first_item(pattern),
                    next: 0,
                    done: 0,
                };
                self.open.push(open);
                Some(Visit::Begin(pattern))
            }
        }
    }
}

impl Open<'_> {
    /// The next item came once more; told if that was the last time.
    #[inline]
    fn repeated(&mut self) -> Option<Visit> {
        self.done += 1;
        if self
            .items
            .get(self.next)
            .is_some_and(|item| self.done < item.count)
        {
            return None;
        }
        let item = self.first + self.next;
        self.next += 1;
        self.done = 0;
        self.pattern.map(|_| Visit::Item(item))
    }
}

/// The events of a location, from its patterns; see [`Patterns::expand`].
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
            Visit::Event(letter) => Some(letter),
            _ => None,
        })
    }
}

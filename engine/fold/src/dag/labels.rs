//! What nodes of several locations are called: labels that do not depend on the location.
//!
//! Sources define the same thing once for each process, so that one call has a symbol a location. A
//! label is the symbol that stands for all of these. If a location has two symbols that one symbol
//! stands for, they are variants of the label, so that every location's own symbols come back.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use foldtrace_trace::{LocationId, SymbolId};
use indexmap::IndexSet;

/// Number of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

impl LabelId {
    /// As an index into columns.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is the same in all locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The symbol that stands for all that are the same.
    pub symbol: SymbolId,
    /// Which of them, where a location has several: 0 for the one that it had first.
    pub variant: u32,
}

/// The labels of a program, and the symbols that locations have for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    labels: IndexSet<Label, FixedState>,
    /// The symbols of locations that are not those of their labels.
    own: BTreeMap<(LocationId, LabelId), SymbolId>,
}

impl Labels {
    /// Number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The label of that number.
    #[must_use]
    pub fn get(&self, id: LabelId) -> Option<Label> {
        self.labels.get_index(id.index()).copied()
    }

    /// All labels in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Label> + '_ {
        self.labels.iter().copied()
    }

    /// The symbols of locations that are not those of their labels.
    pub fn own(&self) -> impl ExactSizeIterator<Item = (LocationId, LabelId, SymbolId)> + '_ {
        self.own
            .iter()
            .map(|(&(location, label), &symbol)| (location, label, symbol))
    }

    /// The symbol of `location` for a label.
    #[must_use]
    pub fn symbol(&self, location: LocationId, label: LabelId) -> Option<SymbolId> {
        let own = self.own.get(&(location, label)).copied();
        own.or_else(|| self.get(label).map(|label| label.symbol))
    }

    /// The number of a label, new if it was not known.
    pub fn intern(&mut self, label: Label) -> LabelId {
        LabelId(self.labels.insert_full(label).0 as u32)
    }

    /// `location` has `symbol` for a label.
    pub fn have(&mut self, location: LocationId, label: LabelId, symbol: SymbolId) {
        if self.get(label).is_some_and(|label| label.symbol != symbol) {
            self.own.insert((location, label), symbol);
        }
    }
}

/// The variants of labels in one location, by the order in which symbols come.
#[derive(Debug, Default)]
pub(super) struct Variants {
    known: HashMap<SymbolId, LabelId, FixedState>,
    next: HashMap<SymbolId, u32, FixedState>,
}

impl Variants {
    /// The label of a symbol of `location`, for which `stands` stands.
    pub fn label(
        &mut self,
        location: LocationId,
        symbol: SymbolId,
        stands: SymbolId,
        labels: &mut Labels,
    ) -> LabelId {
        if let Some(&label) = self.known.get(&symbol) {
            return label;
        }
        let next = self.next.entry(stands).or_default();
        let label = labels.intern(Label {
            symbol: stands,
            variant: *next,
        });
        *next += 1;
        self.known.insert(symbol, label);
        labels.have(location, label, symbol);
        label
    }
}

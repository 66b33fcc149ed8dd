//! Labels of the nodes of several locations, which do not depend on the location.
//!
//! Trace sources define the same thing once per process, so one call has one symbol per location. A label is the
//! symbol that represents all of these. If a location has two symbols represented by the same symbol, they are
//! variants of the label, so every location's own symbols can be restored.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use foldtrace_trace::{LocationId, SymbolId};
use indexmap::IndexSet;

/// The number of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

impl LabelId {
    /// Returns the number as an index into columns.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<LabelId> for u64 {
    fn from(label: LabelId) -> Self {
        label.0.into()
    }
}

impl From<u64> for LabelId {
    /// Returns the label of a node of a [`Dag`](super::Dag), in which labels are numbered with 32 bits.
    fn from(label: u64) -> Self {
        Self(u32::try_from(label).unwrap_or(u32::MAX))
    }
}

/// A label of nodes, which is the same in all locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The symbol that represents all equal ones.
    pub symbol: SymbolId,
    /// The number of the variant, if a location has several of these symbols: 0 for the one that it had first.
    pub variant: u32,
}

/// The labels of a program, and the symbols that locations have for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    labels: IndexSet<Label, FixedState>,
    /// The symbols of locations that differ from those of their labels.
    own: BTreeMap<(LocationId, LabelId), SymbolId>,
}

impl Labels {
    /// Returns the number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Returns whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Returns the label with this number.
    #[must_use]
    pub fn get(&self, id: LabelId) -> Option<Label> {
        self.labels.get_index(id.index()).copied()
    }

    /// Returns all labels in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Label> + '_ {
        self.labels.iter().copied()
    }

    /// Returns the symbols of locations that differ from those of their labels.
    pub fn own(&self) -> impl ExactSizeIterator<Item = (LocationId, LabelId, SymbolId)> + '_ {
        self.own
            .iter()
            .map(|(&(location, label), &symbol)| (location, label, symbol))
    }

    /// Returns the symbol of `location` for a label.
    #[must_use]
    pub fn symbol(&self, location: LocationId, label: LabelId) -> Option<SymbolId> {
        let own = self.own.get(&(location, label)).copied();
        own.or_else(|| self.get(label).map(|label| label.symbol))
    }

    /// Returns the number of a label, after adding the label if it is new.
    pub fn intern(&mut self, label: Label) -> LabelId {
        LabelId(self.labels.insert_full(label).0 as u32)
    }

    /// Records that `location` has `symbol` for a label.
    pub fn have(&mut self, location: LocationId, label: LabelId, symbol: SymbolId) {
        if self.get(label).is_some_and(|label| label.symbol != symbol) {
            self.own.insert((location, label), symbol);
        }
    }
}

/// The variants of labels in one location, numbered in the order in which symbols occur.
#[derive(Debug, Default)]
pub(super) struct Variants {
    known: HashMap<SymbolId, LabelId, FixedState>,
    next: HashMap<SymbolId, u32, FixedState>,
}

impl Variants {
    /// Returns the label of a symbol of `location` that `representative` represents.
    pub fn label(
        &mut self,
        location: LocationId,
        symbol: SymbolId,
        representative: SymbolId,
        labels: &mut Labels,
    ) -> LabelId {
        if let Some(&label) = self.known.get(&symbol) {
            return label;
        }
        let next = self.next.entry(representative).or_default();
        let label = labels.intern(Label {
            symbol: representative,
            variant: *next,
        });
        *next += 1;
        self.known.insert(symbol, label);
        labels.have(location, label, symbol);
        label
    }
}

//! Where a store comes from, and what was found wrong there.
//!
//! A store that is made from a store comes from where that one came from. What was wrong with that
//! source is still worth knowing, so it is handed on.

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use foldtrace_trace::{Diagnostics, TraceError};

use super::StoreReader;
use super::derived::Derived;
use super::diagnostics;
use super::manifest::Source;

/// Where a store comes from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// What the first store was made from.
    pub source: Source,
    /// What was wrong with it, as the store before has it.
    pub(super) handed_on: Vec<RecordBatch>,
    /// How often, by key.
    counts: BTreeMap<String, u64>,
}

impl Origin {
    /// A trace that is no store.
    #[must_use]
    pub fn trace(source: Source) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// Returns the origin of a store that is made from `store`. Diagnostics of derived tables are left
    /// out, because these tables are not copied.
    ///
    /// # Errors
    /// If its diagnostics cannot be read.
    pub fn store(store: &StoreReader) -> Result<Self, TraceError> {
        let manifest = store.manifest();
        let is_of_events = |key: &str| !Derived::ALL.iter().any(|table| table.has_key(key));
        let mut counts = manifest.counts.diagnostics.clone();
        counts.retain(|key, _| is_of_events(key));
        Ok(Self {
            source: manifest.source.clone(),
            handed_on: diagnostics::read(store.folder(), is_of_events)?,
            counts,
        })
    }

    /// How many problems there are of each key, with those that are new.
    pub(super) fn count(&self, new: &Diagnostics) -> BTreeMap<String, u64> {
        let mut counts = self.counts.clone();
        for (key, group) in new.groups() {
            *counts.entry(key.to_owned()).or_default() += group.count;
        }
        counts
    }
}

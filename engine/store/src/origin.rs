//! The source of a store, and the problems that were found in it.
//!
//! A store that is made from another store keeps that store's source and its diagnostics, because the problems of the
//! source still apply.

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use foldtrace_trace::{Diagnostics, TraceError};

use crate::derived::Derived;
use crate::diagnostics;
use crate::folder::Source;
use crate::reader::StoreReader;

/// The source of a store and the diagnostics inherited from it.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The source that the first store was made from.
    pub source: Source,
    /// The diagnostics of the source, as the previous store contains them.
    pub(crate) inherited: Vec<RecordBatch>,
    /// The number of these diagnostics, by key.
    counts: BTreeMap<String, u64>,
}

impl Origin {
    /// Returns the origin of a store that is made from a trace in another format.
    #[must_use]
    pub fn trace(source: Source) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// Returns the origin of a store that is made from `store`. Diagnostics of derived tables are left out, because
    /// these tables are not copied.
    ///
    /// # Errors
    /// Returns an error if the diagnostics of `store` cannot be read.
    pub fn store(store: &StoreReader) -> Result<Self, TraceError> {
        let manifest = store.manifest();
        let is_of_events = |key: &str| !Derived::ALL.iter().any(|table| table.has_key(key));
        let mut counts = manifest.counts.diagnostics.clone();
        counts.retain(|key, _| is_of_events(key));
        Ok(Self {
            source: manifest.source.clone(),
            inherited: diagnostics::read(store.folder(), is_of_events)?,
            counts,
        })
    }

    /// Returns the number of problems per key, including the `new` ones.
    pub(crate) fn count(&self, new: &Diagnostics) -> BTreeMap<String, u64> {
        let mut counts = self.counts.clone();
        for (key, group) in new.groups() {
            *counts.entry(key.to_owned()).or_default() += group.count;
        }
        counts
    }
}

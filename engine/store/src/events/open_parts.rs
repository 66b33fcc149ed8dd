//! Keeps the tables of parts open between streams, which share them.
//!
//! A trace with many locations has few events in each of them. Opening a table, whose footer describes all its row
//! groups, would take longer than reading the events of a location.

use std::sync::{Arc, Mutex, PoisonError};

use foldtrace_trace::TraceError;

/// The tables of a store that were used last: as many as two per thread. Clones share them.
pub(crate) struct OpenParts<T>(Arc<Mutex<Vec<OpenPart<T>>>>);

struct OpenPart<T> {
    /// The name of the table.
    name: &'static str,
    part: u32,
    table: Arc<T>,
}

impl<T> Clone for OpenParts<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for OpenParts<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> std::fmt::Debug for OpenParts<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenParts").finish_non_exhaustive()
    }
}

impl<T> OpenParts<T> {
    /// Returns the table of a part, opened by `open` unless it is open.
    ///
    /// # Errors
    /// Returns the error of `open`.
    pub fn get(
        &self,
        name: &'static str,
        part: u32,
        open: impl FnOnce() -> Result<T, TraceError>,
    ) -> Result<Arc<T>, TraceError> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().iter().find(|it| (it.name, it.part) == (name, part)) {
            return Ok(Arc::clone(&found.table));
        }
        let table = Arc::new(open()?);
        let mut open = lock();
        if open.len() >= 2 * rayon::current_num_threads() {
            open.remove(0);
        }
        open.push(OpenPart {
            name,
            part,
            table: Arc::clone(&table),
        });
        Ok(table)
    }
}

//! A store of which nothing was read but its manifest.

use std::path::Path;

use foldtrace_trace::TraceError;

use super::store_reader::StoreReader;
use crate::folder::{Manifest, StoreFolder};
use crate::tables::PAGE_ROWS;

/// An open store. Opening it takes no longer if it has millions of locations. All readers of it read the same store, even
/// if another one takes its name.
#[derive(Clone, Debug)]
pub struct Store(StoreFolder);

impl Store {
    /// Opens the store at `path`.
    ///
    /// # Errors
    /// Returns an error if it is not a store, was written by a later version, or lacks a file.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Ok(Self(StoreFolder::open(path)?))
    }

    /// Returns the path of the store's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        self.0.manifest()
    }

    /// Returns a reader of all locations.
    ///
    /// # Errors
    /// Returns an error if definitions, symbols or index are damaged.
    pub fn reader(&self) -> Result<StoreReader, TraceError> {
        StoreReader::from_folder(self.0.clone())
    }

    /// Returns a reader of the locations with these labels, see [`Names::parse_label`](foldtrace_trace::Names::parse_label),
    /// if it can do with less than a reader of all locations: if the store has more than 65,536 locations or symbols,
    /// there are labels, and each is that of a location.
    ///
    /// The reader has no other symbols, and lacks the definitions of other processes, and strings and groups that nothing
    /// else refers to.
    ///
    /// # Errors
    /// Returns an error if definitions, symbols or index are damaged.
    pub fn reader_for(
        &self,
        labels: &[impl AsRef<str>],
    ) -> Result<Option<StoreReader>, TraceError> {
        let Manifest {
            version, counts, ..
        } = self.manifest();
        // Manifests of version 1 do not name the columns with numbers of 64 bits.
        let is_large = counts.locations.max(counts.symbols) > PAGE_ROWS as u64;
        if is_large && *version > 1 {
            StoreReader::for_labels(&self.0, labels)
        } else {
            Ok(None)
        }
    }
}

impl StoreReader {
    /// Opens the store at `path` to read the locations with these labels, or all if there are no labels, or one that no
    /// location has. See [`Store::reader_for`].
    ///
    /// # Errors
    /// Returns the same errors as [`StoreReader::open`].
    pub fn open_for(path: &Path, labels: &[impl AsRef<str>]) -> Result<Self, TraceError> {
        let store = Store::open(path)?;
        let some = store.reader_for(labels)?;
        some.map_or_else(|| store.reader(), Ok)
    }
}

//! The folder of the shards of a store: a local one, or one on an object store.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use foldtrace_stream::read::Progress;
use foldtrace_trace::TraceError;

/// Which files of a shard are taken into a store.
pub(crate) struct Wanted<'a> {
    /// Whether a file is taken.
    pub is_wanted: &'a dyn Fn(&Path) -> bool,
    /// Whether the file in the store will be changed, so that the shard needs its own.
    pub is_changed: &'a dyn Fn(&Path) -> bool,
}

/// The folder of the shards of a store. Of the files of a shard, the one that makes it a shard appears last.
pub(super) trait ShardsFolder {
    /// Creates the folder, if it does not exist.
    fn create(&self) -> Result<(), TraceError>;

    /// Returns the names of the shards that are complete, and of other files.
    fn names(&self) -> io::Result<HashSet<String>>;

    /// Reads a file, if there is one.
    fn read(&self, file: &str) -> Result<Option<Vec<u8>>, TraceError>;

    /// Writes a small file.
    fn write(&self, file: &str, bytes: &[u8]) -> Result<(), TraceError>;

    /// Removes a file, which another task may have removed.
    fn remove(&self, file: &str) -> Result<(), TraceError>;

    /// Removes all shards, and other files last. Another task may do the same.
    fn remove_all(&self) -> Result<(), TraceError>;

    /// Takes files of a shard into the local folder of a store.
    fn take(
        &self,
        shard: &str,
        store: &Path,
        wanted: &Wanted<'_>,
        progress: &Progress,
    ) -> Result<(), TraceError>;
}

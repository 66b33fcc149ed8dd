//! What the folder of a store can do, wherever it is.

use std::fmt::Debug;
use std::io::{self, Read};
use std::path::Path;

use bytes::Bytes;
use foldtrace_trace::{ErrorKind, Place, Remedy, TraceError};

use super::entry::FileEntry;
use crate::finding::Finding;

/// A file of which ranges are read.
pub(crate) trait RangeFile: Debug + Send + Sync {
    /// Fills a buffer with the bytes from an offset on.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

/// An open folder with the files of a store.
pub(crate) trait Folder: Debug + Send + Sync {
    /// Returns the path by which the folder was opened.
    fn path(&self) -> &Path;

    /// Reads the manifest; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if it cannot be read.
    fn manifest(&self) -> Result<Option<Bytes>, TraceError>;

    /// Prepares for reading the files that the manifest lists.
    fn prepare(&self, _files: &[FileEntry]) {}

    /// Checks that files exist and have their sizes, unless reading them tells it as well and sooner.
    ///
    /// # Errors
    /// Returns an error that names the first file that does not.
    fn check_sizes(&self, files: &[FileEntry]) -> Result<(), TraceError>;

    /// Opens a file that should have this number of bytes.
    fn open_file(&self, file: &str, bytes: u64) -> io::Result<Box<dyn RangeFile>>;

    /// Opens a file of any size, which is read from its beginning to its end.
    fn open_stream(&self, file: &str) -> io::Result<Box<dyn Read>>;

    /// Makes a hard link to a file.
    fn link(&self, file: &str, to: &Path) -> io::Result<()>;

    /// Returns whether the folder's path still leads to the store that was opened.
    fn is_at_its_path(&self) -> bool;

    /// Returns the files in the folder that are neither among these nor the manifest.
    fn unlisted_files(&self, files: Vec<String>) -> Vec<Finding>;
}

/// Returns the error for a `path` that is not a store.
pub(crate) fn not_a_store(path: &Path) -> TraceError {
    let message = format!("{} is not a store", path.display());
    TraceError::new(ErrorKind::Foreign, message)
        .at(Place::file(path))
        .hint("a store is a folder with a manifest.json")
        .remedy(Remedy::WriteStore)
}

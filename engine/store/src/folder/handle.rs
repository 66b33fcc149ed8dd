//! The open folder of a store: a local one, or one on an object store.

use std::fmt::Debug;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use foldtrace_trace::{ErrorKind, Place, Remedy, TraceError, is_object_url};

use super::local::LocalFolder;
use super::manifest::FileEntry;
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

/// An open folder. It stays the same when another folder takes its name. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct FolderHandle(Arc<dyn Folder>);

impl FolderHandle {
    /// Opens the folder at `path`, which may be a link to one, or a URL.
    ///
    /// # Errors
    /// Returns an error if there is no folder.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let folder: Arc<dyn Folder> = if is_object_url(path) {
            open_url(path)?
        } else {
            Arc::new(LocalFolder::open(path)?)
        };
        Ok(Self(folder))
    }

    /// Returns the path of a file, for messages.
    pub fn path_of(&self, file: &str) -> PathBuf {
        self.path().join(file)
    }
}

impl Deref for FolderHandle {
    type Target = dyn Folder;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

#[cfg(feature = "objects")]
fn open_url(url: &Path) -> Result<Arc<dyn Folder>, TraceError> {
    Ok(Arc::new(super::remote::RemoteFolder::open(url)?))
}

#[cfg(not(feature = "objects"))]
fn open_url(url: &Path) -> Result<Arc<dyn Folder>, TraceError> {
    Err(without_objects(url))
}

/// Returns the error for a URL in a build that cannot use it.
#[cfg(not(feature = "objects"))]
pub(crate) fn without_objects(url: &Path) -> TraceError {
    let message = format!(
        "cannot use {}: this build has no object stores",
        url.display()
    );
    TraceError::new(ErrorKind::Usage, message).hint("build it with the feature `objects`")
}

/// Returns the error for a `path` that is not a store.
pub(crate) fn not_a_store(path: &Path) -> TraceError {
    let message = format!("{} is not a store", path.display());
    TraceError::new(ErrorKind::Foreign, message)
        .at(Place::file(path))
        .hint("a store is a folder with a manifest.json")
        .remedy(Remedy::WriteStore)
}

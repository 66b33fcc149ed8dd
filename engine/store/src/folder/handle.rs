//! The open folder of a store: a local one, or one on an object store.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldtrace_trace::{TraceError, is_object_url};

use super::local::LocalFolder;
use super::stored::Folder;

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
    TraceError::new(foldtrace_trace::ErrorKind::Usage, message)
        .hint("build it with the feature `objects`")
}

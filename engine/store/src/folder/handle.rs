//! An open folder, whose files are found even after it was renamed.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldtrace_trace::{ErrorKind, Place, Remedy, TraceError};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, linkat, openat, statat};

/// An open folder. It stays the same when another folder takes its name.
#[derive(Clone, Debug)]
pub(crate) struct FolderHandle {
    path: PathBuf,
    folder: Arc<OwnedFd>,
}

impl FolderHandle {
    /// Opens the folder at `path`, which may be a link to one.
    ///
    /// # Errors
    /// Returns an error if there is no folder.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = openat(CWD, path, flags, Mode::empty()).map_err(io::Error::from);
        let folder = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory if path.exists() => not_a_store(path),
            _ => TraceError::unreadable(path, error),
        })?;
        Ok(Self {
            path: path.to_owned(),
            folder: Arc::new(folder),
        })
    }

    /// Returns the path by which the folder was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file, for messages.
    pub fn path_of(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// Opens a file for reading.
    pub fn open_file(&self, file: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(openat(&self.folder, file, flags, Mode::empty())?.into())
    }

    /// Returns the size of a file in bytes.
    pub fn size_of(&self, file: &str) -> io::Result<u64> {
        let stat = statat(&self.folder, file, AtFlags::empty())?;
        Ok(stat.st_size.cast_unsigned())
    }

    /// Makes a hard link to a file.
    pub fn link(&self, file: &str, to: &Path) -> io::Result<()> {
        Ok(linkat(&self.folder, file, CWD, to, AtFlags::empty())?)
    }

    /// Returns whether the folder's path still leads to it.
    pub fn is_at_its_path(&self) -> bool {
        match (fstat(&self.folder), fs::metadata(&self.path)) {
            (Ok(open), Ok(at_path)) => (open.st_dev, open.st_ino) == (at_path.dev(), at_path.ino()),
            _ => false,
        }
    }
}

/// Returns the error for a `path` that is not a store.
pub(crate) fn not_a_store(path: &Path) -> TraceError {
    let message = format!("{} is not a store", path.display());
    TraceError::new(ErrorKind::Foreign, message)
        .at(Place::file(path))
        .hint("a store is a folder with a manifest.json")
        .remedy(Remedy::WriteStore)
}

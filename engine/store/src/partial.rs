//! Writes a store under a temporary name, and gives it its final name when it is complete.
//!
//! The hidden folder is next to the target, so that a rename makes the store appear at once. If the process is
//! killed, there is either no store or the old one; an unfinished folder is removed when it is dropped. A target has
//! at most one writer at a time, see [`TargetLock`].

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_output::{TargetLock, Unfinished, exchange};
use foldtrace_trace::{ErrorKind, Place, TraceError};
use rustix::fs::syncfs;

use crate::error::Writing;
use crate::folder::{Manifest, listed_files, unlisted_files};
use crate::paths::MANIFEST;

/// The hidden folder of a store that is being written.
#[derive(Debug)]
pub(crate) struct PartialStore {
    target: PathBuf,
    replace: bool,
    folder: Unfinished,
    /// Dropped after `folder`, so that the lock is held until the folder is gone.
    lock: TargetLock,
}

impl PartialStore {
    /// Creates the folder of a store that will appear at `target`.
    ///
    /// # Errors
    /// Returns an error if `target` exists, unless it is a store and `replace` is set; if another writer is using
    /// `target`; or if the folder around it cannot be written.
    pub fn create(target: &Path, replace: bool) -> Result<Self, TraceError> {
        check_target(target, replace)?;
        let target = resolved(target);
        check_surroundings(&target)?;
        let lock = TargetLock::take(&target)?;
        // Another writer may have finished before the lock was taken.
        check_target(&target, replace)?;
        Ok(Self {
            folder: Unfinished::folder(lock.folder()).writing(&target)?,
            target,
            replace,
            lock,
        })
    }

    /// Returns the hidden folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the name that the store will have.
    pub fn name(&self) -> String {
        let name = self.target.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Gives the store its final name.
    ///
    /// # Errors
    /// Returns an error if another file or folder has appeared at that name meanwhile, or if the data cannot be
    /// written to disk.
    pub fn appear(self) -> Result<(), TraceError> {
        let target = &self.target;
        check_target(target, self.replace)?;
        sync(self.folder.path())?;
        let aside = self.lock.aside();
        let appeared = self.folder.appear(|from| exchange(from, target, &aside));
        appeared.writing(target)
    }
}

/// Flushes all written data to disk, because the new name must not survive a power failure that its files do not.
/// Some file systems report a lack of space only at this point. The call flushes the whole file system, because
/// flushing each of possibly hundreds of files would take longer than writing them.
fn sync(folder: &Path) -> Result<(), TraceError> {
    let file = File::open(folder).writing(folder)?;
    syncfs(file).map_err(io::Error::from).writing(folder)
}

/// Resolves links: the store that a link leads to is replaced, and the link stays.
fn resolved(target: &Path) -> PathBuf {
    // A path with a trailing slash is not a link itself.
    let plain: PathBuf = target.components().collect();
    let is_indirect = plain.is_symlink() || plain.file_name().is_none();
    let direct = is_indirect.then(|| fs::canonicalize(&plain).ok()).flatten();
    direct.unwrap_or(plain)
}

/// Refuses to write into a store, because stores are never changed.
fn check_surroundings(target: &Path) -> Result<(), TraceError> {
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // If the folder does not exist, creating something in it will fail.
    let parent = fs::canonicalize(parent).unwrap_or_default();
    if !parent.ancestors().any(Manifest::exists_in) {
        return Ok(());
    }
    let message = format!("{} is within another store", target.display());
    Err(TraceError::new(ErrorKind::Output, message)
        .at(Place::file(target))
        .hint("a store is never changed; choose a path outside of it"))
}

fn check_target(target: &Path, replace: bool) -> Result<(), TraceError> {
    if target.symlink_metadata().is_err() {
        return Ok(());
    }
    let is_store = Manifest::exists_in(target);
    if replace && is_store {
        return check_is_only_a_store(target);
    }
    Err(if is_store {
        TraceError::exists(target)
    } else {
        TraceError::refused(
            target,
            "it already exists, is not a store, and will not be replaced",
        )
    })
}

/// Refuses to replace a store whose folder contains files that are not part of it, because they would be lost.
pub(crate) fn check_is_only_a_store(target: &Path) -> Result<(), TraceError> {
    let bytes = fs::read(target.join(MANIFEST)).unwrap_or_default();
    let Some(files) = listed_files(&bytes) else {
        let message = format!(
            "the manifest of {} does not list its files",
            target.display()
        );
        return Err(TraceError::new(ErrorKind::Output, message)
            .at(Place::file(target.join(MANIFEST)))
            .hint("remove the folder if nothing in it is needed"));
    };
    let unlisted = unlisted_files(target, files);
    let Some(first) = unlisted.first() else {
        return Ok(());
    };
    let others = match unlisted.len() {
        1 => String::new(),
        count => format!(" (and {} others)", count - 1),
    };
    let message = format!(
        "{}{others} is in the folder but not part of the store",
        first.path
    );
    Err(TraceError::new(ErrorKind::Output, message)
        .at(Place::file(target))
        .hint("move it elsewhere; the folder is replaced as a whole"))
}

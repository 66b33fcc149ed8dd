//! A folder that receives its final name when it is complete.

use std::path::{Path, PathBuf};

use foldtrace_trace::TraceError;

use crate::{TargetLock, Unfinished, exchange};

/// The kind of files that an output folder contains. Folders with other files are never replaced.
#[derive(Clone, Copy)]
pub struct Contents {
    /// The name of the files in messages, such as `*.trace files`.
    pub name: &'static str,
    /// Returns whether a path belongs to such a file.
    pub has: fn(&Path) -> bool,
}

/// A folder with the files of an output. It grows under a hidden name next to its final name, and is removed if it is
/// dropped before it is complete.
pub struct OutputFolder {
    folder: Unfinished,
    target: PathBuf,
    contents: Contents,
    replace: bool,
    /// Declared after `folder`, so that the lock is released only after the folder is removed.
    lock: TargetLock,
}

impl OutputFolder {
    /// Creates a folder that will receive the name `target`. If `replace` is set, it replaces an older folder that
    /// contains only files of the kind `contents`.
    ///
    /// # Errors
    /// If `target` exists and must not be replaced, or if the folder cannot be created.
    pub fn create(target: PathBuf, replace: bool, contents: Contents) -> Result<Self, TraceError> {
        check(&target, replace, contents)?;
        let lock = TargetLock::take(&target)?;
        // Another writer may have finished between the check and the lock.
        check(&target, replace, contents)?;
        let folder = Unfinished::folder(lock.folder());
        Ok(Self {
            folder: folder.map_err(|error| TraceError::unwritable(&target, error))?,
            target,
            contents,
            replace,
            lock,
        })
    }

    /// Returns the current path of the folder, where its files must be written.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the final path.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the folder its final name.
    ///
    /// # Errors
    /// If renaming fails, or if `target` meanwhile exists and must not be replaced.
    pub fn complete(self) -> Result<(), TraceError> {
        check(&self.target, self.replace, self.contents)?;
        let aside = self.lock.aside();
        let appear = |from: &Path| exchange(from, &self.target, &aside);
        let appeared = self.folder.appear(appear);
        appeared.map_err(|error| TraceError::unwritable(&self.target, error))
    }
}

/// Checks that `target` does not exist or may be replaced.
fn check(target: &Path, replace: bool, contents: Contents) -> Result<(), TraceError> {
    let Ok(metadata) = target.symlink_metadata() else {
        return Ok(());
    };
    if !replace {
        return Err(TraceError::exists(target));
    }
    let is_one = |path: PathBuf| !path.is_dir() && (contents.has)(&path);
    let has_no_other = |folder: &Path| {
        let mut entries = folder.read_dir().ok()?;
        Some(entries.all(|entry| entry.is_ok_and(|entry| is_one(entry.path()))))
    };
    if !metadata.is_dir() || has_no_other(target) != Some(true) {
        let reason = format!("it is not a folder that contains only {}", contents.name);
        let error = TraceError::refused(target, &reason);
        return Err(error.hint("remove it yourself if it is not needed"));
    }
    Ok(())
}

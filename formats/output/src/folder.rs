//! A folder that receives its final name when it is complete.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_trace::TraceError;
use rustix::fs::syncfs;

use crate::claim::Claim;
use crate::{Unfinished, exchange};

/// A folder with the files of an output. It grows under a hidden name next to its final name, so that it appears at
/// once, and is removed if it is dropped before it is complete. A target has at most one writer at a time.
#[derive(Debug)]
pub struct OutputFolder {
    folder: Unfinished,
    /// Declared after `folder`, so that the claim is released only after the folder is removed.
    claim: Claim,
}

impl OutputFolder {
    /// Creates a folder that will receive the name `target`. `check` returns an error if something at `target` must
    /// not be replaced.
    ///
    /// # Errors
    /// If the check fails, if another writer is using `target`, or if the folder cannot be created.
    pub fn create(
        target: PathBuf,
        check: impl Fn(&Path) -> Result<(), TraceError> + Send + Sync + 'static,
    ) -> Result<Self, TraceError> {
        let claim = Claim::new(target, check)?;
        let folder = Unfinished::folder(claim.lock().folder());
        Ok(Self {
            folder: folder.map_err(|error| claim.unwritable(error))?,
            claim,
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
        self.claim.target()
    }

    /// Gives the folder its final name, and removes an older folder of that name.
    ///
    /// # Errors
    /// If the data cannot be written to disk, if renaming fails, or if a target that must not be replaced exists by
    /// now.
    pub fn complete(self) -> Result<(), TraceError> {
        let target = self.target().to_owned();
        let aside = self.claim.lock().aside();
        self.complete_by(|from, _| exchange(from, &target, &aside))
    }

    /// Completes an output that consists of several files and folders next to each other. `move_parts` moves them out
    /// of the folder, which is its first argument, and everything that is replaced into the folder. The second
    /// argument is the hidden folder around both, where parts are kept until the end of the process.
    ///
    /// # Errors
    /// If the data cannot be written to disk, if `move_parts` fails, or if a target that must not be replaced exists
    /// by now.
    pub fn complete_by(
        self,
        move_parts: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> Result<(), TraceError> {
        sync(self.path()).map_err(|error| self.claim.unwritable(error))?;
        let around = self.claim.lock().folder();
        let appear = |from: &Path| move_parts(from, around);
        self.claim.appear(self.folder, appear)
    }
}

/// Flushes all written data to disk, because the new name must not survive a power failure that its files do not.
/// Some file systems report a lack of space only at this point. The call flushes the whole file system, because
/// flushing each of possibly hundreds of files would take longer than writing them.
fn sync(folder: &Path) -> io::Result<()> {
    Ok(syncfs(File::open(folder)?)?)
}

/// The kind of files that an output folder contains. Folders with other files are never replaced.
#[derive(Clone, Copy)]
pub struct Contents {
    /// The name of the files in messages, such as `*.trace files`.
    pub name: &'static str,
    /// Returns whether a path belongs to such a file.
    pub has: fn(&Path) -> bool,
}

impl Contents {
    /// Checks that `target` does not exist, or that `replace` is set and it is a folder with only such files.
    ///
    /// # Errors
    /// If the folder must not be replaced.
    pub fn check(self, target: &Path, replace: bool) -> Result<(), TraceError> {
        let Ok(metadata) = target.symlink_metadata() else {
            return Ok(());
        };
        if !replace {
            return Err(TraceError::exists(target));
        }
        let is_one = |path: PathBuf| !path.is_dir() && (self.has)(&path);
        let has_no_other = |folder: &Path| {
            let mut entries = folder.read_dir().ok()?;
            Some(entries.all(|entry| entry.is_ok_and(|entry| is_one(entry.path()))))
        };
        if !metadata.is_dir() || has_no_other(target) != Some(true) {
            let reason = format!("it is not a folder that contains only {}", self.name);
            let error = TraceError::refused(target, &reason);
            return Err(error.hint("remove it yourself if it is not needed"));
        }
        Ok(())
    }
}

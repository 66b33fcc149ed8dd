//! Hidden folders for temporary files that are not outputs.

use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use foldtrace_trace::TraceError;

use crate::{TargetLock, Unfinished};

/// Start and end of the name of a scratch folder. Process id and counter between them make it unique.
const PREFIX: &str = "foldtrace-";
const SUFFIX: &str = ".scratch";

/// Maximum number of names to try. Another process may mistake a folder that is not locked yet for that of a dead
/// process.
const ATTEMPTS: usize = 8;

/// A hidden folder for temporary files, removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: Unfinished,
    /// Declared after `folder`, so that the lock is released only after the folder is removed.
    _lock: TargetLock,
}

impl Scratch {
    /// Creates a scratch folder in `around`, after removing the scratch folders of dead processes there.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn create(around: &Path) -> Result<Self, TraceError> {
        remove_dead(around);
        let mut lock = lock_new(around);
        for _ in 1..ATTEMPTS {
            if lock.is_ok() {
                break;
            }
            lock = lock_new(around);
        }
        let lock = lock?;
        let folder = Unfinished::folder(lock.folder());
        Ok(Self {
            folder: folder.map_err(|error| TraceError::unwritable(around, error))?,
            _lock: lock,
        })
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Locks a name in `around` that no other scratch folder has.
fn lock_new(around: &Path) -> Result<TargetLock, TraceError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{PREFIX}{}-{count}{SUFFIX}", process::id());
    TargetLock::take(&around.join(name))
}

/// Removes the scratch folders of dead processes. Folders that cannot be removed do no harm and stay.
fn remove_dead(around: &Path) {
    for entry in around.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_str().and_then(|name| name.strip_prefix('.'));
        if let Some(name) = name.and_then(|name| name.strip_suffix(".partial"))
            && name.starts_with(PREFIX)
            && name.ends_with(SUFFIX)
        {
            drop(TargetLock::take(&around.join(name)));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn scratch_of_the_dead_is_removed_and_that_of_the_living_stays() {
        let around = tempfile::tempdir().unwrap();
        let dead = around.path().join(".foldtrace-1-0.scratch.partial");
        fs::create_dir_all(dead.join("store-xyz/run.fold")).unwrap();
        fs::write(dead.join("lock"), "").unwrap();
        let foreign = around.path().join(".foldtrace-notes");
        fs::create_dir(&foreign).unwrap();
        let first = Scratch::create(around.path()).unwrap();
        let second = Scratch::create(around.path()).unwrap();
        assert!(!dead.exists() && foreign.exists());
        assert!(first.path().exists() && second.path().exists());
        drop((first, second));
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 1);
    }
}

//! Folders for what waits on disk meanwhile and is no output.

use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use foldtrace_trace::TraceError;

use crate::{TargetLock, Unfinished};

/// How the hidden folders of scratch are called, before and after a number that no other has.
const PREFIX: &str = "foldtrace-";
const SUFFIX: &str = ".scratch";

/// A hidden folder; dropped, it is removed.
#[derive(Debug)]
pub struct Scratch {
    folder: Unfinished,
    /// Released when the folder is gone.
    _lock: TargetLock,
}

impl Scratch {
    /// Makes a folder within `around`, and removes those there whose process has died.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(around: &Path) -> Result<Self, TraceError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        remove_dead(around);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{count}{SUFFIX}", process::id());
        let lock = TargetLock::take(&around.join(name))?;
        let folder = Unfinished::folder(lock.folder());
        Ok(Self {
            folder: folder.map_err(|error| TraceError::unwritable(around, error))?,
            _lock: lock,
        })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the scratch of processes that have died. What cannot be removed is in nobody's way.
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

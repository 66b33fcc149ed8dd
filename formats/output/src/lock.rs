//! Locks the target of an output, so that it has one writer at a time.
//!
//! An output grows in a hidden folder next to its target, `.NAME.partial`. The folder contains a file that
//! the writer keeps locked. The system releases the lock when the process ends, even if it is killed. The
//! next writer can therefore take the lock and remove everything an earlier writer left in the folder.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Place, TraceError};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::unfinished::{Leftover, Registered, UNFINISHED};

/// Name of the locked file in the hidden folder.
const LOCK: &str = "lock";

/// Name of the old output in the hidden folder while the new one takes its place, if the file system
/// cannot exchange names.
const ASIDE: &str = "old";

/// Maximum number of attempts. An attempt fails if another writer removes the lock file meanwhile.
const TRIES: usize = 100;

/// An exclusive lock on a target, with the hidden folder in which the output grows.
#[derive(Debug)]
pub(crate) struct TargetLock {
    folder: PathBuf,
    /// Declared before `_file`, so that file and folder are removed while the lock is held. As soon as
    /// the file is gone, another writer may create both again.
    _registered: Registered,
    /// The lock file, locked while it is open.
    _file: File,
}

impl TargetLock {
    /// Locks `target` and removes everything that a dead writer left in the hidden folder.
    ///
    /// # Errors
    /// If another writer has the lock, or if the folder of `target` cannot be written.
    pub fn take(target: &Path) -> Result<Self, TraceError> {
        let Some(folder) = hidden_folder(target) else {
            let message = format!(
                "cannot write {}: the path has no file name",
                target.display()
            );
            return Err(TraceError::new(ErrorKind::Output, message).at(Place::file(target)));
        };
        for _ in 0..TRIES {
            let locked = Registered::create(|| {
                let leftover = Leftover::Lock {
                    file: folder.join(LOCK),
                    folder: folder.clone(),
                };
                Ok(try_lock(target, &folder)?.map(|file| (file, leftover)))
            });
            if let Some((file, registered)) = locked? {
                let lock = Self {
                    folder,
                    _registered: registered,
                    _file: file,
                };
                let cleared = lock.clear(target);
                cleared.map_err(|error| TraceError::unwritable(&lock.folder, error))?;
                return Ok(lock);
            }
        }
        Err(busy(target))
    }

    /// Returns the hidden folder, which is on the same file system as the target.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path to which [`exchange`](crate::exchange) can move the output that it replaces.
    #[must_use]
    pub fn aside(&self) -> PathBuf {
        self.folder.join(ASIDE)
    }

    /// Removes the files and folders that an earlier writer left, and keeps all others. If that writer died
    /// while it exchanged outputs, the old output gets its name back.
    fn clear(&self, target: &Path) -> io::Result<()> {
        let aside = self.folder.join(ASIDE);
        if aside.exists() && !target.exists() {
            fs::rename(aside, target)?;
        }
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == ASIDE || name.to_string_lossy().starts_with(UNFINISHED) {
                if entry.file_type()?.is_dir() {
                    fs::remove_dir_all(entry.path())?;
                } else {
                    fs::remove_file(entry.path())?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the hidden folder next to a target; `None` if the target has no name.
fn hidden_folder(target: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(target.file_name()?);
    name.push(".partial");
    Some(target.with_file_name(name))
}

/// Returns whether a writer has the lock of a target.
#[must_use]
pub fn has_writer(target: &Path) -> bool {
    let lock = hidden_folder(target).map(|folder| folder.join(LOCK));
    let file = lock.and_then(|lock| File::options().write(true).open(lock).ok());
    let locked = file.map(|file| flock(&file, FlockOperation::NonBlockingLockExclusive));
    locked == Some(Err(Errno::WOULDBLOCK))
}

/// Creates the folder and locks the file in it; `None` if another writer removed them meanwhile.
fn try_lock(target: &Path, folder: &Path) -> Result<Option<File>, TraceError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(TraceError::unwritable(target, error));
        }
        _ => {}
    }
    let path = folder.join(LOCK);
    let mut options = File::options();
    options.write(true);
    let (file, is_new) = match options.clone().create_new(true).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (options.open(&path), false),
        created => (created, true),
    };
    let file = match file {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| TraceError::unwritable(&path, error))?,
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(is_at(&file, &path).then_some(file)),
        Err(Errno::WOULDBLOCK) => Err(busy(target)),
        // Some file systems have no locks. There, creating the file is the lock.
        Err(Errno::NOSYS | Errno::NOTSUP | Errno::INVAL | Errno::NOLCK) if is_new => Ok(Some(file)),
        Err(errno @ (Errno::NOSYS | Errno::NOTSUP | Errno::INVAL | Errno::NOLCK)) => {
            let hint =
                "this file system has no locks; if no other program writes there, remove the file";
            Err(TraceError::unwritable(&path, errno.into()).hint(hint))
        }
        Err(errno) => Err(TraceError::unwritable(&path, errno.into())),
    }
}

/// Returns whether `file` is still the file at `path`: another writer may have removed it between opening
/// and locking.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(mine), Ok(named)) => (mine.dev(), mine.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

fn busy(target: &Path) -> TraceError {
    let message = format!("{} is being written by another program", target.display());
    TraceError::new(ErrorKind::Output, message)
        .at(Place::file(target))
        .hint("wait until it is done, or write to another name")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_one_lock_at_a_time() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("run.fold");
        assert!(!has_writer(&target));
        let lock = TargetLock::take(&target).unwrap();
        assert!(has_writer(&target));
        let refused = TargetLock::take(&target).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Output);
        let other = TargetLock::take(&around.path().join("other.fold")).unwrap();
        drop(lock);
        assert!(!has_writer(&target));
        assert!(!has_writer(&around.path().join("nowhere/run.fold")));
        drop(TargetLock::take(&target).unwrap());
        drop(other);
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 0);
    }

    /// Only one thread at a time has the lock, even while other threads release it and remove its file.
    #[test]
    fn a_target_has_one_lock_at_a_time_in_many_threads() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("run.fold");
        let (inside, entered) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        if let Ok(lock) = TargetLock::take(&target) {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            fs::create_dir(lock.folder().join("store")).unwrap();
                            fs::remove_dir(lock.folder().join("store")).unwrap();
                            entered.fetch_add(1, Ordering::SeqCst);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert!(entered.into_inner() > 0);
        drop(TargetLock::take(&target).unwrap());
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 0);
    }

    /// The state after a writer was killed while it exchanged stores step by step.
    #[test]
    fn an_old_store_that_waits_aside_gets_its_name_back() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("run.fold");
        let hidden = around.path().join(".run.fold.partial");
        for name in [ASIDE, "store-new", "thesis"] {
            fs::create_dir_all(hidden.join(name)).unwrap();
            fs::write(hidden.join(name).join("manifest.json"), name).unwrap();
        }
        fs::write(hidden.join(LOCK), "").unwrap();
        let lock = TargetLock::take(&target).unwrap();
        let manifest = fs::read_to_string(target.join("manifest.json"));
        assert_eq!(manifest.unwrap(), ASIDE);
        assert!(!hidden.join("store-new").exists());
        // No writer creates a folder of this name, so it stays.
        drop(lock);
        let left: Vec<_> = fs::read_dir(hidden).unwrap().flatten().collect();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].file_name(), "thesis");
    }
}

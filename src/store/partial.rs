//! A store that grows beside its final name, and the moment in which it appears.
//!
//! The hidden folder stands next to the target, so that a rename makes the store appear at once. Killed
//! at any moment, there is no store, or the old one; dropped unfinished, the hidden folder goes away. One
//! writer at a time has a target, see [`TargetLock`].

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Place, TraceError};
use rustix::fs::{CWD, RenameFlags, renameat_with, syncfs};
use tempfile::TempDir;

use super::error::Writing;
use super::lock::{ASIDE, TargetLock, UNFINISHED};
use super::manifest::{self, Manifest};
use super::verify::check_strangers;

/// The hidden folder of a store to be.
#[derive(Debug)]
pub(super) struct Partial {
    target: PathBuf,
    replace: bool,
    folder: TempDir,
    /// Behind the folder, so that it is given back when the folder is gone.
    _lock: TargetLock,
}

impl Partial {
    /// Makes the folder for a store that will appear at `target`.
    ///
    /// # Errors
    /// If something stands at `target` and is not a store that `replace` allows to replace, if another
    /// writer is at work there, or if the folder around it cannot be written.
    pub fn create(target: &Path, replace: bool) -> Result<Self, TraceError> {
        check_target(target, replace)?;
        let target = behind_links(target);
        check_surroundings(&target)?;
        let lock = TargetLock::take(&target)?;
        // The writer before may just have finished.
        check_target(&target, replace)?;
        let folder = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(lock.folder())
            .writing(&target)?;
        Ok(Self {
            target,
            replace,
            folder,
            _lock: lock,
        })
    }

    /// Where the store grows.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What the store will be called.
    pub fn name(&self) -> String {
        let name = self.target.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Gives the store its final name.
    ///
    /// # Errors
    /// If something has appeared there meanwhile, or the disk does not take what was written.
    pub fn appear(self) -> Result<(), TraceError> {
        let target = &self.target;
        check_target(target, self.replace)?;
        set_mode(self.folder.path())?;
        sync(self.folder.path())?;
        let flags = if target.exists() {
            RenameFlags::EXCHANGE
        } else {
            RenameFlags::NOREPLACE
        };
        let renamed = match renameat_with(CWD, self.folder.path(), CWD, target, flags) {
            // Not every file system can exchange two names, or refuse to replace one.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                replace_in_steps(self.folder.path(), target)
            }
            other => other.map_err(Into::into),
        };
        renamed.writing(target)
        // What has the hidden name now, the old store or nothing, goes away with `folder`.
    }
}

/// The fall-back where names cannot be exchanged: for a moment there is no store.
fn replace_in_steps(folder: &Path, target: &Path) -> io::Result<()> {
    if !target.exists() {
        return fs::rename(folder, target);
    }
    let aside = folder.with_file_name(ASIDE);
    fs::rename(target, &aside)?;
    if let Err(error) = fs::rename(folder, target) {
        fs::rename(&aside, target)?;
        return Err(error);
    }
    fs::remove_dir_all(aside)
}

/// Has the disk take all that was written: a name must not outlive a power failure that its files do
/// not. Some file systems only now say that there was no room. One call for all files, because they may
/// be hundreds, and each by itself would cost more than writing it.
fn sync(folder: &Path) -> Result<(), TraceError> {
    let file = File::open(folder).writing(folder)?;
    syncfs(file).map_err(io::Error::from).writing(folder)
}

/// A temporary folder is for its owner alone; a store is as open as any new folder.
fn set_mode(folder: &Path) -> Result<(), TraceError> {
    let probe = folder.join(".mode");
    fs::create_dir(&probe).writing(&probe)?;
    let permissions = fs::metadata(&probe).writing(&probe)?.permissions();
    fs::remove_dir(&probe).writing(&probe)?;
    fs::set_permissions(folder, permissions).writing(folder)
}

/// Where a store is that a link leads to: it is the store that is replaced, and the link stays.
fn behind_links(target: &Path) -> PathBuf {
    // With a slash at its end, a name is no link.
    let plain: PathBuf = target.components().collect();
    let is_indirect = plain.is_symlink() || plain.file_name().is_none();
    let direct = is_indirect.then(|| fs::canonicalize(&plain).ok()).flatten();
    direct.unwrap_or(plain)
}

/// Refuses to write into a store, in which nothing is ever changed.
fn check_surroundings(target: &Path) -> Result<(), TraceError> {
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Whether the folder is there at all will show when something is to be made in it.
    let parent = fs::canonicalize(parent).unwrap_or_default();
    if !parent.ancestors().any(Manifest::is_of_a_store) {
        return Ok(());
    }
    let message = format!("{} is within another store", target.display());
    Err(TraceError::new(ErrorKind::Output, message)
        .at(Place::file(target))
        .hint("nothing in a store is ever changed; write it somewhere else"))
}

fn check_target(target: &Path, replace: bool) -> Result<(), TraceError> {
    if target.symlink_metadata().is_err() {
        return Ok(());
    }
    let is_store = Manifest::is_of_a_store(target);
    if replace && is_store {
        return check_is_only_a_store(target);
    }
    let message = format!("{} exists", target.display());
    let hint = if is_store {
        "--force replaces it"
    } else {
        "it is not a store and will not be replaced"
    };
    Err(TraceError::new(ErrorKind::Output, message)
        .at(Place::file(target))
        .hint(hint))
}

/// Refuses to replace a store whose folder has files of somebody else, which would be lost.
pub(super) fn check_is_only_a_store(target: &Path) -> Result<(), TraceError> {
    let bytes = fs::read(target.join(manifest::FILE)).unwrap_or_default();
    let Some(files) = manifest::named_files(&bytes) else {
        let message = format!(
            "the manifest of {} does not list its files",
            target.display()
        );
        return Err(TraceError::new(ErrorKind::Output, message)
            .at(Place::file(target.join(manifest::FILE)))
            .hint("remove the folder if nothing in it is needed"));
    };
    let strangers = check_strangers(target, files);
    let Some(stranger) = strangers.first() else {
        return Ok(());
    };
    let others = match strangers.len() {
        1 => String::new(),
        count => format!(" (and {} others)", count - 1),
    };
    let message = format!(
        "{}{others} is in the folder and not part of the store",
        stranger.path
    );
    Err(TraceError::new(ErrorKind::Output, message)
        .at(Place::file(target))
        .hint("move it elsewhere; the folder is replaced as a whole"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn folder_with(path: &Path, content: &str) {
        fs::create_dir_all(path).unwrap();
        fs::write(path.join("content"), content).unwrap();
    }

    #[test]
    fn without_exchange_a_store_is_replaced_in_steps() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("run.fold");
        let hidden = around.path().join(".run.fold.partial");
        for content in ["the first", "the second"] {
            let new = hidden.join("store-new");
            folder_with(&new, content);
            replace_in_steps(&new, &target).unwrap();
            let found = fs::read_to_string(target.join("content"));
            assert_eq!(found.unwrap(), content);
            assert_eq!(fs::read_dir(&hidden).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_step_that_fails_gives_the_old_store_its_name_back() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("run.fold");
        folder_with(&target, "the old one");
        let hidden = around.path().join(".run.fold.partial");
        fs::create_dir(&hidden).unwrap();
        replace_in_steps(&hidden.join("store-that-is-not-there"), &target).unwrap_err();
        let found = fs::read_to_string(target.join("content"));
        assert_eq!(found.unwrap(), "the old one");
    }
}

//! A folder that appears when it is complete.

use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Place, TraceError};

use crate::{TargetLock, Unfinished, exchange};

/// Which files a folder of an output has, so that nothing else is ever replaced.
#[derive(Clone, Copy)]
pub struct Contents {
    /// What they are called: `*.trace files`.
    pub name: &'static str,
    /// Whether that is the path of one.
    pub has: fn(&Path) -> bool,
}

/// A folder with the files of an output. It grows under a hidden name beside its final one; dropped
/// before it is complete, it is removed.
pub struct OutputFolder {
    folder: Unfinished,
    target: PathBuf,
    contents: Contents,
    replace: bool,
    /// Declared after `folder`, so that the lock is released only after the folder is removed.
    lock: TargetLock,
}

impl OutputFolder {
    /// Creates a folder that is to be called `target`. If `replace` is set, it takes the place of
    /// one that has no other files than such.
    ///
    /// # Errors
    /// If something is there that is not to be replaced, or the folder cannot be created.
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

    /// Where its files are to be written now.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The final name.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the folder its name.
    ///
    /// # Errors
    /// If that fails, or something is there by now.
    pub fn complete(self) -> Result<(), TraceError> {
        check(&self.target, self.replace, self.contents)?;
        let aside = self.lock.aside();
        let appear = |from: &Path| exchange(from, &self.target, &aside);
        let appeared = self.folder.appear(appear);
        appeared.map_err(|error| TraceError::unwritable(&self.target, error))
    }
}

/// Refuses to overwrite what the user may want to keep.
fn check(target: &Path, replace: bool, contents: Contents) -> Result<(), TraceError> {
    let refuse = |what: &str, hint: &str| {
        let message = format!("cannot write {}: {what}", target.display());
        Err(TraceError::new(ErrorKind::Output, message)
            .at(Place::file(target))
            .hint(hint))
    };
    let Ok(metadata) = target.symlink_metadata() else {
        return Ok(());
    };
    if !replace {
        return refuse("it exists already", "--force replaces it");
    }
    let is_one = |path: PathBuf| !path.is_dir() && (contents.has)(&path);
    let has_no_other = |folder: &Path| {
        let mut entries = folder.read_dir().ok()?;
        Some(entries.all(|entry| entry.is_ok_and(|entry| is_one(entry.path()))))
    };
    if !metadata.is_dir() || has_no_other(target) != Some(true) {
        return refuse(
            &format!("it is not a folder of {} alone", contents.name),
            "remove it yourself if it is not needed",
        );
    }
    Ok(())
}

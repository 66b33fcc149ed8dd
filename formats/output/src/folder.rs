//! A folder that appears when it is complete.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use foldtrace_trace::{ErrorKind, Place, TraceError};

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
    path: PathBuf,
    target: PathBuf,
    contents: Contents,
    replace: bool,
    is_complete: bool,
}

impl OutputFolder {
    /// Creates a folder that is to be called `target`. If `replace` is set, it takes the place of
    /// one that has no other files than such.
    ///
    /// # Errors
    /// If something is there that is not to be replaced, or the folder cannot be created.
    pub fn create(target: PathBuf, replace: bool, contents: Contents) -> Result<Self, TraceError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        check(&target, replace, contents)?;
        let Some(name) = target.file_name() else {
            let message = format!("cannot write {}: it has no name", target.display());
            return Err(TraceError::new(ErrorKind::Output, message).at(Place::file(&target)));
        };
        let mut partial = OsString::from(".");
        partial.push(name);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        partial.push(format!(".{}.{count}.partial", std::process::id()));
        let path = target.with_file_name(partial);
        fs::create_dir(&path).map_err(|error| TraceError::unwritable(&target, error))?;
        Ok(Self {
            path,
            target,
            contents,
            replace,
            is_complete: false,
        })
    }

    /// Where its files are to be written now.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
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
    pub fn complete(mut self) -> Result<(), TraceError> {
        check(&self.target, self.replace, self.contents)?;
        let unwritable = |error| TraceError::unwritable(&self.target, error);
        if !self.target.exists() {
            fs::rename(&self.path, &self.target).map_err(unwritable)?;
            self.is_complete = true;
            return Ok(());
        }
        let old = self.path.with_extension("old");
        fs::rename(&self.target, &old).map_err(unwritable)?;
        if let Err(error) = fs::rename(&self.path, &self.target) {
            // Better the old one than none.
            let _ = fs::rename(&old, &self.target);
            return Err(unwritable(error));
        }
        self.is_complete = true;
        fs::remove_dir_all(&old).map_err(unwritable)
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.is_complete {
            // Nobody is left to tell about a failure; the name says what it is.
            let _ = fs::remove_dir_all(&self.path);
        }
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

//! Incomplete files and folders, removed when they are dropped or when a signal ends the process.
//!
//! A signal may arrive while every thread is busy. The command then calls [`abandon`], which removes
//! everything registered here and ends the process, without waiting for threads to check for the signal.
//! The registry is locked while an output receives its final name, so that the output appears as a whole
//! or not at all.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Prefix of the names of unfinished files and folders.
pub(crate) const UNFINISHED: &str = "store-";

/// Permissions of a new file and of a new folder, before the umask is applied.
const FILE_MODE: u32 = 0o666;
const FOLDER_MODE: u32 = 0o777;

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    next: 0,
    entries: Vec::new(),
});

/// Whether an output of this process has received its final name.
static HAS_APPEARED: AtomicBool = AtomicBool::new(false);

/// The files and folders that this process has to remove, in order of creation.
struct Registry {
    next: u64,
    entries: Vec<(u64, Leftover)>,
}

impl Registry {
    fn index(&self, number: u64) -> Option<usize> {
        self.entries.iter().position(|entry| entry.0 == number)
    }

    /// Returns the path of an entry that is a [`Leftover::Tree`].
    fn tree(&self, number: u64) -> Option<PathBuf> {
        match &self.entries.get(self.index(number)?)?.1 {
            Leftover::Tree(path) => Some(path.clone()),
            Leftover::EmptyFolder(_) | Leftover::Lock { .. } => None,
        }
    }

    fn take(&mut self, number: u64) -> Option<Leftover> {
        let index = self.index(number)?;
        Some(self.entries.remove(index).1)
    }
}

/// A file or folder to remove.
pub(crate) enum Leftover {
    /// A file, or a folder with its contents.
    Tree(PathBuf),
    /// A folder, if it is empty.
    EmptyFolder(PathBuf),
    /// The file of a lock, and then its folder if that is empty.
    Lock {
        /// The locked file.
        file: PathBuf,
        /// The folder that contains the file.
        folder: PathBuf,
    },
}

impl Leftover {
    /// Removes the file or folder. Failures are ignored, because the next writer removes the rest.
    fn remove(&self) {
        match self {
            Self::Tree(path) => {
                // After the rename, threads that still write to the old path cannot add files.
                let mut gone = path.clone().into_os_string();
                gone.push(".gone");
                let gone = PathBuf::from(gone);
                let _ = fs::rename(path, &gone);
                remove_all(&gone);
                remove_all(path);
            }
            Self::EmptyFolder(path) => {
                let _ = fs::remove_dir(path);
            }
            Self::Lock { file, folder } => {
                let _ = fs::remove_file(file);
                let _ = fs::remove_dir(folder);
            }
        }
    }
}

/// Removes a file, or a folder with its contents. Tries again after an error, because another thread may
/// be removing the same files.
fn remove_all(path: &Path) {
    const TRIES: usize = 100;
    for _ in 0..TRIES {
        let Ok(metadata) = path.symlink_metadata() else {
            return;
        };
        let _ = if metadata.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
    }
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all unfinished files and folders, latest first, and then calls `end`, which must end the
/// process. No output receives its final name meanwhile.
pub fn abandon<R>(end: impl FnOnce() -> R) -> R {
    let mut registry = registry();
    for (_, leftover) in registry.entries.drain(..).rev() {
        leftover.remove();
    }
    end()
}

/// Returns whether an output of this process has received its final name.
#[must_use]
pub fn has_appeared() -> bool {
    HAS_APPEARED.load(Ordering::Relaxed)
}

/// An entry of the registry. Dropping it removes the file or folder.
#[derive(Debug)]
pub(crate) struct Registered(u64);

impl Registered {
    /// Calls `make` and registers its result for removal, in one step; `None` if `make` created nothing.
    pub(crate) fn create<T, E>(
        make: impl FnOnce() -> Result<Option<(T, Leftover)>, E>,
    ) -> Result<Option<(T, Self)>, E> {
        let mut registry = registry();
        let Some((created, leftover)) = make()? else {
            return Ok(None);
        };
        let number = registry.next;
        registry.next += 1;
        registry.entries.push((number, leftover));
        Ok(Some((created, Self(number))))
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // Removing a large tree takes long, so the registry is not locked meanwhile. The tree stays
        // registered until it is gone.
        let tree = registry().tree(self.0);
        if let Some(path) = tree {
            Leftover::Tree(path).remove();
        }
        let mut registry = registry();
        if let Some(leftover) = registry.take(self.0) {
            leftover.remove();
        }
    }
}

/// An incomplete file or folder, removed when dropped.
#[derive(Debug)]
pub(crate) struct Unfinished {
    path: PathBuf,
    _registered: Registered,
}

impl Unfinished {
    /// Creates a file in `folder`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn file(folder: &Path) -> io::Result<(File, Self)> {
        Self::create(|| {
            let file = tempfile::Builder::new()
                .prefix(UNFINISHED)
                .permissions(Permissions::from_mode(FILE_MODE))
                .tempfile_in(folder)?;
            let (file, path) = file.into_parts();
            Ok((file, path.keep().map_err(|error| error.error)?))
        })
    }

    /// Creates a folder in `folder`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn folder(folder: &Path) -> io::Result<Self> {
        let created = Self::create(|| {
            let created = tempfile::Builder::new()
                .prefix(UNFINISHED)
                .permissions(Permissions::from_mode(FOLDER_MODE))
                .tempdir_in(folder)?;
            Ok(((), created.keep()))
        })?;
        Ok(created.1)
    }

    fn create<T>(make: impl FnOnce() -> io::Result<(T, PathBuf)>) -> io::Result<(T, Self)> {
        let created = Registered::create(|| {
            let (created, path) = make()?;
            let leftover = Leftover::Tree(path.clone());
            Ok::<_, io::Error>(Some(((created, path), leftover)))
        })?;
        let Some(((created, path), registered)) = created else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let unfinished = Self {
            path,
            _registered: registered,
        };
        Ok((created, unfinished))
    }

    /// Returns the path of the file or folder while it is incomplete.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Calls `rename` with the current path, to give the file or folder its final name; [`abandon`] does
    /// not interrupt the call. An older output that `rename` leaves at the current path is removed.
    ///
    /// # Errors
    /// If `rename` fails.
    pub fn appear<E>(self, rename: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
        let held = registry();
        let renamed = rename(&self.path);
        HAS_APPEARED.fetch_or(renamed.is_ok(), Ordering::Relaxed);
        drop(held);
        renamed
    }
}

/// A new folder, removed on drop if it is still empty.
#[derive(Debug)]
pub struct EmptyFolder(#[allow(dead_code, reason = "only its destructor is used")] Registered);

impl EmptyFolder {
    /// Creates the folder `path`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let created = Registered::create(|| {
            fs::create_dir(path)?;
            let leftover = Leftover::EmptyFolder(path.to_owned());
            Ok::<_, io::Error>(Some(((), leftover)))
        })?;
        created
            .map(|((), registered)| Self(registered))
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn dropped_files_and_folders_are_removed() {
        let around = tempfile::tempdir().unwrap();
        let (_, file) = Unfinished::file(around.path()).unwrap();
        let folder = Unfinished::folder(around.path()).unwrap();
        fs::write(folder.path().join("part"), "half").unwrap();
        let empty = EmptyFolder::create(&around.path().join("empty")).unwrap();
        assert_eq!(names(around.path()), 3);
        drop((file, folder, empty));
        assert_eq!(names(around.path()), 0);
    }

    #[test]
    fn a_completed_output_stays_and_the_replaced_one_is_removed() {
        let around = tempfile::tempdir().unwrap();
        let (target, aside) = (around.path().join("run"), around.path().join("old"));
        for content in ["first", "second"] {
            let folder = Unfinished::folder(around.path()).unwrap();
            fs::write(folder.path().join("part"), content).unwrap();
            folder
                .appear(|path| crate::exchange(path, &target, &aside))
                .unwrap();
            assert_eq!(fs::read_to_string(target.join("part")).unwrap(), content);
            assert_eq!(names(around.path()), 1);
        }
    }
}

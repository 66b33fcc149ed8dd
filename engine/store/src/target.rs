//! Where a store may be written: not within another store, and in place of a store at most.

use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_output::OutputFolder;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, Place, TraceError, is_object_url};

use crate::folder::{FolderHandle, Manifest, listed_files, unlisted_files};
use crate::paths::MANIFEST;
use crate::replaced::Replaced;
use crate::upload::Upload;

/// The folder in which a store is written until it appears at its target.
#[derive(Debug)]
pub(crate) enum TargetFolder {
    /// Next to its final name.
    Local(OutputFolder),
    /// In the folder for temporary files, until its objects are written.
    Remote(Upload),
}

impl TargetFolder {
    /// Creates the folder of a store that will appear at `target`.
    ///
    /// # Errors
    /// Returns an error if `target` exists and is not `replaced`; if another writer is using `target`; or if the folder around it
    /// cannot be written.
    pub fn create(target: &Path, replaced: Replaced) -> Result<Self, TraceError> {
        if is_object_url(target) {
            return Ok(Self::Remote(Upload::create(target, replaced)?));
        }
        let replace = replaced == Replaced::Store;
        check(target, replace)?;
        let target = resolved(target);
        check_surroundings(&target)?;
        let folder = OutputFolder::create(target, move |target| check(target, replace))?;
        Ok(Self::Local(folder))
    }

    /// Returns the current path of the folder, where its files must be written.
    pub fn path(&self) -> &Path {
        match self {
            Self::Local(folder) => folder.path(),
            Self::Remote(upload) => upload.path(),
        }
    }

    /// Returns the name that the store will have.
    pub fn name(&self) -> String {
        let target = match self {
            Self::Local(folder) => folder.target(),
            Self::Remote(upload) => upload.url(),
        };
        let name = target.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Gives the store its final name.
    ///
    /// # Errors
    /// Returns an error if another file or folder has appeared at the target meanwhile, if the output cannot be written, or if an
    /// upload was stopped.
    pub fn complete(self, manifest: &Manifest, progress: &Progress) -> Result<(), TraceError> {
        match self {
            Self::Local(folder) => folder.complete(),
            Self::Remote(upload) => upload.complete(manifest, progress),
        }
    }
}

/// Returns whether something is at the target of a store: a file or folder, or the manifest of a store on an object store.
///
/// # Errors
/// Returns an error if an object store cannot be read.
pub fn is_taken(target: &Path) -> Result<bool, TraceError> {
    if is_object_url(target) {
        return Ok(FolderHandle::open(target)?.manifest()?.is_some());
    }
    Ok(target.symlink_metadata().is_ok())
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

/// Refuses to replace anything but a store, and only on request.
fn check(target: &Path, replace: bool) -> Result<(), TraceError> {
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

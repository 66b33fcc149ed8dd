//! A store that is written to an object store.
//!
//! The store is complete in a local folder before its objects appear, the manifest last. An object `uploading` lists the objects of
//! an upload that is not finished, so that another one may replace them.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io;
use std::path::Path;

use bytes::Bytes;
use foldtrace_objects::ObjectFolder;
use foldtrace_output::{OutputFolder, Scratch};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Remedy, TraceError};
use rayon::prelude::*;

use crate::error::Writing;
use crate::folder::{BUNDLE, Manifest, bundled, listed_files};
use crate::paths::MANIFEST;
use crate::replaced::Replaced;

/// The object that lists the objects of an unfinished upload.
const UPLOADING: &str = "uploading";

/// The name of the local folder.
const LOCAL: &str = "run.fold";

/// A store in a local folder that will be uploaded.
#[derive(Debug)]
pub(crate) struct Upload {
    objects: ObjectFolder,
    replaced: Replaced,
    local: OutputFolder,
    /// Declared after `local`, which is within it.
    _scratch: Scratch,
}

impl Upload {
    /// Begins a store that will appear at `url`. Until then it is in the system's folder for temporary files.
    ///
    /// # Errors
    /// Returns an error if the store must not be written there, or if there is no folder for temporary files.
    pub fn create(url: &Path, replaced: Replaced) -> Result<Self, TraceError> {
        let objects = ObjectFolder::new(url)?;
        replaceable(&objects, replaced)?;
        let scratch = Scratch::create(&env::temp_dir());
        let scratch = scratch.map_err(|error| error.remedy(Remedy::TemporaryFolder))?;
        Ok(Self {
            objects,
            replaced,
            local: OutputFolder::create(scratch.path().join(LOCAL), |_| Ok(()))?,
            _scratch: scratch,
        })
    }

    /// Returns the local folder.
    pub fn path(&self) -> &Path {
        self.local.path()
    }

    /// Returns the URL.
    pub fn url(&self) -> &Path {
        self.objects.url()
    }

    /// Writes the objects of the store, and removes those of the store that it replaces.
    ///
    /// # Errors
    /// Returns an error if another store has appeared meanwhile, if an object cannot be written, or if the upload was stopped.
    pub fn complete(self, manifest: &Manifest, progress: &Progress) -> Result<(), TraceError> {
        let old = replaceable(&self.objects, self.replaced)?;
        let files = manifest.files.iter();
        let new: BTreeSet<String> = files.map(|file| file.path.clone()).collect();
        let all: Vec<&str> = old.union(&new).map(String::as_str).collect();
        self.write(UPLOADING, all.join("\n").into())?;
        self.remove(MANIFEST)?;
        let written = self.write_objects(manifest, &new, progress).and_then(|()| {
            (old.difference(&new)).try_for_each(|file| self.remove(file))?;
            self.upload(MANIFEST)
        });
        if let Err(error) = written {
            // What cannot be removed is listed in `uploading`. The first error is the one to report.
            let _ = [MANIFEST, BUNDLE]
                .into_iter()
                .chain(all)
                .try_for_each(|file| self.remove(file))
                .and_then(|()| self.remove(UPLOADING));
            return Err(error);
        }
        self.remove(UPLOADING)
    }

    /// Writes all objects but the manifest.
    fn write_objects(
        &self,
        manifest: &Manifest,
        files: &BTreeSet<String>,
        progress: &Progress,
    ) -> Result<(), TraceError> {
        files.par_iter().try_for_each(|file| {
            progress.check()?;
            self.upload(file)
        })?;
        let small = bundled(&manifest.files).into_iter().map(|file| {
            let path = self.path().join(&manifest.files[file].path);
            fs::read(&path).writing(&path)
        });
        let small = small.collect::<Result<Vec<_>, _>>()?.concat();
        self.write(BUNDLE, small.into())
    }

    fn upload(&self, file: &str) -> Result<(), TraceError> {
        let uploaded = self.objects.upload(&self.path().join(file), file);
        self.written(file, uploaded)
    }

    fn write(&self, file: &str, bytes: Bytes) -> Result<(), TraceError> {
        self.written(file, self.objects.write(file, bytes))
    }

    fn remove(&self, file: &str) -> Result<(), TraceError> {
        self.written(file, self.objects.remove(file))
    }

    fn written(&self, file: &str, result: io::Result<()>) -> Result<(), TraceError> {
        result.map_err(|error| TraceError::unwritable(&self.url().join(file), error))
    }
}

/// What is at a URL already.
struct Existing {
    /// The paths of objects that may be replaced, other than those that each store has.
    files: BTreeSet<String>,
    /// What a store must replace at least to take their place.
    least: Replaced,
    /// The error otherwise.
    refusal: TraceError,
}

impl Existing {
    /// Returns the store, or the unfinished upload of one, in a folder.
    fn find(objects: &ObjectFolder) -> Result<Option<Self>, TraceError> {
        let url = objects.url();
        if let Some(manifest) = objects.read_if_exists(MANIFEST)? {
            let files = listed_files(&manifest).ok_or_else(|| not_of_a_store(url, MANIFEST))?;
            return Ok(Some(Self {
                files: files.into_iter().collect(),
                least: Replaced::Store,
                refusal: TraceError::exists(url),
            }));
        }
        let why = "another upload to it is not finished, or was killed";
        let unfinished = objects.read_if_exists(UPLOADING)?.map(|list| Self {
            files: String::from_utf8_lossy(&list)
                .lines()
                .map(str::to_owned)
                .collect(),
            least: Replaced::Unfinished,
            refusal: TraceError::refused(url, why).remedy(Remedy::Replace),
        });
        Ok(unfinished)
    }
}

/// Returns the objects that a store may replace, other than those that each store has.
///
/// # Errors
/// Returns an error if there are any that are not `replaced`, or if there are other objects.
fn replaceable(objects: &ObjectFolder, replaced: Replaced) -> Result<BTreeSet<String>, TraceError> {
    let files = match Existing::find(objects)? {
        Some(existing) if replaced < existing.least => return Err(existing.refusal),
        existing => existing.map(|existing| existing.files).unwrap_or_default(),
    };
    check_surroundings(objects)?;
    let is_known =
        |path: &str| [MANIFEST, BUNDLE, UPLOADING].contains(&path) || files.contains(path);
    let found = objects.list();
    let found = found.map_err(|error| TraceError::unreadable(objects.url(), error))?;
    match found.iter().find(|object| !is_known(&object.path)) {
        Some(other) => Err(not_of_a_store(objects.url(), &other.path)),
        None => Ok(files),
    }
}

/// Returns the error for an object that is not part of a store, and would be lost.
fn not_of_a_store(url: &Path, object: &str) -> TraceError {
    let reason = format!("{object} is there and is not part of a store");
    TraceError::refused(url, &reason).hint("choose another folder")
}

/// Refuses to write into another store.
fn check_surroundings(objects: &ObjectFolder) -> Result<(), TraceError> {
    for around in objects.around() {
        if around.read_if_exists(MANIFEST)?.is_some() {
            let reason = format!("it is within the store {}", around.url().display());
            return Err(TraceError::refused(objects.url(), &reason).hint("choose another folder"));
        }
    }
    Ok(())
}

//! A store that is complete and has not appeared yet: derived tables can still be added.
//!
//! A store that stands somewhere is never changed. To add tables to it, a copy of hard links grows
//! beside it and takes its name when it is complete.

use std::fs;
use std::io;
use std::path::{Component, Path};

use foldtrace_trace::{Diagnostics, ErrorKind, Place, TraceError};

use super::derived::Derived;
use super::error::Writing;
use super::manifest::{self, Manifest};
use super::partial::Partial;
use super::verify::check_strangers;
use super::{diagnostics as oddities, files, views};

/// A complete store under a hidden name.
#[derive(Debug)]
pub struct CompleteStore {
    partial: Partial,
    manifest: Manifest,
}

impl CompleteStore {
    pub(super) fn new(partial: Partial, manifest: Manifest) -> Self {
        Self { partial, manifest }
    }

    /// A copy of the store at `path`, which takes its place when it appears. Files are shared with it,
    /// where the file system can.
    ///
    /// # Errors
    /// If there is no intact store, or one with files that are not its own, which would be lost; if the
    /// folder around it cannot be written.
    pub fn copy_of(path: &Path) -> Result<Self, TraceError> {
        let manifest = Manifest::read(path)?;
        if !manifest.is_intact(path) {
            let message = "the manifest has another checksum than it says itself";
            let error = TraceError::new(ErrorKind::Malformed, message);
            return Err(error.at(Place::file(path.join(manifest::FILE))));
        }
        if let Some(stranger) = check_strangers(path, &manifest).first() {
            let message = format!("{} is in the folder and not of the store", stranger.path);
            return Err(TraceError::new(ErrorKind::Output, message)
                .at(Place::file(path))
                .hint("move it elsewhere; the folder is replaced as a whole"));
        }
        // A link to a store, or '.', has no name that could be exchanged.
        let path = &path.canonicalize().writing(path)?;
        let mut store = Self::new(Partial::create(path, true)?, manifest);
        for file in &store.manifest.files {
            check_within(path, &file.path)?;
            share(&path.join(&file.path), &store.path().join(&file.path))?;
        }
        store.write_manifest()?;
        Ok(store)
    }

    /// The folder that it is in until it appears.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.partial.path()
    }

    /// The manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Removes derived tables, to be written anew.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn remove_derived(&mut self, tables: &[Derived]) -> Result<(), TraceError> {
        let is_outdated = |path: &str| tables.iter().any(|table| table.has_file(path));
        let store = self.partial.path();
        for file in self.manifest.files.iter().filter(|f| is_outdated(&f.path)) {
            let path = store.join(&file.path);
            fs::remove_file(&path).writing(&path)?;
        }
        self.manifest.files.retain(|f| !is_outdated(&f.path));
        self.write_manifest()
    }

    /// Takes the files of derived tables into the store, and what was odd about them.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn add_derived(
        &mut self,
        tables: &[Derived],
        diagnostics: &Diagnostics,
    ) -> Result<(), TraceError> {
        let store = self.partial.path();
        let is_outdated = |key: &str| tables.iter().any(|table| table.has_key(key));
        oddities::replace(store, |key| !is_outdated(key), diagnostics)?;
        let counts = &mut self.manifest.counts.diagnostics;
        counts.retain(|key, _| !is_outdated(key));
        let new = diagnostics.groups();
        counts.extend(new.map(|(key, group)| (key.to_owned(), group.count)));
        let sql = store.join(views::FILE);
        fs::remove_file(&sql).writing(&sql)?;
        views::write(store, &self.partial.name(), self.manifest.clock())?;

        let known = &mut self.manifest.files;
        known.retain(|file| file.path != oddities::FILE && file.path != views::FILE);
        let is_known =
            |path: &str| path == manifest::FILE || known.iter().any(|file| file.path == path);
        let new = files::entries(store, is_known)?;
        known.extend(new);
        known.sort_by(|a, b| a.path.cmp(&b.path));
        self.write_manifest()
    }

    /// Gives the store its final name.
    ///
    /// # Errors
    /// If something else has appeared there meanwhile, or the name cannot be given.
    pub fn appear(self) -> Result<Manifest, TraceError> {
        self.partial.appear()?;
        Ok(self.manifest)
    }

    fn write_manifest(&mut self) -> Result<(), TraceError> {
        self.manifest.write(self.partial.path())
    }
}

/// A manifest that someone else has made must not lead out of its store.
fn check_within(store: &Path, file: &str) -> Result<(), TraceError> {
    let mut components = Path::new(file).components();
    if components.all(|component| matches!(component, Component::Normal(_))) {
        return Ok(());
    }
    let message = format!("the manifest names {file}, which is not in the store");
    let error = TraceError::new(ErrorKind::Malformed, message);
    Err(error.at(Place::file(store.join(manifest::FILE))))
}

/// Gives a file a second name, or copies it where it can have only one.
fn share(from: &Path, to: &Path) -> Result<(), TraceError> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).writing(folder)?;
    }
    match fs::hard_link(from, to) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(TraceError::unreadable(from, error))
        }
        Err(_) => fs::copy(from, to).map(|_| ()).writing(to),
    }
}

//! A complete store that does not have its final name yet, so that derived tables can still be added.
//!
//! A store at its final name is never changed. To add tables to it, a copy made of hard links is extended next to it
//! and takes its name when it is complete.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, Place, TraceError, is_object_url};
use parquet::file::reader::ChunkReader;

use crate::derived::Derived;
use crate::error::{Reading, Writing};
use crate::folder::{HashedFile, Manifest, StoreFolder, hash_files, write_chaining_values};
use crate::paths::{DIAGNOSTICS, HASHES, MANIFEST, VIEWS};
use crate::replaced::Replaced;
use crate::shard::{Shard, ShardContents, Wanted, is_for_joining};
use crate::tables::Written;
use crate::target::{TargetFolder, check_is_only_a_store};
use crate::views::ViewedStore;
use crate::{diagnostics as diagnostics_table, views};

/// A complete store under a hidden name.
#[derive(Debug)]
pub struct CompleteStore {
    folder: TargetFolder,
    manifest: Manifest,
    /// The entries of all files in the manifest, and the chaining values of their groups.
    files: Vec<HashedFile>,
}

impl CompleteStore {
    /// Writes the chaining values and the manifest of a store that consists of `files`.
    pub(crate) fn seal(
        folder: TargetFolder,
        manifest: Manifest,
        files: Vec<HashedFile>,
    ) -> Result<Self, TraceError> {
        let mut store = Self {
            folder,
            manifest,
            files,
        };
        store.write_manifest()?;
        Ok(store)
    }

    /// Copies the store at `path`; the copy replaces it in [`appear`](Self::appear). The copy shares the files by
    /// hard links if the file system supports them.
    ///
    /// # Errors
    /// Returns an error if `path` is not an intact store; if its folder contains files that do not belong to the
    /// store, which would be lost; or if the folder around it cannot be written.
    pub fn copy_of(path: &Path) -> Result<Self, TraceError> {
        if is_object_url(path) {
            let message = "a store on an object store cannot be changed";
            return Err(TraceError::new(ErrorKind::Usage, message)
                .at(Place::file(path))
                .hint("change a local store, and convert it to the object store"));
        }
        // Anything other than an intact store is refused before the first write.
        StoreFolder::open(path)?;
        check_is_only_a_store(path)?;
        // A link to a store, or '.', has no name that could be exchanged.
        let path = &path.canonicalize().writing(path)?;
        let folder = TargetFolder::create(path, Replaced::Store)?;
        // The lock in `folder` keeps other writers from replacing the store at this path.
        let old = StoreFolder::open(path)?;
        let files = old.manifest().files.iter().enumerate();
        let files = files.filter(|(_, entry)| entry.path != HASHES);
        let files = files.map(|(number, entry)| {
            share(&old, &entry.path, &folder.path().join(&entry.path))?;
            Ok(HashedFile {
                entry: entry.clone(),
                groups: old.values(number)?,
            })
        });
        let files = files.collect::<Result<_, TraceError>>()?;
        Self::seal(folder, old.manifest().clone(), files)
    }

    /// Returns the hidden folder that contains the store until it appears.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Removes derived tables, which are then derived again.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn remove_derived(&mut self, tables: &[Derived]) -> Result<(), TraceError> {
        let is_outdated = |path: &str| tables.iter().any(|table| table.has_file(path));
        let store = self.folder.path();
        let outdated = self
            .files
            .extract_if(.., |file| is_outdated(&file.entry.path));
        for file in outdated {
            let path = store.join(&file.entry.path);
            fs::remove_file(&path).writing(&path)?;
        }
        let is_gone = |name: &str| tables.iter().any(|table| table.has_table(name));
        self.manifest.unsigned.remove(is_gone);
        self.write_manifest()
    }

    /// Links the files that shards have for the store into it. They are copied if they will be changed.
    ///
    /// # Errors
    /// Returns an error if a file cannot be linked or copied, or the work was stopped.
    pub fn adopt<T: ShardContents>(
        &mut self,
        shards: &[Shard<T>],
        is_changed: bool,
        progress: &Progress,
    ) -> Result<(), TraceError> {
        for shard in shards {
            let store = self.folder.path();
            let wanted = Wanted {
                is_wanted: &|path| !is_for_joining(path),
                is_changed: &|_| is_changed,
            };
            shard.take_into(store, &wanted, &mut self.files, progress)?;
        }
        Ok(())
    }

    /// Adds derived tables to the store: the files `written`, and the diagnostics of deriving them.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn add_derived(
        &mut self,
        tables: &[Derived],
        written: &[Written],
        diagnostics: &Diagnostics,
    ) -> Result<(), TraceError> {
        let store = self.folder.path();
        let is_outdated = |key: &str| tables.iter().any(|table| table.has_key(key));
        let (version, unsigned) = (self.manifest.version, &mut self.manifest.unsigned);
        unsigned.settle(written)?;
        let is_current = |key: &str| !is_outdated(key);
        diagnostics_table::replace(store, is_current, diagnostics, version, unsigned)?;
        let counts = &mut self.manifest.counts.diagnostics;
        counts.retain(|key, _| !is_outdated(key));
        let new = diagnostics.groups();
        counts.extend(new.map(|(key, group)| (key.to_owned(), group.count)));
        let sql = store.join(VIEWS);
        fs::remove_file(&sql).writing(&sql)?;
        let viewed = ViewedStore {
            name: &self.folder.name(),
            version,
            clock: self.manifest.clock(),
            has_tags: self.manifest.has_tags,
            files: &self.files,
        };
        views::write(store, viewed)?;

        let files = &mut self.files;
        files.retain(|file| ![DIAGNOSTICS, VIEWS].contains(&&*file.entry.path));
        let is_known = |path: &str| {
            let is_last = [MANIFEST, HASHES].contains(&path);
            is_last || files.iter().any(|file| file.entry.path == path)
        };
        let new = hash_files(store, is_known)?;
        files.extend(new);
        self.write_manifest()
    }

    /// Gives the store its final name.
    ///
    /// # Errors
    /// Returns an error if another file or folder has appeared at that name meanwhile, if the store cannot be renamed, or if its
    /// upload fails or was stopped.
    pub fn appear(self, progress: &Progress) -> Result<Manifest, TraceError> {
        self.folder.complete(&self.manifest, progress)?;
        Ok(self.manifest)
    }

    /// Writes the chaining values and the manifest.
    fn write_manifest(&mut self) -> Result<(), TraceError> {
        let store = self.folder.path();
        let files = &mut self.files;
        files.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
        let hashes = write_chaining_values(store, files)?;
        self.manifest.files = files.iter().map(|file| file.entry.clone()).collect();
        self.manifest.files.extend(hashes);
        (self.manifest.files).sort_by(|a, b| a.path.cmp(&b.path));
        self.manifest.write(store)
    }
}

/// Creates a hard link to a file of a store, or copies the file if it cannot be linked.
fn share(store: &StoreFolder, file: &str, to: &Path) -> Result<(), TraceError> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).writing(folder)?;
    }
    if store.handle().link(file, to).is_ok() {
        return Ok(());
    }
    let mut from = store.file(file)?.get_read(0).reading(to)?;
    let mut copy = File::create(to).writing(to)?;
    io::copy(&mut from, &mut copy).map(|_| ()).writing(to)
}

//! Writing a store: beside its final name, renamed when complete.
//!
//! The store grows in a hidden folder next to its target, so that a rename makes it appear at
//! once. Killed at any moment, there is no store, or the old one; dropped unfinished, the hidden
//! folder goes away. One writer at a time has a target, see [`TargetLock`].

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, ErrorKind, EventKind, Names, Place, SymbolId,
    SymbolTable, TraceError,
};
use rayon::prelude::*;
use rustix::fs::{CWD, RenameFlags, renameat_with, syncfs};
use tempfile::TempDir;

use super::error::Writing;
use super::index::Index;
use super::layout::Layout;
use super::lock::{ASIDE, TargetLock};
use super::manifest::{Counts, FileEntry, Manifest};
use super::models::{self, StoredModel};
use super::origin::Origin;
use super::part::{PartEnd, PartWriter};
use super::{definitions, symbols, views};

/// A store being written. Parts can be written side by side.
#[derive(Debug)]
pub struct StoreWriter {
    target: PathBuf,
    replace: bool,
    folder: TempDir,
    layout: Layout,
    /// Behind the folder, so that it is given back when the folder is gone.
    _lock: TargetLock,
}

impl StoreWriter {
    /// Begins a store that will appear at `target`.
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
            .prefix("store-")
            .tempdir_in(lock.folder())
            .writing(&target)?;
        Ok(Self {
            target,
            replace,
            folder,
            layout: Layout::default(),
            _lock: lock,
        })
    }

    /// Lays the store out like this.
    #[must_use]
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Begins part number `number`.
    ///
    /// # Errors
    /// If its files cannot be created.
    pub fn part(&self, number: u32) -> Result<PartWriter, TraceError> {
        PartWriter::new(self.folder.path(), number, &self.layout)
    }

    /// Completes the store from its parts, in the order of their numbers. `models` are over the
    /// symbols of the part they come with.
    ///
    /// # Errors
    /// If the output cannot be written, or something has appeared at the target meanwhile.
    pub fn finish(
        self,
        origin: &Origin,
        definitions: &Definitions,
        diagnostics: &Diagnostics,
        parts: Vec<(PartEnd, Vec<StoredModel>)>,
        max_body: usize,
    ) -> Result<Manifest, TraceError> {
        let store = self.folder.path();
        let names = Names::new(definitions);

        let mut symbols = SymbolTable::default();
        let mut all_models = Vec::new();
        let mut with_maps = Vec::new();
        for (part, part_models) in parts {
            let map: Vec<u32> = part
                .symbols
                .iter()
                .map(|(_, s)| symbols.intern(s).0)
                .collect();
            for mut stored in part_models {
                stored
                    .model
                    .map_symbols(&|id: SymbolId| SymbolId(map[id.index()]));
                all_models.push(stored);
            }
            with_maps.push((part, map));
        }
        all_models.sort_by_key(|stored| stored.location);
        with_maps
            .par_iter_mut()
            .try_for_each(|(part, map)| part.write_topology(store, map))?;
        let parts: Vec<PartEnd> = with_maps.into_iter().map(|(part, _)| part).collect();

        let index = Index::new(
            parts
                .iter()
                .flat_map(|part| part.segments.clone())
                .collect(),
        );
        index.write(store)?;
        symbols::write(store, &symbols, &names)?;
        definitions::write(store, definitions, &names, &index)?;
        models::write(store, &all_models)?;
        origin.write_diagnostics(store, diagnostics)?;

        let mut counts = count(&parts, &index, &symbols, definitions, &names);
        counts.diagnostics = origin.count_diagnostics(diagnostics);
        let clock = definitions.clock();
        let has = |table: &str| store.join(table).exists();
        let name = self
            .target
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let tables = views::Optional {
            metrics: has("metrics"),
            attributes: has("attributes"),
            quantities: has("quantity"),
            communicators: has("definitions/comms.parquet") && has("definitions/groups.parquet"),
        };
        let sql = views::sql(&name, clock, tables);
        let sql_path = store.join(views::FILE);
        fs::write(&sql_path, sql).writing(&sql_path)?;

        let files = file_entries(store)?;
        let mut manifest = Manifest::new(
            self.layout.form,
            origin.source.clone(),
            clock,
            counts,
            max_body as u64,
            files,
        );
        manifest.write(store)?;
        self.appear()?;
        Ok(manifest)
    }

    /// Gives the store its final name.
    fn appear(self) -> Result<(), TraceError> {
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
        return Ok(());
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

fn count(
    parts: &[PartEnd],
    index: &Index,
    symbols: &SymbolTable,
    definitions: &Definitions,
    names: &Names,
) -> Counts {
    let mut kinds = BTreeMap::new();
    for &kind in EventKind::ALL {
        let events: u64 = parts.iter().map(|part| part.kinds[kind as usize]).sum();
        if events > 0 {
            kinds.insert(kind.name().to_owned(), events);
        }
    }
    Counts {
        events: kinds.values().sum(),
        locations: definitions::locations(definitions, index).len() as u64,
        processes: names.processes().len() as u64,
        regions: definitions.table(DefinitionKind::Region).len() as u64,
        symbols: symbols.len() as u64,
        kinds,
        diagnostics: BTreeMap::new(),
    }
}

/// All files of the store with sizes and checksums, in order of their names.
fn file_entries(store: &Path) -> Result<Vec<FileEntry>, TraceError> {
    let mut paths = Vec::new();
    list_files(store, &mut paths)?;
    paths.sort();
    paths
        .par_iter()
        .map(|path| {
            let relative = path.strip_prefix(store).unwrap_or(path);
            Ok(FileEntry {
                path: relative.to_string_lossy().into_owned(),
                bytes: fs::metadata(path).writing(path)?.len(),
                blake3: checksum(path).writing(path)?,
            })
        })
        .collect()
}

pub(super) fn checksum(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

fn list_files(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), TraceError> {
    for entry in fs::read_dir(folder).writing(folder)? {
        let path = entry.writing(folder)?.path();
        if path.is_dir() {
            list_files(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
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

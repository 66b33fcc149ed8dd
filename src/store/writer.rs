//! Writing a store from its parts.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, EventKind, Names, SymbolId, SymbolTable, TraceError,
};
use rayon::prelude::*;

use super::error::Writing;
use super::index::Index;
use super::layout::Layout;
use super::manifest::{Counts, FileEntry, Manifest};
use super::models::{self, StoredModel};
use super::origin::Origin;
use super::part::{PartEnd, PartWriter};
use super::partial::Partial;
use super::{definitions, symbols, views};

/// A store being written. Parts can be written side by side.
#[derive(Debug)]
pub struct StoreWriter {
    partial: Partial,
    layout: Layout,
}

impl StoreWriter {
    /// Begins a store that will appear at `target`.
    ///
    /// # Errors
    /// If something stands at `target` and is not a store that `replace` allows to replace, if another
    /// writer is at work there, or if the folder around it cannot be written.
    pub fn create(target: &Path, replace: bool) -> Result<Self, TraceError> {
        Ok(Self {
            partial: Partial::create(target, replace)?,
            layout: Layout::default(),
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
        PartWriter::new(self.partial.path(), number, &self.layout)
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
        let store = self.partial.path();
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
        let tables = views::Optional {
            metrics: has("metrics"),
            attributes: has("attributes"),
            quantities: has("quantity"),
            communicators: has("definitions/comms.parquet") && has("definitions/groups.parquet"),
        };
        let sql = views::sql(&self.partial.name(), clock, tables);
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
        self.partial.appear()?;
        Ok(manifest)
    }
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

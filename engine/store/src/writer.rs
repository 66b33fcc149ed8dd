//! Writes a store from its parts.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, EventKind, LocationChecks, Names, SymbolId,
    SymbolTable, TraceError, WideFields,
};
use rayon::prelude::*;

use crate::complete::CompleteStore;
use crate::folder::{Counts, Form, HashedFile, Manifest, VERSION, hash_files};
use crate::index::Index;
use crate::models::{self, PartModels};
use crate::origin::Origin;
use crate::part::{
    FollowedLocation, Layout, MemoryPool, PartEnd, PartWriter, ProblemsOfPieces, TopologyBuffers,
    follow_pieces,
};
use crate::paths::VIEWS;
use crate::replaced::Replaced;
use crate::target::TargetFolder;
use crate::unsigned::Unsigned;
use crate::views::ViewedStore;
use crate::{definitions, diagnostics as diagnostics_table, symbols, views};

/// A store that is being written. Parts can be written in parallel.
#[derive(Debug)]
pub struct StoreWriter<'a> {
    folder: TargetFolder,
    layout: Layout,
    /// The table of symbols of all streams, if they have the same.
    shared: Option<&'a SymbolTable>,
    /// The memory of completed parts.
    memory: MemoryPool,
    /// The locations that were written in pieces.
    followed: Vec<FollowedLocation>,
    /// Files whose hashes are known, because other tasks have written them.
    pub(crate) hashed: Vec<HashedFile>,
}

impl<'a> StoreWriter<'a> {
    /// Creates a store that will appear at `target`.
    ///
    /// # Errors
    /// Returns an error if `target` exists and is not `replaced`; if another writer is using `target`; or if the folder around it
    /// cannot be written.
    pub fn create(target: &Path, replaced: impl Into<Replaced>) -> Result<Self, TraceError> {
        Ok(Self {
            folder: TargetFolder::create(target, replaced.into())?,
            layout: Layout::default(),
            shared: None,
            memory: MemoryPool::default(),
            followed: Vec::new(),
            hashed: Vec::new(),
        })
    }

    /// Sets the layout of the store.
    #[must_use]
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Sets the table of symbols that all streams share, if they do. Its symbols keep their ids in the store.
    #[must_use]
    pub fn with_symbols(mut self, shared: Option<&'a SymbolTable>) -> Self {
        self.shared = shared;
        self
    }

    /// Returns the folder in which the store is written.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Begins part `number`.
    ///
    /// # Errors
    /// Returns an error if the files of the part cannot be created.
    pub fn part(&self, number: u32) -> Result<PartWriter<'a>, TraceError> {
        PartWriter::new(
            self.folder.path(),
            number,
            &self.layout,
            self.shared,
            self.memory.clone(),
        )
    }

    /// Folds and checks the locations that were written in pieces. `parts` are all parts of the store, in the order of their
    /// numbers, and `max_body` is as in [`complete`](Self::complete). Returns the problems of each location.
    ///
    /// # Errors
    /// Returns an error if a part cannot be read, the output cannot be written, or the work was stopped.
    pub fn follow_pieces(
        &mut self,
        parts: &[(PartEnd, PartModels)],
        max_body: usize,
        checks: &dyn LocationChecks,
        progress: &Progress,
    ) -> Result<Vec<ProblemsOfPieces>, TraceError> {
        let parts = parts.iter().map(|(part, _)| part);
        let followed = follow_pieces(self.folder.path(), parts, max_body, checks, progress)?;
        let (followed, problems) = followed.into_iter().unzip();
        self.followed = followed;
        Ok(problems)
    }

    /// Completes the store from its parts, in the order of their numbers, and gives it its final name. The models of
    /// a part use the symbols of that part.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written, or if another file or folder has appeared at the target
    /// meanwhile.
    pub fn finish(
        self,
        origin: &Origin,
        definitions: &Definitions,
        diagnostics: &Diagnostics,
        parts: Vec<(PartEnd, PartModels)>,
        max_body: usize,
    ) -> Result<Manifest, TraceError> {
        self.complete(origin, definitions, diagnostics, parts, max_body)?
            .appear(&Progress::default())
    }

    /// Completes the store in the same way as [`finish`](Self::finish), but does not give it its final name yet.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn complete(
        self,
        origin: &Origin,
        definitions: &Definitions,
        diagnostics: &Diagnostics,
        parts: Vec<(PartEnd, PartModels)>,
        max_body: usize,
    ) -> Result<CompleteStore, TraceError> {
        self.memory.free();
        let store = self.folder.path();
        let names = Names::new(definitions);

        let (mut parts, part_models): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let shared = self
            .shared
            .filter(|_| parts.iter().any(|part| part.has_shared_symbols));
        let tables = parts
            .iter_mut()
            .map(|part| std::mem::take(&mut part.symbols));
        let (mut symbols, rows) = join(shared, tables.collect());
        (parts.par_iter().zip(&rows))
            .try_for_each_init(TopologyBuffers::default, |buffers, (part, rows)| {
                part.write_topology(store, &symbols, rows, buffers)
            })?;
        let mut unsigned = self.unsigned_quantities(&parts)?;
        let (followed, of_followed): (Vec<_>, Vec<_>) = self
            .followed
            .into_iter()
            .map(|location| (location.models, symbols.ids_of_rows(&location.symbols)))
            .unzip();
        let all_models = part_models.into_iter().chain(followed);
        let rows = rows.iter().chain(&of_followed).map(Vec::as_slice);
        models::write(
            store,
            all_models.zip(rows).collect(),
            &symbols,
            &mut unsigned,
        )?;

        let segments = parts.iter_mut().map(|part| &mut part.segments);
        let index = Index::new(segments.flat_map(std::mem::take).collect());
        index.write(store, &mut unsigned)?;
        symbols::write(store, &symbols, &names, &mut unsigned)?;
        definitions::write(store, definitions, &names, &index, &mut unsigned)?;
        diagnostics_table::write(
            store,
            &origin.inherited,
            diagnostics,
            VERSION,
            &mut unsigned,
        )?;

        let mut counts = count(&parts, &index, &symbols, definitions, &names);
        counts.diagnostics = origin.count(diagnostics);
        let clock = definitions.clock();

        let mut files = self.hashed;
        let known: HashSet<&str> = files.iter().map(|file| file.entry.path.as_str()).collect();
        let new = hash_files(store, |path| known.contains(path))?;
        files.extend(new);
        let viewed = ViewedStore {
            name: &self.folder.name(),
            version: VERSION,
            clock,
            has_tags: symbols.has_tagged_rows(),
            files: &files,
        };
        views::write(store, viewed)?;
        files.extend(hash_files(store, |path| path != VIEWS)?);
        let manifest = Manifest::new(
            self.layout.form,
            origin.source.clone(),
            clock,
            counts,
            max_body as u64,
            symbols.has_tagged_rows(),
            unsigned,
        );
        CompleteStore::seal(self.folder, manifest, files)
    }

    /// Collects the times and quantities that are unsigned, and corrects the footers of the tables of quantities.
    fn unsigned_quantities(&self, parts: &[PartEnd]) -> Result<Unsigned, TraceError> {
        let wide = parts.iter().map(|part| part.wide);
        let mut unsigned = Unsigned::default();
        unsigned.insert_fields(wide.fold(WideFields::default(), WideFields::union));
        if self.layout.form == Form::Plain {
            let store = self.folder.path();
            (parts.par_iter()).try_for_each(|part| unsigned.correct(&part.quantity(store)))?;
        }
        Ok(unsigned)
    }
}

/// Joins the tables of symbols of all parts. Also returns, for each part, the ids of its rows in the joined table. If the
/// parts have symbols of a shared table, all of its rows keep their ids.
fn join(
    shared: Option<&SymbolTable>,
    mut parts: Vec<SymbolTable>,
) -> (SymbolTable, Vec<Vec<SymbolId>>) {
    let have_many_tags = parts.iter().any(SymbolTable::has_many_tags);
    if let Some(shared) = shared
        && (shared.has_many_tags() || !have_many_tags)
    {
        let mut all = shared.clone();
        let ids = parts.iter().map(|part| all.ids_of_rows(part)).collect();
        return (all, ids);
    }
    if let [part] = &mut parts[..]
        && !have_many_tags
    {
        let ids = part.iter().map(|(row, _)| row).collect();
        return (std::mem::take(part), vec![ids]);
    }
    SymbolTable::joined(parts.iter())
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

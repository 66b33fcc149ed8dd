//! Derived tables: those of a store, and those in the cache, where each is derived once.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow::datatypes::SchemaRef;
use foldtrace::derive::{self, Request, derive_into};
use foldtrace::matching::RankRange;
use foldtrace::read::Progress;
use foldtrace::scan::DerivedScan;
use foldtrace::store::{Portion, StoreReader};
use foldtrace::trace::{Diagnostics, TraceError};
use foldtrace_output::{OutputFolder, Scratch};
use pyo3::prelude::*;

use crate::cache;
use crate::errors::{exception, warn};
use crate::table::{Batches, Rows, Table};
use crate::work::{name_of, watched};

/// Returns a derived table of a store. If the store does not have it, it is derived in the folder for caches.
pub fn table(
    py: Python<'_>,
    store: &Arc<StoreReader>,
    table: derive::Table,
    caches: Option<&Path>,
) -> PyResult<Table> {
    let failed = |error: TraceError| exception(py, &error);
    let mut folder = None;
    if table.rows(store, Portion::ALL).map_err(failed)?.is_none() {
        let caches = caches.map_or_else(cache::default_folder, |caches| Ok(caches.to_owned()));
        let target = cache::tables_of(store, table.derived(), &caches.map_err(failed)?);
        if !target.exists() {
            let work = |progress: &Progress| derive(store, table, &target, progress);
            let total = AtomicU64::new(store.manifest().counts.events);
            let what = format!("{} {}", table.derived().name(), name_of(store.path()));
            warn(py, &watched(py, &what, &total, work)?)?;
        }
        folder = Some(target);
    }
    let rows = Derived::new(store, table, folder, None);
    Ok(Table::new(rows.map_err(failed)?))
}

/// Returns the part of a derived table that belongs to some processes. It is derived in a temporary folder, which is removed with
/// the table.
pub fn part(
    py: Python<'_>,
    store: &Arc<StoreReader>,
    table: derive::Table,
    ranks: RankRange,
) -> PyResult<Table> {
    let failed = |error: TraceError| exception(py, &error);
    let scratch = Scratch::create(&env::temp_dir()).map_err(failed)?;
    let folder = scratch.path().to_owned();
    let work = |progress: &Progress| {
        let tables = [table.derived()];
        let request = Request {
            ranks,
            ..Request::new(&tables)
        };
        let (_, diagnostics) = derive_into(&folder, store, request, progress)?;
        Ok(diagnostics)
    };
    let total = AtomicU64::new(store.manifest().counts.events);
    let what = format!("{} {}", table.derived().name(), name_of(store.path()));
    warn(py, &watched(py, &what, &total, work)?)?;
    let rows = Derived::new(store, table, Some(folder.clone()), Some(scratch));
    Ok(Table::new(rows.map_err(failed)?))
}

/// Derives a table, and those that belong to it, in the folder `target`.
fn derive(
    store: &StoreReader,
    table: derive::Table,
    target: &Path,
    progress: &Progress,
) -> Result<Diagnostics, TraceError> {
    cache::fill(target, progress, || {
        // Nothing is at `target`, or the same table, if the file system has no locks.
        let folder = OutputFolder::create(target.to_owned(), |_| Ok(()))?;
        let tables = [table.derived()];
        let request = Request::new(&tables);
        let (_, diagnostics) = derive_into(folder.path(), store, request, progress)?;
        folder.complete()?;
        Ok(diagnostics)
    })
}

/// The rows of a derived table.
struct Derived {
    store: Arc<StoreReader>,
    table: derive::Table,
    /// The folder of the table, unless the store has it.
    folder: Option<PathBuf>,
    schema: SchemaRef,
    _scratch: Option<Scratch>,
}

impl Derived {
    fn new(
        store: &Arc<StoreReader>,
        table: derive::Table,
        folder: Option<PathBuf>,
        scratch: Option<Scratch>,
    ) -> Result<Self, TraceError> {
        let schema = DerivedScan::open(store, table, folder.as_deref())?.schema();
        let store = Arc::clone(store);
        Ok(Self {
            store,
            table,
            folder,
            schema,
            _scratch: scratch,
        })
    }
}

impl Rows for Derived {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn read(&self) -> Result<Batches, TraceError> {
        let folder = self.folder.as_deref();
        let scan = DerivedScan::open(&self.store, self.table, folder)?;
        Ok(Box::new(scan))
    }
}

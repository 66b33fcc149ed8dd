//! Answers of subcommands: what they write, and their tables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::{env, fs, process};

use arrow::datatypes::SchemaRef;
use foldtrace::scan::Nanoseconds;
use foldtrace::store::columns::ColumnType::Number;
use foldtrace::store::columns::{Column, TableColumns, Unit};
use foldtrace::store::{DerivedRows, Manifest, Portion, derived_rows_in};
use foldtrace::trace::{Clock, ErrorKind, TraceError};
use foldtrace::{critical, efficiency, steps, waits};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tempfile::TempDir;

use crate::errors::{exception, warn};
use crate::table::{Batches, Rows, Table};
use crate::work::{name_of, watched};

/// The name of the file that a subcommand writes.
const OUTPUT: &str = "output";

/// The name of the table that it writes besides.
const TABLE: &str = "table.parquet";

/// The columns that no table has to have.
const ANY: TableColumns = TableColumns {
    name: "rows",
    columns: &[],
    sorted_by: &[],
};

/// The columns of times in tables whose other columns depend on the arguments.
const EXTRACTED: TableColumns = TableColumns {
    columns: &[
        Column::optional("time", Number, "time of the first event").unit(Unit::Time),
        Column::optional("end_time", Number, "time of the last event").unit(Unit::Time),
    ],
    ..ANY
};

/// Runs a subcommand. Returns what it writes.
#[pyfunction]
pub fn answer<'py>(py: Python<'py>, mut arguments: Vec<OsString>) -> PyResult<Bound<'py, PyBytes>> {
    let folder = Folder::create(py)?;
    let output = folder.path().join(OUTPUT);
    arguments.extend(["--output".into(), output.clone().into()]);
    run_quietly(py, arguments)?;
    let written = read(&output).map_err(|error| exception(py, &error))?;
    Ok(PyBytes::new(py, &written))
}

/// Runs a subcommand about the store at `store` that writes a table with its option `option`, and something else if that is not
/// its output. Returns the table, and what else it writes.
#[pyfunction]
pub fn answer_table<'py>(
    py: Python<'py>,
    mut arguments: Vec<OsString>,
    store: PathBuf,
    option: &str,
) -> PyResult<(Table, Bound<'py, PyBytes>)> {
    let folder = Folder::create(py)?;
    let [output, table] = [OUTPUT, TABLE].map(|name| folder.path().join(name));
    let has_output = option != "--output";
    if has_output {
        arguments.extend(["--output".into(), output.clone().into()]);
    }
    let times = times(arguments.first());
    arguments.extend([option.into(), table.into()]);
    run_quietly(py, arguments)?;
    let rows = py.detach(|| {
        let clock = Manifest::read(&store)?.clock();
        let rows = Answered::open(folder, times, clock)?;
        let written = match has_output {
            true => read(&output)?,
            false => Vec::new(),
        };
        Ok((rows, written))
    });
    let (rows, written) = rows.map_err(|error| exception(py, &error))?;
    Ok((Table::new(rows), PyBytes::new(py, &written)))
}

fn read(file: &Path) -> Result<Vec<u8>, TraceError> {
    fs::read(file).map_err(|error| TraceError::unreadable(file, error))
}

/// Runs a subcommand that writes to the paths in its arguments.
#[pyfunction]
pub fn run_quietly(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<()> {
    let words = arguments.iter().take(2).map(|word| name_of(word.as_ref()));
    let what = words.collect::<Vec<_>>().join(" ");
    let diagnostics = watched(py, &what, &AtomicU64::new(0), |progress| {
        foldtrace::cli::answer(arguments, Arc::clone(&progress.stop))
    })?;
    warn(py, &diagnostics)
}

/// Returns the columns of times in the table of a subcommand.
fn times(subcommand: Option<&OsString>) -> &'static TableColumns {
    match subcommand.and_then(|name| name.to_str()) {
        Some("waits") => &waits::WAITS,
        Some("critical") => &critical::SEGMENTS,
        Some("efficiency") => &efficiency::ITERATIONS,
        Some("steps") => &steps::STEPS,
        Some("extract") => &EXTRACTED,
        _ => &ANY,
    }
}

/// The rows of a table that a subcommand wrote.
struct Answered {
    folder: Folder,
    conversion: Nanoseconds,
}

impl Answered {
    fn open(folder: Folder, times: &TableColumns, clock: Clock) -> Result<Self, TraceError> {
        let schema = rows_in(folder.path())?.schema();
        let conversion = Nanoseconds::new(times, &schema, clock);
        Ok(Self { folder, conversion })
    }
}

impl Rows for Answered {
    fn schema(&self) -> SchemaRef {
        self.conversion.schema()
    }

    fn read(&self) -> Result<Batches, TraceError> {
        let conversion = self.conversion.clone();
        let rows = rows_in(self.folder.path())?;
        Ok(Box::new(rows.map(move |rows| {
            let converted = conversion.convert(&rows?);
            converted.map_err(|error| {
                let message = "the table has other columns than when it was written";
                TraceError::new(ErrorKind::Internal, message).caused_by(error)
            })
        })))
    }
}

fn rows_in(folder: &Path) -> Result<DerivedRows, TraceError> {
    let missing = || {
        TraceError::new(
            ErrorKind::Internal,
            "the subcommand did not write its table",
        )
    };
    derived_rows_in(folder, TABLE, &ANY, Portion::ALL)?.ok_or_else(missing)
}

/// A folder of temporary files.
struct Folder {
    folder: TempDir,
    process: u32,
}

impl Folder {
    fn create(py: Python<'_>) -> PyResult<Self> {
        let folder = tempfile::Builder::new().prefix("foldtrace-").tempdir();
        let unwritable = |error| exception(py, &TraceError::unwritable(&env::temp_dir(), error));
        Ok(Self {
            folder: folder.map_err(unwritable)?,
            process: process::id(),
        })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Folder {
    /// Leaves the folder to the process that created it: a fork must not remove it.
    fn drop(&mut self) {
        let is_fork = process::id() != self.process;
        self.folder.disable_cleanup(is_fork);
    }
}

//! Traces: opening them, and the tables that are read from them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arrow::datatypes::SchemaRef;
use foldtrace::convert::{self, ConvertOptions};
use foldtrace::cut::{Kinds, TimeSpan};
use foldtrace::derive;
use foldtrace::formats::Recognised;
use foldtrace::matching::RankRange;
use foldtrace::read::Progress;
use foldtrace::scan::{self, MetricScan, Scan};
use foldtrace::store::{self, Origin, Source, Store, StoreReader};
use foldtrace::trace::{Diagnostics, Position, ReadOptions, TraceError};
use pyo3::prelude::*;

use crate::cache;
use crate::derived;
use crate::errors::{exception, warn};
use crate::table::{Batches, Rows, Table, name_in_files};
use crate::work::{interruptible, name_of, on_threads, watched};

/// Returns the path of the store of a trace in the cache, after converting the trace if necessary.
fn cached(
    py: Python<'_>,
    trace: Recognised,
    path: &Path,
    salvage: bool,
    cache: Option<PathBuf>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<PathBuf> {
    let failed = |error: TraceError| exception(py, &error);
    let folder = cache
        .map_or_else(cache::default_folder, Ok)
        .map_err(failed)?;
    let target = cache::path_of(path, &folder, salvage).map_err(failed)?;
    if target.exists() {
        return Ok(target);
    }
    let total = AtomicU64::new(0);
    let convert = |work: &Progress| {
        cache::fill(&target, work, || {
            to_store(trace, path, &target, salvage, &total, work)
        })
    };
    let diagnostics = match progress {
        Some(report) => {
            let events = |work: &Progress| work.events.load(Ordering::Relaxed);
            interruptible(py, |work| report.call1((events(work),)).map(drop), convert)
        }
        None => watched(py, &name_of(path), &total, convert),
    }?;
    warn(py, &diagnostics)?;
    Ok(target)
}

/// Converts a trace to a store, and writes the size of the trace to `total` before.
fn to_store(
    trace: Recognised,
    path: &Path,
    target: &Path,
    salvage: bool,
    total: &AtomicU64,
    progress: &Progress,
) -> Result<Diagnostics, TraceError> {
    let origin = Origin::trace(Source {
        format: trace.format().name.to_owned(),
        name: name_of(path).into_owned(),
    });
    let options = ReadOptions::in_pieces(salvage);
    let reader = trace.open(&options)?.reader;
    total.store(convert::total_bytes(&*reader), Ordering::Relaxed);
    let options = ConvertOptions {
        salvage,
        ..ConvertOptions::default()
    };
    let (_, diagnostics) = convert::to_store(&*reader, &origin, target, &options, progress)?;
    Ok(diagnostics)
}

/// An open trace.
#[pyclass(frozen, subclass, module = "foldtrace._lib")]
pub struct Trace {
    store: Store,
    /// The reader of all locations, once a method has needed it.
    reader: OnceLock<Arc<StoreReader>>,
    /// The path that the user gave.
    path: PathBuf,
    /// The folder for caches that the user gave.
    caches: Option<PathBuf>,
}

impl Trace {
    /// Returns a reader of all locations.
    fn reader(&self) -> Result<&Arc<StoreReader>, TraceError> {
        if let Some(reader) = self.reader.get() {
            return Ok(reader);
        }
        let reader = on_threads(|| self.store.reader())?;
        Ok(self.reader.get_or_init(|| Arc::new(reader)))
    }

    /// Returns a reader of the locations with these labels, or of all if there are none.
    fn reader_for(&self, labels: &[String]) -> Result<Arc<StoreReader>, TraceError> {
        if self.reader.get().is_none()
            && let Some(reader) = self.store.reader_for(labels)?
        {
            return Ok(Arc::new(reader));
        }
        self.reader().cloned()
    }

    /// Returns a reader of all locations, for the thread with Python's lock.
    fn reader_in(&self, py: Python<'_>) -> PyResult<&Arc<StoreReader>> {
        let reader = py.detach(|| self.reader());
        reader.map_err(|error| exception(py, &error))
    }

    fn derived(&self, py: Python<'_>, table: derive::Table) -> PyResult<Table> {
        derived::table(py, self.reader_in(py)?, table, self.caches.as_deref())
    }

    fn part(&self, py: Python<'_>, table: derive::Table, ranks: RankRange) -> PyResult<Table> {
        derived::part(py, self.reader_in(py)?, table, ranks)
    }
}

#[pymethods]
impl Trace {
    /// Opens a store, or a trace in any other format, which is converted to a store in a cache.
    #[new]
    #[pyo3(signature = (path, *, format = None, salvage = false, cache = None, progress = None))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        format: Option<&str>,
        salvage: bool,
        cache: Option<PathBuf>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let stop = Arc::default();
        let caches = cache.clone();
        let recognised = py.detach(|| foldtrace::formats::recognise(&path, format, &stop));
        let recognised = recognised.map_err(|error| exception(py, &error))?;
        let store = match recognised.store() {
            Some(store) if !salvage => store.to_owned(),
            _ => cached(py, recognised, &path, salvage, cache, progress)?,
        };
        let store = py.detach(|| Store::open(&store));
        Ok(Self {
            store: store.map_err(|error| exception(py, &error))?,
            reader: OnceLock::new(),
            path,
            caches,
        })
    }

    /// The path of the trace.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The path of the store, which is in the cache if the trace is none.
    #[getter]
    fn store(&self) -> PathBuf {
        self.store.path().to_owned()
    }

    /// The number of events.
    fn __len__(&self) -> usize {
        usize::try_from(self.store.manifest().counts.events).unwrap_or(usize::MAX)
    }

    /// The locations: a row for each of them.
    #[getter]
    fn locations(&self, py: Python<'_>) -> PyResult<Table> {
        let rows = py.detach(|| scan::locations(self.reader()?));
        Ok(Table::new(rows.map_err(|error| exception(py, &error))?))
    }

    /// The events: a row for each of them.
    #[pyo3(signature = (*, location = None, time = None, position = None, kind = None, columns = None))]
    fn events(
        &self,
        py: Python<'_>,
        location: Option<OneOrMany<Location>>,
        time: Option<Time>,
        position: Option<(Option<u64>, Option<u64>)>,
        kind: Option<OneOrMany<String>>,
        columns: Option<Vec<String>>,
    ) -> PyResult<Table> {
        let locations = OneOrMany::all(location).into_iter();
        let names = columns.map(|columns| columns.into_iter().map(name_in_files).collect());
        let positions = position
            .map(|(from, to)| Position(from.unwrap_or_default())..Position(to.unwrap_or(u64::MAX)));
        let events = py.detach(|| {
            let scan = Scan {
                locations: locations.map(Location::name).collect(),
                time: time.map_or_else(|| Ok(TimeSpan::default()), Time::span)?,
                positions,
                kinds: Kinds::parse(&OneOrMany::all(kind))?,
                columns: names,
            };
            Events::new(self.reader_for(&scan.locations)?, scan)
        });
        Ok(Table::new(events.map_err(|error| exception(py, &error))?))
    }

    /// The calls: a row for each of them.
    #[getter]
    fn calls(&self, py: Python<'_>) -> PyResult<Table> {
        self.derived(py, derive::Table::Calls)
    }

    /// The messages: a row for each of them.
    #[getter]
    fn messages(&self, py: Python<'_>) -> PyResult<Table> {
        self.derived(py, derive::Table::Messages)
    }

    /// The collective operations: a row for each of them.
    #[getter]
    fn collectives(&self, py: Python<'_>) -> PyResult<Table> {
        self.derived(py, derive::Table::Collectives)
    }

    /// The members of collective operations: a row for each part of a process in an operation.
    #[getter]
    fn collective_members(&self, py: Python<'_>) -> PyResult<Table> {
        self.derived(py, derive::Table::Members)
    }

    /// The values of metrics: a row for each value of each metric event.
    #[getter]
    fn metrics(&self, py: Python<'_>) -> PyResult<Table> {
        let metrics = py.detach(|| Metrics::new(self.reader()?));
        Ok(Table::new(metrics.map_err(|error| exception(py, &error))?))
    }

    /// The iterations of the loops in the model of each location: a row for each of them.
    #[getter]
    fn local_iterations(&self, py: Python<'_>) -> PyResult<Table> {
        self.derived(py, derive::Table::Iterations)
    }

    /// What each location does in each bucket of time, in levels of detail: a row for each region in each bucket.
    #[getter]
    fn timeline(&self, py: Python<'_>) -> PyResult<Table> {
        self.derived(py, derive::Table::Timeline)
    }

    /// The calls of the processes with the ranks from `begin` to before `end`. Locations without a process count as rank 0.
    fn calls_of(&self, py: Python<'_>, begin: u64, end: u64) -> PyResult<Table> {
        self.part(py, derive::Table::Calls, RankRange { begin, end })
    }

    /// The messages that the processes with the ranks from `begin` to before `end` receive.
    fn messages_to(&self, py: Python<'_>, begin: u64, end: u64) -> PyResult<Table> {
        self.part(py, derive::Table::Messages, RankRange { begin, end })
    }

    /// Compares the store with its checksums, and its models with its events. Returns the problems.
    fn verify(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let path = self.store.path().to_owned();
        let what = format!("verify {}", name_of(&path));
        let verification = watched(py, &what, &AtomicU64::new(0), |_| store::verify(&path))?;
        let findings = verification.findings.into_iter();
        Ok(findings
            .map(|finding| (finding.path, finding.problem))
            .collect())
    }

    fn __repr__(&self) -> String {
        let counts = &self.store.manifest().counts;
        format!(
            "foldtrace.open({:?}): {} events in {} locations",
            self.path.display().to_string(),
            counts.events,
            counts.locations
        )
    }
}

/// The rows of the table of events.
struct Events {
    store: Arc<StoreReader>,
    scan: Scan,
    schema: SchemaRef,
}

impl Events {
    fn new(store: Arc<StoreReader>, scan: Scan) -> Result<Self, TraceError> {
        let schema = scan.open(Arc::clone(&store))?.schema();
        Ok(Self {
            store,
            scan,
            schema,
        })
    }
}

impl Rows for Events {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn read(&self) -> Result<Batches, TraceError> {
        Ok(Box::new(self.scan.open(Arc::clone(&self.store))?))
    }
}

/// The rows of the table of metrics.
struct Metrics {
    store: Arc<StoreReader>,
    schema: SchemaRef,
}

impl Metrics {
    fn new(store: &Arc<StoreReader>) -> Result<Self, TraceError> {
        let store = Arc::clone(store);
        let schema = MetricScan::open(Arc::clone(&store), &[], TimeSpan::default())?.schema();
        Ok(Self { store, schema })
    }
}

impl Rows for Metrics {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn read(&self) -> Result<Batches, TraceError> {
        let scan = MetricScan::open(Arc::clone(&self.store), &[], TimeSpan::default())?;
        Ok(Box::new(scan))
    }
}

/// A value, or a list of values.
#[derive(FromPyObject)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// Returns all values; none if there is no argument.
    fn all(argument: Option<Self>) -> Vec<T> {
        match argument {
            None => Vec::new(),
            Some(Self::One(value)) => vec![value],
            Some(Self::Many(values)) => values,
        }
    }
}

/// A location, as a rank or as its name on the command line.
#[derive(FromPyObject)]
enum Location {
    Rank(u64),
    Name(String),
}

impl Location {
    fn name(self) -> String {
        match self {
            Self::Rank(rank) => rank.to_string(),
            Self::Name(name) => name,
        }
    }
}

/// A range of time, in nanoseconds as in the column `time`, or as on the command line.
#[derive(FromPyObject)]
enum Time {
    Text(String),
    Nanoseconds(Option<u64>, Option<u64>),
}

impl Time {
    fn span(self) -> Result<TimeSpan, TraceError> {
        let side = |side: Option<u64>| side.map_or_else(String::new, |time| format!("{time}ns"));
        match self {
            Self::Text(text) => TimeSpan::parse(&text),
            Self::Nanoseconds(from, to) => {
                TimeSpan::parse(&format!("{}..{}", side(from), side(to)))
            }
        }
    }
}

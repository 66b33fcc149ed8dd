//! Reads the events of a store and writes the tables that are derived from them.
//!
//! Calls, iterations, the timeline and the DAG are derived location by location, on all cores. Messages and collective
//! operations need the events of all locations in chronological order; corrected clocks, in an order of their own. A census of
//! symbols comes first, so that no event waits for a counterpart that never comes.

mod calls;
mod collectives;
mod communication;
mod dag;
mod iterations;
mod kept;
mod messages;
mod of_parts;
mod rows;
mod shard;
mod share;
mod table;
pub mod timeline;

use std::fs;
use std::path::Path;

use foldtrace_calltree::{Pattern, Trees};
use foldtrace_clock::{Correction, Method};
use foldtrace_fold::dag::Rules;
use foldtrace_matching::RankRange;
use foldtrace_store::{CompleteStore, Derived, DerivedFolder, Manifest, StoreReader, Written};
use foldtrace_stream::memory::Plan;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, Place, TraceError};
use serde::{Deserialize, Serialize};

use shard::KeptOfShards;
use share::TaskShare;
use timeline::LocationRows;

pub use shard::{WrittenShard, join, join_if_last, to_shard};
pub use table::Table;

/// The numbers of rows that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// The number of calls.
    pub calls: u64,
    /// The number of messages.
    pub messages: u64,
    /// The number of collective operations.
    pub collectives: u64,
    /// The number of nodes of the DAG.
    pub nodes: u64,
    /// The number of iterations of loops.
    pub iterations: u64,
    /// The number of rows of the timeline.
    pub timeline: u64,
    /// The number of locations with corrected clocks.
    pub clocks: u64,
}

impl Rows {
    /// Adds the rows of another task.
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.messages += other.messages;
        self.collectives += other.collectives;
        self.nodes += other.nodes;
        self.iterations += other.iterations;
        self.timeline += other.timeline;
        self.clocks += other.clocks;
    }
}

/// The tables to derive, and the options for deriving them.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The tables.
    pub tables: &'a [Derived],
    /// The patterns whose occurrences the tables of the DAG include.
    pub patterns: &'a [Pattern],
    /// The method by which clocks are corrected.
    pub clock: Method,
    /// The number of buckets that the finest level of the timeline has at most, in all locations together. The usual number
    /// is proportional to that of the events.
    pub buckets: Option<u64>,
    /// The processes whose calls, and received messages, are derived. Tables of several ranges have the same rows as one of
    /// all processes. Other tables can only be derived for all.
    pub ranks: RankRange,
    /// The number of events of a group of processes, whose received messages have row groups of their own. Each task that writes a
    /// shard derives the messages of some groups.
    pub events_per_group: u64,
    /// The plan that limits the number of events that are buffered to put them into chronological order.
    pub memory: Option<Plan>,
}

/// The usual number of events of a group of processes, whose messages a task matches in some seconds. With fewer, messages that are
/// under way at the same time are in more row groups.
const EVENTS_PER_GROUP: u64 = 1 << 24;

impl<'a> Request<'a> {
    /// Requests tables with the usual options.
    #[must_use]
    pub const fn new(tables: &'a [Derived]) -> Self {
        Self {
            tables,
            patterns: &[],
            clock: Method::Controlled,
            buckets: None,
            ranks: RankRange::ALL,
            events_per_group: EVENTS_PER_GROUP,
            memory: None,
        }
    }
}

/// The tables that were added to a store.
#[derive(Clone, Debug)]
pub struct Added {
    /// The tables.
    pub tables: Vec<Derived>,
    /// The manifest of the store that has them.
    pub manifest: Manifest,
    /// Their rows.
    pub rows: Rows,
    /// The problems that were found.
    pub diagnostics: Diagnostics,
}

/// Adds derived tables to the store at `path`. A new store replaces the old one, which stays unchanged until then.
///
/// # Errors
/// Returns an error if there is no intact store, the output cannot be written, or the work was stopped.
pub fn derive(path: &Path, request: Request<'_>, progress: &Progress) -> Result<Added, TraceError> {
    let mut store = CompleteStore::copy_of(path)?;
    let hidden = store.path().to_owned();
    let added = add(&mut store, request, progress);
    let (rows, diagnostics) = added.map_err(|error| as_named(error, &hidden, path))?;
    Ok(Added {
        tables: request.tables.to_vec(),
        manifest: store.appear(progress)?,
        rows,
        diagnostics,
    })
}

/// Makes an error about a file of the hidden copy name the same file of the store at `path`, which has the same
/// defect.
fn as_named(mut error: TraceError, hidden: &Path, path: &Path) -> TraceError {
    if error.is_salvageable()
        && let Some(file) = &mut error.place.file
        && let Ok(within) = file.strip_prefix(hidden)
    {
        *file = path.join(within);
    }
    error
}

/// Adds derived tables to a store that has not appeared yet.
///
/// # Errors
/// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
pub fn add(
    store: &mut CompleteStore,
    request: Request<'_>,
    progress: &Progress,
) -> Result<(Rows, Diagnostics), TraceError> {
    let tables = request.tables;
    store.remove_derived(tables)?;
    let reader = StoreReader::open(store.path())?;
    let written = write(DerivedFolder::of(&reader), request, progress)?;
    store.add_derived(tables, &written.files, &written.diagnostics)?;
    Ok((written.rows, written.diagnostics))
}

/// Derives tables in a folder of their own, which must exist. The store remains as it is.
///
/// # Errors
/// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
pub fn derive_into(
    folder: &Path,
    store: &StoreReader,
    request: Request<'_>,
    progress: &Progress,
) -> Result<(Rows, Diagnostics), TraceError> {
    let path = folder;
    let written = write(DerivedFolder { store, path }, request, progress)?;
    DerivedFolder::settle(&written.files)?;
    Ok((written.rows, written.diagnostics))
}

/// Derived tables that were written.
#[derive(Default)]
struct Tables {
    rows: Rows,
    files: Vec<Written>,
    /// The messages, with a file for each group of receivers.
    of_messages: Vec<Written>,
    /// The problems of the calls of each part.
    of_calls: Vec<(u32, Diagnostics)>,
    diagnostics: Diagnostics,
}

fn write(
    folder: DerivedFolder<'_>,
    request: Request<'_>,
    progress: &Progress,
) -> Result<Tables, TraceError> {
    let is_whole = |table: &&Derived| !matches!(table, Derived::Calls | Derived::Messages);
    if request.ranks != RankRange::ALL
        && let Some(table) = request.tables.iter().find(is_whole)
    {
        let message = format!("{} cannot be derived for some processes", table.name());
        let error = TraceError::new(ErrorKind::Usage, message).at(Place::file(folder.path));
        return Err(error.hint("derive calls or messages, or the table of all processes"));
    }
    let share = TaskShare::whole(folder.store, &request);
    let mut written = write_share(folder, &request, &share, progress)?;
    complete(folder, &request, None, &mut written, progress)?;
    let files = written.of_messages.iter();
    files.map(|file| &file.path).try_for_each(|path| {
        fs::remove_file(path).map_err(|error| TraceError::unwritable(path, error))
    })?;
    Ok(written)
}

/// Writes the tables in the share of a task that need nothing of other tasks.
fn write_share(
    folder: DerivedFolder<'_>,
    request: &Request<'_>,
    share: &TaskShare,
    progress: &Progress,
) -> Result<Tables, TraceError> {
    let is_requested = |table| request.tables.contains(&table);
    let mut written = Tables::default();
    let (rows, files) = (&mut written.rows, &mut written.files);
    if is_requested(Derived::Calls) {
        let (calls, problems) = of_parts::write_calls(folder, share, progress)?;
        rows.calls = calls.rows;
        files.extend(calls.files);
        written.of_calls = problems;
    }
    if is_requested(Derived::Iterations) {
        let iterations = of_parts::write_iterations(folder, share, progress)?;
        rows.iterations = iterations.rows;
        files.extend(iterations.files);
    }
    if share.has_clock {
        let correction = Correction::find(folder.store, request.clock, progress)?;
        rows.clocks = correction.corrected_locations();
        files.extend(correction.write(folder)?);
    }
    let communication = communication::write(folder, share, request.memory, progress)?;
    if let Some(messages) = communication.messages {
        rows.messages = messages.rows;
        written.of_messages = messages.files;
    }
    if let Some(collectives) = communication.collectives {
        rows.collectives = collectives.rows;
        files.extend(collectives.files);
    }
    written.diagnostics = communication.diagnostics;
    Ok(written)
}

/// Writes the tables that need what all tasks have written. Call trees and rows of the timeline are those that tasks have `kept`, or
/// computed from the events.
fn complete(
    folder: DerivedFolder<'_>,
    request: &Request<'_>,
    kept: Option<&KeptOfShards>,
    written: &mut Tables,
    progress: &Progress,
) -> Result<(), TraceError> {
    let is_requested = |table| request.tables.contains(&table);
    let (rows, files) = (&mut written.rows, &mut written.files);
    if is_requested(Derived::Dag) {
        let (patterns, diagnostics) = (request.patterns, &mut written.diagnostics);
        let nodes = if let Some(KeptOfShards { trees, .. }) = kept {
            let tree = |location| trees.get(location);
            dag::write(folder, patterns, tree, progress, diagnostics)?
        } else {
            let trees = Trees::new(folder.store, Rules::default(), progress);
            let tree = |location| trees.of(location);
            dag::write(folder, patterns, tree, progress, diagnostics)?
        };
        rows.nodes = nodes.rows;
        files.extend(nodes.files);
    }
    if is_requested(Derived::Timeline) {
        let most = request.buckets;
        let timeline = if let Some(KeptOfShards { timeline, .. }) = kept {
            timeline::write(folder, most, |location, _| timeline.get(location), progress)?
        } else {
            let rows = LocationRows::new(folder.store, most, progress)?;
            timeline::write(folder, most, |_, stream| rows.of(stream), progress)?
        };
        rows.timeline = timeline.rows;
        files.extend(timeline.files);
    }
    if is_requested(Derived::Messages) {
        files.push(folder.unite(&written.of_messages, Derived::Messages.path())?);
    }
    for (_, problems) in written.of_calls.drain(..) {
        written.diagnostics.merge(problems);
    }
    written.diagnostics.sort();
    Ok(())
}

/// Returns the number of events that are read to derive `tables` from a store, for progress.
#[must_use]
pub fn total_events(store: &Manifest, tables: &[Derived]) -> u64 {
    let alone = [
        Derived::Calls,
        Derived::Dag,
        Derived::Iterations,
        Derived::Timeline,
    ];
    let alone = alone.iter().filter(|table| tables.contains(table)).count();
    let together = tables.iter().any(is_communication);
    // Clocks are estimated in one pass, and controlled in another one.
    let clock = 2 * u64::from(tables.contains(&Derived::Clock));
    store.counts.events * (alone as u64 + u64::from(together) + clock)
}

/// Returns whether a table needs all locations in chronological order.
fn is_communication(table: &Derived) -> bool {
    matches!(table, Derived::Messages | Derived::Collectives)
}

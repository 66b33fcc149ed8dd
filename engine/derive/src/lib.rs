//! Reads the events of a store and writes the tables that are derived from them.
//!
//! Calls, iterations, the timeline and the DAG are derived location by location, on all cores. Messages and collective
//! operations need the events of all locations in chronological order; corrected clocks, in an order of their own. A census of
//! symbols comes first, so that no event waits for a counterpart that never comes.

mod calls;
mod collectives;
mod dag;
mod iterations;
mod messages;
mod rows;
mod table;
pub mod timeline;

use std::collections::BTreeMap;
use std::path::Path;

use foldtrace_calltree::Pattern;
use foldtrace_clock::{Correction, Method};
use foldtrace_matching::{
    Call, Calls, Census, Collectives, Communicators, Matching, Messages, RankRange,
};
use foldtrace_store::{CompleteStore, Derived, DerivedFolder, Manifest, StoreReader, Written};
use foldtrace_stream::memory::{Plan, waiting};
use foldtrace_stream::read::{Progress, read_stream};
use foldtrace_stream::timeline::{Passing, Timeline, TimelineEvent};
use foldtrace_trace::{
    Diagnostic, Diagnostics, ErrorKind, LocationId, Place, Severity, SymbolTable, TraceError,
    TraceReader,
};
use rayon::prelude::*;

use calls::{Callees, CallsWriter};
use collectives::CollectivesWriter;
use iterations::IterationsWriter;
use messages::MessagesWriter;
use rows::{Finished, RowWriter};

pub use table::Table;

/// The numbers of rows that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The plan that limits the number of events that are buffered to put them into chronological order.
    pub memory: Option<Plan>,
}

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
            memory: None,
        }
    }
}

/// Adds derived tables to the store at `path`. A new store replaces the old one, which stays unchanged until then.
///
/// # Errors
/// Returns an error if there is no intact store, the output cannot be written, or the work was stopped.
pub fn derive(
    path: &Path,
    request: Request<'_>,
    progress: &Progress,
) -> Result<(Manifest, Rows, Diagnostics), TraceError> {
    let mut store = CompleteStore::copy_of(path)?;
    let hidden = store.path().to_owned();
    let added = add(&mut store, request, progress);
    let (rows, diagnostics) = added.map_err(|error| as_named(error, &hidden, path))?;
    Ok((store.appear(progress)?, rows, diagnostics))
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
    diagnostics: Diagnostics,
}

fn write(
    folder: DerivedFolder<'_>,
    request: Request<'_>,
    progress: &Progress,
) -> Result<Tables, TraceError> {
    let is_requested = |table| request.tables.contains(&table);
    let is_whole = |table: &&Derived| !matches!(table, Derived::Calls | Derived::Messages);
    if request.ranks != RankRange::ALL
        && let Some(table) = request.tables.iter().find(is_whole)
    {
        let message = format!("{} cannot be derived for some processes", table.name());
        let error = TraceError::new(ErrorKind::Usage, message).at(Place::file(folder.path));
        return Err(error.hint("derive calls or messages, or the table of all processes"));
    }
    let mut written = Tables::default();
    let Tables {
        rows,
        files,
        diagnostics,
    } = &mut written;
    if is_requested(Derived::Calls) {
        let calls = write_calls(folder, request.ranks, progress, diagnostics)?;
        rows.calls = calls.rows;
        files.extend(calls.files);
    }
    if is_requested(Derived::Dag) {
        let nodes = dag::write(folder, request.patterns, progress, diagnostics)?;
        rows.nodes = nodes.rows;
        files.extend(nodes.files);
    }
    if is_requested(Derived::Iterations) {
        let iterations = write_iterations(folder, progress)?;
        rows.iterations = iterations.rows;
        files.extend(iterations.files);
    }
    if is_requested(Derived::Timeline) {
        let timeline = timeline::write(folder, request.buckets, progress)?;
        rows.timeline = timeline.rows;
        files.extend(timeline.files);
    }
    if is_requested(Derived::Clock) {
        let correction = Correction::find(folder.store, request.clock, progress)?;
        rows.clocks = correction.corrected_locations();
        files.extend(correction.write(folder)?);
    }
    if request.tables.iter().any(is_communication) {
        write_communication(folder, request, progress, &mut written)?;
    }
    written.diagnostics.sort();
    Ok(written)
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

/// Writes the calls, in one file per part of the store.
fn write_calls(
    folder: DerivedFolder<'_>,
    ranks: RankRange,
    progress: &Progress,
    diagnostics: &mut Diagnostics,
) -> Result<Finished, TraceError> {
    let store = folder.store;
    let callees = Callees::new(store);
    let written = locations_of_parts(store, ranks)
        .into_par_iter()
        .map(|(part, locations)| {
            let mut writer = CallsWriter::create(part, folder, &callees)?;
            let mut own = Diagnostics::default();
            for (stream, location) in locations {
                writer.begin(location)?;
                let mut calls = Calls::default();
                let mut write = |call: Call| {
                    report_irregular(&call, location, &mut own);
                    writer.write(call)
                };
                read_stream(store, stream, false, progress, |batch, symbols| {
                    let mut events = batch.iter(symbols);
                    events.try_for_each(|event| match calls.take(&event, symbols) {
                        Some(call) => write(call),
                        None => Ok(()),
                    })
                })?;
                calls.finish().try_for_each(write)?;
            }
            Ok((writer.finish()?, own))
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    let (mut rows, mut files) = (0, Vec::new());
    for ((of_part, file), own) in written {
        rows += of_part;
        files.push(file);
        diagnostics.merge(own);
    }
    Ok(Finished { rows, files })
}

/// Writes the iterations of loops, in one file per part of the store.
fn write_iterations(
    folder: DerivedFolder<'_>,
    progress: &Progress,
) -> Result<Finished, TraceError> {
    let store = folder.store;
    let written = locations_of_parts(store, RankRange::ALL)
        .into_par_iter()
        .map(|(part, locations)| {
            let mut writer = IterationsWriter::create(part, folder, progress)?;
            let locations = locations.into_iter().map(|(_, location)| location);
            for stored in store.models_of(locations.collect())? {
                let stored = stored?;
                writer.write(stored.location, &stored.model)?;
            }
            writer.finish()
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    let (rows, files): (Vec<u64>, Vec<_>) = written.into_iter().unzip();
    let rows = rows.into_iter().sum();
    Ok(Finished { rows, files })
}

/// Returns the locations of some processes in each part, with the numbers of their streams. There is at least one part, so
/// that even an empty table has a file.
fn locations_of_parts(
    store: &StoreReader,
    ranks: RankRange,
) -> BTreeMap<u32, Vec<(usize, LocationId)>> {
    let rank = |location| store.names().rank(location).map(|(rank, _)| rank);
    let mut parts = BTreeMap::from([(0, Vec::new())]);
    for (stream, location) in store.locations().enumerate() {
        if ranks.contains(rank(location))
            && let Some(segment) = store.index().of(location).first()
        {
            let of_part: &mut Vec<_> = parts.entry(segment.part).or_default();
            of_part.push((stream, location));
        }
    }
    parts
}

/// Reports an irregular call.
fn report_irregular(call: &Call, location: LocationId, diagnostics: &mut Diagnostics) {
    let (severity, key, message, moment) = match (call.begin, call.end) {
        (Some(_), Some(end)) if call.is_misnested => {
            let message = "a call is left before a call within it";
            (Severity::Note, "calls.misnested", message, end)
        }
        (Some(begin), None) => {
            let message = "a call is entered and never left";
            (Severity::Note, "calls.without_end", message, begin)
        }
        (None, Some(end)) => {
            let message = "a call is left without having been entered";
            (Severity::Note, "calls.without_begin", message, end)
        }
        _ => return,
    };
    let place = Place::default().event(location, moment.position);
    diagnostics.report(Diagnostic::new(severity, key, message).at(place));
}

/// Writes the tables that need the events of all locations in chronological order.
fn write_communication(
    folder: DerivedFolder<'_>,
    request: Request<'_>,
    progress: &Progress,
    written: &mut Tables,
) -> Result<(), TraceError> {
    let store = folder.store;
    let census = Census::from_store(store, progress)?;
    let (definitions, symbols) = (store.definitions(), store.symbols());
    let communicators = Communicators::new(definitions, store.names(), &census, symbols);
    let is_requested = |table| request.tables.contains(&table);
    let mut messages = None;
    if is_requested(Derived::Messages) {
        messages = Some(MatchedTable {
            matching: Messages::new(store.names(), &communicators, &census, symbols)
                .with_receivers(request.ranks),
            writer: MessagesWriter::create(folder)?,
        });
    }
    let mut collectives = None;
    if is_requested(Derived::Collectives) {
        collectives = Some(MatchedTable {
            matching: Collectives::new(store.names(), &communicators, &census, symbols),
            writer: CollectivesWriter::create(folder)?,
        });
    }
    let is_matched = symbols.iter().map(|(_, symbol)| {
        Messages::needs(symbol.kind) && messages.is_some()
            || Collectives::needs(symbol.kind) && collectives.is_some()
    });
    let is_matched: Vec<bool> = is_matched.collect();
    let is_wanted = |event: Passing, _: &SymbolTable| is_matched[event.symbol.row()];
    let divided = messages
        .as_ref()
        .filter(|_| request.ranks != RankRange::ALL);
    let concerned = divided.map(|messages| messages.matching.locations());
    let is_concerned =
        |location| (concerned.as_ref()).is_none_or(|concerned| concerned.contains(&location));
    let waiting = waiting(request.memory);
    let mut timeline = Timeline::of_locations(store, is_concerned, false, progress, waiting)?;
    while let Some(next) = timeline.next_of(is_wanted)? {
        if let Some(messages) = &mut messages {
            messages.take(&next, symbols)?;
        }
        if let Some(collectives) = &mut collectives {
            collectives.take(&next, symbols)?;
        }
    }
    if let Some(messages) = messages {
        let messages = messages.finish(&mut written.diagnostics)?;
        written.rows.messages = messages.rows;
        written.files.extend(messages.files);
    }
    if let Some(collectives) = collectives {
        let collectives = collectives.finish(&mut written.diagnostics)?;
        written.rows.collectives = collectives.rows;
        written.files.extend(collectives.files);
    }
    Ok(())
}

/// A kind of matching, with the writer of the table of its results.
struct MatchedTable<M, W> {
    matching: M,
    writer: W,
}

impl<M: Matching, W: RowWriter<Row = M::Match>> MatchedTable<M, W> {
    fn take(&mut self, next: &TimelineEvent, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.matching.take(next.location, &next.event, symbols);
        let mut found = self.matching.found();
        found.try_for_each(|row| self.writer.write(row))
    }

    fn finish(mut self, diagnostics: &mut Diagnostics) -> Result<Finished, TraceError> {
        let (last, problems) = self.matching.finish();
        diagnostics.merge(problems);
        last.into_iter()
            .try_for_each(|row| self.writer.write(row))?;
        self.writer.finish()
    }
}

//! Summarises the contents of a trace in numbers.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use foldtrace_clock::{ClockReport, Correction, Method};
use foldtrace_fold::Selection;
use foldtrace_matching::Paradigm;
use foldtrace_program::global::{MainLoopJson, ProgramLabels, main_loops_json};
use foldtrace_program::{Merging, Program, costs, main_loops};
use foldtrace_store::{Form, StoreReader};
use foldtrace_stream::read::{Late, Progress, read_stream};
use foldtrace_trace::{
    DefinitionKind, Definitions, ErrorKind, EventBatch, EventKind, LocationId, Names, ReadOptions,
    Severity, Symbol, SymbolId, SymbolTable, Timestamp, TraceError, TraceReader, is_object_url,
};
use rayon::prelude::*;
use serde::Serialize;

use crate::formats::Recognised;

/// The summary of a trace or a store; `schemas/info.schema.json` describes it as JSON.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        deny_unknown_fields,
        extend(
            "if" = { "properties": { "format": { "const": "fold" } } },
            "then" = { "required": ["form", "bytes", "loops", "terms"] },
            "else" = { "properties": { "form": false, "bytes": false, "loops": false, "terms": false } },
        )
    )
)]
pub struct Summary {
    /// The name of the format, as in `foldtrace formats`; `fold` is a store.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub format: String,
    /// The number of events in all locations.
    pub events: u64,
    /// The number of locations that are defined or have events.
    pub locations: u64,
    /// The number of processes: location groups with locations, without groups of accelerators that a process
    /// created.
    pub processes: u64,
    /// The number of region definitions in the source. A region that is defined in several processes counts several
    /// times.
    pub regions: u64,
    /// The number of distinct symbols: events without times and other quantities.
    pub symbols: u64,
    /// Ticks per second of the source's clock.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub ticks_per_second: u64,
    /// Nanoseconds from the first event of the trace to the last; null if a store lacks the bounds of its times.
    pub duration: Option<u64>,
    /// The correction of the clocks that a store has; otherwise, the method is `none`, and violations are counted only in
    /// a store with at most 1,048,576 events.
    pub clock: ClockReport,
    /// The share of MPI in the time of all locations with calls, from 0 to 1. Null unless the trace is a store
    /// with at most 8,388,608 events and 16,384 locations, which can be read; 'foldtrace profile' has no limit.
    pub mpi_share: Option<f64>,
    /// The called regions, sorted by number of calls in descending order. Regions of the same name count as one,
    /// because some traces define a region once per process.
    pub region_names: Vec<RegionSummary>,
    /// The loops of the program with the largest shares of the time, at most 3. Null without `mpi_share`, or if the
    /// models are too long to merge.
    pub main_loops: Option<Vec<MainLoopJson>>,
    /// The locations, in the order of their ids.
    pub location_names: Vec<LocationSummary>,
    /// How a store keeps quantities. Only for stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Form"))]
    pub form: Option<Form>,
    /// The size of the files of a store without its manifest, in bytes. Only for stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub bytes: Option<u64>,
    /// The number of loops in all models of a store. Only for stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub loops: Option<u64>,
    /// The number of terms in all models of a store: events and loops as written. Only for stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub terms: Option<u64>,
    /// The number of events of each kind that occurs.
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "foldtrace_store::json_schema::counts_by_kind")
    )]
    pub kinds: BTreeMap<String, u64>,
    /// The number of problems by key, see diagnostics.md.
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "foldtrace_store::json_schema::counts_by_key")
    )]
    pub diagnostics: BTreeMap<String, u64>,
    #[serde(skip)]
    worst: Option<Severity>,
    /// Why the events of a store could not be read.
    #[serde(skip)]
    unread: Option<String>,
}

/// A called region and the number of its calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct RegionSummary {
    /// The name of the region.
    pub name: String,
    /// The number of calls in all locations.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub calls: u64,
    /// Nanoseconds during which a call was the innermost open call, in all locations. Null without
    /// `mpi_share`.
    pub exclusive: Option<i64>,
    /// The share of that time in the time of all locations with calls, from 0 to 1. Null without
    /// `mpi_share`.
    pub share: Option<f64>,
}

/// A location with its names and the number of its events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LocationSummary {
    /// The id of the location.
    pub location: u64,
    /// The name on the command line.
    pub label: String,
    /// The name in the trace; empty if the location has none.
    pub name: String,
    /// The number of events.
    pub events: u64,
}

impl Summary {
    /// Returns the severity of the worst problem found while reading the trace.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.worst
    }

    /// Returns why the share of MPI, the times of regions, and the main loops are missing, if the events of a store are
    /// damaged.
    #[must_use]
    pub fn unread(&self) -> Option<&str> {
        self.unread.as_deref()
    }

    /// Reads what only the events of a store contain: the times of regions, and of main loops if the models are short. If the
    /// events are damaged, the rest of the summary stays useful.
    ///
    /// # Errors
    /// If the events cannot be read for another reason: the store was replaced, or the work was interrupted.
    fn read_events(
        &mut self,
        store: &StoreReader,
        has_short_models: bool,
    ) -> Result<(), TraceError> {
        let times = add_times(store, &mut self.region_names);
        let read = times.and_then(|share| {
            self.mpi_share = Some(share);
            self.clock = clock_of(store)?;
            if has_short_models {
                self.main_loops = loops_of(store)?;
            }
            Ok(())
        });
        match read {
            Err(error) if matches!(error.kind, ErrorKind::Malformed | ErrorKind::Truncated) => {
                self.unread = Some(error.to_string());
                Ok(())
            }
            read => read,
        }
    }

    /// Summarises a trace. A store contains its numbers; any other trace is read to its end.
    ///
    /// # Errors
    /// If the trace cannot be opened, or is damaged and not salvaged.
    pub fn new(input: Recognised, options: &ReadOptions) -> Result<Self, TraceError> {
        let format = input.format().name;
        let mut summary = match input.store() {
            Some(path) => of_store(path)?,
            None => of_trace(&*input.open(options)?.reader, options.salvage)?,
        };
        format.clone_into(&mut summary.format);
        Ok(summary)
    }
}

fn of_store(path: &Path) -> Result<Summary, TraceError> {
    let store = StoreReader::open(path)?;
    let (names, symbols) = (store.names(), store.symbols());
    let mut calls = Calls::default();
    let (mut loops, mut terms) = (0, 0);
    for stored in store.models()? {
        let model = stored?.model;
        loops += model.loops();
        terms += model.terms();
        calls.add(model.counts(symbols).sorted(), symbols, names);
    }
    let manifest = store.manifest();
    let counts = manifest.counts.clone();
    let ticks_per_second = manifest.clock().ticks_per_second;
    let span = store.time_span()?;
    let locations = store.locations();
    let mut summary = Summary {
        region_names: calls.by_number(),
        ..Summary::default()
    };
    let is_near = !is_object_url(store.path());
    if is_near && counts.events <= MOST_EVENTS && counts.locations <= MOST_LOCATIONS {
        summary.read_events(&store, terms <= MOST_TERMS)?;
    }
    Ok(Summary {
        events: counts.events,
        locations: counts.locations,
        processes: counts.processes,
        regions: counts.regions,
        symbols: counts.symbols,
        ticks_per_second,
        duration: match span {
            Some((first, last)) => {
                let ticks = last.0.wrapping_sub(first.0);
                Some(nanoseconds(ticks, ticks_per_second))
            }
            None => (counts.events == 0).then_some(0),
        },
        location_names: locations
            .map(|location| location_summary(location, store.index().events(location), names))
            .collect(),
        form: Some(manifest.form),
        bytes: Some(manifest.files.iter().map(|file| file.bytes).sum()),
        loops: Some(loops),
        terms: Some(terms),
        kinds: counts.kinds,
        diagnostics: counts.diagnostics,
        ..summary
    })
}

/// The maximum number of events of a local store whose times are read for its summary.
const MOST_EVENTS: u64 = 1 << 23;

/// The maximum number of locations of such a store.
const MOST_LOCATIONS: u64 = 1 << 14;

/// The maximum number of terms in all models of a store whose models are merged for its summary.
const MOST_TERMS: u64 = 100_000;

/// The maximum number of events and loops of a program whose main loops are in its summary.
const MOST_MERGED: u64 = 10_000;

/// The maximum number of main loops.
const MAIN_LOOPS: usize = 3;

/// The maximum number of events of a store whose violations are counted for its summary.
const MOST_COUNTED: u64 = 1 << 20;

/// Returns the correction of clocks that a store has, or the number of violations if it is quickly counted.
fn clock_of(store: &StoreReader) -> Result<ClockReport, TraceError> {
    let correction = match Correction::stored(store)? {
        Some(stored) => stored,
        None if store.manifest().counts.events <= MOST_COUNTED => {
            Correction::find(store, Method::None, &Progress::default())?
        }
        None => Correction::default(),
    };
    Ok(correction.report())
}

/// Adds the times of regions to their summaries. Returns the share of MPI.
fn add_times(store: &StoreReader, regions: &mut [RegionSummary]) -> Result<f64, TraceError> {
    let locations: Vec<LocationId> = store.locations().collect();
    let options = foldtrace_profile::Options::default();
    let profile = foldtrace_profile::find(store, &locations, options, &Progress::default())?;
    let total = (profile.total() as f64).max(1.0);
    let totals = profile.totals();
    let times: HashMap<&str, i64> = totals
        .iter()
        .map(|total| (profile.name(total.time.region), total.time.exclusive))
        .collect();
    for region in regions {
        let ticks = times.get(region.name.as_str());
        region.exclusive = ticks.map(|&ticks| profile.nanoseconds(ticks));
        region.share = ticks.map(|&ticks| ticks as f64 / total);
    }
    let mut paradigms = profile.paradigms().into_iter();
    let mpi = paradigms.find(|(paradigm, _)| *paradigm == Paradigm::Mpi);
    Ok(mpi.map_or(0.0, |(_, ticks)| ticks as f64 / total))
}

/// Returns the main loops of a store; `None` if its models are too long to merge.
fn loops_of(store: &StoreReader) -> Result<Option<Vec<MainLoopJson>>, TraceError> {
    let locations: Vec<LocationId> = store.locations().collect();
    let merging = Merging {
        max_terms: MOST_MERGED,
        ..Merging::new(Selection::Communication)
    };
    let progress = Progress::default();
    let program = match Program::from_store(store, &locations, &merging, &progress) {
        Err(error) if error.kind == ErrorKind::Usage => return Ok(None),
        program => program?,
    };
    let costs = costs(store, &program, &progress)?;
    let mut loops = main_loops(store, &program, &costs)?;
    loops.truncate(MAIN_LOOPS);
    let words = ProgramLabels::new(&program, store.names(), store.symbols());
    let ticks_per_second = store.manifest().clock().ticks_per_second;
    Ok(Some(main_loops_json(&loops, words, ticks_per_second)))
}

fn location_summary(location: LocationId, events: u64, names: &Names) -> LocationSummary {
    let name = names.name(DefinitionKind::Location, location.0);
    LocationSummary {
        location: location.0,
        label: names.label(location),
        name: name.unwrap_or_default().to_owned(),
        events,
    }
}

fn nanoseconds(ticks: u64, ticks_per_second: u64) -> u64 {
    let nanoseconds = u128::from(ticks) * 1_000_000_000 / u128::from(ticks_per_second.max(1));
    u64::try_from(nanoseconds).unwrap_or(u64::MAX)
}

/// The number of calls by name of region. Regions of the same name are counted together, because some traces define a
/// region once per process.
#[derive(Debug, Default)]
struct Calls(BTreeMap<String, u64>);

impl Calls {
    /// Adds the calls of a location or a stream. `counts` contains its symbols and the number of their events.
    fn add(
        &mut self,
        counts: impl IntoIterator<Item = (SymbolId, u64)>,
        symbols: &SymbolTable,
        names: &Names,
    ) {
        for (id, count) in counts {
            let symbol = symbols.symbol(id);
            if count > 0 && is_call(&symbol) {
                *self.0.entry(names.region_name(&symbol)).or_default() += count;
            }
        }
    }

    /// Returns the regions sorted by number of calls in descending order, and by name where the numbers are equal.
    fn by_number(self) -> Vec<RegionSummary> {
        let regions = self.0.into_iter();
        let regions = regions.map(|(name, calls)| RegionSummary {
            name,
            calls,
            exclusive: None,
            share: None,
        });
        let mut regions: Vec<_> = regions.collect();
        regions.sort_by_key(|region| std::cmp::Reverse(region.calls));
        regions
    }
}

fn is_call(symbol: &Symbol) -> bool {
    matches!(
        symbol.kind,
        EventKind::Enter | EventKind::CallingContextEnter
    )
}

/// The counts of one stream.
#[derive(Debug, Default)]
struct Count {
    symbols: SymbolTable,
    /// The number of events of each symbol.
    events: Vec<u64>,
    locations: BTreeMap<LocationId, u64>,
    span: Option<(u64, u64)>,
    late: Late,
}

impl Count {
    fn add(&mut self, batch: &EventBatch, symbols: &SymbolTable) {
        for (row, symbol) in symbols.iter_from(self.symbols.len()) {
            self.symbols.intern_row(symbol, symbols.is_tagged(row));
        }
        self.events.resize(self.symbols.len(), 0);
        for &symbol in &batch.symbols {
            self.events[symbol.row()] += 1;
        }
        if !batch.is_empty() {
            *self.locations.entry(batch.location).or_default() += batch.len() as u64;
        }
        for &Timestamp(time) in &batch.times {
            let (first, last) = self.span.unwrap_or((time, time));
            self.span = Some((first.min(time), last.max(time)));
        }
    }
}

fn of_trace(reader: &dyn TraceReader, salvage: bool) -> Result<Summary, TraceError> {
    let progress = Progress::default();
    let counts = (0..reader.streams().len())
        .into_par_iter()
        .map(|stream| {
            let mut count = Count::default();
            count.late = read_stream(reader, stream, salvage, &progress, |batch, symbols| {
                count.add(batch, symbols);
                Ok(())
            })?;
            Ok(count)
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    let mut definitions = reader.definitions().clone();
    let mut diagnostics = reader.diagnostics().clone();
    for count in &counts {
        definitions.append(&count.late.definitions);
        diagnostics.merge(count.late.diagnostics.clone());
    }
    let mut summary = of_counts(&counts, &definitions);
    summary.diagnostics = diagnostics
        .groups()
        .map(|(key, g)| (key.to_owned(), g.count))
        .collect();
    summary.worst = diagnostics.worst();
    Ok(summary)
}

fn of_counts(counts: &[Count], definitions: &Definitions) -> Summary {
    let names = Names::new(definitions);
    let (symbols, _) = SymbolTable::joined(counts.iter().map(|count| &count.symbols));
    let (mut calls, mut kinds) = (Calls::default(), BTreeMap::new());
    let mut span: Option<(u64, u64)> = None;
    let defined = definitions.records(DefinitionKind::Location);
    let mut locations: BTreeMap<LocationId, u64> = defined
        .map(|record| (LocationId(record.get(0)), 0))
        .collect();
    for count in counts {
        for ((_, symbol), &events) in count.symbols.iter().zip(&count.events) {
            if events > 0 {
                *kinds.entry(symbol.kind.name().to_owned()).or_default() += events;
            }
        }
        let counts = (0..).map(SymbolId::new).zip(count.events.iter().copied());
        calls.add(counts, &count.symbols, &names);
        for (&location, &events) in &count.locations {
            *locations.entry(location).or_default() += events;
        }
        span = match (span, count.span) {
            (Some(all), Some(one)) => Some((all.0.min(one.0), all.1.max(one.1))),
            (all, one) => all.or(one),
        };
    }
    let ticks_per_second = definitions.clock().ticks_per_second;
    Summary {
        events: kinds.values().sum(),
        locations: locations.len() as u64,
        processes: names.processes().len() as u64,
        regions: definitions.table(DefinitionKind::Region).len() as u64,
        symbols: symbols.len() as u64,
        ticks_per_second,
        duration: Some(span.map_or(0, |(first, last)| {
            nanoseconds(last - first, ticks_per_second)
        })),
        region_names: calls.by_number(),
        location_names: locations
            .into_iter()
            .map(|(location, events)| location_summary(location, events, &names))
            .collect(),
        kinds,
        ..Summary::default()
    }
}

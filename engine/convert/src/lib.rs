//! Converts a trace: from any reader to a store, or with any writer.
//!
//! A conversion to a store distributes the streams over all cores: consecutive streams form a part, and so does each piece
//! of a large one. The number of parts depends only on the trace, so that the same trace yields the same store on any
//! machine. A damaged stream stops the conversion, unless salvage keeps its intact part.
//!
//! Several tasks can share a conversion to a store: each writes the parts of its shard ([`to_shard`]), and one of them joins the
//! shards ([`join`]). The store is the same.

mod opening;
mod parts;
mod shard;

use std::cmp::Reverse;
use std::ops::Range;
use std::path::{Path, PathBuf};

use foldtrace_clock::Method;
use foldtrace_derive::Request;
use foldtrace_fold::DEFAULT_MAX_BODY;
use foldtrace_output::Scratch;
use foldtrace_store::{
    CompleteStore, Derived, Ingest, Layout, Manifest, Origin, PartEnd, PartModels, PartWriter,
    StoreReader, StoreWriter,
};
use foldtrace_stream::memory::{Plan, bounded, waiting};
pub use foldtrace_stream::read::Progress;
use foldtrace_stream::read::{Late, Reading, read_stream};
use foldtrace_stream::timeline::{Timeline, TimelineEvent};
use foldtrace_trace::{
    DefinitionKind, Diagnostics, EventBatch, LocationChecks, LocationWriters, Order, SymbolTable,
    TraceError, TraceReader, TraceWriter,
};
pub use opening::TaskOpening;
use parts::{Part, parts_of};
use rayon::prelude::*;
pub use shard::{ShardTask, Written, join, join_if_last, to_shard};

/// The maximum number of events of one location that are written together in chronological order.
const LONGEST_RUN: usize = 1 << 14;

/// Options for a conversion.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// Whether to keep the intact parts of a damaged input.
    pub salvage: bool,
    /// Whether to replace an existing store at the target.
    pub replace: bool,
    /// The layout of a store; `memory` may reduce the size of its row groups.
    pub layout: Layout,
    /// The maximum number of terms in the body of a loop; with 0, a store has no models.
    pub max_body: usize,
    /// The plan that limits the size of buffers.
    pub memory: Option<Plan>,
    /// The number of bytes of the source up to which small streams share a part of a store.
    pub part_bytes: u64,
    /// The derived tables to add to a store before it appears.
    pub derive: Vec<Derived>,
    /// The method by which the clocks of a store are corrected, if [`Derived::Clock`] is one of the tables.
    pub clock: Method,
    /// The folder for temporary files while a trace is put into another order.
    pub scratch: PathBuf,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self {
            salvage: false,
            replace: false,
            layout: Layout::default(),
            max_body: DEFAULT_MAX_BODY,
            memory: None,
            part_bytes: 1 << 20,
            derive: Vec::new(),
            clock: Method::Controlled,
            scratch: std::env::temp_dir(),
        }
    }
}

impl ConvertOptions {
    /// Returns the layout of a store, with row groups for which the memory is sufficient.
    fn bounded_layout(&self) -> Layout {
        let rows = self.memory.map_or(usize::MAX, |plan| plan.rows);
        let mut layout = self.layout;
        layout.row_group_rows = rows.min(layout.row_group_rows);
        layout
    }
}

/// Returns the size of the source in bytes, as far as it is known.
#[must_use]
pub fn total_bytes(reader: &dyn TraceReader) -> u64 {
    reader.streams().iter().map(|stream| stream.bytes).sum()
}

/// Converts a trace, which comes from `origin`, to a store at `target`.
///
/// # Errors
/// Returns an error if the input is damaged and not salvaged, the output cannot be written, or the work was stopped.
pub fn to_store(
    reader: &dyn TraceReader,
    origin: &Origin,
    target: &Path,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<(Manifest, Diagnostics), TraceError> {
    bounded(options.memory, || {
        parts_to_store(reader, origin, target, options, progress)
    })
}

fn parts_to_store(
    reader: &dyn TraceReader,
    origin: &Origin,
    target: &Path,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<(Manifest, Diagnostics), TraceError> {
    let mut writer = StoreWriter::create(target, options.replace)?
        .with_layout(options.bounded_layout())
        .with_symbols(reader.all_symbols());
    let parts = parts_of(reader, options);
    let begin = |number| writer.part(number);
    let converted = convert_parts(reader, parts, begin, options, progress)?;
    let (parts, mut late): (Vec<_>, Vec<_>) = converted
        .into_iter()
        .map(|(_, part, late)| (part, late))
        .unzip();
    let (checks, max_body) = (reader.checks(), options.max_body);
    follow_pieces(&mut writer, &parts, &mut late, checks, max_body, progress)?;
    let mut all = Late {
        definitions: reader.definitions().clone(),
        diagnostics: reader.diagnostics().clone(),
    };
    late.into_iter().for_each(|late| all.merge(late));
    let (store, diagnostics) = complete(writer, origin, all, parts, options, progress)?;
    Ok((store.appear(progress)?, diagnostics))
}

/// A converted part with its number, and what its streams produced in addition to events.
type ConvertedPart = (u32, (PartEnd, PartModels), Late);

/// Converts parts, given with their numbers. Returns them in the order of their numbers.
fn convert_parts<'a>(
    reader: &dyn TraceReader,
    mut parts: Vec<(u32, Part)>,
    begin: impl Fn(u32) -> Result<PartWriter<'a>, TraceError> + Sync,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Vec<ConvertedPart>, TraceError> {
    // Large parts come first, so that no core works alone on one at the end.
    parts.sort_by_cached_key(|(_, part)| Reverse(part.bytes(reader)));
    let mut converted = (parts.into_iter().par_bridge())
        .map(|(number, part)| {
            let writer = begin(number)?;
            let (ingest, late) = match part {
                Part::Streams(streams) => {
                    streams_to_part(reader, streams, writer, options, progress)?
                }
                Part::Piece { stream, piece, .. } => {
                    piece_to_part(reader, (stream, piece), writer, progress)?
                }
            };
            let late_clocks = late.definitions.table(DefinitionKind::ClockProperties);
            let clock = if late_clocks.is_empty() {
                reader.definitions().clock()
            } else {
                late.definitions.clock()
            };
            Ok((number, ingest.finish(clock)?, late))
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    converted.sort_unstable_by_key(|&(number, ..)| number);
    Ok(converted)
}

/// Writes streams to a part.
fn streams_to_part<'a>(
    reader: &dyn TraceReader,
    streams: Range<usize>,
    writer: PartWriter<'a>,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<(Ingest<'a>, Late), TraceError> {
    let mut ingest = Ingest::new(writer, options.max_body);
    let mut late = Late::default();
    for stream in streams {
        ingest.begin_stream();
        let read = read_stream(
            reader,
            stream,
            options.salvage,
            progress,
            |batch, symbols| ingest.write(batch, symbols),
        )?;
        late.merge(read);
        if let Some(location) = reader.streams()[stream].location {
            ingest.end(location)?;
        }
    }
    Ok((ingest, late))
}

/// Writes a piece of a stream, given by the numbers of both, to a part.
fn piece_to_part<'a>(
    reader: &dyn TraceReader,
    (stream, piece): (usize, usize),
    writer: PartWriter<'a>,
    progress: &Progress,
) -> Result<(Ingest<'a>, Late), TraceError> {
    let mut ingest = Ingest::of_piece(writer, reader.place_of(stream));
    let mut late = Late::default();
    let reading = Reading::open_piece(reader, stream, piece, progress, &mut late)?;
    reading.to_end(&mut late, |batch, symbols| ingest.write(batch, symbols))?;
    Ok((ingest, late))
}

/// Folds and checks the locations of which parts have pieces. `parts` are all parts of a store, and `late` is what the streams of
/// each have produced, to which the problems of these locations are added.
fn follow_pieces(
    writer: &mut StoreWriter<'_>,
    parts: &[(PartEnd, PartModels)],
    late: &mut [Late],
    checks: &dyn LocationChecks,
    max_body: usize,
    progress: &Progress,
) -> Result<(), TraceError> {
    for (part, problems) in writer.follow_pieces(parts, max_body, checks, progress)? {
        late[part as usize].diagnostics.merge(problems);
    }
    Ok(())
}

/// Completes a store of all of its parts, and adds derived tables. The store has not appeared yet.
fn complete(
    writer: StoreWriter<'_>,
    origin: &Origin,
    all: Late,
    parts: Vec<(PartEnd, PartModels)>,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<(CompleteStore, Diagnostics), TraceError> {
    let Late {
        definitions,
        mut diagnostics,
    } = all;
    diagnostics.sort();
    let mut store = writer.complete(origin, &definitions, &diagnostics, parts, options.max_body)?;
    if !options.derive.is_empty() {
        // The progress of this step is counted in events of the store, not in bytes of the source.
        let events = progress.beside();
        let request = Request {
            clock: options.clock,
            memory: options.memory,
            ..Request::new(&options.derive)
        };
        let (_, derived) = foldtrace_derive::add(&mut store, request, &events)?;
        diagnostics.merge(derived);
        diagnostics.sort();
    }
    Ok((store, diagnostics))
}

/// Converts a trace with a writer: in the order that the writer requires, if any; otherwise on all cores if both
/// sides have one stream per location, or else stream after stream.
///
/// # Errors
/// Returns an error if the input is damaged and not salvaged, the output cannot be written, or the work was stopped.
pub fn to_writer(
    reader: &dyn TraceReader,
    mut writer: Box<dyn TraceWriter>,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Diagnostics, TraceError> {
    let order = writer.order();
    if order != Order::Any {
        match (reader.all_symbols(), reader.wide_fields()) {
            (Some(_), Some(fields)) => writer.wide_fields(fields),
            _ => return through_store(reader, writer, options, progress),
        }
    }
    if let Some(plan) = options.memory {
        writer.collect_at_most(plan.bytes / 2);
    }
    writer.definitions(reader.definitions())?;
    let mut diagnostics = reader.diagnostics().clone();
    let streams = reader.streams();
    let late = match writer.locations() {
        _ if order == Order::Time => by_time(reader, &mut *writer, options, progress)?,
        Some(locations) if streams.iter().all(|stream| stream.location.is_some()) => {
            let late = bounded(options.memory, || {
                side_by_side(reader, locations, options, progress)
            })?;
            writer.definitions(&late.definitions)?;
            late
        }
        _ => {
            let mut late = Late::default();
            for stream in 0..streams.len() {
                let write =
                    |batch: &EventBatch, symbols: &SymbolTable| writer.write(batch, symbols);
                late.merge(read_stream(
                    reader,
                    stream,
                    options.salvage,
                    progress,
                    write,
                )?);
            }
            late
        }
    };
    diagnostics.merge(late.diagnostics);
    diagnostics.merge(writer.finish()?);
    diagnostics.sort();
    Ok(diagnostics)
}

/// Converts a trace through a temporary store, whose locations are in order, and whose names and symbols are all
/// known before the first event.
fn through_store(
    reader: &dyn TraceReader,
    writer: Box<dyn TraceWriter>,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Diagnostics, TraceError> {
    let folder = Scratch::create(&options.scratch)?;
    let path = folder.path().join("run.fold");
    let unfolded = ConvertOptions {
        max_body: 0,
        ..options.clone()
    };
    let (_, mut diagnostics) = to_store(reader, &Origin::default(), &path, &unfolded, progress)?;
    let store = StoreReader::open(&path)?;
    diagnostics.merge(to_writer(&store, writer, options, &progress.beside())?);
    diagnostics.sort();
    Ok(diagnostics)
}

/// Writes all streams in chronological order. A batch contains the events of one location, until another location has
/// an event or the batch is full.
fn by_time(
    reader: &dyn TraceReader,
    writer: &mut dyn TraceWriter,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Late, TraceError> {
    let events = waiting(options.memory);
    let mut timeline = Timeline::within(reader, options.salvage, progress, events)?;
    let mut run = EventBatch::default();
    let mut run_stream = None;
    while let Some(next) = timeline.next()? {
        if let Some(stream) = run_stream
            && (stream != next.stream || run.len() >= LONGEST_RUN)
        {
            writer.write(&run, timeline.symbols(stream))?;
            run_stream = None;
        }
        if run_stream.is_none() {
            run.reset(next.location, next.event.position);
            run_stream = Some(next.stream);
        }
        if let Some(batch) = timeline.batch(next.stream) {
            push(&mut run, &next, batch, timeline.symbols(next.stream));
        }
    }
    if let Some(stream) = run_stream {
        writer.write(&run, timeline.symbols(stream))?;
    }
    Ok(timeline.into_late())
}

/// Appends an event of `batch`, with its quantities, metrics and attributes, to `run`.
fn push(run: &mut EventBatch, next: &TimelineEvent, batch: &EventBatch, symbols: &SymbolTable) {
    let TimelineEvent { event, .. } = next;
    let index = run.len() as u32;
    run.symbols.push(event.symbol);
    run.times.push(event.time);
    for &quantity in symbols.kind(event.symbol).quantities() {
        let column = quantity as usize;
        run.quantities[column].push(event.quantities[column]);
    }
    let (metrics, attributes) = (&batch.metrics, &batch.attributes);
    for row in metrics.rows(event.index) {
        let (value_type, value) = (metrics.value_type[row], metrics.value[row]);
        run.metrics
            .push(index, metrics.member[row], value_type, value);
    }
    for row in attributes.rows(event.index) {
        let (value_type, value) = (attributes.value_type[row], attributes.value[row]);
        run.attributes
            .push(index, attributes.attribute[row], value_type, value);
    }
}

/// Converts each stream with its own writer.
fn side_by_side(
    reader: &dyn TraceReader,
    locations: &dyn LocationWriters,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Late, TraceError> {
    let read = reader
        .streams()
        .par_iter()
        .enumerate()
        .filter_map(|(number, stream)| Some((number, stream.location?)))
        .map(|(number, location)| {
            let mut writer = locations.begin(location)?;
            let write = |batch: &EventBatch, symbols: &SymbolTable| writer.write(batch, symbols);
            let late = read_stream(reader, number, options.salvage, progress, write)?;
            writer.finish()?;
            Ok(late)
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    let mut all = Late::default();
    read.into_iter().for_each(|late| all.merge(late));
    Ok(all)
}

//! Reads all files of a trace, and joins them: one process per rank, one clock, one communicator per process group.

use std::io;
use std::path::PathBuf;

use foldtrace_sort::{SortedTrace, StreamSource, scratch_error};
use foldtrace_trace::{
    DefinitionKind, Diagnostics, Input, LocationId, Minter, Place, ReadOptions, TraceError,
    UNDEFINED,
};

use crate::collected::Collected;
use crate::elements::Elements;
use crate::foreign::{Collector, collect};
use crate::sorted::shifted;
use crate::tracks::Tracks;

use super::communicators::{Communicators, Rank};
use super::info::Info;
use super::meaning::PyTorch;
use super::ranks::{FileRank, assign};
use super::{folder, locations};

/// What a file contains besides its rows.
struct File {
    path: PathBuf,
    info: Info,
    /// The keys of the object around the events, and their values as JSON.
    properties: Vec<(String, String)>,
    tracks: Tracks,
    /// The first and the last nanosecond, as in the file.
    range: Option<(i64, i64)>,
}

/// Reads and sorts all events of a file, or of the files of a folder.
///
/// # Errors
/// If a file is damaged and not salvaged, or if the disk has no space for the rows to be sorted.
pub(crate) fn read(input: Input, options: ReadOptions) -> Result<SortedTrace, TraceError> {
    let path = input.path().to_owned();
    let mut diagnostics = Diagnostics::default();
    let mut collector = Collector::new(PyTorch::default());
    let mut files = Vec::new();
    for (number, input) in (0..).zip(folder::inputs(input, &mut diagnostics)?) {
        collector.meaning.operations.file = number;
        files.push(read_file(input, options, &mut collector, &mut diagnostics)?);
    }
    let infos: Vec<_> = files.iter().map(|file| (&*file.path, &file.info)).collect();
    let ranks = assign(&infos, &path, &mut diagnostics);
    join(path, collector, &files, &ranks, diagnostics).map_err(scratch_error)
}

fn read_file(
    input: Input,
    options: ReadOptions,
    collector: &mut Collector<PyTorch>,
    diagnostics: &mut Diagnostics,
) -> Result<File, TraceError> {
    let path = input.path().to_owned();
    let mut info = Info::default();
    let mut properties = Vec::new();
    let mut elements = Elements::open(input, options)?;
    collect(&mut elements, collector, diagnostics, |_, key, value| {
        info.take(key, value);
        let value = String::from_utf8_lossy(value).into_owned();
        properties.push((key.to_owned(), value));
    })?;
    let (tracks, range) = collector.end_file();
    Ok(File {
        path,
        info,
        properties,
        tracks,
        range,
    })
}

/// Defines everything that the rows refer to.
fn join(
    path: PathBuf,
    collector: Collector<PyTorch>,
    files: &[File],
    ranks: &[FileRank],
    mut diagnostics: Diagnostics,
) -> io::Result<SortedTrace> {
    let mut minter = collector.objects.minter;
    let operations = collector.meaning.operations;
    let zero = define_clock(&mut minter, files);
    if zero < 0 {
        diagnostics.report(shifted(-zero).at(Place::file(&path)));
    }
    collector.counters.define(&mut minter);
    let defined = define_processes(&mut minter, files, ranks, zero);
    let mut communicators =
        Communicators::new(&mut minter, &defined.main_locations, &defined.processes);
    let operations = communicators.resolve(&mut minter, &operations, &path, &mut diagnostics);
    let collected = Collected {
        counters: collector.counters,
        rows: collector.rows.finish()?,
        sources: defined.sources,
        operations,
    };
    Ok(collected.open(path, minter.take(), diagnostics))
}

/// The processes of the trace and their locations.
#[derive(Default)]
struct Defined<'a> {
    processes: Vec<Rank<'a>>,
    /// The main location of each process.
    main_locations: Vec<LocationId>,
    sources: Vec<StreamSource>,
}

/// Defines a process for each file with its locations, in the order of ranks. `zero` is the nanosecond at time 0.
fn define_processes<'a>(
    minter: &mut Minter,
    files: &'a [File],
    ranks: &[FileRank],
    zero: i64,
) -> Defined<'a> {
    let mut defined = Defined::default();
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|&file| (ranks[file].is_repeated, ranks[file].rank));
    for index in order {
        let (file, rank) = (&files[index], ranks[index]);
        let has_rank = file.info.rank.is_some() || files.len() > 1;
        let name = has_rank.then(|| format!("rank {}", rank.rank));
        let properties = &file.properties;
        let own = locations::define(minter, name.as_deref(), &file.tracks, properties);
        let Some(&(main, _)) = own.first() else {
            // Without events, there is no process to which the properties could belong.
            for (key, value) in properties {
                let text = format!("{key}={value}");
                minter.define(DefinitionKind::TraceProperty, &[], &[], &text);
            }
            continue;
        };
        defined.main_locations.push(main);
        defined.processes.push(Rank {
            file: index as u32,
            info: &file.info,
            rank: (!rank.is_repeated).then_some(rank.rank),
        });
        let zero = zero - file.info.base;
        let source = |(location, track)| StreamSource {
            location,
            track,
            zero,
        };
        defined.sources.extend(own.into_iter().map(source));
    }
    defined
}

/// Defines the clock, which counts nanoseconds since 1970 if the files say when they begin. Returns the nanosecond at time
/// 0, which is negative if there are events before 0.
fn define_clock(minter: &mut Minter, files: &[File]) -> i64 {
    /// The nanosecond from which times are taken for times since 1970: September 2001.
    const DATES: i64 = 1_000_000_000_000_000_000;
    let absolute = files.iter().filter_map(|file| {
        let (first, last) = file.range?;
        let base = file.info.base;
        Some((first.saturating_add(base), last.saturating_add(base)))
    });
    let joined = absolute.reduce(|(first, last), (a, b)| (first.min(a), last.max(b)));
    let (first, last) = joined.unwrap_or((0, 0));
    let zero = first.min(0);
    let date = if first >= DATES {
        first as u64
    } else {
        UNDEFINED
    };
    let fields = [
        1_000_000_000,
        first.abs_diff(zero),
        first.abs_diff(last),
        date,
    ];
    minter.define(DefinitionKind::ClockProperties, &fields, &[], "");
    zero
}

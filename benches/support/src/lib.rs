//! Shared by the benchmarks: real traces, clocks, the floor, and other programs to compare with.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark may fail"
)]

mod corrected;
pub mod tools;

pub use corrected::measure_corrected;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use foldtrace_convert::{ConvertOptions, to_store};
use foldtrace_otf2::Otf2;
use foldtrace_store::{Origin, StoreReader};
use foldtrace_trace::{
    Diagnostics, EventBatch, Format, Input, Output, Position, ReadOptions, Step, Timestamp,
    TraceReader,
};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use otf2_sys::safe::Archive;
use tempfile::TempDir;

/// A trace: its name and its anchor file.
pub struct Trace {
    /// The name of its folder.
    pub name: String,
    /// The path of its anchor file.
    pub anchor: PathBuf,
}

/// Returns all OTF2 archives below the folder `FOLDTRACE_TRACES`, by default `examples/`.
///
/// # Panics
/// If there is none.
pub fn traces() -> Vec<Trace> {
    let root = std::env::var_os("FOLDTRACE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"),
        PathBuf::from,
    );
    let mut traces = Vec::new();
    collect(&root, &root, &mut traces);
    traces.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(
        !traces.is_empty(),
        "no OTF2 archive below {}",
        root.display()
    );
    traces
}

fn collect(root: &Path, folder: &Path, traces: &mut Vec<Trace>) {
    for entry in std::fs::read_dir(folder)
        .expect("a folder of traces")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, traces);
        } else if path.extension().is_some_and(|e| e == "otf2") {
            let relative = path
                .strip_prefix(root)
                .unwrap()
                .components()
                .next()
                .unwrap();
            let name = relative.as_os_str().to_string_lossy().into_owned();
            traces.push(Trace { name, anchor: path });
        }
    }
}

fn cpu(usage: &Usage) -> Duration {
    let time = usage.user_time() + usage.system_time();
    Duration::from_micros(time.num_microseconds().try_into().unwrap())
}

/// Returns the CPU time of this process so far.
///
/// # Panics
/// If the system does not know it.
pub fn own_cpu() -> Duration {
    cpu(&getrusage(UsageWho::RUSAGE_SELF).unwrap())
}

/// Returns the CPU time of all finished child processes so far.
///
/// # Panics
/// If the system does not know it.
pub fn children_cpu() -> Duration {
    cpu(&getrusage(UsageWho::RUSAGE_CHILDREN).unwrap())
}

/// Returns the peak memory of the largest child process so far, in bytes.
///
/// # Panics
/// If the system does not know it.
pub fn children_peak() -> u64 {
    let kilobytes = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    u64::try_from(kilobytes).unwrap() * 1024
}

/// Returns the best of several measurements by `work`.
pub fn best(runs: usize, work: impl FnMut() -> Duration) -> Duration {
    std::iter::repeat_with(work)
        .take(runs)
        .min()
        .unwrap_or_default()
}

/// Returns the best elapsed time of several runs of `work`.
pub fn best_wall(runs: usize, mut work: impl FnMut()) -> Duration {
    best(runs, || {
        let start = Instant::now();
        work();
        start.elapsed()
    })
}

/// Decodes and counts all events with libotf2, one location after another: the floor.
///
/// # Panics
/// If libotf2 cannot read the archive.
pub fn count(anchor: &Path) -> u64 {
    otf2_locations(anchor)
        .into_iter()
        .map(|location| {
            Archive::open(anchor)
                .unwrap()
                .count_events(location)
                .unwrap()
        })
        .sum()
}

fn otf2_locations(anchor: &Path) -> Vec<u64> {
    let folder = anchor.with_extension("");
    let mut locations: Vec<u64> = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|e| e == "evt"))
        .filter_map(|entry| entry.path().file_stem()?.to_str()?.parse().ok())
        .collect();
    locations.sort_unstable();
    locations
}

/// Returns the size of all files below a folder, in bytes.
///
/// # Panics
/// If the folder cannot be read.
pub fn size(folder: &Path) -> u64 {
    std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|e| {
            if e.path().is_dir() {
                size(&e.path())
            } else {
                e.metadata().unwrap().len()
            }
        })
        .sum()
}

/// Opens a trace in this process.
///
/// # Panics
/// If it cannot be opened.
pub fn open(format: &dyn Format, path: &Path) -> Box<dyn TraceReader> {
    let input = Input::Path(path.to_owned());
    format.open(input, &ReadOptions::default()).unwrap()
}

/// Converts a trace to a store in a folder that is removed when dropped.
///
/// # Panics
/// If it cannot be converted.
pub fn stored(trace: &Trace) -> (TempDir, StoreReader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.fold");
    let (origin, options) = (Origin::default(), ConvertOptions::default());
    let reader = open(&Otf2, &trace.anchor);
    to_store(&*reader, &origin, &path, &options, &Default::default()).unwrap();
    let store = StoreReader::open(&path).unwrap();
    (folder, store)
}

/// Writes `times` copies of a trace, consecutive in time, to the archive `output`. Returns the number of events.
///
/// # Panics
/// If the archive cannot be written.
pub fn repeat(reader: &dyn TraceReader, times: u64, output: &Path) -> u64 {
    let output = Output::Path {
        path: output.to_owned(),
        replace: true,
    };
    let mut writer = Otf2.create(output).unwrap();
    writer.definitions(reader.definitions()).unwrap();
    let clock = reader.definitions().clock();
    let mut events = 0;
    for (index, stream) in reader.streams().iter().enumerate() {
        let location = stream.location.unwrap();
        let locations = writer.locations().unwrap();
        let mut file = locations.begin(location).unwrap();
        let mut position = 0;
        for time in 0..times {
            let mut stream = reader.open_stream(index).unwrap();
            let mut batch = EventBatch::default();
            let later = time * (clock.trace_length + 1_000_000);
            while stream
                .next_batch(&mut batch, &mut Diagnostics::default())
                .unwrap()
                == Step::Batch
            {
                batch.first = Position(position);
                position += batch.len() as u64;
                batch
                    .times
                    .iter_mut()
                    .for_each(|t| *t = Timestamp(t.0 + later));
                file.write(&batch, stream.symbols()).unwrap();
            }
        }
        events += position;
        file.finish().unwrap();
    }
    writer.finish().unwrap();
    events
}

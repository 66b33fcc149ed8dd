//! Provides what the benchmarks share: traces, clocks, and the floor.
#![allow(
    missing_docs,
    dead_code,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

pub mod tools;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use foldtrace::convert::{ConvertOptions, to_store};
use foldtrace::formats::{self, REGISTRY};
use foldtrace::read::Progress;
use foldtrace::store::{Origin, StoreReader};
use foldtrace_trace::{
    Diagnostics, EventBatch, Output, Position, ReadOptions, Step, Timestamp, TraceReader,
};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use otf2_sys::safe::Archive;
use tempfile::TempDir;

/// A trace: its name and its anchor file.
pub struct Trace {
    pub name: String,
    pub anchor: PathBuf,
}

/// Returns all OTF2 archives below the folder `FOLDTRACE_TRACES`, by default `examples/`.
pub fn traces() -> Vec<Trace> {
    let root = std::env::var_os("FOLDTRACE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"),
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
pub fn own_cpu() -> Duration {
    cpu(&getrusage(UsageWho::RUSAGE_SELF).unwrap())
}

/// Returns the CPU time of all finished child processes so far.
pub fn children_cpu() -> Duration {
    cpu(&getrusage(UsageWho::RUSAGE_CHILDREN).unwrap())
}

/// Returns the peak memory of the largest child process so far, in bytes.
pub fn children_peak() -> u64 {
    let kilobytes = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    u64::try_from(kilobytes).unwrap() * 1024
}

/// Returns the best of several measurements by `work`.
pub fn best(runs: usize, mut work: impl FnMut() -> Duration) -> Duration {
    (0..runs).map(|_| work()).min().unwrap()
}

/// Decodes and counts all events with libotf2, one location after another: the floor.
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

/// Returns the command foldtrace.
pub fn foldtrace() -> Command {
    Command::new(env!("CARGO_BIN_EXE_foldtrace"))
}

/// Returns a command that converts a trace.
pub fn conversion(from: &Path, to: &Path) -> Command {
    let mut command = foldtrace();
    command.args(["convert", "--quiet", "--force"]);
    command.arg(from).arg(to);
    command
}

/// Returns the size of all files below a folder, in bytes.
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
pub fn open(path: &Path) -> Box<dyn TraceReader> {
    let opened = formats::open(path, None, &ReadOptions::default(), &Arc::default());
    opened.unwrap().reader
}

/// Converts a trace to a store in a folder that is removed when dropped.
pub fn stored(trace: &Trace) -> (TempDir, StoreReader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.fold");
    let (origin, options) = (Origin::default(), ConvertOptions::default());
    let reader = open(&trace.anchor);
    to_store(&*reader, &origin, &path, &options, &Progress::default()).unwrap();
    let store = StoreReader::open(&path).unwrap();
    (folder, store)
}

/// Writes `times` copies of the archive of `anchor`, consecutive in time, to `output`. Returns the number
/// of events.
pub fn repeat(anchor: &Path, times: u64, output: &Path) -> u64 {
    let reader = open(anchor);
    let output = Output::Path {
        path: output.to_owned(),
        replace: true,
    };
    let mut writer = REGISTRY.by_name("otf2").unwrap().create(output).unwrap();
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

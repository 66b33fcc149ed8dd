//! Prints one table per trace with the costs of converting, storing and querying it, with foldtrace and with
//! other tools, relative to the floor and to the archive.
//!
//! `FOLDTRACE_TRACES=FOLDER cargo bench --bench store` runs on all OTF2 archives below a folder, each
//! in a folder of its own; without the variable, on those in `examples/`. `benches/results` has results.
//!
//! All rows are measured with the same trace in the same run. The cheapest of several runs counts, except
//! for the packers and the Python reader, which run once. CPU time is that of all threads and children, user
//! and system. Files were read before, so they are in the page cache; "cold" means a separate process.
//! The floor is libotf2 with callbacks that only count.
//!
//! - The Python reader is the official one (package python3-otf2), in a loop that counts events. Archives
//!   that it rejects are first repaired by `foldtrace convert --repair`.
//! - A scan uses one core. "symbol, time" uses [`LocationStream::next_times`], which takes location and
//!   position from the index; "as Arrow" decodes all four columns with the `parquet` crate, as any
//!   program can do without foldtrace.
//! - A cold event is the time of `foldtrace print --location L --begin P --count 1`, including the start of
//!   the process, for which `foldtrace --version` is a reference. Each run uses the same sequence of
//!   different events.
//! - The 10,000 events are looked up by [`EventLookup::get_many`], including the time to open the store.
//!
//! [`LocationStream::next_times`]: foldtrace::store::LocationStream::next_times
//! [`EventLookup::get_many`]: foldtrace::store::EventLookup::get_many
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod command;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table, presets};
use foldtrace::store::StoreReader;
use foldtrace_bench::tools::{Cost, NoCost, pack, run};
use foldtrace_bench::{Trace, count, open, own_cpu, repeat, size, traces};
use foldtrace_otf2::Otf2;
use foldtrace_trace::{Diagnostics, EventBatch, EventStream, LocationId, Position, Step};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use command::{conversion, foldtrace};

const RUNS: usize = 5;

/// The number of processes that look up one event each.
const COLD: usize = 20;

/// The number of events that are looked up in one process.
const RANDOM: u64 = 10_000;

/// Debian's Python, which contains Debian's otf2 module.
const PYTHON: &str = "/usr/bin/python3";

const COUNT_IN_PYTHON: &str = "
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    print(sum(1 for event in trace.events))
";

fn main() {
    let target = tempfile::tempdir().unwrap();
    for trace in traces() {
        let bench = Bench::new(&trace, target.path());
        println!("\n{}: {} events", trace.name, bench.events);
        println!("{}", bench.table());
    }
}

/// The files of a trace in all forms.
struct Bench {
    anchor: PathBuf,
    archive_bytes: u64,
    store: PathBuf,
    small: PathBuf,
    other: PathBuf,
    back: PathBuf,
    repaired: PathBuf,
    events: u64,
    floor: Cost,
}

/// A row of the table.
struct Row {
    what: &'static str,
    cost: Result<Cost, NoCost>,
    /// The number of events read, if more than one.
    events: Option<u64>,
    /// The size of the trace in this form.
    bytes: Option<u64>,
    note: &'static str,
}

impl Bench {
    fn new(trace: &Trace, target: &Path) -> Self {
        let anchor = trace.anchor.clone();
        let mut events = 0;
        let floor = fastest(RUNS, || in_process(|| events = count(&anchor)));
        Self {
            archive_bytes: archive_bytes(&anchor),
            store: target.join("bench.fold"),
            small: target.join("small.fold"),
            other: target.join("other.fold"),
            back: target.join("bench.otf2"),
            repaired: target.join("repaired.otf2"),
            anchor,
            events,
            floor: floor.unwrap(),
        }
    }

    /// Returns a row about all events.
    fn row(&self, what: &'static str, cost: Result<Cost, NoCost>) -> Row {
        Row {
            what,
            cost,
            events: Some(self.events),
            bytes: None,
            note: "",
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header([
            "",
            "CPU ms",
            "wall ms",
            "events/µs/core",
            "x floor",
            "bytes",
            "bits/event",
            "x OTF2",
            "note",
        ]);
        let floor = self.row("libotf2, counting only", Ok(self.floor));
        table.add_row(self.cells(floor.of(self.archive_bytes)));
        let rows = (self.conversions().into_iter())
            .chain(self.others())
            .chain(self.scans())
            .chain(self.lookups());
        for row in rows {
            table.add_row(self.cells(row));
        }
        for column in table.column_iter_mut().skip(1).take(7) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    fn cells(&self, row: Row) -> Vec<String> {
        let milliseconds = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
        let mut cells = vec![row.what.to_owned()];
        cells.extend(match &row.cost {
            Ok(cost) => [cost.cpu, cost.wall].map(milliseconds),
            Err(_) => Default::default(),
        });
        cells.extend(match (&row.cost, row.events) {
            (Ok(cost), Some(events)) => {
                let each = cost.cpu.as_secs_f64() / events as f64;
                let floor = self.floor.cpu.as_secs_f64() / self.events as f64;
                [
                    format!("{:.2}", 1e-6 / each),
                    format!("{:.2}", each / floor),
                ]
            }
            _ => Default::default(),
        });
        cells.extend(match row.bytes {
            Some(bytes) => [
                bytes.to_string(),
                format!("{:.2}", 8.0 * bytes as f64 / self.events as f64),
                format!("{:.4}", bytes as f64 / self.archive_bytes as f64),
            ],
            None => Default::default(),
        });
        cells.push(row.cost.err().unwrap_or(row.note.to_owned()));
        cells
    }

    /// Measures conversions to a store and back.
    fn conversions(&self) -> [Row; 5] {
        let to_store = |options: &[&str], from: &Path, to: &Path| {
            fastest(RUNS, || run(conversion(from, to).args(options)))
        };
        let store = to_store(&[], &self.anchor, &self.store);
        let back = fastest(RUNS, || run(&mut conversion(&self.store, &self.back)));
        let hard = run(conversion(&self.anchor, &self.other).args(["--level", "19"]));
        let hard = self.row("the same, --level 19", hard).of(size(&self.other));
        let small = to_store(&["--archive"], &self.anchor, &self.small);
        let again = to_store(&[], &self.small, &self.other);
        [
            self.row("convert, OTF2 to store", store)
                .of(size(&self.store)),
            hard,
            self.row("the same, --archive", small).of(size(&self.small)),
            self.row("convert, --archive to store", again)
                .of(size(&self.other)),
            self.row("convert, store to OTF2", back)
                .of(archive_bytes(&self.back)),
        ]
    }

    /// Measures other tools that read or compress archives.
    fn others(&self) -> [Row; 4] {
        let print = fastest(2, || run(Command::new("otf2-print").arg(&self.anchor)));
        [
            self.row("otf2-print to /dev/null", print),
            self.packed(
                "tar, zstd -19",
                Command::new("zstd").args(["-19", "-q", "-c"]),
            ),
            self.packed("tar, xz -6", Command::new("xz").args(["-6", "-c"])),
            self.python(),
        ]
    }

    fn packed(&self, what: &'static str, compressor: &mut Command) -> Row {
        let folder = self.anchor.parent().unwrap();
        let names = parts(&self.anchor).map(|path| path.file_name().unwrap().to_owned());
        match pack(folder, &names, compressor) {
            Ok((cost, bytes)) => self.row(what, Ok(cost)).of(bytes),
            Err(why) => self.row(what, Err(why)),
        }
    }

    fn python(&self) -> Row {
        let python = || Command::new(PYTHON);
        let read = |anchor| run(python().args(["-c", COUNT_IN_PYTHON]).arg(anchor));
        let what = "otf2 of Python, counting";
        if run(python().args(["-c", "import otf2"])).is_err() {
            return self.row(what, Err("python3-otf2 is not installed".to_owned()));
        }
        if let Ok(cost) = read(&self.anchor) {
            return self.row(what, Ok(cost));
        }
        run(conversion(&self.anchor, &self.repaired).arg("--repair")).unwrap();
        Row {
            note: "of the repaired archive; refuses the trace as it is",
            ..self.row(what, read(&self.repaired))
        }
    }

    /// Measures scans of the whole store on one core.
    fn scans(&self) -> [Row; 3] {
        let times = fastest(RUNS, || {
            in_process(|| assert_eq!(self.scan_times(), self.events))
        });
        let arrow = fastest(RUNS, || {
            in_process(|| assert_eq!(self.scan_arrow(), self.events))
        });
        let all = fastest(RUNS, || {
            in_process(|| assert_eq!(self.scan_all(), self.events))
        });
        [
            self.row("scan of symbol, time", times),
            Row {
                note: "location, position, symbol, time",
                ..self.row("the same as Arrow", arrow)
            },
            self.row("scan of all columns", all),
        ]
    }

    fn scan_times(&self) -> u64 {
        let store = StoreReader::open(&self.store).unwrap();
        let (mut symbols, mut times) = (Vec::new(), Vec::new());
        let mut events = 0;
        for location in store.locations() {
            let mut stream = store.events(location, Position(0));
            loop {
                stream.next_times(&mut symbols, &mut times).unwrap();
                if symbols.is_empty() {
                    break;
                }
                events += symbols.len() as u64;
            }
        }
        events
    }

    fn scan_all(&self) -> u64 {
        let store = StoreReader::open(&self.store).unwrap();
        let mut batch = EventBatch::default();
        let mut diagnostics = Diagnostics::default();
        let mut events = 0;
        for location in store.locations() {
            let mut stream = store.events(location, Position(0));
            while stream.next_batch(&mut batch, &mut diagnostics).unwrap() == Step::Batch {
                events += batch.len() as u64;
            }
        }
        events
    }

    fn scan_arrow(&self) -> u64 {
        let rows = |table: &str, columns: &[usize]| -> u64 {
            let folder = self.store.join(table).read_dir().unwrap();
            let rows_of = |path: &Path| -> u64 {
                let file = File::open(path).unwrap();
                let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
                let columns = ProjectionMask::roots(reader.parquet_schema(), columns.to_vec());
                let reader = reader.with_projection(columns).with_batch_size(1 << 16);
                let batches = reader.build().unwrap();
                batches.map(|batch| batch.unwrap().num_rows() as u64).sum()
            };
            folder.map(|entry| rows_of(&entry.unwrap().path())).sum()
        };
        let times = rows("quantity", &[2]);
        assert_eq!(times, rows("topology", &[0, 1, 2]));
        times
    }

    /// Measures lookups of single events.
    fn lookups(&self) -> [Row; 4] {
        let places = places(&self.store);
        let start = fastest(COLD, || run(foldtrace().arg("--version")));
        let many = fastest(RUNS, || {
            in_process(|| assert_eq!(self.look_up(&places), RANDOM))
        });
        let row = |what, cost, events| Row {
            events,
            ..self.row(what, cost)
        };
        [
            row("start of a process", start, None),
            row("one random event, cold", cold(&self.store), None),
            Row {
                note: "of the trace ten times over",
                ..row("one random event, cold", cold(&self.longer()), None)
            },
            row("10,000 random events", many, Some(RANDOM)),
        ]
    }

    /// Creates a store of the trace repeated ten times.
    fn longer(&self) -> PathBuf {
        let archive = self.back.with_file_name("longer.otf2");
        let store = self.back.with_file_name("longer.fold");
        let events = repeat(&*open(&Otf2, &self.anchor), 10, &archive);
        assert_eq!(events, 10 * self.events);
        run(&mut conversion(&archive, &store)).unwrap();
        store
    }

    fn look_up(&self, places: &[(LocationId, Position)]) -> u64 {
        let store = StoreReader::open(&self.store).unwrap();
        let events = store.lookup().get_many(places).unwrap();
        events.iter().flatten().count() as u64
    }
}

/// Returns the parts of an archive: its anchor, its definitions, and the folder of its events.
fn parts(anchor: &Path) -> [PathBuf; 3] {
    [
        anchor.to_owned(),
        anchor.with_extension("def"),
        anchor.with_extension(""),
    ]
}

fn archive_bytes(anchor: &Path) -> u64 {
    let bytes = |path: &PathBuf| match path.is_dir() {
        true => size(path),
        false => path.metadata().unwrap().len(),
    };
    parts(anchor).iter().map(bytes).sum()
}

/// Returns random events of a store, the same in each run.
fn places(store: &Path) -> Vec<(LocationId, Position)> {
    let store = StoreReader::open(store).unwrap();
    let mut random = fastrand::Rng::with_seed(1711);
    let locations: Vec<_> = (store.locations())
        .map(|location| (location, store.index().events(location)))
        .filter(|(_, events)| *events > 0)
        .collect();
    let place = |_| {
        let (location, events) = locations[random.usize(..locations.len())];
        (location, Position(random.u64(..events)))
    };
    (0..RANDOM).map(place).collect()
}

/// Measures looking up random events, each in a separate process.
fn cold(store: &Path) -> Result<Cost, NoCost> {
    let places = places(store);
    let mut places = places.iter();
    fastest(COLD, || {
        let (location, position) = places.next().unwrap();
        let mut print = foldtrace();
        print.arg("print").arg(store).args(["--count", "1"]);
        print.args(["--location", &format!("@{location}")]);
        run(print.args(["--begin", &position.to_string()]))
    })
}

impl Row {
    /// Returns the row with the size of this form of the trace.
    fn of(self, bytes: u64) -> Self {
        Self {
            bytes: Some(bytes),
            ..self
        }
    }
}

/// Returns the cost of the cheapest of several runs.
fn fastest(runs: usize, mut work: impl FnMut() -> Result<Cost, NoCost>) -> Result<Cost, NoCost> {
    let mut best = work()?;
    for _ in 1..runs {
        best = best.min(work()?);
    }
    Ok(best)
}

/// Returns the cost of work in this process.
fn in_process(work: impl FnOnce()) -> Result<Cost, NoCost> {
    let (cpu, wall) = (own_cpu(), Instant::now());
    work();
    Ok(Cost {
        cpu: own_cpu() - cpu,
        wall: wall.elapsed(),
    })
}

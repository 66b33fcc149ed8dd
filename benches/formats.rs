//! Prints one table per trace with the speed of writing and reading each format, compared with public
//! tools on the same events.
//!
//! `FOLDTRACE_TRACES=FOLDER cargo bench --bench formats` runs on all OTF2 archives below a folder;
//! without the variable, on those in `examples/`. Small traces are repeated until they have a million
//! events. The formats are those of the registry, so new formats appear in the table automatically.
//!
//! All times are CPU time, user and system, of all threads; the cheapest of several runs counts. Files
//! were read before, so they are in the page cache.
//!
//! - *Out* is the time of a writer for the events of a store, minus the time of a writer that does
//!   nothing. Its bytes are those of all files that it writes.
//! - *In* is the time of a reader from opening to the last batch.
//! - Data that a format cannot represent is neither written nor read: the number of events is the number
//!   read back.
//! - Below the table are a known command for a format and `foldtrace convert INPUT - --to text` with the
//!   same input, each from start to end: both read the input and print a line per event. Python only
//!   loads the input.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod command;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use foldtrace::convert::{self, ConvertOptions, Progress};
use foldtrace::formats::{self, REGISTRY};
use foldtrace_bench::tools::{NoCost, run};
use foldtrace_bench::{Trace, best, count, open, own_cpu, repeat, size, traces};
use foldtrace_otf2::Otf2;
use foldtrace_store::FoldFormat;
use foldtrace_trace::{
    Definitions, Descriptor, Diagnostics, EventBatch, Order, Output, ReadOptions, Step,
    SymbolTable, TraceError, TraceReader, TraceWriter,
};

use command::{conversion, foldtrace};

const RUNS: usize = 3;

/// The minimum number of events; fewer take too little time to be measured.
const EVENTS: u64 = 1_000_000;

fn main() {
    for trace in traces() {
        let target = tempfile::tempdir().unwrap();
        let bench = Bench::new(&trace, target.path());
        println!("\n{}: {} events", trace.name, bench.events);
        println!("{}", bench.formats());
        for (format, tool) in TOOLS {
            println!("{}", bench.beside(format, tool));
        }
    }
}

/// A trace as an archive and as a store, and a folder for its other forms.
struct Bench<'a> {
    target: &'a Path,
    archive: PathBuf,
    store: PathBuf,
    events: u64,
}

/// The cost of reading or writing a format.
struct Speed {
    time: Duration,
    bytes: u64,
    events: u64,
}

impl Speed {
    fn megabytes(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.seconds()
    }

    fn million_events(&self) -> f64 {
        self.events as f64 / 1e6 / self.seconds()
    }

    fn seconds(&self) -> f64 {
        self.time.as_secs_f64().max(1e-6)
    }
}

impl<'a> Bench<'a> {
    fn new(trace: &Trace, target: &'a Path) -> Self {
        let mut archive = trace.anchor.clone();
        let mut events = count(&archive);
        if events < EVENTS {
            let repeated = target.join("repeated.otf2");
            events = repeat(&*open(&Otf2, &archive), EVENTS.div_ceil(events), &repeated);
            archive = repeated;
        }
        let store = target.join("bench.fold");
        run(&mut conversion(&archive, &store)).unwrap();
        Self {
            target,
            archive,
            store,
            events,
        }
    }

    fn formats(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header([
            "format",
            "bytes",
            "out MB/s",
            "out Mevents/s",
            "in MB/s",
            "in Mevents/s",
            "events",
            "note",
        ]);
        for format in REGISTRY.descriptors() {
            let cells = self.cells(format);
            table.add_row(cells.unwrap_or_else(|why| {
                let mut cells = vec![String::new(); 8];
                (cells[0], cells[7]) = (format.name.to_owned(), why);
                cells
            }));
        }
        for column in table.column_iter_mut().skip(1).take(6) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    fn cells(&self, format: &Descriptor) -> Result<Vec<String>, String> {
        let none = || vec![String::new(); 2];
        let two = |speed: &Speed| {
            vec![
                format!("{:.0}", speed.megabytes()),
                format!("{:.1}", speed.million_events()),
            ]
        };
        let (out, bytes) = if format.writes {
            let speed = self.write(format).map_err(|error| error.to_string())?;
            (two(&speed), speed.bytes)
        } else {
            self.print(format)?;
            (none(), size(&self.folder(format)))
        };
        let (read, events) = if format.reads {
            let speed = self.read(format, bytes);
            let speed = speed.map_err(|error| error.to_string())?;
            (two(&speed), speed.events.to_string())
        } else {
            (none(), String::new())
        };
        let (name, bytes) = (format.name.to_owned(), bytes.to_string());
        let cells = [name, bytes].into_iter().chain(out).chain(read);
        Ok(cells.chain([events, String::new()]).collect())
    }

    /// Returns the folder of a format, which contains only the files of this format.
    fn folder(&self, format: &Descriptor) -> PathBuf {
        self.target.join(format.name)
    }

    /// Returns the path of the trace in a format.
    fn path(&self, format: &Descriptor) -> PathBuf {
        let extension = format.extensions.first().unwrap_or(&"out");
        self.folder(format).join("bench").with_extension(extension)
    }

    fn write(&self, format: &Descriptor) -> Result<Speed, TraceError> {
        fs::create_dir_all(self.folder(format)).unwrap();
        let path = self.path(format);
        let store = open(&FoldFormat, &self.store);
        let create = || {
            let path = path.clone();
            let output = Output::Path {
                path,
                replace: true,
            };
            REGISTRY.by_name(format.name)?.create(output)
        };
        let (mut with, mut without) = (Duration::MAX, Duration::MAX);
        for _ in 0..RUNS {
            let writer = create()?;
            without = without.min(write(&*store, Box::new(Nothing(writer.order())))?);
            with = with.min(write(&*store, writer)?);
        }
        Ok(Speed {
            time: with.saturating_sub(without),
            bytes: size(&self.folder(format)),
            events: self.events,
        })
    }

    fn read(&self, format: &Descriptor, bytes: u64) -> Result<Speed, TraceError> {
        let mut events = 0;
        let mut failure = None;
        let time = best(RUNS, || {
            let start = own_cpu();
            match read(&self.path(format), format) {
                Ok(found) => events = found,
                Err(error) => failure = Some(error),
            }
            own_cpu() - start
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(Speed {
                time,
                bytes,
                events,
            }),
        }
    }

    /// Writes a format that foldtrace only reads, with the tool that prints it.
    fn print(&self, format: &Descriptor) -> Result<(), NoCost> {
        if format.name != "otf2-print" {
            return Err("is only read, and nothing here writes it".to_owned());
        }
        fs::create_dir_all(self.folder(format)).unwrap();
        let output = File::create(self.path(format)).unwrap();
        let printed = Command::new("otf2-print")
            .arg(&self.archive)
            .stdout(output)
            .output();
        let printed = printed.map_err(|_| "otf2-print is not installed".to_owned())?;
        let fails = || "otf2-print fails".to_owned();
        printed.status.success().then_some(()).ok_or_else(fails)
    }

    /// Compares a tool and foldtrace on the same input.
    fn beside(&self, name: &str, tool: &Tool) -> String {
        let Some(format) = REGISTRY.descriptors().find(|format| format.name == name) else {
            return format!("{}: there is no format {name}", tool.name);
        };
        let input = self.path(format);
        if !input.exists() {
            return format!("{}: nothing was written as {name}", tool.name);
        }
        let megabytes = size(&self.folder(format)) as f64 / 1e6;
        let cpu = |command: &dyn Fn() -> Command| {
            let mut least = Duration::MAX;
            for _ in 0..RUNS {
                least = least.min(run(&mut command())?.cpu);
            }
            Ok::<_, NoCost>(least.as_secs_f64())
        };
        let theirs = cpu(&|| {
            let mut command = Command::new(tool.command[0]);
            command.args(&tool.command[1..]).arg(&input);
            command
        });
        let ours = cpu(&|| {
            let mut command = foldtrace();
            command.args(["convert", "-q"]).arg(&input);
            command.args(["-", "--to", "text"]);
            command
        });
        match (theirs, ours) {
            (Ok(theirs), Ok(ours)) => format!(
                "{name}, {megabytes:.0} MB: {} {:.2} Mevents/s, {:.0} MB/s; foldtrace {:.2} Mevents/s, \
                 {:.0} MB/s; {:.1} times as fast",
                tool.name,
                self.events as f64 / 1e6 / theirs,
                megabytes / theirs,
                self.events as f64 / 1e6 / ours,
                megabytes / ours,
                theirs / ours,
            ),
            (Err(why), _) => format!("{name}: {}: {why}", tool.name),
            (_, Err(why)) => format!("{name}: foldtrace: {why}"),
        }
    }
}

/// A public tool that reads a format; the input is its last argument.
struct Tool {
    name: &'static str,
    command: &'static [&'static str],
}

const TOOLS: [(&str, &Tool); 3] = [
    (
        "otf2",
        &Tool {
            name: "otf2-print",
            command: &["otf2-print"],
        },
    ),
    (
        "paje",
        &Tool {
            name: "pj_dump",
            command: &["pj_dump"],
        },
    ),
    (
        "chrome",
        &Tool {
            name: "json of Python",
            command: &[
                "python3",
                "-c",
                "import json, sys; json.load(open(sys.argv[1]))",
            ],
        },
    ),
];

/// A writer that discards everything, in the order of another writer.
struct Nothing(Order);

impl TraceWriter for Nothing {
    fn order(&self) -> Order {
        self.0
    }

    fn definitions(&mut self, _: &Definitions) -> Result<(), TraceError> {
        Ok(())
    }

    fn write(&mut self, _: &EventBatch, _: &SymbolTable) -> Result<(), TraceError> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Diagnostics, TraceError> {
        Ok(Diagnostics::default())
    }
}

/// Returns the CPU time of writing all events.
fn write(reader: &dyn TraceReader, writer: Box<dyn TraceWriter>) -> Result<Duration, TraceError> {
    let start = own_cpu();
    let options = ConvertOptions::default();
    convert::to_writer(reader, writer, &options, &Progress::default())?;
    Ok(own_cpu() - start)
}

/// Reads all events and returns their number.
fn read(path: &Path, format: &Descriptor) -> Result<u64, TraceError> {
    let options = ReadOptions::default();
    let opened = formats::open(path, Some(format.name), &options, &Default::default())?;
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    let mut events = 0;
    for number in 0..opened.reader.streams().len() {
        let mut stream = opened.reader.open_stream(number)?;
        while stream.next_batch(&mut batch, &mut diagnostics)? != Step::End {
            events += batch.len() as u64;
        }
    }
    Ok(events)
}

//! Measures extraction (Ketterlin et al., RR-8562, section V.B): the times of all iterations of the loop with
//! the most iterations, in all processes, found by the positions of the model.
//!
//! The floor is the Parquet reader of arrow-rs over the times of the whole store, the least that a scan
//! without positions has to read, on one core. Extraction uses all cores and an existing model.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::fs::File;
use std::hint::black_box;

use foldtrace_bench::{Trace, best_wall, stored, traces};
use foldtrace_extract::{At, Attribute, Get, Instances, Number, Plan, Request};
use foldtrace_fold::Selection;
use foldtrace_output::OutputFile;
use foldtrace_program::global::ProgramLabels;
use foldtrace_program::outline::outline;
use foldtrace_program::{Merging, Program};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_table::Encoding;
use foldtrace_trace::Output;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

const RUNS: usize = 5;

fn main() {
    println!("Times of the iterations of the most frequent loop, of all processes, to Parquet\n");
    println!(
        "{:<24} {:>10} {:>12} {:>9} {:>10} {:>8} {:>10}",
        "trace", "events", "construct", "rows", "time", "floor", "Mrows/s"
    );
    for trace in traces() {
        row(&trace);
    }
}

fn row(trace: &Trace) {
    let (folder, store) = stored(trace);
    let locations: Vec<_> = store.locations().collect();
    let progress = Progress::default();
    let selection = Selection::Communication;
    let merging = Merging::new(selection);
    let program = Program::from_store(&store, &locations, &merging, &progress).unwrap();
    let entries = outline(&program.model.system);
    let iterations = entries.iter().filter_map(|entry| {
        let (count, _) = entry.construct.as_loop()?;
        let rows = entry.instances * count * entry.construct.processes.len() as u64;
        Some((rows, entry))
    });
    let Some((rows, entry)) = iterations.max_by_key(|(rows, _)| *rows) else {
        return;
    };
    let number: Number = entry.number.parse().unwrap();
    let mut request = Request {
        gets: vec![Get {
            label: "often".to_owned(),
            construct: number,
            instances: Instances::Iterations,
            at: At::First,
            processes: Vec::new(),
        }],
        prints: Vec::new(),
        attributes: Vec::new(),
    };
    let is_time = |attribute: &Attribute| attribute.name() == "time";
    let time: Vec<Attribute> = Attribute::all().filter(is_time).collect();
    request.add_attributes(&time);
    let words = ProgramLabels::new(&program, store.names(), store.symbols());
    let plan = Plan::new(&request, words).unwrap();
    let output = folder.path().join("rows.parquet");
    let time = best_wall(RUNS, || {
        let to = Output::Path {
            path: output.clone(),
            replace: true,
        };
        let file = OutputFile::create(to).unwrap();
        foldtrace_extract::scan(&store, &plan, Encoding::Parquet, file, &progress).unwrap();
    });
    let floor = best_wall(RUNS, || read_times(&store));
    println!(
        "{:<24} {:>10} {:>12} {rows:>9} {:>7.1} ms {:>7.2}x {:>10.2}",
        trace.name,
        store.manifest().counts.events,
        entry.number,
        1e3 * time.as_secs_f64(),
        time.as_secs_f64() / floor.as_secs_f64(),
        rows as f64 / time.as_secs_f64() / 1e6,
    );
}

/// Decodes the times of all events.
fn read_times(store: &StoreReader) {
    for file in &store.manifest().files {
        if !file.path.starts_with("quantity/") {
            continue;
        }
        let file = File::open(store.path().join(&file.path)).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let times = ProjectionMask::columns(builder.parquet_schema(), ["time"]);
        for batch in builder.with_projection(times).build().unwrap() {
            black_box(batch.unwrap());
        }
    }
}

//! Measures how fast events of real traces become Arrow record batches on one core, beside `parquet`'s own reader of the same
//! columns in a Parquet file.
//!
//! Each time is the best of several runs.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use foldtrace_bench::{best_wall, stored, traces};
use foldtrace_scan::Scan;
use foldtrace_store::StoreReader;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

const RUNS: usize = 5;
/// The columns by which events are joined with other tables.
const KEYS: [&str; 4] = ["location", "position", "time", "symbol"];
const BATCH_ROWS: usize = 1 << 16;

/// Reads some columns of all events. Returns the number of rows.
fn scan(store: &Arc<StoreReader>, columns: Option<&[&str]>) -> usize {
    let columns = columns.map(|names| names.iter().map(|&name| name.to_owned()).collect());
    let scan = Scan {
        columns,
        ..Scan::default()
    };
    let batches = scan.open(Arc::clone(store)).unwrap();
    batches
        .map(|batch| black_box(batch.unwrap()).num_rows())
        .sum()
}

/// Writes all columns of all events to a Parquet file, compressed by zstd. Returns the columns.
fn write(store: &Arc<StoreReader>, file: &Path) -> SchemaRef {
    let mut batches = Scan::default().open(Arc::clone(store)).unwrap();
    let schema = batches.schema();
    let file = File::create(file).unwrap();
    let compression = Compression::ZSTD(ZstdLevel::default());
    let compressed = WriterProperties::builder().set_compression(compression);
    let compressed = compressed.build();
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(compressed)).unwrap();
    while let Some(batch) = batches.next_batch().unwrap() {
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
    schema
}

/// Reads some columns of a Parquet file. Returns the number of rows.
fn read(file: &Path, columns: Option<&[&str]>) -> usize {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file).unwrap()).unwrap();
    let mask = columns.map_or_else(ProjectionMask::all, |names| {
        ProjectionMask::columns(reader.parquet_schema(), names.iter().copied())
    });
    let reader = reader.with_projection(mask).with_batch_size(BATCH_ROWS);
    let batches = reader.build().unwrap();
    batches
        .map(|batch| black_box(batch.unwrap()).num_rows())
        .sum()
}

fn main() {
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one_core = one_core.unwrap();
    println!(
        "Events to record batches on one core (targets: 60 M events/s for 4 columns, 15 M for all)"
    );
    for trace in traces() {
        let (folder, store) = stored(&trace);
        let store = Arc::new(store);
        let file = folder.path().join("events.parquet");
        let schema = write(&store, &file);
        println!(
            "\n{:<20} {:>10} {:>12} {:>14}",
            trace.name, "time", "events/s", "parquet/ours"
        );
        let names = schema.fields().iter();
        let alone: Vec<[&str; 1]> = names.map(|field| [field.name().as_str()]).collect();
        let columns = alone.iter().map(|name| (name[0], Some(name.as_slice())));
        let several = [("4 columns", Some(KEYS.as_slice())), ("all columns", None)];
        for (name, columns) in several.into_iter().chain(columns) {
            let mut rows = 0;
            let ours = one_core.install(|| best_wall(RUNS, || rows = scan(&store, columns)));
            let theirs = best_wall(RUNS, || assert_eq!(read(&file, columns), rows));
            println!(
                "{name:<20} {:>7.1} ms {:>10.1} M {:>14.2}",
                1e3 * ours.as_secs_f64(),
                rows as f64 / ours.as_secs_f64() / 1e6,
                theirs.as_secs_f64() / ours.as_secs_f64(),
            );
        }
    }
}

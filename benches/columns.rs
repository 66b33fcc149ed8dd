//! Prints the size of each column of a store and of an archive, in bits per value, next to the entropy of simple models.
//!
//! `FOLDTRACE_TRACES=FOLDER cargo bench --bench columns` runs on all OTF2 archives below a folder, each in a folder of
//! its own; without the variable, on those in `examples/`. `benches/results` has results.
//!
//! An entropy is the number of bits per value of an optimal code for the frequencies in the trace; the frequencies
//! themselves are not counted, so no code reaches it if most values are rare. "order 0" is that of the values: of
//! symbols, of the steps from time to time in a location, of quantities. "in context" is that of the same values if the
//! preceding symbol is known, for times and quantities also the event's own symbol.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod command;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use foldtrace::store::StoreReader;
use foldtrace_bench::tools::run;
use foldtrace_bench::{Trace, size, traces};
use foldtrace_trace::{Diagnostics, EventBatch, Quantity, Step, TraceReader};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use command::conversion;

fn main() {
    let target = tempfile::tempdir().unwrap();
    for trace in traces() {
        print(&trace, target.path());
    }
}

fn print(trace: &Trace, target: &Path) {
    let (store, archive) = (target.join("store.fold"), target.join("archive.fold"));
    run(&mut conversion(&trace.anchor, &store)).unwrap();
    run(conversion(&trace.anchor, &archive).arg("--archive")).unwrap();
    let columns = columns(&StoreReader::open(&store).unwrap());
    let plain = plain_bytes(&store);
    let coded = coded_bytes(&archive);

    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header([
        "column",
        "values",
        "store",
        "archive",
        "order 0",
        "in context",
    ]);
    for (name, column) in &columns {
        let bits = |bytes: Option<&u64>| {
            let bits = bytes.map(|&bytes| 8.0 * bytes as f64 / column.values() as f64);
            bits.map_or(String::new(), |bits| format!("{bits:.3}"))
        };
        table.add_row([
            (*name).to_owned(),
            column.values().to_string(),
            bits(plain.get(*name)),
            bits(coded.get(*name).or(plain.get(*name))),
            format!("{:.3}", column.values.bits()),
            format!("{:.3}", column.in_context.bits()),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!(
        "\n{}: bits per value; store {} bytes, archive {} bytes\n{table}",
        trace.name,
        size(&store),
        size(&archive)
    );
}

/// The frequencies of values.
#[derive(Default)]
struct Frequencies<K> {
    counts: HashMap<K, u64>,
    /// The number of values in each context.
    contexts: HashMap<Context, u64>,
}

/// The symbols on which a value depends.
type Context = [u64; 2];

impl<K: std::hash::Hash + Eq + Copy> Frequencies<K> {
    fn count(&mut self, context: Context, value: K) {
        *self.counts.entry(value).or_default() += 1;
        *self.contexts.entry(context).or_default() += 1;
    }

    /// Returns the entropy of the values, given their contexts, in bits per value.
    fn bits(&self) -> f64 {
        let weight = |counts: &mut dyn Iterator<Item = u64>| -> f64 {
            counts
                .map(|count| count as f64 * (count as f64).log2())
                .sum()
        };
        let all: u64 = self.contexts.values().sum();
        let of_contexts = weight(&mut self.contexts.values().copied());
        let of_values = weight(&mut self.counts.values().copied());
        (of_contexts - of_values) / all as f64
    }
}

/// The values of a column.
#[derive(Default)]
struct ColumnValues {
    values: Frequencies<u64>,
    in_context: Frequencies<(Context, u64)>,
}

impl ColumnValues {
    fn count(&mut self, context: Context, value: u64) {
        self.values.count([0; 2], value);
        self.in_context.count(context, (context, value));
    }

    fn values(&self) -> u64 {
        self.values.counts.values().sum()
    }
}

/// Returns the values of each column that has any.
fn columns(store: &StoreReader) -> BTreeMap<&'static str, ColumnValues> {
    let mut columns: BTreeMap<&'static str, ColumnValues> = BTreeMap::new();
    for index in 0..store.streams().len() {
        let mut stream = store.open_stream(index).unwrap();
        let mut batch = EventBatch::default();
        let (mut symbol_before, mut time_before) = (u64::MAX, 0);
        let mut diagnostics = Diagnostics::default();
        while stream.next_batch(&mut batch, &mut diagnostics).unwrap() == Step::Batch {
            let mut quantities = batch.quantities.each_ref().map(|values| values.iter());
            for (symbol, time) in batch.symbols.iter().zip(&batch.times) {
                let kind = stream.symbols().kind(*symbol);
                let symbol = symbol.row() as u64;
                let context = [symbol_before, symbol];
                let mut count = |name, context, value| {
                    columns.entry(name).or_default().count(context, value);
                };
                count("symbol", [symbol_before, 0], symbol);
                count("time", context, time.0.wrapping_sub(time_before));
                for &quantity in kind.quantities() {
                    let value = quantities[quantity as usize].next().unwrap();
                    count(quantity.name(), context, *value);
                }
                (symbol_before, time_before) = (symbol, time.0);
            }
        }
    }
    columns
}

/// Returns the bytes of the columns of a store, by name.
fn plain_bytes(store: &Path) -> BTreeMap<String, u64> {
    let mut bytes = BTreeMap::new();
    for folder in ["topology", "quantity"] {
        for entry in fs::read_dir(store.join(folder)).unwrap().flatten() {
            let file = File::open(entry.path()).unwrap();
            let table = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
            let groups = table.metadata().row_groups().iter();
            for column in groups.flat_map(|group| group.columns()) {
                *bytes.entry(column.column_path().string()).or_default() +=
                    column.compressed_size() as u64;
            }
        }
    }
    bytes
}

/// Returns the bytes of the coded columns of an archive, by name; `schemas/archive.md` describes the blocks.
fn coded_bytes(archive: &Path) -> BTreeMap<String, u64> {
    let store = StoreReader::open(archive).unwrap();
    let mut bytes = BTreeMap::new();
    for segment in store.index().segments() {
        let path = archive.join(format!("archive/part-{:05}.coded", segment.part));
        let coded = fs::read(path).unwrap();
        let block = &coded[segment.block.offset as usize..];
        let names = std::iter::once("time").chain(Quantity::ALL.iter().map(|q| q.name()));
        for (name, length) in names.zip(block[10..].as_chunks::<4>().0) {
            *bytes.entry(name.to_owned()).or_default() += u64::from(u32::from_le_bytes(*length));
        }
    }
    bytes
}

//! Reads a store according to a plan, and writes rows of records in the order of label, process and occurrence.
//!
//! The work is split into tasks with a limited number of occurrences of one process. Several tasks run in parallel,
//! and their rows are written in order, so memory does not grow with the number of rows.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field as Column, Int32Type, Schema, SchemaRef};
use foldtrace_columns::with_signs;
use foldtrace_output::OutputFile;
use foldtrace_store::{Field, Gathered, Manifest, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_table::{Encoder, Encoding, ROW_GROUP_ROWS, Shape};
use foldtrace_trace::{ErrorKind, LocationId, Quantity, TraceError};
use indexmap::IndexSet;
use rayon::prelude::*;

use super::ordinals::Ordinals;
use super::plan::{Affine, Line, Plan, Record};
use super::request::Attribute;

/// Maximum number of rows per task.
const TASK: u64 = 1 << 15;

/// Maximum number of events that are read at a time to be summed.
const STRETCH: usize = 1 << 16;

/// Extracts the records of a plan from a store into a file.
///
/// # Errors
/// If a table is missing or damaged, the file cannot be written, or the work was stopped.
pub fn scan(
    store: &StoreReader,
    plan: &Plan,
    encoding: Encoding,
    file: OutputFile,
    progress: &Progress,
) -> Result<(), TraceError> {
    let locations = plan.locations();
    let scanner = Scanner {
        store,
        plan,
        ordinals: Ordinals::new(store, plan.selection, &locations, progress)?,
        columns: Columns::new(store, plan),
        progress,
    };
    let clock = store.manifest().clock();
    let shape = Shape {
        name: "extract",
        schema: Arc::clone(&scanner.columns.schema),
        sorted_by: &[],
        growing: &[],
    };
    let mut encoder = Encoder::new(encoding, file, &shape, clock, ROW_GROUP_ROWS)?;
    let mut tasks = plan.tasks();
    let at_once = 2 * rayon::current_num_threads();
    loop {
        let some: Vec<Task<'_>> = tasks.by_ref().take(at_once).collect();
        if some.is_empty() {
            return encoder.finish();
        }
        let batches: Vec<_> = some.par_iter().map(|task| scanner.read(task)).collect();
        for batch in batches {
            encoder.write(&batch?)?;
        }
    }
}

/// Some occurrences of a record in one process.
struct Task<'a> {
    record: &'a Record,
    /// The index of the label in the table's dictionary of labels.
    label: usize,
    line: &'a Line,
    rows: Range<u64>,
}

impl Plan {
    fn tasks(&self) -> impl Iterator<Item = Task<'_>> {
        let records = self.records.iter().enumerate();
        records.flat_map(|(label, record)| {
            record.lines.iter().flat_map(move |line| {
                let all = record.occurrences();
                let starts = (0..all.div_ceil(TASK)).map(|task| task * TASK);
                starts.map(move |start| Task {
                    record,
                    label,
                    line,
                    rows: start..all.min(start + TASK),
                })
            })
        })
    }
}

/// The columns of the table.
struct Columns {
    schema: SchemaRef,
    labels: Arc<StringArray>,
    processes: IndexSet<String>,
    process_words: Arc<StringArray>,
}

impl Columns {
    fn new(store: &StoreReader, plan: &Plan) -> Self {
        let word = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let mut fields = vec![
            Column::new("label", word.clone(), false),
            Column::new("process", word, false),
            Column::new("location", DataType::UInt64, false),
        ];
        for depth in 0..plan.depth() {
            let is_everywhere = plan
                .records
                .iter()
                .all(|record| record.counts.len() > depth);
            fields.push(Column::new(
                format!("i{depth}"),
                DataType::Int64,
                !is_everywhere,
            ));
        }
        for point in &plan.points {
            for (name, data_type) in plan.columns_of_point(store.manifest()) {
                let name = match &**point {
                    "" => name,
                    point => format!("{point}.{name}"),
                };
                fields.push(Column::new(name, data_type, true));
            }
        }
        let clock = store.manifest().clock();
        let metadata = [
            (
                "foldtrace.ticks_per_second",
                clock.ticks_per_second.to_string(),
            ),
            ("foldtrace.global_offset", clock.global_offset.to_string()),
        ];
        let metadata = metadata.map(|(key, value)| (key.to_owned(), value));
        let lines = plan.records.iter().flat_map(|record| &record.lines);
        let processes: IndexSet<String> = lines.map(|line| line.process.clone()).collect();
        Self {
            schema: Arc::new(Schema::new_with_metadata(fields, HashMap::from(metadata))),
            labels: Arc::new(plan.records.iter().map(|r| Some(&*r.label)).collect()),
            process_words: Arc::new(processes.iter().map(Some).collect()),
            processes,
        }
    }
}

impl Plan {
    /// Returns the names and types of the columns of each point of a record.
    pub(super) fn columns_of_point(&self, store: &Manifest) -> Vec<(String, DataType)> {
        let mut columns = vec![("position", DataType::Int64)];
        if self.has_runs {
            columns.extend([
                ("length", DataType::Int64),
                ("end_position", DataType::Int64),
            ]);
        }
        for field in self.fields() {
            let data_type = if is_signed(store, field) {
                DataType::Int64
            } else {
                DataType::UInt64
            };
            columns.push((Attribute::Field(field).name(), data_type.clone()));
            if field == Field::Time && self.has_runs {
                columns.push(("end_time", data_type));
            }
        }
        let named = columns.into_iter();
        named
            .map(|(name, data_type)| (name.to_owned(), data_type))
            .collect()
    }
}

/// Returns whether the values of a field are signed. Requests are ids, so they are unsigned. Times and
/// quantities other than `value` are unsigned if one of them needs all 64 bits, or if the store is of
/// version 1, which does not record this.
pub(super) fn is_signed(store: &Manifest, field: Field) -> bool {
    let wide = store.wide_fields();
    match field {
        Field::Quantity(Quantity::Request) => false,
        Field::Quantity(Quantity::Value) => true,
        Field::Quantity(quantity) => wide.is_some_and(|wide| !wide.has(quantity)),
        Field::Time => wide.is_some_and(|wide| !wide.time),
    }
}

struct Scanner<'a> {
    store: &'a StoreReader,
    plan: &'a Plan,
    ordinals: Ordinals<'a>,
    columns: Columns,
    progress: &'a Progress,
}

impl Scanner<'_> {
    fn read(&self, task: &Task<'_>) -> Result<RecordBatch, TraceError> {
        self.progress.check()?;
        let rows = (task.rows.end - task.rows.start) as usize;
        let process = self.columns.processes.get_index_of(&task.line.process);
        let mut arrays = vec![
            word(task.label, rows, &self.columns.labels)?,
            word(process.unwrap_or(0), rows, &self.columns.process_words)?,
            same(task.line.location.0, rows),
        ];
        let indices = task.record.indices(task.rows.clone());
        let columns = indices
            .iter()
            .map(|column| -> ArrayRef { Arc::new(UInt64Array::from(column.clone())) });
        arrays.extend(columns);
        let missing = self.plan.depth() - indices.len();
        arrays.extend((0..missing).map(|_| -> ArrayRef { Arc::new(UInt64Array::new_null(rows)) }));
        for point in &task.line.points {
            let starts = point.starts(rows, &indices);
            self.read_point(task.line.location, point, &starts, &mut arrays)?;
        }
        self.progress.count(rows);
        let schema = &self.columns.schema;
        let mut wide = BTreeSet::new();
        let arrays = with_signs(schema, arrays, &mut wide);
        match wide.first() {
            Some(&column) => Err(too_large(schema.field(column).name())),
            None => RecordBatch::try_new(Arc::clone(schema), arrays).map_err(internal),
        }
    }

    /// Adds the columns of one point of a record.
    fn read_point(
        &self,
        location: LocationId,
        point: &Affine,
        starts: &[u64],
        arrays: &mut Vec<ArrayRef>,
    ) -> Result<(), TraceError> {
        let rows = starts.len();
        let positions = self.ordinals.positions(location, starts)?;
        arrays.push(padded(positions.iter().map(|p| p.0), rows));
        let ends = match point.length {
            0 | 1 => None,
            length => {
                let ends: Vec<u64> = starts.iter().map(|start| start + length - 1).collect();
                Some(self.ordinals.positions(location, &ends)?)
            }
        };
        let ends = ends.as_ref().unwrap_or(&positions);
        if self.plan.has_runs {
            arrays.push(padded(positions.iter().map(|_| point.length), rows));
            arrays.push(padded(ends.iter().map(|p| p.0), rows));
        }
        let is_summed = |field| self.plan.has_runs && field != Field::Time;
        let read: Vec<Field> = self.plan.fields().filter(|&f| !is_summed(f)).collect();
        let summed: Vec<Field> = self.plan.fields().filter(|&f| is_summed(f)).collect();
        let mut gathered = self.store.gather(location, &positions, &read)?.into_iter();
        let mut sums = self
            .sums(location, point.length, &starts[..positions.len()], &summed)?
            .into_iter();
        for field in self.plan.fields() {
            if is_summed(field) {
                arrays.push(padded(sums.next().unwrap_or_default().into_iter(), rows));
                continue;
            }
            arrays.push(array(field, gathered.next().unwrap_or_default(), rows));
            if self.plan.has_runs {
                let times = self.store.gather(location, ends, &[field])?.pop();
                arrays.push(array(field, times.unwrap_or_default(), rows));
            }
        }
        Ok(())
    }

    /// Returns the sums of each field over runs of `length` events.
    fn sums(
        &self,
        location: LocationId,
        length: u64,
        starts: &[u64],
        fields: &[Field],
    ) -> Result<Vec<Vec<u64>>, TraceError> {
        let mut sums = vec![vec![0_u64; starts.len()]; fields.len()];
        if fields.is_empty() {
            return Ok(sums);
        }
        let numbered = starts.iter().enumerate();
        let mut events =
            numbered.flat_map(|(row, &start)| (start..start + length).map(move |o| (row, o)));
        let (mut rows, mut ordinals) = (Vec::new(), Vec::new());
        loop {
            self.progress.check()?;
            rows.clear();
            ordinals.clear();
            for (row, ordinal) in events.by_ref().take(STRETCH) {
                rows.push(row);
                ordinals.push(ordinal);
            }
            if rows.is_empty() {
                return Ok(sums);
            }
            let positions = self.ordinals.positions(location, &ordinals)?;
            let gathered = self.store.gather(location, &positions, fields)?;
            for ((sums, gathered), &field) in sums.iter_mut().zip(gathered).zip(fields) {
                for (&row, value) in rows.iter().zip(gathered.values) {
                    sums[row] = sum(field, sums[row], value)?;
                }
            }
        }
    }
}

/// Returns a column with the same number in each row.
fn same(value: u64, rows: usize) -> ArrayRef {
    Arc::new(UInt64Array::from(vec![value; rows]))
}

/// Returns a column with the same word in each row.
fn word(key: usize, rows: usize, words: &Arc<StringArray>) -> Result<ArrayRef, TraceError> {
    let keys = Int32Array::from(vec![key as i32; rows]);
    let words = Arc::clone(words);
    let array = DictionaryArray::<Int32Type>::try_new(keys, words).map_err(internal)?;
    Ok(Arc::new(array))
}

/// Returns a column of numbers, with null in the remaining rows.
fn padded(values: impl ExactSizeIterator<Item = u64>, rows: usize) -> ArrayRef {
    let there = values.len();
    let mut values: Vec<u64> = values.collect();
    values.resize(rows, 0);
    let nulls = (there < rows).then(|| (0..rows).map(|row| row < there).collect());
    Arc::new(UInt64Array::new(ScalarBuffer::from(values), nulls))
}

/// Returns a column of gathered values, with null in the remaining rows.
fn array(field: Field, mut gathered: Gathered, rows: usize) -> ArrayRef {
    gathered.values.resize(rows, 0);
    gathered.is_valid.resize(rows, false);
    let nulls = Some(NullBuffer::from(gathered.is_valid));
    if field == Field::Quantity(Quantity::Value) {
        let values = gathered.values.into_iter().map(u64::cast_signed);
        return Arc::new(Int64Array::new(values.collect(), nulls));
    }
    Arc::new(UInt64Array::new(ScalarBuffer::from(gathered.values), nulls))
}

/// Adds two values of a field.
fn sum(field: Field, a: u64, b: u64) -> Result<u64, TraceError> {
    let sum = match field {
        Field::Quantity(Quantity::Value) => {
            let sum = a.cast_signed().checked_add(b.cast_signed());
            sum.map(i64::cast_unsigned)
        }
        _ => a.checked_add(b),
    };
    sum.ok_or_else(|| too_large(Attribute::Field(field).name()))
}

fn too_large(column: &str) -> TraceError {
    let message = format!("a sum in column '{column}' does not fit into 64 bits");
    TraceError::new(ErrorKind::Usage, message).hint("extract runs of fewer events")
}

fn internal(error: arrow::error::ArrowError) -> TraceError {
    TraceError::new(ErrorKind::Internal, "cannot assemble a table").caused_by(error)
}

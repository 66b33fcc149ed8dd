//! Reads the metric values and attributes of events.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use arrow::datatypes::Int32Type;
use foldtrace_trace::{AttributeColumns, MetricColumns, Position, TraceError, ValueType};
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};

use super::part_tables::{PageIndex, PartTables, RowGroup};
use super::source::EventSource;
use crate::error::{Reading, wrong};
use crate::index::{Segment, SideRows};
use crate::schema::{ATTRIBUTES, METRICS};
use crate::tables::{GuardedTable, column, numbers};

/// The number of rows read at a time.
const BATCH: usize = 1024;

/// The tables of metrics and attributes of a store.
pub(crate) struct Extras {
    metrics: PartTables,
    attributes: PartTables,
}

impl Extras {
    /// Prepares to read the metric values and attributes of a store.
    pub fn new(source: &EventSource) -> Self {
        Self {
            metrics: source.part_tables(METRICS),
            attributes: source.part_tables(ATTRIBUTES),
        }
    }

    /// Closes the files.
    pub fn close(&mut self) {
        self.metrics.close();
        self.attributes.close();
    }

    /// Appends the metrics of the events of a segment at `positions`. Events are numbered from the first of these
    /// positions.
    pub fn read_metrics(
        &mut self,
        segment: &Segment,
        positions: Range<Position>,
        metrics: &mut MetricColumns,
    ) -> Result<(), TraceError> {
        let read = |rows: &RecordBatch, path: &Path| {
            let member = column::<UInt32Array>(rows, "member", path)?;
            let uint = column::<UInt64Array>(rows, "uint64", path)?;
            let int = column::<Int64Array>(rows, "int64", path)?;
            let double = column::<Float64Array>(rows, "double", path)?;
            each(rows, path, &positions, |row, event, value_type| {
                let bits = match value_type {
                    ValueType::Float | ValueType::Double => {
                        value_type.from_double(double.value(row))
                    }
                    t if t.is_signed() => int.value(row) as u64,
                    _ => uint.value(row),
                };
                metrics.push(event, member.value(row), value_type, bits);
            })
        };
        read_rows(
            &mut self.metrics,
            segment.part,
            segment.metrics,
            &positions,
            read,
        )
    }

    /// Appends the attributes of these events, in the same way as [`Self::read_metrics`].
    pub fn read_attributes(
        &mut self,
        segment: &Segment,
        positions: Range<Position>,
        attributes: &mut AttributeColumns,
    ) -> Result<(), TraceError> {
        let read = |rows: &RecordBatch, path: &Path| {
            let attribute = column::<UInt64Array>(rows, "attribute", path)?;
            let bits = column::<UInt64Array>(rows, "bits", path)?;
            each(rows, path, &positions, |row, event, value_type| {
                attributes.push(event, attribute.value(row), value_type, bits.value(row));
            })
        };
        read_rows(
            &mut self.attributes,
            segment.part,
            segment.attributes,
            &positions,
            read,
        )
    }
}

/// Reads those of the rows `first..first + count` of a part that may have one of the positions.
fn read_rows(
    tables: &mut PartTables,
    part: u32,
    (first, count): SideRows,
    positions: &Range<Position>,
    mut read: impl FnMut(&RecordBatch, &Path) -> Result<(), TraceError>,
) -> Result<(), TraceError> {
    if count == 0 {
        return Ok(());
    }
    let table = tables.part(part)?;
    let all = first..first.saturating_add(count);
    let mut begin = 0;
    for (number, footer) in table.row_groups().iter().enumerate() {
        let end = begin + footer.num_rows().max(0) as u64;
        let rows = all.start.max(begin)..all.end.min(end);
        if !rows.is_empty() {
            let row_group = table.row_group(number as u32, PageIndex::Values)?;
            let rows = narrowed(&row_group, rows.start - begin..rows.end - begin, positions);
            if !rows.is_empty() {
                read_row_group(&row_group, rows, &mut read)?;
            }
        }
        begin = end;
    }
    if begin < all.end {
        return Err(wrong(
            table.path(),
            "the table has fewer rows than the index says",
        ));
    }
    Ok(())
}

/// Returns the rows without the leading and trailing pages that contain none of the positions. Positions ascend.
fn narrowed(row_group: &RowGroup, rows: Range<u64>, positions: &Range<Position>) -> Range<u64> {
    let mut narrow = rows.end..rows.start;
    for page in row_group.pages("position") {
        let overlap = page.rows.start.max(rows.start)..page.rows.end.min(rows.end);
        let is_before = page.greatest.is_some_and(|most| most < positions.start.0);
        let is_after = page.least.is_some_and(|least| least >= positions.end.0);
        if !overlap.is_empty() && !is_before && !is_after {
            narrow.start = narrow.start.min(overlap.start);
            narrow.end = narrow.end.max(overlap.end);
        }
    }
    narrow
}

fn read_row_group(
    row_group: &RowGroup,
    rows: Range<u64>,
    read: &mut impl FnMut(&RecordBatch, &Path) -> Result<(), TraceError>,
) -> Result<(), TraceError> {
    let path = row_group.path();
    let (file, footer) = (row_group.file(), row_group.metadata());
    let table = GuardedTable::new(path, Arc::clone(file), Arc::clone(footer))?;
    let selected = RowSelection::from(vec![
        RowSelector::skip(rows.start as usize),
        RowSelector::select((rows.end - rows.start) as usize),
    ]);
    let columns = 0..table.schema().fields().len();
    let batches = table
        .batches(columns, vec![0], BATCH, Some(selected))
        .reading(path)?;
    for batch in batches {
        read(&batch.reading(path)?, path)?;
    }
    Ok(())
}

/// Calls `take` for each row at one of the positions, with the row, the number of the event, and the type of the
/// value.
fn each(
    rows: &RecordBatch,
    path: &Path,
    positions: &Range<Position>,
    mut take: impl FnMut(usize, u32, ValueType),
) -> Result<(), TraceError> {
    let position = numbers(rows, "position", path)?;
    let words = column::<DictionaryArray<Int32Type>>(rows, "type", path)?;
    let types = types(words, path)?;
    for row in 0..rows.num_rows() {
        let at = Position(position.value(row));
        if positions.contains(&at) {
            let word = words.key(row).and_then(|key| *types.get(key)?);
            let value_type = word.ok_or_else(|| unknown_type(path))?;
            take(row, (at.0 - positions.start.0) as u32, value_type);
        }
    }
    Ok(())
}

/// Returns the types that the entries of a dictionary name.
fn types(
    words: &DictionaryArray<Int32Type>,
    path: &Path,
) -> Result<Vec<Option<ValueType>>, TraceError> {
    let texts = words.values().as_any().downcast_ref::<StringArray>();
    let texts = texts.ok_or_else(|| unknown_type(path))?;
    Ok(texts
        .iter()
        .map(|text| text.and_then(ValueType::from_name))
        .collect())
}

fn unknown_type(path: &Path) -> TraceError {
    wrong(path, "a value has an unknown type")
}

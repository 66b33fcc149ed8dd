//! Writes the metric values and attributes of events to tables of their own.
//!
//! Most traces have few or none, so a part's files are created with the first row.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Array, Int64Array, StringDictionaryBuilder, UInt32Array, UInt64Array,
};
use arrow::datatypes::Int32Type;
use foldtrace_columns::TableColumns;
use foldtrace_trace::{EventBatch, LocationId, TraceError, ValueType};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::ZstdLevel;

use crate::folder::VERSION;
use crate::index::SideRows;
use crate::paths::part_table;
use crate::schema::{ATTRIBUTES, METRICS};
use crate::tables::{NamedColumn, TableWriter, create_file, declared_properties};

/// Rows of one location that are not written yet: position, member or attribute, type, bits.
#[derive(Debug, Default)]
struct ValueRows {
    position: Vec<u64>,
    id: Vec<u64>,
    value_type: Vec<ValueType>,
    bits: Vec<u64>,
}

#[derive(Debug)]
struct SideTable {
    path: PathBuf,
    table: TableColumns,
    writer: Option<TableWriter>,
    level: ZstdLevel,
    rows: u64,
    columns: fn(&ValueRows) -> Vec<NamedColumn>,
    waiting: BTreeMap<LocationId, ValueRows>,
}

/// The metrics and attributes of a part.
#[derive(Debug)]
pub(crate) struct SideTables {
    metrics: SideTable,
    attributes: SideTable,
}

impl SideTables {
    pub fn new(store: &Path, number: u32, level: ZstdLevel) -> Self {
        let table = |table: TableColumns, columns| SideTable {
            path: store.join(part_table(table.name, number)),
            table,
            writer: None,
            level,
            rows: 0,
            columns,
            waiting: BTreeMap::new(),
        };
        Self {
            metrics: table(METRICS, metric_columns),
            attributes: table(ATTRIBUTES, attribute_columns),
        }
    }

    /// Collects the metric values and attributes of the events of a batch.
    pub fn collect(&mut self, batch: &EventBatch) {
        let position = |event: &u32| batch.first.0 + u64::from(*event);
        let m = &batch.metrics;
        if !m.event.is_empty() {
            let rows = self.metrics.waiting.entry(batch.location).or_default();
            rows.position.extend(m.event.iter().map(position));
            rows.id
                .extend(m.member.iter().map(|&member| u64::from(member)));
            rows.value_type.extend_from_slice(&m.value_type);
            rows.bits.extend_from_slice(&m.value);
        }
        let a = &batch.attributes;
        if !a.event.is_empty() {
            let rows = self.attributes.waiting.entry(batch.location).or_default();
            rows.position.extend(a.event.iter().map(position));
            rows.id.extend_from_slice(&a.attribute);
            rows.value_type.extend_from_slice(&a.value_type);
            rows.bits.extend_from_slice(&a.value);
        }
    }

    /// Writes the collected rows of a location. Returns its rows in metrics and in attributes.
    pub fn flush(&mut self, location: LocationId) -> Result<[SideRows; 2], TraceError> {
        Ok([
            self.metrics.flush(location)?,
            self.attributes.flush(location)?,
        ])
    }

    pub fn finish(&mut self) -> Result<(), TraceError> {
        self.metrics.finish()?;
        self.attributes.finish()
    }
}

impl SideTable {
    fn flush(&mut self, location: LocationId) -> Result<SideRows, TraceError> {
        let first = self.rows;
        let Some(rows) = self.waiting.remove(&location) else {
            return Ok((first, 0));
        };
        let locations = UInt64Array::from(vec![location.0; rows.position.len()]);
        let positions = UInt64Array::from(rows.position.clone());
        let mut columns: Vec<NamedColumn> = vec![
            ("location", Arc::new(locations)),
            ("position", Arc::new(positions)),
        ];
        columns.extend((self.columns)(&rows));
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => self
                .writer
                .insert(create(&self.path, &self.table, self.level)?),
        };
        writer.write(columns)?;
        let count = rows.position.len() as u64;
        self.rows += count;
        Ok((first, count))
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        // Only positions lose their sign here. They count events, so they never need all 64 bits.
        self.writer
            .take()
            .map_or(Ok(()), |writer| writer.close().map(|_| ()))
    }
}

/// Creates the table at `path`.
fn create(path: &Path, table: &TableColumns, level: ZstdLevel) -> Result<TableWriter, TraceError> {
    let properties = declared_properties(table, VERSION, level).build();
    let options = ArrowWriterOptions::new().with_properties(properties);
    TableWriter::new(
        create_file(path)?,
        path,
        table.name,
        table.schema(),
        options,
    )
}

fn type_column(types: &[ValueType]) -> ArrayRef {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    for value_type in types {
        builder.append_value(value_type.name());
    }
    Arc::new(builder.finish())
}

fn metric_columns(rows: &ValueRows) -> Vec<NamedColumn> {
    let typed = || rows.value_type.iter().zip(&rows.bits);
    let member = rows.id.iter().map(|&member| Some(member as u32));
    let unsigned = typed().map(|(t, &b)| (!t.is_signed() && t.as_double(b).is_none()).then_some(b));
    let signed = typed().map(|(t, &b)| t.is_signed().then_some(b as i64));
    let double = typed().map(|(t, &b)| t.as_double(b));
    vec![
        ("member", Arc::new(member.collect::<UInt32Array>())),
        ("type", type_column(&rows.value_type)),
        ("uint64", Arc::new(unsigned.collect::<UInt64Array>())),
        ("int64", Arc::new(signed.collect::<Int64Array>())),
        ("double", Arc::new(double.collect::<Float64Array>())),
    ]
}

fn attribute_columns(rows: &ValueRows) -> Vec<NamedColumn> {
    vec![
        ("attribute", Arc::new(UInt64Array::from(rows.id.clone()))),
        ("type", type_column(&rows.value_type)),
        ("bits", Arc::new(UInt64Array::from(rows.bits.clone()))),
    ]
}

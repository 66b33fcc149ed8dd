//! Changes of a Parquet table: of values, rows and columns.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, Int64Array, ListArray, RecordBatch, StringArray, UInt32Array, UInt64Array,
    new_null_array,
};
use arrow::compute::{cast, concat, concat_batches, take_record_batch};
use arrow::datatypes::{DataType, Field, Schema};
use fastrand::Rng;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;

/// A table in memory, and what its file says beside it.
struct Table {
    rows: RecordBatch,
    properties: WriterProperties,
}

impl Table {
    fn read(path: &Path) -> Self {
        let file = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
        let schema = Arc::clone(file.schema());
        let footer = file.metadata().file_metadata();
        let pairs = footer.key_value_metadata().cloned().unwrap_or_default();
        let pairs = pairs.into_iter().filter(|pair| pair.key != "ARROW:schema");
        let groups = file.metadata().row_groups();
        let longest = groups.iter().map(|group| group.num_rows()).max();
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(pairs.collect()))
            .set_max_row_group_row_count(Some(longest.unwrap_or(1).max(1) as usize))
            .build();
        let batches: Vec<_> = file.build().unwrap().map(Result::unwrap).collect();
        let rows = concat_batches(&schema, &batches).unwrap();
        Self { rows, properties }
    }

    fn write(self, path: &Path) {
        // The file may have another name in a store that stays as it is.
        std::fs::remove_file(path).unwrap();
        let file = File::create(path).unwrap();
        let schema = self.rows.schema();
        let mut writer = ArrowWriter::try_new(file, schema, Some(self.properties)).unwrap();
        writer.write(&self.rows).unwrap();
        writer.close().unwrap();
    }
}

/// Changes something of the table at `path`; says what, or nothing if that cannot be done.
pub fn change(path: &Path, random: &mut Rng) -> Option<String> {
    let mut table = Table::read(path);
    let rows = table.rows.num_rows();
    let what = match random.u8(..12) {
        0 => {
            let row = random.usize(..rows.max(1));
            let others = (0..rows).filter(|other| *other != row);
            table.rows = picked(&table.rows, others)?;
            format!("without row {row}")
        }
        1 => {
            let (row, at) = (random.usize(..rows.max(1)), random.usize(..rows.max(1)));
            let all = (0..at).chain([row]).chain(at..rows);
            table.rows = picked(&table.rows, all)?;
            format!("row {row} also before {at}")
        }
        2 => {
            let (a, b) = (random.usize(..rows.max(1)), random.usize(..rows.max(1)));
            let swapped = (0..rows).map(|row| match row {
                row if row == a => b,
                row if row == b => a,
                row => row,
            });
            table.rows = picked(&table.rows, swapped)?;
            format!("rows {a} and {b} swapped")
        }
        3 => {
            let rest = random.usize(..rows.max(1));
            table.rows = table.rows.slice(0, rest);
            format!("only {rest} rows")
        }
        4 => {
            let column = random.usize(..table.rows.num_columns());
            table.rows.remove_column(column);
            format!("without column {column}")
        }
        _ => {
            let column = random.usize(..table.rows.num_columns());
            let row = random.usize(..rows.max(1));
            let new = changed(table.rows.column(column), row, random)?;
            let what = format!("row {row} of column {column} as {:?}", new.slice(row, 1));
            table.rows = with_column(&table.rows, column, new);
            what
        }
    };
    table.write(path);
    Some(what)
}

fn picked(rows: &RecordBatch, numbers: impl Iterator<Item = usize>) -> Option<RecordBatch> {
    if rows.num_rows() == 0 {
        return None;
    }
    let numbers: UInt32Array = numbers.map(|number| number as u32).collect();
    Some(take_record_batch(rows, &numbers).unwrap())
}

/// The same rows with another column, which may have nulls.
fn with_column(rows: &RecordBatch, index: usize, column: ArrayRef) -> RecordBatch {
    let schema = rows.schema();
    let fields = schema.fields().iter().enumerate().map(|(i, field)| {
        let has_nulls = i == index && column.null_count() > 0;
        Field::clone(field).with_nullable(field.is_nullable() || has_nulls)
    });
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let mut columns = rows.columns().to_vec();
    columns[index] = column;
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

/// The column with another value in a row.
fn changed(column: &ArrayRef, row: usize, random: &mut Rng) -> Option<ArrayRef> {
    if column.is_empty() {
        return None;
    }
    if let Some(list) = column.as_any().downcast_ref::<ListArray>()
        && !list.values().is_empty()
        && random.bool()
    {
        let item = random.usize(..list.values().len());
        let values = changed(list.values(), item, random)?;
        let DataType::List(field) = list.data_type() else {
            return None;
        };
        if values.null_count() > 0 {
            return None;
        }
        let offsets = list.offsets().clone();
        return Some(Arc::new(ListArray::new(
            Arc::clone(field),
            offsets,
            values,
            None,
        )));
    }
    let value = match random.u8(..8) {
        0 => new_null_array(column.data_type(), 1),
        1 | 2 => column.slice(random.usize(..column.len()), 1),
        _ => value(column, row, random)?,
    };
    let [before, after] = [
        column.slice(0, row),
        column.slice(row + 1, column.len() - row - 1),
    ];
    concat(&[&*before, &*value, &*after]).ok()
}

/// A value of the column's type that is likely to be wrong.
fn value(column: &ArrayRef, row: usize, random: &mut Rng) -> Option<ArrayRef> {
    const NUMBERS: [u64; 14] = [
        0,
        1,
        2,
        3,
        100,
        255,
        32_768,
        65_535,
        1 << 20,
        u32::MAX as u64 - 1,
        u32::MAX as u64,
        i64::MAX as u64,
        1 << 63,
        u64::MAX,
    ];
    const WORDS: [&str; 8] = [
        "", "enter", "leave", "metric", "root", "call", "x", "mpi_send",
    ];
    let text = |word: &str| -> ArrayRef { Arc::new(StringArray::from(vec![word])) };
    let new: ArrayRef = match column.data_type() {
        DataType::Utf8 | DataType::Dictionary(..) => text(random.choice(WORDS)?),
        DataType::List(_) => return Some(column.slice(random.usize(..column.len()), 1)),
        _ if random.bool() => {
            let old = cast(&column.slice(row, 1), &DataType::Int64).ok()?;
            let old = old.as_any().downcast_ref::<Int64Array>()?.value(0);
            let step = random.i64(-3..=3);
            Arc::new(Int64Array::from(vec![old.wrapping_add(step)]))
        }
        DataType::Int64 => Arc::new(Int64Array::from(vec![random.choice(NUMBERS)? as i64])),
        _ => Arc::new(UInt64Array::from(vec![random.choice(NUMBERS)?])),
    };
    cast(&new, column.data_type()).ok()
}

//! Reads the quantities of consecutive rows, from a plain store or an archive.

use std::sync::Arc;

use foldtrace_trace::{
    EventBatch, EventKind, Quantity, SymbolTable, Timestamp, TraceError, UNDEFINED,
};
use parquet::data_type::Int64Type;

use super::part_tables::{Column, PageIndex, PartTable, RowGroup};
use crate::archive::Cursor;
use crate::error::wrong;
use crate::field::Field;
use crate::schema::TIME;

/// The times and quantities of the events of a row group, read from a given row on.
pub(crate) enum Quantities {
    /// The columns of a plain store.
    Plain(Box<PlainColumns>),
    /// The decoded quantities of an archive.
    Archive(Box<Cursor>),
}

impl Quantities {
    /// Skips rows.
    pub fn skip(&mut self, rows: u64) {
        match self {
            Self::Plain(columns) => columns.skip(rows),
            Self::Archive(cursor) => cursor.skip(rows as usize),
        }
    }

    /// Appends the times of the next rows, and skips their other quantities.
    pub fn read_times(&mut self, rows: u64, times: &mut Vec<Timestamp>) -> Result<(), TraceError> {
        match self {
            Self::Plain(columns) => columns.read_times(rows, times),
            Self::Archive(cursor) => {
                cursor.read_times(rows as usize, times);
                Ok(())
            }
        }
    }

    /// Adds times and quantities to a batch that already has its symbols.
    pub fn read(&mut self, table: &SymbolTable, batch: &mut EventBatch) -> Result<(), TraceError> {
        match self {
            Self::Plain(columns) => columns.read(table, batch),
            Self::Archive(cursor) => {
                cursor.read(batch);
                Ok(())
            }
        }
    }

    /// Returns the time and the quantities of the next row, an event of this kind.
    pub fn read_event(&mut self, kind: EventKind) -> Result<EventQuantities, TraceError> {
        match self {
            Self::Plain(columns) => columns.read_event(kind),
            Self::Archive(cursor) => Ok(cursor.read_event()),
        }
    }
}

/// The time of an event, and one value per quantity, which is undefined if the event does not have it.
pub(crate) type EventQuantities = (Timestamp, [u64; Quantity::COUNT]);

/// The columns of a plain store's quantities.
pub(crate) struct PlainColumns {
    row_group: Arc<RowGroup>,
    time: Column<Int64Type>,
    columns: Vec<Column<Int64Type>>,
    values: Vec<i64>,
    levels: Vec<i16>,
    /// The quantities that the kind of each event has, one bit per quantity.
    masks: Vec<u8>,
}

impl PlainColumns {
    /// Opens the columns of a row group at `row`.
    pub fn open(table: &PartTable, row_group: u32, row: u64) -> Result<Self, TraceError> {
        let row_group = table.row_group(row_group, PageIndex::from_row(row))?;
        let columns = Quantity::ALL
            .iter()
            .map(|quantity| Column::new(&row_group, quantity.name(), row))
            .collect();
        Ok(Self {
            time: Column::new(&row_group, TIME, row),
            columns,
            row_group,
            values: Vec::new(),
            levels: Vec::new(),
            masks: Vec::new(),
        })
    }

    fn column(&mut self, field: Field) -> &mut Column<Int64Type> {
        match field {
            Field::Time => &mut self.time,
            Field::Quantity(quantity) => &mut self.columns[quantity as usize],
        }
    }

    /// Returns whether no event of the row group has a value in a column.
    pub fn has_none(&mut self, field: Field) -> bool {
        self.column(field).has_none()
    }

    /// Skips rows of one column. After that, columns must be read one by one.
    pub fn skip_in(&mut self, field: Field, rows: u64) {
        self.column(field).skip(rows);
    }

    /// Appends the values of the next rows of one column. For a quantity, also appends a level per row: 1 if the row
    /// has a value.
    pub fn read_field(
        &mut self,
        field: Field,
        rows: u64,
        values: &mut Vec<i64>,
        levels: &mut Vec<i16>,
    ) -> Result<(), TraceError> {
        match field {
            Field::Time => self.time.read(rows, values),
            Field::Quantity(_) => self.column(field).read_nullable(rows, values, levels),
        }
    }

    /// Skips rows.
    pub fn skip(&mut self, rows: u64) {
        self.time.skip(rows);
        self.columns.iter_mut().for_each(|column| column.skip(rows));
    }

    /// Appends the times of the next rows, and skips their other quantities.
    pub fn read_times(&mut self, rows: u64, times: &mut Vec<Timestamp>) -> Result<(), TraceError> {
        self.append_times(rows, times)?;
        self.columns.iter_mut().for_each(|column| column.skip(rows));
        Ok(())
    }

    fn append_times(&mut self, rows: u64, times: &mut Vec<Timestamp>) -> Result<(), TraceError> {
        self.values.clear();
        self.time.read(rows, &mut self.values)?;
        times.extend(self.values.iter().map(|&time| Timestamp(time as u64)));
        Ok(())
    }

    /// Adds times and quantities to a batch that already has its symbols.
    pub fn read(&mut self, table: &SymbolTable, batch: &mut EventBatch) -> Result<(), TraceError> {
        let rows = batch.len() as u64;
        self.append_times(rows, &mut batch.times)?;
        let Self {
            row_group,
            columns,
            values,
            levels,
            masks,
            ..
        } = self;
        masks.clear();
        let bits = |symbol| table.kind(symbol).quantity_bits();
        masks.extend(batch.symbols.iter().map(|&symbol| bits(symbol)));
        for (&quantity, column) in Quantity::ALL.iter().zip(columns) {
            values.clear();
            levels.clear();
            column.read_nullable(rows, values, levels)?;
            let packed = &mut batch.quantities[quantity as usize];
            let expected = |mask: &u8| i16::from(mask & quantity.bit() != 0);
            // In most cases, all events have exactly the quantities of their kinds.
            if masks
                .iter()
                .zip(&*levels)
                .all(|(mask, level)| expected(mask) == *level)
            {
                packed.extend(values.iter().map(|&value| value as u64));
                continue;
            }
            let mut values = values.iter();
            for (mask, &level) in masks.iter().zip(&*levels) {
                let value = match level {
                    0 => None,
                    _ => values.next().map(|&value| value as u64),
                };
                if expected(mask) != 0 {
                    packed.push(value.unwrap_or(UNDEFINED));
                } else if value.is_some() {
                    let message = format!(
                        "an event has a value of '{quantity}', which its kind does not have"
                    );
                    return Err(wrong(row_group.path(), &message));
                }
            }
        }
        Ok(())
    }

    /// Returns the time and the quantities of the next row, an event of this kind. Columns that the kind does not
    /// have are skipped.
    pub fn read_event(&mut self, kind: EventKind) -> Result<EventQuantities, TraceError> {
        let mut quantities = [UNDEFINED; Quantity::COUNT];
        let bits = kind.quantity_bits();
        for (&quantity, column) in Quantity::ALL.iter().zip(&mut self.columns) {
            if bits & quantity.bit() == 0 {
                column.skip(1);
                continue;
            }
            self.values.clear();
            self.levels.clear();
            column.read_nullable(1, &mut self.values, &mut self.levels)?;
            if let Some(&value) = self.values.first() {
                quantities[quantity as usize] = value as u64;
            }
        }
        self.values.clear();
        self.time.read(1, &mut self.values)?;
        let time = self.values.first().map_or(0, |&time| time as u64);
        Ok((Timestamp(time), quantities))
    }
}

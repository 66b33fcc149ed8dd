//! Reads the events of a row group from a given row on: topology and quantities together.

use std::sync::Arc;

use foldtrace_trace::{
    EventBatch, EventRef, Position, Quantity, SymbolId, SymbolTable, Timestamp, TraceError,
    UNDEFINED,
};
use parquet::data_type::{Int32Type, Int64Type};

use super::part_tables::{Column, PageIndex, PartTables, RowGroup};
use super::quantities::{PlainColumns, Quantities};
use super::source::EventSource;
use crate::archive::Cursor;
use crate::error::wrong;
use crate::folder::Form;
use crate::index::Segment;
use crate::schema::{QUANTITY, TAG, TOPOLOGY};
use crate::symbols::with_tag;

/// The tables with one row per event.
pub(crate) struct EventTables<'a> {
    source: &'a EventSource,
    topology: PartTables,
    quantity: PartTables,
}

impl<'a> EventTables<'a> {
    /// Prepares to read the tables of a store.
    pub fn new(source: &'a EventSource) -> Self {
        Self {
            source,
            topology: source.part_tables(TOPOLOGY),
            quantity: source.part_tables(QUANTITY),
        }
    }

    /// Closes the files.
    pub fn close(&mut self) {
        self.topology.close();
        self.quantity.close();
    }

    /// Returns the quantities of a segment, from a row of its row group on.
    fn quantities(&mut self, segment: &Segment, row: u64) -> Result<Quantities, TraceError> {
        Ok(match self.source.form() {
            Form::Plain => Quantities::Plain(Box::new(self.columns(segment, row)?)),
            Form::Archive => {
                let mut cursor = self.decode(segment)?;
                cursor.skip((row - u64::from(segment.row)) as usize);
                Quantities::Archive(Box::new(cursor))
            }
        })
    }

    /// Returns the columns of quantities of a plain store, from a row of the segment's row group on.
    pub fn columns(&mut self, segment: &Segment, row: u64) -> Result<PlainColumns, TraceError> {
        let table = self.quantity.part(segment.part)?;
        table.check_rows(segment)?;
        PlainColumns::open(table, segment.row_group, row)
    }

    /// Decodes all quantities of a segment of an archive, because the prediction for an event depends on earlier
    /// events.
    pub fn decode(&mut self, segment: &Segment) -> Result<Cursor, TraceError> {
        let symbols = self.symbols(segment)?;
        self.source.archive().decode(segment, &symbols)
    }

    /// Decodes one quantity of a segment of an archive. Returns the values of the events that have it.
    pub fn decode_one(
        &mut self,
        segment: &Segment,
        quantity: Quantity,
    ) -> Result<Vec<(SymbolId, u64)>, TraceError> {
        let symbols = self.symbols(segment)?;
        let archive = self.source.archive();
        archive.decode_one(segment, quantity, &symbols)
    }

    /// Reads all symbols of a segment.
    fn symbols(&mut self, segment: &Segment) -> Result<Vec<SymbolId>, TraceError> {
        let mut rows = RowReader::open(self, segment, segment.row.into())?;
        let mut symbols = Vec::new();
        rows.append_symbols(segment.events, self.source.symbols(), &mut symbols)?;
        Ok(symbols)
    }
}

/// A sequential reader of the rows of a row group.
pub(crate) struct RowReader {
    segment: Segment,
    /// The number of the next row.
    row: u64,
    topology: Arc<RowGroup>,
    symbol: Column<Int32Type>,
    /// The tags of tagged symbols, in stores that have such symbols.
    tag: Option<Column<Int64Type>>,
    /// The quantities, opened when they are first read: callers that only read symbols never open them.
    quantities: Option<Quantities>,
    row_numbers: Vec<i32>,
    tags: Vec<i64>,
    /// A level per event: 1 if it has a tag, 0 if not.
    levels: Vec<i16>,
    /// A buffer for the symbol of a single row.
    next: Vec<SymbolId>,
}

impl RowReader {
    /// Opens the rows of a whole segment, from row `row` of its row group on.
    pub fn open(
        tables: &mut EventTables<'_>,
        segment: &Segment,
        row: u64,
    ) -> Result<Self, TraceError> {
        let has_tags = tables.source.folder().manifest().has_tags;
        let table = tables.topology.part(segment.part)?;
        table.check_rows(segment)?;
        let pages = PageIndex::from_row(row);
        let topology = table.row_group(segment.row_group, pages)?;
        Ok(Self {
            segment: *segment,
            row,
            symbol: Column::new(&topology, "symbol", row),
            tag: has_tags.then(|| Column::new(&topology, TAG, row)),
            topology,
            quantities: None,
            row_numbers: Vec::new(),
            tags: Vec::new(),
            levels: Vec::new(),
            next: Vec::new(),
        })
    }

    /// Returns whether `row` of a segment can be reached by skipping.
    pub fn is_before(&self, tables: &EventTables<'_>, segment: &Segment, row: u64) -> bool {
        let is_same = match tables.source.form() {
            // All segments of a row group are rows of the same columns.
            Form::Plain => {
                let row_group = |segment: &Segment| (segment.part, segment.row_group);
                row_group(&self.segment) == row_group(segment)
            }
            Form::Archive => self.segment == *segment,
        };
        is_same && self.row <= row
    }

    /// Skips all rows before `row`.
    pub fn skip_to(&mut self, row: u64) {
        let rows = row.saturating_sub(self.row);
        self.symbol.skip(rows);
        self.tag.iter_mut().for_each(|tag| tag.skip(rows));
        if let Some(quantities) = &mut self.quantities {
            quantities.skip(rows);
        }
        self.row += rows;
    }

    /// Appends the symbols of the next rows, and skips their quantities.
    pub fn read_symbols(
        &mut self,
        rows: u64,
        table: &SymbolTable,
        symbols: &mut Vec<SymbolId>,
    ) -> Result<(), TraceError> {
        self.append_symbols(rows, table, symbols)?;
        if let Some(quantities) = &mut self.quantities {
            quantities.skip(rows);
        }
        self.row += rows;
        Ok(())
    }

    /// Appends symbols and times of the next rows, and skips their other quantities.
    pub fn read_times(
        &mut self,
        tables: &mut EventTables<'_>,
        rows: u64,
        table: &SymbolTable,
        symbols: &mut Vec<SymbolId>,
        times: &mut Vec<Timestamp>,
    ) -> Result<(), TraceError> {
        self.append_symbols(rows, table, symbols)?;
        self.quantities(tables)?.read_times(rows, times)?;
        self.row += rows;
        Ok(())
    }

    /// Appends the next rows to an empty batch.
    pub fn read(
        &mut self,
        tables: &mut EventTables<'_>,
        rows: u64,
        table: &SymbolTable,
        batch: &mut EventBatch,
    ) -> Result<(), TraceError> {
        self.append_symbols(rows, table, &mut batch.symbols)?;
        self.quantities(tables)?.read(table, batch)?;
        self.row += rows;
        Ok(())
    }

    /// Returns the event of the next row, which has this position.
    pub fn read_event(
        &mut self,
        tables: &mut EventTables,
        table: &SymbolTable,
        position: Position,
    ) -> Result<EventRef, TraceError> {
        let symbol = self.next_symbol(table)?;
        let kind = table.kind(symbol);
        let (time, quantities) = self.quantities(tables)?.read_event(kind)?;
        self.row += 1;
        Ok(EventRef {
            index: 0,
            position,
            time,
            symbol,
            quantities,
        })
    }

    /// Returns the quantities, positioned at the first row that was not read.
    fn quantities(&mut self, tables: &mut EventTables<'_>) -> Result<&mut Quantities, TraceError> {
        let quantities = match self.quantities.take() {
            Some(quantities) => quantities,
            None => tables.quantities(&self.segment, self.row)?,
        };
        Ok(self.quantities.insert(quantities))
    }

    fn append_symbols(
        &mut self,
        rows: u64,
        table: &SymbolTable,
        symbols: &mut Vec<SymbolId>,
    ) -> Result<(), TraceError> {
        self.row_numbers.clear();
        self.symbol.read(rows, &mut self.row_numbers)?;
        let greatest = self.row_numbers.iter().map(|&row| row as u32).max();
        if let Some(row) = greatest.filter(|&row| row as usize >= table.len()) {
            let message = format!("symbol {row} is not in the table of symbols");
            return Err(wrong(self.topology.path(), &message));
        }
        let first = symbols.len();
        let new = self.row_numbers.iter();
        symbols.extend(new.map(|&row| SymbolId::new(row as u32)));
        self.add_tags(table, &mut symbols[first..])
    }

    /// Adds the tags of the next rows to their symbols, in stores with tagged symbols.
    fn add_tags(
        &mut self,
        table: &SymbolTable,
        symbols: &mut [SymbolId],
    ) -> Result<(), TraceError> {
        let Some(column) = &mut self.tag else {
            return Ok(());
        };
        self.tags.clear();
        self.levels.clear();
        column.read_nullable(symbols.len() as u64, &mut self.tags, &mut self.levels)?;
        let mut tags = self.tags.iter();
        for (symbol, &level) in symbols.iter_mut().zip(&self.levels) {
            let tag = if level == 0 { None } else { tags.next() };
            let tag = tag.map_or(UNDEFINED, |&tag| tag as u64);
            *symbol = with_tag(*symbol, tag, table, self.topology.path())?;
        }
        Ok(())
    }

    fn next_symbol(&mut self, table: &SymbolTable) -> Result<SymbolId, TraceError> {
        let mut symbols = std::mem::take(&mut self.next);
        symbols.clear();
        let appended = self.append_symbols(1, table, &mut symbols);
        let symbol = symbols.first().copied();
        self.next = symbols;
        appended?;
        symbol.ok_or_else(|| {
            let message = "the table has fewer rows than the index says";
            wrong(self.topology.path(), message)
        })
    }
}

//! Sums a quantity over the events of a location, by the rows of their symbols.
//!
//! Sums need neither times nor single events: of each segment, only the symbols and one column are decoded, and no
//! events are assembled.

use foldtrace_trace::{LocationId, Quantity, RowSums, SymbolId, TraceError, UNDEFINED};

use super::store_reader::StoreReader;
use crate::events::{EventTables, RowReader};
use crate::field::Field;
use crate::folder::Form;
use crate::index::Segment;

/// The number of rows decoded together.
const ROWS: u64 = 1 << 14;

impl StoreReader {
    /// Returns the sums of a quantity over the events of a location, for each row of the table of symbols for which an
    /// event has a value, sorted by row. `proceed` is called repeatedly with the number of events read since the last call.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or `proceed` fails.
    pub fn totals(
        &self,
        location: LocationId,
        quantity: Quantity,
        mut proceed: impl FnMut(u64) -> Result<(), TraceError>,
    ) -> Result<Vec<(SymbolId, u64)>, TraceError> {
        let mut totals = RowSums::default();
        let mut tables = EventTables::new(self.source());
        for segment in self.index().of(location) {
            match self.manifest().form {
                Form::Plain => self.add_columns(&mut tables, segment, quantity, &mut totals)?,
                Form::Archive => self.add_block(&mut tables, segment, quantity, &mut totals)?,
            }
            proceed(segment.events)?;
        }
        Ok(totals.sorted())
    }

    fn add_columns(
        &self,
        tables: &mut EventTables<'_>,
        segment: &Segment,
        quantity: Quantity,
        totals: &mut RowSums,
    ) -> Result<(), TraceError> {
        let row = u64::from(segment.row);
        let mut columns = tables.columns(segment, row)?;
        let field = Field::Quantity(quantity);
        if columns.has_none(field) {
            return Ok(());
        }
        let mut rows = RowReader::open(tables, segment, row)?;
        let (mut symbols, mut values, mut levels) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = segment.events;
        while left > 0 {
            let count = left.min(ROWS);
            left -= count;
            symbols.clear();
            values.clear();
            levels.clear();
            rows.read_symbols(count, self.symbols(), &mut symbols)?;
            columns.read_field(field, count, &mut values, &mut levels)?;
            let having = symbols
                .iter()
                .zip(&levels)
                .filter(|(_, level)| **level != 0);
            for ((&symbol, _), &value) in having.zip(&values) {
                totals.add(symbol, value as u64);
            }
        }
        Ok(())
    }

    fn add_block(
        &self,
        tables: &mut EventTables<'_>,
        segment: &Segment,
        quantity: Quantity,
        totals: &mut RowSums,
    ) -> Result<(), TraceError> {
        for (symbol, value) in tables.decode_one(segment, quantity)? {
            if value != UNDEFINED || quantity == Quantity::Value {
                totals.add(symbol, value);
            }
        }
        Ok(())
    }
}

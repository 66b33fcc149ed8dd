//! The decoded quantities of a segment, handed out from the first event to the last.

use foldtrace_trace::{EventBatch, Quantity, SymbolId, SymbolTable, Timestamp};

use super::quantities::Columns;

/// Quantities, and which of them come next.
#[derive(Debug)]
pub(in crate::store) struct Cursor {
    columns: Columns,
    event: usize,
    values: [usize; Quantity::COUNT],
}

impl Cursor {
    /// Begins at the first event.
    pub fn new(columns: Columns) -> Self {
        Self {
            columns,
            event: 0,
            values: [0; Quantity::COUNT],
        }
    }

    /// Passes over the next events, which are `symbols`.
    pub fn skip(&mut self, symbols: &[SymbolId], table: &SymbolTable) {
        self.event += symbols.len();
        for &symbol in symbols {
            for &quantity in table.kind(symbol).quantities() {
                self.values[quantity as usize] += 1;
            }
        }
    }

    /// Gives the next events, which are the symbols of `batch`, their times and quantities.
    pub fn read(&mut self, batch: &mut EventBatch, table: &SymbolTable) {
        let (event, values) = (self.event, self.values);
        self.skip(&batch.symbols, table);
        let times = self.columns.times[event..self.event].iter();
        batch.times.extend(times.map(|&time| Timestamp(time)));
        for &quantity in Quantity::ALL {
            let index = quantity as usize;
            let values = &self.columns.quantities[index][values[index]..self.values[index]];
            batch.quantities[index].extend_from_slice(values);
        }
    }
}

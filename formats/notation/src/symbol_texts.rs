//! Keeps the texts of the symbols of a batch, which writers repeat for each of its events.

use std::ops::Range;

use foldtrace_trace::SymbolId;

/// The texts of the symbols of one batch.
#[derive(Debug, Default)]
pub struct SymbolTexts {
    bytes: Vec<u8>,
    /// By row of the table of symbols: the last batch that contains a symbol of the row, the last of these symbols, and
    /// the range of its text in `bytes`.
    ranges: Vec<(u64, SymbolId, Range<usize>)>,
    batch: u64,
    /// The start of the text that is being added.
    start: usize,
}

impl SymbolTexts {
    /// Forgets the texts of the previous batch.
    pub fn begin_batch(&mut self) {
        self.batch += 1;
        self.bytes.clear();
    }

    /// Returns where the text of a symbol is, if it was added in this batch, after all others of its row.
    #[inline]
    #[must_use]
    pub fn find(&self, id: SymbolId) -> Option<Range<usize>> {
        let (batch, symbol, range) = self.ranges.get(id.row())?;
        (*batch == self.batch && *symbol == id).then(|| range.clone())
    }

    /// Begins a text, and returns the buffer to which it must be appended before [`end`](Self::end).
    pub fn begin(&mut self) -> &mut Vec<u8> {
        self.start = self.bytes.len();
        &mut self.bytes
    }

    /// Ends the text of the symbol `id`; the table of symbols has `rows` rows. Returns where it is.
    pub fn end(&mut self, id: SymbolId, rows: usize) -> Range<usize> {
        let range = self.start..self.bytes.len();
        if self.ranges.len() <= id.row() {
            self.ranges.resize(rows, (0, SymbolId::default(), 0..0));
        }
        self.ranges[id.row()] = (self.batch, id, range.clone());
        range
    }

    /// Returns a text.
    #[inline]
    #[must_use]
    pub fn text(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }
}

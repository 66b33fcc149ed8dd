//! Keeps the texts of the symbols of a batch, which writers repeat for each of its events.

use std::ops::Range;

use foldtrace_trace::SymbolId;

/// The texts of the symbols of one batch.
#[derive(Debug, Default)]
pub struct SymbolTexts {
    bytes: Vec<u8>,
    /// By symbol: the last batch that contains it, and the range of its text in `bytes`.
    ranges: Vec<(u64, Range<usize>)>,
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

    /// Returns where the text of a symbol is, if it was added in this batch.
    #[inline]
    #[must_use]
    pub fn find(&self, id: SymbolId) -> Option<Range<usize>> {
        let (batch, range) = self.ranges.get(id.index())?;
        (*batch == self.batch).then(|| range.clone())
    }

    /// Begins a text, and returns the buffer to which it must be appended before [`end`](Self::end).
    pub fn begin(&mut self) -> &mut Vec<u8> {
        self.start = self.bytes.len();
        &mut self.bytes
    }

    /// Ends the text of the symbol `id`, one of `symbols` symbols. Returns where it is.
    pub fn end(&mut self, id: SymbolId, symbols: usize) -> Range<usize> {
        let range = self.start..self.bytes.len();
        if self.ranges.len() <= id.index() {
            self.ranges.resize(symbols, (0, 0..0));
        }
        self.ranges[id.index()] = (self.batch, range.clone());
        range
    }

    /// Returns a text.
    #[inline]
    #[must_use]
    pub fn text(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }
}

//! Rows of the results of queries, in chunks that can be sent to another thread.

use std::borrow::Cow;

use rusqlite::types::ValueRef;

use crate::Span;

/// Number of cells from which a chunk is full.
const FULL_CELLS: usize = 1 << 14;
/// Number of bytes of texts for each cell of a full chunk.
const FULL_TEXTS: usize = 64;

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// The beginning and the end of a text or of binary data, in the texts of its chunk, which are shorter than 4 GiB: they are
    /// those of few rows, each shorter than SQLite's limit for a row.
    Text(u32, u32),
}

/// Rows of several queries, one after another.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    cells: Vec<Cell>,
    texts: Vec<u8>,
    /// The query of each row, and the number of its first cell.
    rows: Vec<(usize, usize)>,
}

impl Chunk {
    /// Removes all rows but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.texts.clear();
        self.rows.clear();
    }

    /// Returns the number of bytes of all texts.
    pub(crate) fn text_bytes(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether the chunk has enough rows to be sent.
    pub(crate) fn is_full(&self) -> bool {
        self.has(FULL_CELLS)
    }

    /// Returns whether the chunk has that number of cells, or texts that take more memory than these.
    #[inline]
    pub(crate) fn has(&self, cells: usize) -> bool {
        self.cells.len() >= cells || self.texts.len() >= cells * FULL_TEXTS
    }

    /// Appends a row of a query.
    #[inline]
    pub(crate) fn push<'a>(&mut self, query: usize, values: impl Iterator<Item = ValueRef<'a>>) {
        self.rows.push((query, self.cells.len()));
        for value in values {
            let cell = match value {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(number) => Cell::Integer(number),
                ValueRef::Real(number) => Cell::Real(number),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => self.text(bytes),
            };
            self.cells.push(cell);
        }
    }

    /// Appends a row of another chunk.
    #[inline]
    pub(crate) fn copy(&mut self, row: &Row<'_>) {
        self.rows.push((row.query, self.cells.len()));
        if row.texts.is_empty() {
            self.cells.extend_from_slice(row.cells);
            return;
        }
        for (column, &cell) in row.cells.iter().enumerate() {
            let cell = row.bytes(column).map_or(cell, |bytes| self.text(bytes));
            self.cells.push(cell);
        }
    }

    fn text(&mut self, bytes: &[u8]) -> Cell {
        let begin = self.texts.len() as u32;
        self.texts.extend_from_slice(bytes);
        Cell::Text(begin, self.texts.len() as u32)
    }

    /// Returns the rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.rows.len()).map_while(|number| self.row(number))
    }

    /// Returns a row by its number.
    #[inline]
    pub(crate) fn row(&self, number: usize) -> Option<Row<'_>> {
        let &(query, begin) = self.rows.get(number)?;
        let end = self.rows.get(number + 1);
        let end = end.map_or(self.cells.len(), |&(_, begin)| begin);
        Some(Row {
            query,
            cells: self.cells.get(begin..end)?,
            texts: &self.texts,
        })
    }
}

/// A row of the result of a query.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The number of the query.
    pub query: usize,
    cells: &'a [Cell],
    texts: &'a [u8],
}

impl<'a> Row<'a> {
    /// Returns the value of a column; [`Cell::Null`] if there is no such column.
    #[must_use]
    #[inline]
    pub fn cell(&self, column: usize) -> Cell {
        self.cells.get(column).copied().unwrap_or(Cell::Null)
    }

    /// Returns the number of columns.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the value of a column. Binary data are a text.
    #[inline]
    pub(crate) fn value(&self, column: usize) -> ValueRef<'a> {
        match self.cell(column) {
            Cell::Null => ValueRef::Null,
            Cell::Integer(number) => ValueRef::Integer(number),
            Cell::Real(number) => ValueRef::Real(number),
            Cell::Text(..) => ValueRef::Text(self.bytes(column).unwrap_or_default()),
        }
    }

    /// Returns the integer in a column; `None` if the column has no value, or one of another type.
    #[must_use]
    #[inline]
    pub fn integer(&self, column: usize) -> Option<i64> {
        match self.cell(column) {
            Cell::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the times of a call, which the first two columns have.
    #[must_use]
    #[inline]
    pub fn span(&self) -> Span {
        Span {
            begin: self.integer(0).unwrap_or_default(),
            end: self.integer(1),
        }
    }

    /// Returns the bytes of the text in a column; `None` if the column has no text.
    #[must_use]
    #[inline]
    pub fn bytes(&self, column: usize) -> Option<&'a [u8]> {
        match self.cell(column) {
            Cell::Text(begin, end) => self.texts.get(begin as usize..end as usize),
            _ => None,
        }
    }

    /// Returns the text in a column, in which U+FFFD replaces what is not UTF-8.
    #[must_use]
    pub fn text(&self, column: usize) -> Option<Cow<'a, str>> {
        self.bytes(column).map(String::from_utf8_lossy)
    }
}

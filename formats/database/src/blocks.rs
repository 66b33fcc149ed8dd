//! Rows of a query in blocks.
//!
//! SQLite passes the values of a row to a function, which appends them to a block. The query returns only when the block is full.
//! This takes less time than a call for each row and for each value.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::functions::FunctionFlags;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Rows, Statement};

use crate::rows::Chunk;

/// Number of cells from which the blocks of all queries together are full.
const CELLS: usize = 1 << 16;
/// Number of cells from which a block is full, at least and at most.
const FEWEST_CELLS: usize = 1 << 6;
const MOST_CELLS: usize = 1 << 12;

/// What a query selects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection<'a> {
    /// The number of the query.
    pub query: usize,
    /// The number of queries that are read at the same time.
    pub queries: usize,
    /// The columns of the result.
    pub columns: &'a [String],
    /// The tables, and the order of the rows.
    pub from: &'a str,
    /// Whether the tables end with an order, which the function must not see.
    pub is_ordered: bool,
}

/// A query whose rows come in blocks.
pub(crate) struct BlockQuery<'a> {
    statement: Statement<'a>,
    /// The block to which the function appends; `None` if the query returns every row.
    filled: Option<Arc<Mutex<Chunk>>>,
    query: usize,
    columns: usize,
    /// The number of cells from which a block is full.
    full: usize,
}

impl<'a> BlockQuery<'a> {
    /// Prepares a query. No other query with the same number may be in use on this connection.
    pub(crate) fn prepare(
        connection: &'a Connection,
        selection: Selection<'_>,
    ) -> rusqlite::Result<Self> {
        let Selection { query, from, .. } = selection;
        let columns = selection.columns.len();
        let all = selection.columns.join(", ");
        let full = (CELLS / selection.queries.max(1)).clamp(FEWEST_CELLS, MOST_CELLS);
        let most = connection.limit(Limit::SQLITE_LIMIT_FUNCTION_ARG)?;
        let is_long = usize::try_from(most).is_ok_and(|most| columns > most);
        let (sql, filled) = if selection.is_ordered || is_long {
            (format!("SELECT {all} FROM {from}"), None)
        } else {
            let filled = Arc::new(Mutex::new(Chunk::default()));
            let function = format!("append_to_block_{query}");
            define(connection, &function, query, full, Arc::clone(&filled))?;
            let sql = format!("SELECT 1 FROM {from} WHERE {function}({all})");
            (sql, Some(filled))
        };
        Ok(Self {
            statement: connection.prepare(&sql)?,
            filled,
            query,
            columns,
            full,
        })
    }

    /// Starts the query.
    pub(crate) fn blocks(&mut self) -> Blocks<'_> {
        Blocks {
            rows: self.statement.raw_query(),
            filled: self.filled.as_deref(),
            query: self.query,
            columns: self.columns,
            full: self.full,
        }
    }
}

/// Defines the function that appends rows to a block. It returns whether the block is full.
fn define(
    connection: &Connection,
    function: &str,
    query: usize,
    full: usize,
    filled: Arc<Mutex<Chunk>>,
) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function(function, -1, flags, move |context| {
        let mut block = filled.lock().unwrap_or_else(PoisonError::into_inner);
        let columns = 0..context.len();
        block.push(query, columns.map(|column| context.get_raw(column)));
        Ok(block.has(full))
    })
}

/// The blocks of a query that has started.
pub(crate) struct Blocks<'a> {
    rows: Rows<'a>,
    filled: Option<&'a Mutex<Chunk>>,
    query: usize,
    columns: usize,
    full: usize,
}

impl Blocks<'_> {
    /// Reads the next rows into a block, and returns whether more rows may follow. After an error, the block has the rows before
    /// it.
    pub(crate) fn next(&mut self, block: &mut Chunk) -> rusqlite::Result<bool> {
        block.clear();
        let Some(filled) = self.filled else {
            return self.copy(block);
        };
        let advanced = self.rows.advance();
        let mut filled = filled.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *filled, block);
        advanced?;
        Ok(self.rows.get().is_some())
    }

    /// Copies rows of a query that returns every one.
    fn copy(&mut self, block: &mut Chunk) -> rusqlite::Result<bool> {
        while !block.has(self.full) {
            let Some(row) = self.rows.next()? else {
                return Ok(false);
            };
            let columns = 0..self.columns;
            let value = |column| row.get_ref(column).unwrap_or(ValueRef::Null);
            block.push(self.query, columns.map(value));
        }
        Ok(true)
    }
}

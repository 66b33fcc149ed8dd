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
    /// The number of the query in the rows.
    pub query: usize,
    /// The number of this selection, and how many are read at the same time.
    pub number: usize,
    pub selections: usize,
    /// The columns of the result.
    pub columns: &'a [String],
    /// The tables, and the order of the rows.
    pub from: &'a str,
    /// The row ids that are read, of the table `R`: the first one, and the one after the last one.
    pub row_ids: [Option<i64>; 2],
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
    /// Prepares a query. No other selection with the same number may be in use on this connection.
    pub(crate) fn prepare(
        connection: &'a Connection,
        selection: Selection<'_>,
    ) -> rusqlite::Result<Self> {
        let Selection {
            query,
            number,
            from,
            ..
        } = selection;
        let columns = selection.columns.len();
        let all = selection.columns.join(", ");
        let full = (CELLS / selection.selections.max(1)).clamp(FEWEST_CELLS, MOST_CELLS);
        let most = connection.limit(Limit::SQLITE_LIMIT_FUNCTION_ARG)?;
        let is_long = usize::try_from(most).is_ok_and(|most| columns > most);
        let [first, after] = selection.row_ids;
        let first = first.map(|id| format!("R.rowid >= {id}"));
        let after = after.map(|id| format!("R.rowid < {id}"));
        let mut conditions: Vec<String> = first.into_iter().chain(after).collect();
        let (result, filled) = if selection.is_ordered || is_long {
            (&*all, None)
        } else {
            let filled = Arc::new(Mutex::new(Chunk::default()));
            let function = format!("append_to_block_{number}");
            define(connection, &function, query, full, Arc::clone(&filled))?;
            conditions.push(format!("{function}({all})"));
            ("1", Some(filled))
        };
        let mut sql = format!("SELECT {result} FROM {from}");
        if !conditions.is_empty() {
            sql.push_str(" WHERE ");
            sql.push_str(&conditions.join(" AND "));
        }
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

//! A stream of batches from the rows of a database.

use foldtrace_trace::{Diagnostics, EventBatch, LocationId, Position, SymbolTable, TraceError};

use crate::merge::{MergedRows, Message};
use crate::rows::Chunk;
use crate::{Calls, Damage, Database, Query, Row, Timeline};

/// Gives the rows of a format their meaning.
pub trait Mapper {
    /// Turns a row into events.
    fn row(&mut self, row: &Row<'_>, timeline: &mut Timeline);

    /// Reports irregularities after the last row.
    fn finish(&mut self, timeline: &Timeline, diagnostics: &mut Diagnostics);

    /// Returns the failure to read what rows refer to, if there was one since the last call.
    fn take_failure(&mut self) -> Option<TraceError>;

    /// Returns the definitions and the symbols, which the databases of a trace share.
    fn calls(&mut self) -> &mut Calls;

    /// Returns the symbols.
    fn symbols(&self) -> &SymbolTable;
}

/// A stream of batches from the rows of a database.
pub struct DatabaseStream<M> {
    rows: MergedRows,
    mapper: M,
    timeline: Timeline,
    chunk: Option<Chunk>,
    /// The number of the next row of the chunk.
    next: usize,
    /// The size of the database in bytes, and its number of rows.
    size: (u64, u64),
    read: u64,
    damage: Damage,
    has_ended: bool,
}

impl<M: Mapper> DatabaseStream<M> {
    /// Starts queries, whose rows become a stream. `rows` is their number, as far as it is known; times count from `origin`, and
    /// `mapper` makes the mapper.
    ///
    /// # Errors
    /// Returns an error if the queries cannot be started.
    pub fn start(
        database: &Database,
        queries: Vec<Query>,
        (rows, origin): (u64, i64),
        damage: Damage,
        mapper: impl FnOnce(&mut Timeline) -> M,
    ) -> Result<Self, TraceError> {
        let size = (database.bytes(), rows);
        let rows = MergedRows::start(database, queries, damage.salvages)?;
        let mut timeline = Timeline::new(origin);
        Ok(Self {
            rows,
            mapper: mapper(&mut timeline),
            timeline,
            chunk: None,
            next: 0,
            size,
            read: 0,
            damage,
            has_ended: false,
        })
    }

    /// Turns rows into events until a batch is ready or all rows are read.
    fn read(&mut self, diagnostics: &mut Diagnostics) -> Result<(), TraceError> {
        while !self.timeline.is_ready() && !self.has_ended {
            let Some(chunk) = &self.chunk else {
                match self.rows.next() {
                    Message::Rows(chunk) => (self.chunk, self.next) = (Some(chunk), 0),
                    Message::End => self.end(diagnostics),
                    Message::Failed(error) => self.fail(error, diagnostics)?,
                }
                continue;
            };
            match chunk.row(self.next) {
                Some(row) => {
                    self.mapper.row(&row, &mut self.timeline);
                    self.next += 1;
                    self.read += 1;
                }
                None => {
                    if let Some(chunk) = self.chunk.take() {
                        self.rows.take_back(chunk);
                    }
                    if let Some(error) = self.mapper.take_failure() {
                        self.fail(error, diagnostics)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reports a failure as a loss if the rest can be salvaged, and ends the stream otherwise.
    fn fail(&mut self, error: TraceError, diagnostics: &mut Diagnostics) -> Result<(), TraceError> {
        let passed = self.damage.pass(error, diagnostics);
        if passed.is_err() {
            self.end(diagnostics);
        }
        passed
    }

    fn end(&mut self, diagnostics: &mut Diagnostics) {
        self.timeline.finish();
        self.mapper.finish(&self.timeline, diagnostics);
        self.has_ended = true;
    }

    /// Reads the next batch without its definitions, and returns whether there was one.
    pub(crate) fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<bool, TraceError> {
        let result = self.read(diagnostics);
        let is_taken = self.timeline.take(batch);
        if !is_taken {
            batch.reset(LocationId::default(), Position::default());
        }
        result.map(|()| is_taken)
    }

    pub(crate) fn calls(&mut self) -> &mut Calls {
        self.mapper.calls()
    }

    pub(crate) fn symbols(&self) -> &SymbolTable {
        self.mapper.symbols()
    }

    /// Returns about how many bytes of the database the rows so far take.
    pub(crate) fn bytes_read(&self) -> u64 {
        let (bytes, rows) = self.size;
        let read = u128::from(self.read.min(rows)) * u128::from(bytes) / u128::from(rows.max(1));
        u64::try_from(read).unwrap_or(bytes)
    }
}

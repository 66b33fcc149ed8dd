//! Rows of several queries in the order of time.
//!
//! A thread of its own reads the rows of each query and merges them. If a table consists of few runs in the order of time, each is
//! a part of its own. Other tables are sorted first, on disk if they are large, so memory does not grow with the tables.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use foldtrace_sort::{Sorter, TrackRows};
use foldtrace_trace::{ErrorKind, Place, TraceError};
use rusqlite::Connection;

use crate::Database;
use crate::blocks::{BlockQuery, Blocks, Selection};
use crate::fault::{endless, fault, scratch_fault};
use crate::packed::{end, pack, unpack, when};
use crate::rows::Chunk;

/// The order of the rows of a query, as its last clause.
const ORDER: &str = " ORDER BY 1, 2 DESC";

/// Memory for all tables that SQLite sorts together, and for one of them at least and at most, in KiB.
const SORTERS: usize = 96 << 10;
const SMALLEST_SORTER: usize = 8 << 10;
const LARGEST_SORTER: usize = 32 << 10;

/// Memory for all rows that are sorted here, in bytes. While the last of them are prepared, they take it twice.
const SORTER: usize = 32 << 20;

/// Number of chunks that may wait for the receiver.
const WAITING: usize = 4;
/// Number of steps of SQLite's machine between two looks at the request to stop.
const STEPS: i32 = 1 << 16;

/// The order of the rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of time.
    Time,
    /// Like [`Any`](Self::Any), but in the order of time from each of these row ids of the table `R` to the next one.
    Runs(Vec<i64>),
    /// Any order. Every event ends at its beginning or later, or never.
    Any,
    /// Any order, and ends may be anything. SQLite sorts the rows.
    Irregular,
}

/// A query whose first two columns are the beginning and the end of an event. Rows are in the order of their beginnings; of those
/// with the same beginning, the one that ends last comes first.
#[derive(Clone, Debug)]
pub struct Query {
    columns: Vec<String>,
    /// The tables, and the order if SQLite sorts the rows.
    from: String,
    order: Order,
}

impl Query {
    /// Creates the query for columns of a table, or of several that are joined. If the rows are not in the order of time, they
    /// are sorted.
    #[must_use]
    pub fn new(columns: &[String], from: &str, order: Order) -> Self {
        let last = if order == Order::Irregular { ORDER } else { "" };
        Self {
            columns: columns.to_vec(),
            from: format!("{from}{last}"),
            order,
        }
    }
}

/// A part of a query: rows in the order of time, or rows that are sorted.
struct Part<'a> {
    /// The number of the query.
    number: usize,
    query: &'a Query,
    /// The first row id, and the one after the last one.
    row_ids: [Option<i64>; 2],
    is_sorted_here: bool,
}

/// Returns the parts of queries, in their order. If damage is salvaged, a table that is not in the order of time is one part, which
/// is lost as a whole.
fn parts(queries: &[Query], salvages: bool) -> Vec<Part<'_>> {
    let mut parts = Vec::with_capacity(queries.len());
    for (number, query) in queries.iter().enumerate() {
        let (begins, is_sorted_here): (&[i64], bool) = match &query.order {
            Order::Runs(begins) if !salvages => (begins, false),
            Order::Any | Order::Runs(_) => (&[], true),
            Order::Time | Order::Irregular => (&[], false),
        };
        let mut first = None;
        for after in begins.iter().copied().map(Some).chain([None]) {
            parts.push(Part {
                number,
                query,
                row_ids: [first, after],
                is_sorted_here,
            });
            first = after;
        }
    }
    parts
}

/// What the thread sends.
pub(crate) enum Message {
    /// Rows in the order of time.
    Rows(Chunk),
    /// A query has failed. The rows of the other queries follow.
    Failed(TraceError),
    /// All rows have been sent.
    End,
}

/// The rows of several queries, merged by time in another thread.
#[derive(Debug)]
pub(crate) struct MergedRows {
    messages: Option<Receiver<Message>>,
    used: Sender<Chunk>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MergedRows {
    /// Starts the queries. `salvages` is whether the rest of a damaged database is read.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened again, or if no thread can be started.
    pub(crate) fn start(
        database: &Database,
        queries: Vec<Query>,
        salvages: bool,
    ) -> Result<Self, TraceError> {
        let path = database.path().to_owned();
        let mut connection = database.connect()?;
        // A sorter may take as much memory as the cache.
        let sorters = queries.iter().filter(|it| it.order == Order::Irregular);
        let sorters = sorters.count();
        let memory = (SORTERS / sorters.max(1)).clamp(SMALLEST_SORTER, LARGEST_SORTER);
        let size = i64::try_from(memory).unwrap_or_default();
        connection
            .pragma_update(None, "cache_size", -size)
            .map_err(|error| fault(&path, error))?;
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        connection
            .progress_handler(STEPS, Some(move || is_stopped.load(Ordering::Relaxed)))
            .map_err(|error| fault(&path, error))?;
        let (sender, messages) = sync_channel(WAITING);
        let (used, empty) = channel();
        let place = Place::file(&path);
        let most_bytes = database.most_bytes();
        let work = move || {
            let mut output = Output {
                sender,
                empty,
                chunk: Chunk::default(),
                bytes: 0,
                most_bytes,
            };
            // The receiver may be gone: then nobody needs the rest.
            let _ = merge(&connection, &parts(&queries, salvages), &path, &mut output);
        };
        let thread = thread::Builder::new().name("rows".to_owned()).spawn(work);
        let thread = thread.map_err(|error| {
            TraceError::new(
                ErrorKind::Unreadable,
                "cannot start a thread that reads the database",
            )
            .at(place)
            .caused_by(error)
        })?;
        Ok(Self {
            messages: Some(messages),
            used,
            stop,
            thread: Some(thread),
        })
    }

    /// Waits for the next message.
    pub(crate) fn next(&mut self) -> Message {
        let message = self.messages.as_ref().map(Receiver::recv);
        message.and_then(Result::ok).unwrap_or_else(|| {
            let message = "the thread that reads the database ended early";
            Message::Failed(TraceError::new(ErrorKind::Internal, message))
        })
    }

    /// Takes a chunk back, so that its memory is used again.
    pub(crate) fn take_back(&mut self, chunk: Chunk) {
        // The thread may have ended.
        let _ = self.used.send(chunk);
    }
}

impl Drop for MergedRows {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.messages = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The receiver is gone.
struct Gone;

struct Output {
    sender: SyncSender<Message>,
    empty: Receiver<Chunk>,
    chunk: Chunk,
    /// The number of bytes of texts so far, and at most.
    bytes: u64,
    most_bytes: u64,
}

impl Output {
    fn flush(&mut self) -> Result<(), Gone> {
        let mut next = self.empty.try_recv().unwrap_or_default();
        next.clear();
        let full = std::mem::replace(&mut self.chunk, next);
        self.bytes += full.text_bytes() as u64;
        self.send(Message::Rows(full))
    }

    fn fail(&mut self, error: TraceError) -> Result<(), Gone> {
        self.flush()?;
        self.send(Message::Failed(error))
    }

    fn send(&mut self, message: Message) -> Result<(), Gone> {
        self.sender.send(message).map_err(|_| Gone)
    }
}

/// The place of a row in the order of time: its beginning, its end, and its part of a query.
type Key = Reverse<(i64, Reverse<i64>, usize)>;

#[inline]
fn place(begin: i64, end: Option<i64>, part: usize) -> Key {
    Reverse((begin, Reverse(end.unwrap_or(i64::MIN)), part))
}

/// Rows in the order of time.
enum Rows<'a> {
    /// As the query returns them.
    Stored(Stored<'a>),
    /// From the sorter.
    Sorted(TrackRows<'a>),
}

/// A part of a query that is being merged.
struct Source<'a> {
    /// The numbers of the query and of the part.
    query: usize,
    part: usize,
    rows: Rows<'a>,
}

impl Source<'_> {
    /// Returns the place of the first row; `None` if there is none.
    fn find(&mut self, path: &Path) -> Result<Option<Key>, TraceError> {
        let part = self.part;
        match &mut self.rows {
            Rows::Stored(rows) => rows.find(part).map_err(|error| fault(path, error)),
            Rows::Sorted(rows) => {
                let row = rows
                    .next_row()
                    .map_err(|error| scratch_fault(path, error))?;
                Ok(row.map(|(when, _)| place(when.time, end(when), part)))
            }
        }
    }

    /// Copies the current row, and returns the place of the next one.
    #[inline]
    fn pass(&mut self, chunk: &mut Chunk, path: &Path) -> Result<Option<Key>, TraceError> {
        match &mut self.rows {
            Rows::Stored(rows) => {
                if let Some(row) = rows.block.row(rows.current) {
                    chunk.copy(&row);
                    rows.current += 1;
                }
            }
            Rows::Sorted(rows) => {
                if let Some((when, row)) = rows.current_row() {
                    unpack(self.query, when, row, chunk);
                }
            }
        }
        self.find(path)
    }
}

/// Rows as a query returns them.
struct Stored<'a> {
    blocks: Blocks<'a>,
    block: Chunk,
    /// The number of the current row of the block.
    current: usize,
    has_more: bool,
    failure: Option<rusqlite::Error>,
}

impl<'a> Stored<'a> {
    fn new(blocks: Blocks<'a>) -> Self {
        Self {
            blocks,
            block: Chunk::default(),
            current: 0,
            has_more: true,
            failure: None,
        }
    }

    /// Returns the place of the current row, or of the next one that has a beginning; `None` at the end.
    #[inline]
    fn find(&mut self, part: usize) -> rusqlite::Result<Option<Key>> {
        loop {
            while let Some(row) = self.block.row(self.current) {
                if let Some(begin) = row.integer(0) {
                    return Ok(Some(place(begin, row.integer(1), part)));
                }
                self.current += 1;
            }
            if !self.has_more {
                return self.failure.take().map_or(Ok(None), Err);
            }
            self.current = 0;
            // The rows before a failure come first.
            match self.blocks.next(&mut self.block) {
                Ok(has_more) => self.has_more = has_more,
                Err(error) => (self.has_more, self.failure) = (false, Some(error)),
            }
        }
    }
}

/// Adds the rows of a query to the sorter.
fn sort(
    mut blocks: Blocks<'_>,
    track: u32,
    path: &Path,
    sorter: &mut Sorter,
) -> Result<(), TraceError> {
    let mut block = Chunk::default();
    let mut has_more = true;
    while has_more {
        has_more = blocks
            .next(&mut block)
            .map_err(|error| fault(path, error))?;
        for row in block.iter() {
            if let Some(when) = when(&row) {
                let pushed = sorter.push(track, when, |out| pack(&row, when, out));
                pushed.map_err(|error| scratch_fault(path, error))?;
            }
        }
    }
    Ok(())
}

fn merge(
    connection: &Connection,
    parts: &[Part<'_>],
    path: &Path,
    output: &mut Output,
) -> Result<(), Gone> {
    let mut statements = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let selection = Selection {
            query: part.number,
            number,
            selections: parts.len(),
            columns: &part.query.columns,
            from: &part.query.from,
            row_ids: part.row_ids,
            is_ordered: part.query.order == Order::Irregular,
        };
        match BlockQuery::prepare(connection, selection) {
            Ok(statement) => statements.push(Some(statement)),
            Err(error) => {
                statements.push(None);
                output.fail(fault(path, error))?;
            }
        }
    }
    let mut sorter = Sorter::within(SORTER);
    let mut sorted: Vec<Result<(), TraceError>> = Vec::with_capacity(parts.len());
    for ((track, part), statement) in (0..).zip(parts).zip(&mut statements) {
        let statement = statement.as_mut().filter(|_| part.is_sorted_here);
        let result = statement.map(|it| sort(it.blocks(), track, path, &mut sorter));
        sorted.push(result.unwrap_or(Ok(())));
    }
    let rows = match sorter.finish() {
        Ok(rows) => rows,
        Err(error) => {
            output.fail(scratch_fault(path, error))?;
            return output.send(Message::End);
        }
    };
    let mut next = BinaryHeap::new();
    let mut sources = Vec::with_capacity(parts.len());
    for (number, (statement, sorted)) in statements.iter_mut().zip(sorted).enumerate() {
        let part = &parts[number];
        let source = sorted.and_then(|()| {
            let Some(statement) = statement else {
                return Ok(None);
            };
            let rows = if part.is_sorted_here {
                let rows = rows.rows(number as u32);
                Rows::Sorted(rows.map_err(|error| scratch_fault(path, error))?)
            } else {
                Rows::Stored(Stored::new(statement.blocks()))
            };
            let mut source = Source {
                query: part.number,
                part: number,
                rows,
            };
            next.extend(source.find(path)?);
            Ok(Some(source))
        });
        match source {
            Ok(source) => sources.push(source),
            Err(error) => {
                sources.push(None);
                output.fail(error)?;
            }
        }
    }
    while let Some(mut first) = next.peek_mut() {
        let Reverse((_, _, part)) = *first;
        let Some(source) = &mut sources[part] else {
            PeekMut::pop(first);
            continue;
        };
        match source.pass(&mut output.chunk, path) {
            Ok(Some(key)) => *first = key,
            Ok(None) => {
                PeekMut::pop(first);
            }
            Err(error) => {
                PeekMut::pop(first);
                output.fail(error)?;
            }
        }
        if output.chunk.is_full() {
            output.flush()?;
            if output.bytes > output.most_bytes {
                output.fail(endless(path, "a table"))?;
                break;
            }
        }
    }
    output.flush()?;
    output.send(Message::End)
}

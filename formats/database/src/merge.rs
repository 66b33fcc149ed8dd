//! Rows of several queries in the order of time.
//!
//! Each query returns its rows in the order of time; a thread of its own merges them. SQLite sorts on disk where tables are not in
//! this order, so memory does not grow with the tables.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use foldtrace_trace::{ErrorKind, Place, TraceError};
use rusqlite::Connection;

use crate::Database;
use crate::blocks::{BlockQuery, Blocks, Selection};
use crate::fault::{endless, fault};
use crate::rows::Chunk;

/// The order of the rows of a query, as its last clause.
const ORDER: &str = " ORDER BY 1, 2 DESC";

/// Memory for all sorted tables together, and for one of them at least and at most, in KiB.
const SORTERS: usize = 96 << 10;
const SMALLEST_SORTER: usize = 8 << 10;
const LARGEST_SORTER: usize = 32 << 10;

/// Number of chunks that may wait for the receiver.
const WAITING: usize = 4;
/// Number of steps of SQLite's machine between two looks at the request to stop.
const STEPS: i32 = 1 << 16;

/// A query whose first two columns are the beginning and the end of an event. Rows are in the order of their beginnings; of those
/// with the same beginning, the one that ends last comes first.
#[derive(Clone, Debug)]
pub struct Query {
    columns: Vec<String>,
    /// The tables, and the order if SQLite sorts the rows.
    from: String,
    is_sorted: bool,
}

impl Query {
    /// Creates the query for columns of a table, or of several that are joined. If the rows are not in the order of time, they
    /// are sorted.
    #[must_use]
    pub fn new(columns: &[String], from: &str, is_sorted: bool) -> Self {
        let order = if is_sorted { "" } else { ORDER };
        Self {
            columns: columns.to_vec(),
            from: format!("{from}{order}"),
            is_sorted,
        }
    }
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
    /// Starts the queries.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened again, or if no thread can be started.
    pub(crate) fn start(database: &Database, queries: Vec<Query>) -> Result<Self, TraceError> {
        let path = database.path().to_owned();
        let mut connection = database.connect()?;
        // A sorter may take as much memory as the cache.
        let sorters = queries.iter().filter(|it| !it.is_sorted).count();
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
            let _ = merge(&connection, &queries, &path, &mut output);
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

/// The place of a row in the order of time: its beginning, its end, and its query.
type Key = Reverse<(i64, Reverse<i64>, usize)>;

/// A query that is being merged.
struct Source<'a> {
    blocks: Blocks<'a>,
    block: Chunk,
    /// The number of the current row of the block.
    current: usize,
    has_more: bool,
    failure: Option<rusqlite::Error>,
}

impl<'a> Source<'a> {
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
    fn find(&mut self) -> rusqlite::Result<Option<Key>> {
        loop {
            while let Some(row) = self.block.row(self.current) {
                if let Some(begin) = row.integer(0) {
                    let end = row.integer(1).unwrap_or(i64::MIN);
                    return Ok(Some(Reverse((begin, Reverse(end), row.query))));
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

    /// Copies the current row, and returns the place of the next one.
    #[inline]
    fn pass(&mut self, chunk: &mut Chunk) -> rusqlite::Result<Option<Key>> {
        if let Some(row) = self.block.row(self.current) {
            chunk.copy(&row);
            self.current += 1;
        }
        self.find()
    }
}

fn merge(
    connection: &Connection,
    queries: &[Query],
    path: &Path,
    output: &mut Output,
) -> Result<(), Gone> {
    let fault = |error| fault(path, error);
    let mut statements = Vec::with_capacity(queries.len());
    for (number, query) in queries.iter().enumerate() {
        let selection = Selection {
            query: number,
            queries: queries.len(),
            columns: &query.columns,
            from: &query.from,
            is_ordered: !query.is_sorted,
        };
        match BlockQuery::prepare(connection, selection) {
            Ok(statement) => statements.push(Some(statement)),
            Err(error) => {
                statements.push(None);
                output.fail(fault(error))?;
            }
        }
    }
    let mut sources: Vec<Option<Source<'_>>> = statements
        .iter_mut()
        .map(|statement| Some(Source::new(statement.as_mut()?.blocks())))
        .collect();
    let mut next = BinaryHeap::new();
    for source in sources.iter_mut().flatten() {
        match source.find() {
            Ok(key) => next.extend(key),
            Err(error) => output.fail(fault(error))?,
        }
    }
    while let Some(mut first) = next.peek_mut() {
        let Reverse((_, _, query)) = *first;
        let Some(source) = &mut sources[query] else {
            PeekMut::pop(first);
            continue;
        };
        match source.pass(&mut output.chunk) {
            Ok(Some(key)) => *first = key,
            Ok(None) => {
                PeekMut::pop(first);
            }
            Err(error) => {
                PeekMut::pop(first);
                output.fail(fault(error))?;
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

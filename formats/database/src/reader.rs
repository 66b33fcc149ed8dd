//! An open trace: a head, and a single stream that reads one database after another.

use std::mem;
use std::path::PathBuf;

use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventStream, Input, Minter, Place, Step, StreamInfo,
    SymbolTable, TraceError, TraceHead, TraceReader,
};

use crate::Calls;
use crate::stream::{DatabaseStream, Mapper};

/// A format's knowledge of a trace after its databases were opened.
pub trait Plan: Send + Sync {
    /// What gives rows their meaning.
    type Mapper: Mapper + 'static;

    /// Returns the sizes of the databases, in bytes.
    fn sizes(&self) -> Vec<u64>;

    /// Starts to read the events of a database, by its number. The stream gets the definitions and the symbols later.
    ///
    /// # Errors
    /// Returns an error if the database is unreadable.
    fn start(&self, number: usize) -> Result<DatabaseStream<Self::Mapper>, TraceError>;
}

/// An open trace in one or several databases.
#[derive(Debug)]
pub struct DatabaseReader<P> {
    head: TraceHead,
    plan: P,
    /// Continues the definitions of the head.
    minter: Minter,
}

impl<P: Plan> DatabaseReader<P> {
    /// Creates the reader of a trace. `minter` has the definitions that are known before the first event.
    pub fn new(mut minter: Minter, diagnostics: Diagnostics, plan: P) -> Self {
        let stream = StreamInfo {
            bytes: plan.sizes().iter().sum(),
            ..StreamInfo::default()
        };
        let head = TraceHead {
            definitions: minter.take(),
            diagnostics,
            streams: vec![stream],
            ..TraceHead::default()
        };
        Self { head, plan, minter }
    }
}

impl<P: Plan> TraceReader for DatabaseReader<P> {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        if index > 0 {
            let message = format!("there is no stream {index}");
            return Err(TraceError::new(ErrorKind::Internal, message));
        }
        let mut stream = self.plan.start(0)?;
        *stream.calls() = Calls::new(self.minter.clone());
        Ok(Box::new(Databases {
            plan: &self.plan,
            sizes: self.plan.sizes(),
            stream,
            current: 0,
        }))
    }
}

/// The events of one database after another.
struct Databases<'a, P: Plan> {
    plan: &'a P,
    sizes: Vec<u64>,
    stream: DatabaseStream<P::Mapper>,
    current: usize,
}

impl<P: Plan> Databases<'_, P> {
    fn read(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        while !self.stream.next_batch(batch, diagnostics)? {
            if self.current + 1 >= self.sizes.len() {
                return Ok(Step::End);
            }
            let mut next = self.plan.start(self.current + 1)?;
            mem::swap(next.calls(), self.stream.calls());
            self.stream = next;
            self.current += 1;
        }
        Ok(Step::Batch)
    }
}

impl<P: Plan> EventStream for Databases<'_, P> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        let step = self.read(batch, diagnostics);
        if step.is_err() {
            // What the rows before a failure became is still to be taken, but nothing after it.
            self.sizes.truncate(self.current + 1);
        }
        batch.definitions = self.stream.calls().minter.take();
        step
    }

    fn symbols(&self) -> &SymbolTable {
        self.stream.symbols()
    }

    fn bytes_read(&self) -> u64 {
        let before: u64 = self.sizes.iter().take(self.current).sum();
        before + self.stream.bytes_read()
    }
}

/// Returns the path of an input.
///
/// # Errors
/// Returns an error if it is a stream, because a database cannot be read from its beginning to its end.
pub fn path_of(input: Input) -> Result<PathBuf, TraceError> {
    match input {
        Input::Path(path) => Ok(path),
        Input::Stream { name, .. } => {
            let message = "a database cannot be read from a pipe";
            Err(TraceError::new(ErrorKind::Usage, message)
                .hint("write it to a file, and give the name of the file")
                .at(Place::file(name)))
        }
    }
}

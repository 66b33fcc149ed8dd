//! An open trace in a database: a head, and a single stream.

use std::path::PathBuf;

use foldtrace_trace::{
    ErrorKind, EventStream, Input, Place, StreamInfo, TraceError, TraceHead, TraceReader,
};

/// A format's knowledge of a trace after it was opened.
pub trait Plan: Send + Sync {
    /// Starts to read the events.
    ///
    /// # Errors
    /// Returns an error if the database is unreadable.
    fn start(&self) -> Result<Box<dyn EventStream>, TraceError>;
}

/// An open trace in a database.
#[derive(Debug)]
pub struct DatabaseReader<P> {
    head: TraceHead,
    plan: P,
}

impl<P: Plan> DatabaseReader<P> {
    /// Creates the reader of a database of a size in bytes. The head gets its only stream.
    pub fn new(mut head: TraceHead, plan: P, bytes: u64) -> Self {
        head.streams = vec![StreamInfo {
            bytes,
            ..StreamInfo::default()
        }];
        Self { head, plan }
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
        self.plan.start()
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

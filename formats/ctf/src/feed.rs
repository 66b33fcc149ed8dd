//! A stream that is decoded ahead of its turn.

use crate::chunk::Chunk;
use crate::data_stream::{DataStream, Filled};
use crate::plan::TracePlan;

/// A stream, and the chunk that comes next.
#[derive(Debug)]
pub(crate) struct Feed {
    pub stream: DataStream,
    chunk: Chunk,
    /// Why the chunk has no more events, if it has been filled.
    filled: Option<Filled>,
}

impl Feed {
    pub(crate) fn new(stream: DataStream) -> Self {
        Self {
            stream,
            chunk: Chunk::default(),
            filled: None,
        }
    }

    /// Fills the chunk that comes next, unless it is full.
    pub(crate) fn decode_ahead(&mut self, plan: &TracePlan, most: usize) {
        if self.filled.is_none() {
            self.filled = Some(self.stream.fill(plan, &mut self.chunk, most));
        }
    }

    /// Adds events to a chunk, which is empty if some have been decoded ahead.
    pub(crate) fn fill(&mut self, plan: &TracePlan, chunk: &mut Chunk, most: usize) -> Filled {
        match self.filled.take() {
            Some(filled) => {
                std::mem::swap(chunk, &mut self.chunk);
                self.chunk.clear();
                filled
            }
            None => self.stream.fill(plan, chunk, most),
        }
    }
}

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

    /// Decodes at most `part` events of the chunk that comes next, which takes `most` of them. Returns whether it takes more.
    pub(crate) fn decode_ahead(&mut self, plan: &TracePlan, most: usize, part: usize) -> bool {
        if self.filled.is_some() {
            return false;
        }
        let goal = (self.chunk.events.len() + part).min(most);
        let filled = self.stream.fill(plan, &mut self.chunk, goal);
        let is_part = matches!(filled, Filled::Full) && self.chunk.events.len() == goal;
        let takes_more = is_part && !self.chunk.is_full(most);
        if !takes_more {
            self.filled = Some(filled);
        }
        takes_more
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

//! Memory that parts use one after the other.
//!
//! A part needs some megabytes for its rows and their encoded form. Memory that is allocated for each part anew grows
//! step by step, and the system clears its pages each time.

use std::sync::{Arc, Mutex, PoisonError};

use foldtrace_trace::Position;

use super::quantities::{EventRows, Scratch};
use crate::tables::ROW_GROUP_ROWS;

/// The maximum number of rows for which empty buffers have room in total.
const SPARE_ROWS: usize = 2 * ROW_GROUP_ROWS;

/// Rows of one location that wait for their row group.
#[derive(Debug, Default)]
pub(super) struct RowBuffer {
    pub first: Position,
    pub rows: EventRows,
}

impl RowBuffer {
    fn capacity(&self) -> usize {
        self.rows.symbols.capacity()
    }

    fn clear(&mut self) {
        self.rows.symbols.clear();
        self.rows.columns.times.clear();
        self.rows.columns.quantities.iter_mut().for_each(Vec::clear);
    }
}

/// The memory of a part.
#[derive(Debug, Default)]
pub(super) struct PartMemory {
    /// Empty buffers.
    spare: Vec<RowBuffer>,
    pub quantities: Scratch,
    /// Symbols of a row group before they are compressed.
    pub spill: Vec<u8>,
}

impl PartMemory {
    /// Returns an empty buffer.
    pub fn buffer(&mut self) -> RowBuffer {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes buffers that are no longer needed. Any location may get the largest buffer, so without a limit all buffers
    /// would become that large.
    pub fn reuse(&mut self, buffers: impl Iterator<Item = RowBuffer>) {
        self.spare.extend(buffers.map(|mut buffer| {
            buffer.clear();
            buffer
        }));
        let mut room = SPARE_ROWS;
        self.spare.retain(|buffer| {
            let rest = room.checked_sub(buffer.capacity());
            room = rest.unwrap_or(room);
            rest.is_some()
        });
    }
}

/// The memory of completed parts, for those that begin later.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryPool(Arc<Mutex<Vec<PartMemory>>>);

impl MemoryPool {
    /// Returns the memory of a completed part, or new memory.
    pub(super) fn take(&self) -> PartMemory {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pool.pop().unwrap_or_default()
    }

    /// Takes the memory of a completed part.
    pub(super) fn give(&self, memory: PartMemory) {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pool.push(memory);
    }

    /// Frees the memory.
    pub fn free(&self) {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pool.clear();
    }
}

//! Divides the events of a location into pieces, which several threads or processes read at the same time.
//!
//! A piece begins with a chunk: its header states the number of its first event, and its first record is a time stamp. A
//! file whose chunks contradict each other is not divided there. Whether the chunks have as many events as they state is
//! only known when they are read; a piece that ends with another event than the next one begins with is an error.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::wire::{ChunkHeader, HEADER, TIMESTAMP};

/// The beginning of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Border {
    /// The offset of its first chunk.
    pub(crate) byte: u64,
    /// The number of events before it.
    pub(crate) events: u64,
}

/// A piece of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    pub(crate) begin: Border,
    /// The beginning of the next piece, if there is one.
    pub(crate) end: Option<Border>,
}

/// A file of events before it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventFile<'a> {
    pub(crate) path: &'a Path,
    /// The number of bytes of the file, and of a chunk.
    pub(crate) bytes: u64,
    pub(crate) chunk: u64,
}

impl EventFile<'_> {
    /// Returns the beginnings of the pieces with at least `piece_bytes` bytes each, except the first, which begins with the
    /// file. There are none if the file is too small, or if `piece_bytes` is 0.
    pub(crate) fn borders(&self, piece_bytes: u64) -> Vec<Border> {
        let pieces = self.bytes.checked_div(piece_bytes).unwrap_or_default();
        if pieces < 2 {
            return Vec::new();
        }
        // The reader of the events reports what is wrong with the file.
        let Ok(file) = File::open(self.path) else {
            return Vec::new();
        };
        let first = header(&file, 0);
        if first.is_none_or(|(first, _)| first.first != 1) {
            return Vec::new();
        }
        let chunks = self.bytes / self.chunk;
        let starts = (1..pieces).map(|piece| {
            let chunk = u128::from(chunks) * u128::from(piece) / u128::from(pieces);
            chunk as u64 * self.chunk
        });
        let mut borders: Vec<Border> = Vec::new();
        for byte in starts {
            let last = borders.last().copied().unwrap_or_default();
            let border = self.border(&file, byte);
            borders.extend(border.filter(|new| new.byte > last.byte && new.events > last.events));
        }
        borders
    }

    /// Returns the border before the chunk at `byte`, if a piece can begin there.
    fn border(&self, file: &File, byte: u64) -> Option<Border> {
        let (previous, _) = header(file, byte.checked_sub(self.chunk)?)?;
        let (next, record) = header(file, byte)?;
        let follows = previous.last.checked_add(1) == Some(next.first);
        let begins = next.first <= next.last && record == TIMESTAMP;
        (follows && begins).then_some(Border {
            byte,
            events: previous.last,
        })
    }
}

/// Returns the header of the chunk at `byte`, and the type of its first record.
fn header(file: &File, byte: u64) -> Option<(ChunkHeader, u8)> {
    let mut bytes = [0; HEADER + 1];
    file.read_exact_at(&mut bytes, byte).ok()?;
    Some((ChunkHeader::parse(&bytes).ok()?, *bytes.last()?))
}

#[cfg(test)]
mod tests;

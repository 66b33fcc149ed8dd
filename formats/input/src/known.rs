//! A cache of parsed pieces of lines.
//!
//! Most lines repeat an earlier line with another time. A parser that finds the part without the time in this cache
//! does not parse it again.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// A map from pieces of lines to values, with bounded memory.
///
/// ```
/// let mut known = foldtrace_input::Known::default();
/// known.add(b"0 local enter main", 7);
/// assert_eq!(known.find(b"0 local enter main"), Some(7));
/// assert_eq!(known.find(b"0 local leave main"), None);
/// ```
#[derive(Debug)]
pub struct Known<V> {
    bytes: Vec<u8>,
    table: HashTable<Entry<V>>,
}

#[derive(Debug)]
struct Entry<V> {
    start: u32,
    length: u32,
    value: V,
}

const HASHER: FixedState = FixedState::with_seed(0x7465_7874);

#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

impl<V> Entry<V> {
    #[inline]
    fn piece<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start as usize..][..self.length as usize]
    }
}

impl<V> Default for Known<V> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            table: HashTable::new(),
        }
    }
}

impl<V: Copy> Known<V> {
    const MOST: usize = 1 << 16;
    const MOST_BYTES: usize = 1 << 22;
    const LONGEST: usize = 1 << 12;

    /// Returns the value of `piece`, if there is one.
    #[inline]
    #[must_use]
    pub fn find(&self, piece: &[u8]) -> Option<V> {
        let entry = self
            .table
            .find(hash(piece), |entry| entry.piece(&self.bytes) == piece)?;
        Some(entry.value)
    }

    /// Adds a piece that the map does not contain yet. Pieces that are too long are ignored.
    pub fn add(&mut self, piece: &[u8], value: V) {
        if piece.len() > Self::LONGEST {
            return;
        }
        if self.table.len() >= Self::MOST || self.bytes.len() >= Self::MOST_BYTES {
            self.clear();
        }
        let (start, length) = (self.bytes.len() as u32, piece.len() as u32);
        self.bytes.extend_from_slice(piece);
        let bytes = &self.bytes;
        let entry = Entry {
            start,
            length,
            value,
        };
        self.table
            .insert_unique(hash(piece), entry, |entry| hash(entry.piece(bytes)));
    }

    /// Returns whether the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Removes all pieces, for example when definitions change.
    pub fn clear(&mut self) {
        if !self.table.is_empty() {
            self.table.clear();
            self.bytes.clear();
        }
    }
}

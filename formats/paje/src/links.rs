//! Links whose other end is not read yet.
//!
//! Either end may come first. The memory of keys is reused, so a message needs no allocation. There is room for about
//! a million ends, and for 64 MiB of keys.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use foldtrace_trace::{Position, Symbol};
use hashbrown::HashTable;

use crate::hierarchy::TypeId;
use crate::locations::Location;

/// An end of a link, with the event that represents it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkEnd {
    pub is_start: bool,
    pub location: Location,
    pub position: Position,
    pub symbol: Symbol,
    pub bytes: u64,
}

/// An end whose other end has not been read.
#[derive(Debug)]
struct Waiting {
    type_id: TypeId,
    key: Vec<u8>,
    end: LinkEnd,
}

/// The ends that wait for their other end, by type and key.
#[derive(Debug, Default)]
pub(crate) struct Links {
    waiting: Vec<Waiting>,
    free: Vec<u32>,
    table: HashTable<u32>,
    /// Total size of the waiting keys, in bytes.
    bytes: usize,
    /// Number of ends that were dropped without their other end.
    pub dropped: u64,
}

const HASHER: FixedState = FixedState::with_seed(0x7061_6a65);

fn hash(type_id: TypeId, key: &[u8]) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write_u32(type_id.number());
    hasher.write(key);
    hasher.finish()
}

impl Links {
    /// Maximum number of waiting ends. More indicate a trace without the other ends.
    const MAX_WAITING: usize = 1 << 20;
    const MAX_KEY_BYTES: usize = 1 << 26;

    /// Removes and returns the other end of a link, if it waits.
    pub(crate) fn take(&mut self, type_id: TypeId, key: &[u8], is_start: bool) -> Option<LinkEnd> {
        let is_other = |&index: &u32| {
            let waiting = &self.waiting[index as usize];
            waiting.type_id == type_id && waiting.end.is_start != is_start && waiting.key == key
        };
        let entry = self.table.find_entry(hash(type_id, key), is_other).ok()?;
        let (index, _) = entry.remove();
        self.free.push(index);
        self.bytes -= key.len();
        Some(self.waiting[index as usize].end)
    }

    /// Adds a waiting end. An end that waits with the same key is dropped.
    pub(crate) fn wait(&mut self, type_id: TypeId, key: &[u8], end: LinkEnd) {
        if self.take(type_id, key, !end.is_start).is_some() {
            self.dropped += 1;
        }
        if self.table.len() >= Self::MAX_WAITING || self.bytes >= Self::MAX_KEY_BYTES {
            *self = Self {
                dropped: self.unmatched(),
                ..Self::default()
            };
        }
        self.bytes += key.len();
        let index = match self.free.pop() {
            Some(index) => {
                let waiting = &mut self.waiting[index as usize];
                waiting.key.clear();
                waiting.key.extend_from_slice(key);
                (waiting.type_id, waiting.end) = (type_id, end);
                index
            }
            None => {
                let key = key.to_vec();
                self.waiting.push(Waiting { type_id, key, end });
                self.waiting.len() as u32 - 1
            }
        };
        let waiting = &self.waiting;
        self.table
            .insert_unique(hash(type_id, key), index, |&index| {
                let waiting = &waiting[index as usize];
                hash(waiting.type_id, &waiting.key)
            });
    }

    /// Returns the number of ends without another end.
    pub(crate) fn unmatched(&self) -> u64 {
        self.dropped + self.table.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locations::ProcessId;
    use foldtrace_trace::{EventKind, UNDEFINED};

    fn end(is_start: bool, bytes: u64) -> LinkEnd {
        LinkEnd {
            is_start,
            location: Location {
                slot: 0,
                process: ProcessId(0),
            },
            position: Position(0),
            symbol: Symbol::new(EventKind::MpiSend, &[]),
            bytes,
        }
    }

    #[test]
    fn either_end_may_come_first() {
        let (mut links, link_type) = (Links::default(), TypeId::default());
        links.wait(link_type, b"a", end(true, 1));
        links.wait(link_type, b"b", end(false, 2));
        assert!(links.take(link_type, b"a", true).is_none(), "the same end");
        assert_eq!(
            links.take(link_type, b"a", false).map(|end| end.bytes),
            Some(1)
        );
        assert_eq!(
            links.take(link_type, b"b", true).map(|end| end.bytes),
            Some(2)
        );
        assert!(links.take(link_type, b"a", false).is_none());
        assert_eq!(links.unmatched(), 0);
        // The key is used again before the other end comes.
        links.wait(link_type, b"a", end(true, 3));
        links.wait(link_type, b"a", end(true, 4));
        assert_eq!(
            links.take(link_type, b"a", false).map(|end| end.bytes),
            Some(4)
        );
        assert_eq!(links.unmatched(), 1);
    }

    #[test]
    fn unmatched_ends_take_bounded_memory() {
        let (mut links, link_type) = (Links::default(), TypeId::default());
        let max = Links::MAX_WAITING as u64;
        for key in 0..max + 10 {
            links.wait(link_type, &key.to_le_bytes(), end(true, UNDEFINED));
        }
        assert_eq!((links.waiting.len(), links.unmatched()), (10, max + 10));
        let long = vec![b'x'; Links::MAX_KEY_BYTES / 16];
        for key in 0..100u8 {
            let key = [&long[..], &[key]].concat();
            links.wait(link_type, &key, end(true, UNDEFINED));
            assert!(links.bytes <= Links::MAX_KEY_BYTES + key.len());
        }
        assert_eq!(links.unmatched(), max + 110);
    }
}

//! Links whose other end is not read yet.
//!
//! Either end may come first. The memory of keys is reused, so a message needs no allocation. There is room for about
//! a million ends, and for 64 MiB of keys.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use foldtrace_trace::{Position, Symbol};
use hashbrown::HashTable;

use crate::hierarchy::TypeId;
use crate::places::Place;

/// An end of a link, with the event that represents it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub is_start: bool,
    pub place: Place,
    pub position: Position,
    pub symbol: Symbol,
    pub bytes: u64,
}

#[derive(Debug)]
struct Waiting {
    of: TypeId,
    key: Vec<u8>,
    end: End,
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
    pub forgotten: u64,
}

const HASHER: FixedState = FixedState::with_seed(0x7061_6a65);

fn hash(of: TypeId, key: &[u8]) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write_u32(of.number());
    hasher.write(key);
    hasher.finish()
}

impl Links {
    /// Maximum number of waiting ends. More indicate a trace without the other ends.
    const MOST: usize = 1 << 20;
    const MOST_BYTES: usize = 1 << 26;

    /// Removes and returns the other end of a link, if it waits.
    pub(crate) fn take(&mut self, of: TypeId, key: &[u8], is_start: bool) -> Option<End> {
        let is_other = |&index: &u32| {
            let waiting = &self.waiting[index as usize];
            waiting.of == of && waiting.end.is_start != is_start && waiting.key == key
        };
        let entry = self.table.find_entry(hash(of, key), is_other).ok()?;
        let (index, _) = entry.remove();
        self.free.push(index);
        self.bytes -= key.len();
        Some(self.waiting[index as usize].end)
    }

    /// Adds a waiting end. An end that waits with the same key is dropped.
    pub(crate) fn wait(&mut self, of: TypeId, key: &[u8], end: End) {
        if self.take(of, key, !end.is_start).is_some() {
            self.forgotten += 1;
        }
        if self.table.len() >= Self::MOST || self.bytes >= Self::MOST_BYTES {
            *self = Self {
                forgotten: self.unmatched(),
                ..Self::default()
            };
        }
        self.bytes += key.len();
        let index = match self.free.pop() {
            Some(index) => {
                let waiting = &mut self.waiting[index as usize];
                waiting.key.clear();
                waiting.key.extend_from_slice(key);
                (waiting.of, waiting.end) = (of, end);
                index
            }
            None => {
                let key = key.to_vec();
                self.waiting.push(Waiting { of, key, end });
                self.waiting.len() as u32 - 1
            }
        };
        let waiting = &self.waiting;
        self.table.insert_unique(hash(of, key), index, |&index| {
            let waiting = &waiting[index as usize];
            hash(waiting.of, &waiting.key)
        });
    }

    /// Returns the number of ends without another end.
    pub(crate) fn unmatched(&self) -> u64 {
        self.forgotten + self.table.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::ProcessId;
    use foldtrace_trace::{EventKind, UNDEFINED};

    fn end(is_start: bool, bytes: u64) -> End {
        End {
            is_start,
            place: Place {
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
        let (mut links, of) = (Links::default(), TypeId::default());
        links.wait(of, b"a", end(true, 1));
        links.wait(of, b"b", end(false, 2));
        assert!(links.take(of, b"a", true).is_none(), "the same end");
        assert_eq!(links.take(of, b"a", false).map(|end| end.bytes), Some(1));
        assert_eq!(links.take(of, b"b", true).map(|end| end.bytes), Some(2));
        assert!(links.take(of, b"a", false).is_none());
        assert_eq!(links.unmatched(), 0);
        // The key is used again before the other end comes.
        links.wait(of, b"a", end(true, 3));
        links.wait(of, b"a", end(true, 4));
        assert_eq!(links.take(of, b"a", false).map(|end| end.bytes), Some(4));
        assert_eq!(links.unmatched(), 1);
    }

    #[test]
    fn ends_that_wait_in_vain_do_not_fill_the_memory() {
        let (mut links, of) = (Links::default(), TypeId::default());
        let most = Links::MOST as u64;
        for key in 0..most + 10 {
            links.wait(of, &key.to_le_bytes(), end(true, UNDEFINED));
        }
        assert_eq!((links.waiting.len(), links.unmatched()), (10, most + 10));
        let long = vec![b'x'; Links::MOST_BYTES / 16];
        for key in 0..100u8 {
            let key = [&long[..], &[key]].concat();
            links.wait(of, &key, end(true, UNDEFINED));
            assert!(links.bytes <= Links::MOST_BYTES + key.len());
        }
        assert_eq!(links.unmatched(), most + 110);
    }
}

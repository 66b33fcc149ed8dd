//! Links whose other end has not come yet.
//!
//! Either end may come first. Keys are kept in memory that is used again and again, so that nothing is
//! allocated for a message; there is room for a million of them.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use foldtrace_trace::{Position, Symbol};
use hashbrown::HashTable;

use crate::hierarchy::TypeId;
use crate::places::Place;

/// An end of a link, as the event that it became.
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
    /// Ends that waited in vain.
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
    /// How many ends wait at most; more of them are those of a trace without other ends.
    const MOST: usize = 1 << 20;

    /// Takes away the other end of a link, if it waits.
    pub(crate) fn take(&mut self, of: TypeId, key: &[u8], is_start: bool) -> Option<End> {
        let is_other = |&index: &u32| {
            let waiting = &self.waiting[index as usize];
            waiting.of == of && waiting.end.is_start != is_start && waiting.key == key
        };
        let entry = self.table.find_entry(hash(of, key), is_other).ok()?;
        let (index, _) = entry.remove();
        self.free.push(index);
        Some(self.waiting[index as usize].end)
    }

    /// Lets an end wait. One that waits under the same key is forgotten.
    pub(crate) fn wait(&mut self, of: TypeId, key: &[u8], end: End) {
        if self.take(of, key, !end.is_start).is_some() {
            self.forgotten += 1;
        }
        if self.table.len() >= Self::MOST {
            self.forgotten += self.table.len() as u64;
            self.table.clear();
            self.free = (0..self.waiting.len() as u32).collect();
        }
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

    /// How many ends have no other end.
    pub(crate) fn unmatched(&self) -> u64 {
        self.forgotten + self.table.len() as u64
    }
}

//! A column of ids, as indices into a dictionary of the ids that occur (Parquet's RLE_DICTIONARY encoding).
//!
//! Ids are small numbers, so a table finds their indices, where the Parquet library hashes each value.

use super::pack::{Widths, pack_bits, pack_bytes, varint};

/// The number of values that are packed together.
const GROUP: usize = 8;

/// A placeholder for the index of an id that does not occur.
const ABSENT: u32 = u32::MAX;

/// The ids that occur in a column, in order of first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    ids: Vec<u32>,
    /// The index of each id in `ids`, or [`ABSENT`].
    indices: Vec<u32>,
}

impl Dictionary {
    /// Replaces the ids by those of a column. Returns whether they are few enough to make the column smaller.
    pub fn collect(&mut self, column: &[u32]) -> bool {
        self.clear();
        for &id in column {
            let at = id as usize;
            if at >= self.indices.len() {
                self.indices.resize(at + 1, ABSENT);
            }
            if self.indices[at] == ABSENT {
                self.indices[at] = self.ids.len() as u32;
                self.ids.push(id);
            }
        }
        self.ids.len() <= column.len() / 2
    }

    /// Returns the ids, in the order of their indices.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    fn clear(&mut self) {
        for &id in &self.ids {
            self.indices[id as usize] = ABSENT;
        }
        self.ids.clear();
    }

    /// Appends the indices of `page` to `bytes`: their width in bits, then runs of equal indices, and groups of packed
    /// ones. All ids of the page must have been collected.
    pub(super) fn encode(&self, page: &[u32], widths: Widths, bytes: &mut Vec<u8>) {
        let bits = u32::BITS - (self.ids.len().max(1) as u32 - 1).leading_zeros();
        let width = match widths {
            Widths::Bits => bits,
            Widths::Bytes => bits.next_multiple_of(8),
        };
        bytes.push(width as u8);
        let mut rest = page;
        while !rest.is_empty() {
            let packed = before_run(rest);
            let (groups, after) = rest.split_at(packed);
            self.pack(groups, width, bytes);
            let run = run_length(after);
            if run > 0 {
                varint(2 * run as u64, bytes);
                let index = self.indices[after[0] as usize].to_le_bytes();
                bytes.extend_from_slice(&index[..width.div_ceil(8) as usize]);
            }
            rest = &after[run..];
        }
    }

    /// Appends groups of packed indices. The last group is padded.
    fn pack(&self, ids: &[u32], width: u32, bytes: &mut Vec<u8>) {
        if ids.is_empty() {
            return;
        }
        let groups = ids.len().div_ceil(GROUP);
        varint(2 * groups as u64 + 1, bytes);
        let end = bytes.len() + groups * width as usize;
        let indices = ids.iter().map(|&id| u64::from(self.indices[id as usize]));
        if width.is_multiple_of(8) {
            pack_bytes(indices, width as usize / 8, bytes);
        } else {
            pack_bits(indices, width, bytes);
        }
        bytes.resize(end, 0);
    }
}

/// Returns the number of ids, a multiple of [`GROUP`] or all, before a run that is worth storing as one.
fn before_run(ids: &[u32]) -> usize {
    let groups = ids.chunks_exact(GROUP);
    let is_run = |group: &[u32]| group.iter().all(|id| *id == group[0]);
    match groups.into_iter().position(is_run) {
        Some(group) => group * GROUP,
        None => ids.len(),
    }
}

/// Returns the length of the run at the beginning.
fn run_length(ids: &[u32]) -> usize {
    ids.iter().take_while(|id| **id == ids[0]).count()
}

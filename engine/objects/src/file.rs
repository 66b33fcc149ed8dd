//! A file on an object store, of which ranges are read.
//!
//! A request is for more bytes than those that are read: at the end of a table, for what describes its columns; otherwise for the pages
//! of several columns. All are kept for later reads.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::ObjectStoreExt;

use crate::cache::{BLOCK, KnownFile};
use crate::folder::{ObjectFolder, wait};

/// The least number of bytes of a request at the end of a file.
const TAIL: u64 = 2 * BLOCK;

/// The number of bytes before and after those that the first requests are for: the pages of other columns.
const AROUND: u64 = 3 * BLOCK;

/// The number of requests after which each one is for twice as many bytes as the one before, and for none before those that are
/// read: the file is probably read as a whole.
const FEW: u32 = 4;

/// The greatest number of bytes of a request, unless more are read at once.
const GREATEST: u64 = 1 << 21;

/// A file on an object store, of which ranges are read.
pub struct ObjectFile {
    folder: ObjectFolder,
    path: String,
    bytes: u64,
    known: Arc<KnownFile>,
}

impl fmt::Debug for ObjectFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectFile").field(&self.path).finish()
    }
}

impl ObjectFolder {
    /// Returns a file with this number of bytes, of which ranges are read.
    #[must_use]
    pub fn file(&self, path: &str, bytes: u64) -> ObjectFile {
        ObjectFile {
            folder: self.clone(),
            path: path.to_owned(),
            bytes,
            known: self.blocks().file(path),
        }
    }
}

impl ObjectFile {
    /// Fills a buffer with the bytes from an offset on.
    ///
    /// # Errors
    /// Returns an error if the file has fewer bytes or cannot be read.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let end = offset.checked_add(buffer.len() as u64);
        let Some(end) = end.filter(|&end| end <= self.bytes) else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let (mut rest, mut at) = (buffer, offset);
        while !rest.is_empty() {
            let known = match self.known(at / BLOCK) {
                Some(block) => block.slice((at % BLOCK) as usize..),
                None => self.request(at..end)?,
            };
            let count = rest.len().min(known.len());
            let (filled, others) = rest.split_at_mut(count);
            filled.copy_from_slice(&known[..count]);
            (rest, at) = (others, at + count as u64);
        }
        Ok(())
    }

    fn known(&self, block: u64) -> Option<Bytes> {
        self.folder.blocks().get(&self.known, block)
    }

    /// Requests at least the first byte of a range, which is not known. Returns the bytes from there on.
    fn request(&self, range: Range<u64>) -> io::Result<Bytes> {
        let wanted = requested(&range, self.bytes, self.known.requests());
        let wanted = gap(wanted, range.start, |block| self.known(block).is_some());
        let (begin, length) = (wanted.start, wanted.end - wanted.start);
        let bytes = wait(async {
            let key = self.folder.key(&self.path)?;
            self.folder.store().get_range(&key, wanted).await
        })?;
        if bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.folder
            .blocks()
            .keep(&self.known, begin / BLOCK, &bytes);
        Ok(bytes.slice((range.start - begin) as usize..))
    }
}

/// Returns the part of a range around `at` without blocks that are known.
fn gap(range: Range<u64>, at: u64, is_known: impl Fn(u64) -> bool) -> Range<u64> {
    let own = at / BLOCK;
    let before = (range.start / BLOCK..own)
        .rev()
        .find(|&block| is_known(block));
    let after = (own + 1..range.end.div_ceil(BLOCK)).find(|&block| is_known(block));
    let begin = before.map_or(range.start, |block| (block + 1) * BLOCK);
    begin..after.map_or(range.end, |block| block * BLOCK)
}

/// Returns the range to request of a file with this number of bytes, of which a range is read after a number of requests. It begins
/// with a block.
fn requested(range: &Range<u64>, bytes: u64, requests: u32) -> Range<u64> {
    let doublings = requests.saturating_sub(FEW - 1).min(GREATEST.ilog2());
    let least = ((2 * AROUND) << doublings).min(GREATEST);
    let start = range.start / BLOCK * BLOCK;
    if range.end.next_multiple_of(BLOCK) >= bytes {
        let tail = bytes.saturating_sub(TAIL) / BLOCK * BLOCK;
        return start.min(tail)..bytes;
    }
    let before = if doublings == 0 { AROUND } else { 0 };
    let begin = start.saturating_sub(before);
    let end = range.end.next_multiple_of(BLOCK).max(begin + least);
    begin..end.min(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_read_is_requested(
            bytes in 1_u64..1 << 30,
            at in any::<prop::sample::Index>(),
            length in 1_u64..1 << 23,
            requests in 0_u32..100,
        ) {
            let start = at.index(bytes as usize) as u64;
            let range = start..bytes.min(start + length);
            let requested = requested(&range, bytes, requests);
            prop_assert!(requested.start <= range.start && range.end <= requested.end);
            prop_assert!(requested.end <= bytes);
            let read = range.end - range.start;
            prop_assert!(requested.end - requested.start <= GREATEST + read + AROUND + 2 * BLOCK);
        }

        #[test]
        fn known_blocks_are_not_requested_again(
            reads in prop::collection::vec((0_u64..1 << 22, 1_u64..1 << 20), 1..40),
        ) {
            let bytes = (1 << 22) - 5;
            let mut known = HashSet::new();
            for (requests, (at, length)) in (0..).zip(reads) {
                let range = at.min(bytes - 1)..bytes.min(at + length);
                let unknown = (range.start / BLOCK..range.end.div_ceil(BLOCK))
                    .find(|block| !known.contains(block));
                let Some(block) = unknown else { continue };
                let start = range.start.max(block * BLOCK);
                let wanted = requested(&(start..range.end), bytes, requests);
                let wanted = gap(wanted, start, |block| known.contains(&block));
                prop_assert!(wanted.contains(&start) && wanted.start % BLOCK == 0);
                for block in wanted.start / BLOCK..wanted.end.div_ceil(BLOCK) {
                    prop_assert!(known.insert(block));
                }
            }
        }
    }

    #[test]
    fn requests_grow_when_there_are_many() {
        let range = 1_000_000..1_000_100;
        let requested = |requests| requested(&range, 1 << 30, requests);
        let around = 983_040 - AROUND..983_040 + AROUND;
        assert_eq!([0, 3].map(requested), [around.clone(), around]);
        assert_eq!(requested(4), 983_040..983_040 + 4 * AROUND);
        assert_eq!(requested(u32::MAX), 983_040..983_040 + GREATEST);
    }

    #[test]
    fn the_end_of_a_file_is_read_backwards() {
        let end = 10_000_000;
        assert_eq!(requested(&(end - 8..end), end, 0), 9_830_400..end);
        assert_eq!(requested(&(92..100), 100, 0), 0..100);
    }
}

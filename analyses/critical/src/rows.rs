//! Rows that are written nearly in ascending order, and read back in descending order, in memory that does not grow with
//! their number: most of them are in a temporary file.

use std::collections::BinaryHeap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use foldtrace_trace::{ErrorKind, Remedy, TraceError};

/// The number of rows of all groups together that are in memory, unless there are very many groups.
const IN_MEMORY: usize = 1 << 16;

/// The least and the greatest number of rows of a block.
const LEAST_IN_BLOCK: usize = 1 << 3;
const MOST_IN_BLOCK: usize = 1 << 10;

/// The size of a number in the file.
const NUMBER: usize = size_of::<u64>();

/// A row; the first number is the key.
type Row<const N: usize> = [u64; N];

/// A block of rows in the file.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The offset in the file.
    offset: u64,
    /// The greatest key in all blocks of the group before this one.
    greatest_before: u64,
}

/// The rows of a group.
#[derive(Clone, Debug, Default)]
struct Group<const N: usize> {
    blocks: Vec<Block>,
    /// The greatest key in all blocks.
    greatest: u64,
    /// The rows that are not in a block.
    recent: Vec<Row<N>>,
}

/// Writes rows of several groups.
#[derive(Debug)]
pub(crate) struct RowWriter<const N: usize> {
    file: Arc<File>,
    /// The size of the file.
    size: u64,
    /// The number of rows of a block.
    in_block: usize,
    groups: Vec<Group<N>>,
}

impl<const N: usize> RowWriter<N> {
    /// Creates the temporary file of `groups` groups. It has no name, so it vanishes with the process.
    ///
    /// # Errors
    /// Returns an error if it cannot be created.
    pub fn create(groups: usize) -> Result<Self, TraceError> {
        let in_block = IN_MEMORY / groups.max(1);
        Ok(Self {
            file: Arc::new(tempfile::tempfile().map_err(unwritable)?),
            size: 0,
            in_block: in_block.clamp(LEAST_IN_BLOCK, MOST_IN_BLOCK),
            groups: vec![Group::default(); groups],
        })
    }

    /// Appends a row to a group.
    ///
    /// # Errors
    /// Returns an error if the temporary file cannot be written.
    pub fn push(&mut self, group: usize, row: Row<N>) -> Result<(), TraceError> {
        let group = &mut self.groups[group];
        group.recent.push(row);
        if group.recent.len() < self.in_block {
            return Ok(());
        }
        let numbers = group.recent.iter().flatten();
        let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        self.file
            .write_all_at(&bytes, self.size)
            .map_err(unwritable)?;
        group.blocks.push(Block {
            offset: self.size,
            greatest_before: group.greatest,
        });
        self.size += bytes.len() as u64;
        let keys = group.recent.drain(..).map(|row| row[0]);
        group.greatest = keys.max().unwrap_or(0).max(group.greatest);
        Ok(())
    }

    /// Ends writing. Returns a reader of each group.
    pub fn finish(self) -> Vec<RowReader<N>> {
        let Self { file, in_block, .. } = self;
        let readers = self.groups.into_iter().map(|group| RowReader {
            file: Arc::clone(&file),
            in_block,
            blocks: group.blocks,
            greatest_before: group.greatest,
            sorted: group.recent.into(),
        });
        readers.collect()
    }
}

/// Reads the rows of a group, the one with the greatest key first.
#[derive(Debug)]
pub(crate) struct RowReader<const N: usize> {
    file: Arc<File>,
    in_block: usize,
    /// The blocks that have not been read.
    blocks: Vec<Block>,
    /// The greatest key in these blocks.
    greatest_before: u64,
    /// The rows that have been read, but not returned.
    sorted: BinaryHeap<Row<N>>,
}

impl<const N: usize> RowReader<N> {
    /// Returns the next row; `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the temporary file cannot be read.
    pub fn next(&mut self) -> Result<Option<Row<N>>, TraceError> {
        let is_greatest = |row: &Row<N>, before: u64| row[0] > before;
        while self
            .sorted
            .peek()
            .is_none_or(|row| !is_greatest(row, self.greatest_before))
        {
            let Some(block) = self.blocks.pop() else {
                break;
            };
            self.greatest_before = block.greatest_before;
            let mut bytes = vec![0; self.in_block * N * NUMBER];
            self.file
                .read_exact_at(&mut bytes, block.offset)
                .map_err(unreadable)?;
            let numbers = bytes.as_chunks::<NUMBER>().0;
            let rows = numbers.as_chunks::<N>().0.iter();
            self.sorted
                .extend(rows.map(|row| row.map(u64::from_le_bytes)));
        }
        Ok(self.sorted.pop())
    }
}

fn unwritable(error: io::Error) -> TraceError {
    TraceError::new(ErrorKind::Output, "a temporary file cannot be written")
        .caused_by(error)
        .remedy(Remedy::TemporaryFolder)
}

fn unreadable(error: io::Error) -> TraceError {
    TraceError::new(ErrorKind::Unreadable, "a temporary file cannot be read").caused_by(error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_back_in_descending_order(
            rows in prop::collection::vec((0_usize..3, 0_u64..50), 0..3000),
            groups in prop_oneof![Just(3_usize), Just(20_000)],
        ) {
            let mut writer = RowWriter::create(groups).unwrap();
            let mut expected = vec![Vec::new(); 3];
            for (number, &(group, noise)) in (0..).zip(&rows) {
                let row = [number + noise, number];
                writer.push(group, row).unwrap();
                expected[group].push(row);
            }
            for (mut reader, mut expected) in writer.finish().into_iter().zip(expected) {
                expected.sort_unstable_by(|a, b| b.cmp(a));
                let mut keys = Vec::new();
                while let Some(row) = reader.next().unwrap() {
                    keys.push(row);
                }
                let of = |rows: &[Row<2>]| rows.iter().map(|row| row[0]).collect::<Vec<_>>();
                prop_assert_eq!(of(&keys), of(&expected));
                keys.sort_unstable_by(|a, b| b.cmp(a));
                prop_assert_eq!(keys, expected);
            }
        }
    }
}

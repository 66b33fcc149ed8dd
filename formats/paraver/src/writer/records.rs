//! Sorts records by time: in memory up to a limit, and beyond it in runs on disk.
//!
//! A record has the time at which a message is sent or a state begins, but is known only when the message is received or the
//! state ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Maximum memory of records before they are written as a run, in bytes.
const MOST: usize = 1 << 26;
/// Size of the buffer of a run, in bytes.
const BLOCK: usize = 1 << 16;

/// The place of a record: its time, and its number among all records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub time: u64,
    number: u64,
}

/// A record in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    place: Place,
    start: usize,
    length: u32,
}

/// Takes records in any order.
#[derive(Debug)]
pub(crate) struct Records {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    most: usize,
    next: u64,
    runs: Vec<File>,
}

impl Default for Records {
    fn default() -> Self {
        Self::within(MOST)
    }
}

impl Records {
    fn within(most: usize) -> Self {
        Self {
            entries: Vec::new(),
            bytes: Vec::new(),
            most,
            next: 0,
            runs: Vec::new(),
        }
    }

    /// Returns the next place at a time: after all places of that time that were returned before.
    pub(crate) fn place(&mut self, time: u64) -> Place {
        let number = self.next;
        self.next += 1;
        Place { time, number }
    }

    /// Adds a record, the bytes that `write` appends.
    ///
    /// # Errors
    /// If a run cannot be written.
    pub(crate) fn push(
        &mut self,
        place: Place,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> io::Result<()> {
        let start = self.bytes.len();
        write(&mut self.bytes);
        let length = u32::try_from(self.bytes.len() - start).map_err(io::Error::other)?;
        self.entries.push(Entry {
            place,
            start,
            length,
        });
        if self.bytes.len() + self.entries.len() * size_of::<Entry>() >= self.most {
            self.write_run()?;
        }
        Ok(())
    }

    fn sort(&mut self) {
        // Records are mostly in order already, which makes this sort fast.
        self.entries.sort_by_key(|entry| entry.place);
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.sort();
        let mut out = BufWriter::with_capacity(BLOCK, tempfile::tempfile()?);
        for entry in self.entries.drain(..) {
            out.write_all(&entry.place.time.to_le_bytes())?;
            out.write_all(&entry.place.number.to_le_bytes())?;
            out.write_all(&entry.length.to_le_bytes())?;
            out.write_all(&self.bytes[entry.start..][..entry.length as usize])?;
        }
        self.bytes.clear();
        let mut run = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        run.rewind()?;
        self.runs.push(run);
        Ok(())
    }

    /// Returns all records, in the order of their places.
    ///
    /// # Errors
    /// If a run cannot be written or read.
    pub(crate) fn sorted(mut self) -> io::Result<Sorted> {
        if self.runs.is_empty() {
            self.sort();
            return Ok(Sorted::InMemory {
                entries: self.entries.into_iter(),
                bytes: self.bytes,
            });
        }
        self.write_run()?;
        let mut runs = Vec::with_capacity(self.runs.len());
        let mut next = BinaryHeap::with_capacity(self.runs.len());
        for (number, run) in self.runs.into_iter().enumerate() {
            let mut run = Run {
                file: BufReader::with_capacity(BLOCK, run),
                record: Vec::new(),
            };
            if let Some(place) = run.advance()? {
                next.push(Reverse((place, number)));
            }
            runs.push(run);
        }
        Ok(Sorted::InRuns {
            runs,
            next,
            taken: None,
        })
    }
}

/// Records in the order of their places.
pub(crate) enum Sorted {
    /// All of them were in memory.
    InMemory {
        entries: std::vec::IntoIter<Entry>,
        bytes: Vec<u8>,
    },
    /// Runs that are being merged.
    InRuns {
        runs: Vec<Run>,
        /// The place of the next record of each run.
        next: BinaryHeap<Reverse<(Place, usize)>>,
        /// The run whose record was returned last.
        taken: Option<usize>,
    },
}

impl Sorted {
    /// Returns the next record.
    ///
    /// # Errors
    /// If a run cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        match self {
            Self::InMemory { entries, bytes } => {
                let entry = entries.next();
                Ok(entry.map(|entry| &bytes[entry.start..][..entry.length as usize]))
            }
            Self::InRuns { runs, next, taken } => {
                if let Some(number) = taken.take()
                    && let Some(place) = runs[number].advance()?
                {
                    next.push(Reverse((place, number)));
                }
                let Some(Reverse((_, number))) = next.pop() else {
                    return Ok(None);
                };
                *taken = Some(number);
                Ok(Some(&runs[number].record))
            }
        }
    }
}

/// A run that is being merged.
pub(crate) struct Run {
    file: BufReader<File>,
    /// The next record.
    record: Vec<u8>,
}

impl Run {
    /// Reads the next record. Returns its place.
    fn advance(&mut self) -> io::Result<Option<Place>> {
        let mut time = [0; 8];
        match self.file.read_exact(&mut time) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let (mut number, mut length) = ([0; 8], [0; 4]);
        self.file.read_exact(&mut number)?;
        self.file.read_exact(&mut length)?;
        self.record.resize(u32::from_le_bytes(length) as usize, 0);
        self.file.read_exact(&mut self.record)?;
        Ok(Some(Place {
            time: u64::from_le_bytes(time),
            number: u64::from_le_bytes(number),
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(records: Records) -> Vec<Vec<u8>> {
        let mut sorted = records.sorted().unwrap();
        let mut all = Vec::new();
        while let Some(record) = sorted.next().unwrap() {
            all.push(record.to_vec());
        }
        all
    }

    proptest! {
        #[test]
        fn records_come_by_time_and_then_by_place(
            times in prop::collection::vec(0_u64..20, 0..200),
            most in 1_usize..4000,
            late in any::<bool>(),
        ) {
            let mut records = Records::within(most);
            let mut places: Vec<_> = times.iter().map(|&time| (records.place(time), time)).collect();
            if late {
                places.reverse();
            }
            for (place, time) in &places {
                records.push(*place, |out| out.extend_from_slice(&time.to_le_bytes())).unwrap();
            }
            let found = all(records);
            let found: Vec<_> = found
                .iter()
                .map(|record| u64::from_le_bytes(record.as_slice().try_into().unwrap()))
                .collect();
            let mut expected = times.clone();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn records_of_the_same_time_keep_the_order_of_their_places() {
        for most in [1, 100, 1 << 20] {
            let mut records = Records::within(most);
            let [first, second, third] = [5, 5, 4].map(|time| records.place(time));
            for (place, name) in [(second, "second"), (third, "third"), (first, "first")] {
                records
                    .push(place, |out| out.extend_from_slice(name.as_bytes()))
                    .unwrap();
            }
            let expected: [&[u8]; 3] = [b"third", b"first", b"second"];
            assert_eq!(all(records), expected);
        }
    }
}

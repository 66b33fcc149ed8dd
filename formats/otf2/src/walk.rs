//! Reads files of definitions, markers, snapshots and thumbnails record by record, and resumes after
//! damage.

use std::io;
use std::path::Path;

use foldtrace_trace::{Diagnostics, Place};

use crate::errors::{self, Damage};
use crate::wire::{ChunkReader, Fault, Mark};

/// The result of reading a file record by record.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// Number of complete records.
    pub(crate) records: u64,
    /// The first damage, and the number of complete records before it.
    pub(crate) first: Option<(Damage, u64)>,
    /// Types of damaged records that were passed over.
    pub(crate) damaged: Vec<u8>,
    /// Whether records are lost whose types are unknown.
    pub(crate) has_gap: bool,
    trailing: u64,
    length: u64,
}

impl Walk {
    /// Walks through the records of a file with chunks of `chunk` bytes. `take` gets the type and the
    /// offset of a record, and reads the rest of it. After `complete` records, an end-of-file mark ends
    /// the file even if bytes follow it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    pub(crate) fn through(
        path: &Path,
        chunk: u64,
        complete: u64,
        mut take: impl FnMut(u8, u64, &mut ChunkReader) -> Result<(), Fault>,
    ) -> io::Result<Self> {
        let mut file = ChunkReader::open(path, chunk, false)?;
        let mut walk = Self {
            length: file.length(),
            ..Self::default()
        };
        loop {
            let byte = file.offset();
            let taken = match file.next() {
                Ok(Mark::EndOfFile) => break,
                Err(Fault::EarlyEnd) if walk.records >= complete => break,
                Ok(Mark::Record(code)) => take(code, byte, &mut file).map_err(|fault| {
                    let is_passed = fault.is_contained();
                    (Damage { byte, fault }, is_passed.then_some(code))
                }),
                // The damage is in the frame of a chunk, not in a record.
                Err(fault) => {
                    let byte = file.offset();
                    Err((Damage { byte, fault }, None))
                }
            };
            match taken {
                Ok(()) => walk.records += 1,
                Err((damage, code)) => {
                    let resumption = damage.fault.resumption();
                    walk.record_damage(damage, code);
                    let goes_on = file.go_on(resumption, |byte, fault| {
                        walk.record_damage(Damage { byte, fault }, None);
                    });
                    if !goes_on {
                        return Ok(walk);
                    }
                }
            }
        }
        walk.trailing = file.trailing();
        Ok(walk)
    }

    /// Returns the number of complete records before the first damage.
    pub(crate) fn before_damage(&self) -> u64 {
        let before = self.first.as_ref().map(|&(_, before)| before);
        before.unwrap_or(self.records)
    }

    /// Records damage to a record of type `code`, or to records of unknown types.
    fn record_damage(&mut self, damage: Damage, code: Option<u8>) {
        match code {
            Some(code) => self.damaged.push(code),
            None => self.has_gap = true,
        }
        let before = self.records;
        self.first.get_or_insert((damage, before));
    }

    /// Reports bytes after the end of the file.
    pub(crate) fn report_trailing(&self, place: &Place, diagnostics: &mut Diagnostics) {
        errors::report_trailing(self.trailing, self.length, place.clone(), diagnostics);
    }
}

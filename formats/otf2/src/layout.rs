//! The frame of a file of events or definitions: chunks, records, their lengths.
//!
//! The library trusts the files. Given one that was cut off it reads on in memory that it did not
//! fill, and delivers what it finds there. So the frame is looked over before the library reads a
//! file: how many records are whole, and where the first that is not begins. It is then asked for
//! the whole ones only. This looks at types and lengths and takes a few percent of the time that
//! the library needs.
//!
//! A file is a row of chunks of one size, the last one shorter. A chunk begins with a header (mark,
//! byte order, numbers of its first and last event) and holds records: a time stamp, a list of
//! attributes, an event, or one of two marks, "end of chunk" or "end of file". In a file of
//! definitions the numbers of the header mean nothing and every record is a definition.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Zeros fill the chunk behind its last record.
const END_OF_CHUNK: u8 = 0;
/// The library writes a byte behind it that means nothing to a reader.
const END_OF_FILE: u8 = 2;
const CHUNK_HEADER: u8 = 3;
const TIMESTAMP: u8 = 5;
const ATTRIBUTE_LIST: u8 = 6;
const FIRST_DEFINITION: u8 = 5;
const FIRST_EVENT: u8 = 10;
const LITTLE_ENDIAN: u8 = 0x42;
const BIG_ENDIAN: u8 = 0x23;
const HEADER: usize = 18;

/// Which records a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// Those of a location.
    Events,
    /// Those of the trace or of a location.
    Definitions,
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The file ends before it says so.
    Truncated,
    /// The bytes are not what they should be.
    Malformed(&'static str),
}

/// Where a file is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Offset of the first record that is not whole.
    pub(crate) byte: u64,
    /// What is wrong there.
    pub(crate) fault: Fault,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Records that are whole, from the first one on without a gap; time stamps and attributes are
    /// part of their event.
    pub(crate) records: u64,
    /// Size of the file.
    pub(crate) bytes: u64,
    /// What ends them, if it is not the end of the file.
    pub(crate) damage: Option<Damage>,
}

/// Looks over a file with chunks of `chunk` bytes.
pub(crate) fn scan(path: &Path, records: Records, chunk: u64) -> io::Result<Layout> {
    walk(path, records, chunk, u64::MAX)
}

/// The offset of record number `position` (or of the attributes or time stamp before it).
pub(crate) fn offset(path: &Path, records: Records, chunk: u64, position: u64) -> io::Result<u64> {
    let layout = walk(path, records, chunk, position)?;
    Ok(layout.damage.map_or(layout.bytes, |damage| damage.byte))
}

/// As [`scan`], but record number `stop` counts as damaged.
fn walk(path: &Path, records: Records, chunk: u64, stop: u64) -> io::Result<Layout> {
    let mut file = File::open(path)?;
    let mut layout = Layout {
        records: 0,
        bytes: file.metadata()?.len(),
        damage: None,
    };
    let mut buffer = Vec::new();
    let mut start = 0;
    loop {
        buffer.clear();
        buffer.reserve_exact(chunk.min(layout.bytes.saturating_sub(start)) as usize);
        file.seek(SeekFrom::Start(start))?;
        (&mut file).take(chunk).read_to_end(&mut buffer)?;
        let mut walk = Walk {
            bytes: &buffer,
            records,
            stop,
            count: layout.records,
        };
        let end = walk.chunk();
        layout.records = walk.count;
        match end {
            Ok(Mark::EndOfFile) => return Ok(layout),
            Ok(Mark::EndOfChunk) => start += chunk,
            Err((at, fault)) => {
                // What looks cut off within the file is damaged in another way.
                let cut = start + buffer.len() as u64 >= layout.bytes;
                let fault = match fault {
                    Fault::Truncated if !cut => {
                        Fault::Malformed("a record crosses the end of its chunk")
                    }
                    fault => fault,
                };
                layout.damage = Some(Damage {
                    byte: (start + at as u64).min(layout.bytes),
                    fault,
                });
                return Ok(layout);
            }
        }
    }
}

/// What ends a chunk.
enum Mark {
    EndOfChunk,
    EndOfFile,
}

/// A walk along the records of a chunk.
struct Walk<'a> {
    bytes: &'a [u8],
    records: Records,
    stop: u64,
    /// Whole records, those of earlier chunks included.
    count: u64,
}

impl Walk<'_> {
    fn chunk(&mut self) -> Result<Mark, (usize, Fault)> {
        let before = self.count;
        let (big_endian, first, last) = self.header().map_err(|fault| (0, fault))?;
        let numbered = self.records == Records::Events;
        // The numbers are 1-based; without events the last one is not beyond those before.
        if numbered && last > before && first != before + 1 {
            return Err((
                2,
                Fault::Malformed("a chunk does not begin where the one before ends"),
            ));
        }
        let (mark, at) = self.run(big_endian)?;
        if numbered && self.count != last.max(before) {
            self.count = self.count.min(last.max(before));
            let fault = "a chunk does not hold as many events as its header says";
            return Err((at, Fault::Malformed(fault)));
        }
        Ok(mark)
    }

    /// The byte order of the chunk and the numbers of its first and its last event.
    fn header(&self) -> Result<(bool, u64, u64), Fault> {
        let big_endian = match self.bytes {
            [] | [CHUNK_HEADER] => return Err(Fault::Truncated),
            [CHUNK_HEADER, LITTLE_ENDIAN, ..] => false,
            [CHUNK_HEADER, BIG_ENDIAN, ..] => true,
            [CHUNK_HEADER, ..] => {
                return Err(Fault::Malformed("a chunk has an unknown byte order"));
            }
            _ => return Err(Fault::Malformed("a chunk has no header")),
        };
        let number = |at| self.word(at, big_endian).ok_or(Fault::Truncated);
        Ok((big_endian, number(2)?, number(10)?))
    }

    fn word(&self, at: usize, big_endian: bool) -> Option<u64> {
        let word: [u8; 8] = self.bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
        Some(if big_endian {
            u64::from_be_bytes(word)
        } else {
            u64::from_le_bytes(word)
        })
    }

    /// Runs along the records; gives the mark that ends the chunk, and where it is.
    fn run(&mut self, big_endian: bool) -> Result<(Mark, usize), (usize, Fault)> {
        let events = self.records == Records::Events;
        let first_record = if events {
            FIRST_EVENT
        } else {
            FIRST_DEFINITION
        };
        let mut at = HEADER;
        // An event whose time stamp or attributes come first is damaged where those begin.
        let mut begin = at;
        loop {
            let Some(&kind) = self.bytes.get(at) else {
                return Err((begin, Fault::Truncated));
            };
            at = match kind {
                END_OF_CHUNK => return Ok((Mark::EndOfChunk, at)),
                END_OF_FILE => return Ok((Mark::EndOfFile, at)),
                TIMESTAMP if events => at + 9,
                _ if kind >= first_record || (events && kind == ATTRIBUTE_LIST) => {
                    let single = events && is_single(kind);
                    self.behind(at, single, big_endian)
                        .map_err(|fault| (begin, fault))?
                }
                _ => return Err((begin, Fault::Malformed("there is no such type of record"))),
            };
            if at > self.bytes.len() {
                return Err((begin, Fault::Truncated));
            }
            if kind >= first_record {
                if self.count == self.stop {
                    return Err((begin, Fault::Malformed("")));
                }
                self.count += 1;
                begin = at;
            }
        }
    }

    /// Where the record at `at` ends.
    #[inline(always)]
    fn behind(&self, at: usize, single: bool, big_endian: bool) -> Result<usize, Fault> {
        let length = *self.bytes.get(at + 1).ok_or(Fault::Truncated)?;
        match length {
            // One number, led by its size; undefined is a size of 255 and no bytes.
            0..=8 if single => Ok(at + 2 + usize::from(length)),
            u8::MAX if single => Ok(at + 2),
            _ if single => Err(Fault::Malformed("a number is longer than 8 bytes")),
            u8::MAX => {
                let length = self.word(at + 2, big_endian).ok_or(Fault::Truncated)?;
                Ok(usize::try_from(length)
                    .unwrap_or(usize::MAX)
                    .saturating_add(at + 10))
            }
            _ => Ok(at + 2 + usize::from(length)),
        }
    }
}

/// Whether events of a type are a single number, without the length of the record: enter, leave,
/// the requests of messages, fork and tasks of OpenMP.
const fn is_single(kind: u8) -> bool {
    matches!(kind, 12 | 13 | 16 | 17 | 20 | 21 | 24 | 28 | 29 | 30)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn chunk(first: u64, last: u64, records: &[u8]) -> Vec<u8> {
        let mut bytes = vec![CHUNK_HEADER, LITTLE_ENDIAN];
        bytes.extend(first.to_le_bytes());
        bytes.extend(last.to_le_bytes());
        bytes.extend(records);
        bytes
    }

    fn walk_bytes(bytes: &[u8], size: u64) -> Layout {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.evt");
        std::fs::write(&path, bytes).unwrap();
        scan(&path, Records::Events, size).unwrap()
    }

    // A time stamp, an enter of region 7, a message of five bytes, a leave of an undefined region.
    const RECORDS: [u8; 20] = [
        5, 1, 0, 0, 0, 0, 0, 0, 0, 12, 1, 7, 14, 4, 1, 1, 1, 1, 13, 255,
    ];

    #[test]
    fn every_cut_gives_the_events_before_it() {
        let mut bytes = chunk(1, 3, &RECORDS);
        bytes.extend([END_OF_FILE, 1]);
        let whole = walk_bytes(&bytes, 64);
        assert_eq!(
            whole,
            Layout {
                records: 3,
                bytes: bytes.len() as u64,
                damage: None
            }
        );
        for cut in 0..bytes.len() - 2 {
            let layout = walk_bytes(&bytes[..cut], 64);
            let (events, byte) = match cut {
                0..18 => (0, 0),
                18..30 => (0, 18),
                30..36 => (1, 30),
                36..38 => (2, 36),
                _ => (3, 38),
            };
            assert_eq!(layout.records, events, "{cut}");
            assert_eq!(
                layout.damage,
                Some(Damage {
                    byte,
                    fault: Fault::Truncated
                }),
                "{cut}"
            );
        }
    }

    #[test]
    fn chunks_follow_each_other_at_multiples_of_their_size() {
        let mut bytes = chunk(1, 3, &RECORDS);
        bytes.resize(64, END_OF_CHUNK);
        let second = bytes.len();
        bytes.extend(chunk(4, 6, &RECORDS));
        bytes.extend([END_OF_FILE, 1]);
        assert_eq!(walk_bytes(&bytes, 64).records, 6);
        assert_eq!(walk_bytes(&bytes, 64).damage, None);
        let cut = walk_bytes(&bytes[..second], 64);
        assert_eq!(
            cut.damage,
            Some(Damage {
                byte: 64,
                fault: Fault::Truncated
            })
        );
        bytes[second + 2] = 9;
        let fault = Fault::Malformed("a chunk does not begin where the one before ends");
        assert_eq!(
            walk_bytes(&bytes, 64).damage,
            Some(Damage { byte: 66, fault })
        );
    }

    #[test]
    fn an_event_is_found_by_its_number() {
        let mut bytes = chunk(1, 3, &RECORDS);
        bytes.extend([END_OF_FILE, 1]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.evt");
        std::fs::write(&path, &bytes).unwrap();
        let at = |position| offset(&path, Records::Events, 64, position).unwrap();
        assert_eq!([at(0), at(1), at(2)], [18, 30, 36]);
    }
}

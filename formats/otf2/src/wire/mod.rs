//! The bytes of OTF2 files: numbers, records, chunks. Nothing here knows what a record means.
//!
//! A file is a row of chunks of one size, the last one shorter. A chunk begins with a header (mark,
//! byte order, numbers of its first and its last event) and holds records. A record is a byte that
//! tells its type, its length, and its fields. Two marks stand among the records: "end of chunk",
//! with zeros behind it, and "end of file", with one byte behind it that means nothing. A file of
//! events has two more kinds of records, which belong to the event that follows: a time stamp, left
//! out where the time has not changed, and a list of attributes.
//!
//! Most numbers are as long as they have to be: a byte with their size, then that many bytes. A size
//! of 0 is the number 0, a size of 255 the greatest number of its type, which stands for
//! "undefined".

mod chunks;
mod cursor;
mod encoder;
mod sink;
mod value;

use std::io;

pub(crate) use chunks::{ChunkReader, Mark};
pub(crate) use cursor::Cursor;
pub(crate) use encoder::{Encoder, TooWide};
pub(crate) use sink::{ChunkWriter, SinkError};
pub(crate) use value::{read_value, write_value};

/// Zeros fill the chunk behind its last record.
pub(crate) const END_OF_CHUNK: u8 = 0;
/// The library writes this byte behind the end of a file.
pub(crate) const END_OF_BUFFER: u8 = 1;
/// The last mark of a file.
pub(crate) const END_OF_FILE: u8 = 2;
/// First byte of a chunk.
pub(crate) const CHUNK_HEADER: u8 = 3;
/// The time of the events that follow.
pub(crate) const TIMESTAMP: u8 = 5;
/// The attributes of the event that follows.
pub(crate) const ATTRIBUTE_LIST: u8 = 6;
pub(crate) const LITTLE_ENDIAN: u8 = 0x42;
pub(crate) const BIG_ENDIAN: u8 = 0x23;
/// Bytes of the header of a chunk.
pub(crate) const HEADER: usize = 18;
/// Sizes that the chunks of an archive may have.
pub(crate) const CHUNK_SIZES: std::ops::RangeInclusive<u64> = 256 * 1024..=16 * 1024 * 1024;

/// How a number lies in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// One byte.
    U8,
    /// Two bytes.
    U16,
    /// Unsigned, up to 4 bytes behind their number.
    U32,
    /// Unsigned, up to 8 bytes behind their number.
    U64,
    /// Two's complement, one byte.
    I8,
    /// Two's complement, two bytes.
    I16,
    /// Two's complement, up to 4 bytes behind their number.
    I32,
    /// Two's complement, up to 8 bytes behind their number.
    I64,
    /// Four bytes: a single.
    Full32,
    /// Eight bytes: a time, a double, a value of a metric.
    Full64,
}

/// What is wrong with the bytes of a file.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The file ends before it says so.
    Truncated,
    /// The bytes are invalid, and it is unknown where the next record begins.
    Malformed(&'static str),
    /// The bytes are invalid, but the next record begins directly after them. They are the fields of a
    /// record whose length is known, or events are missing between two chunks.
    Contained(&'static str),
    /// An end-of-file mark is not at the end of the file.
    EarlyEnd,
    /// The device failed.
    Unreadable(io::Error),
}

impl Fault {
    /// The fields of a record need more bytes than it has.
    pub(crate) const SHORT_RECORD: Self = Self::Contained("a record ends within a field");

    /// Returns whether the next record begins directly after the damaged bytes.
    pub(crate) fn is_contained(&self) -> bool {
        matches!(self, Self::Contained(_))
    }

    /// Returns the place where reading can resume.
    pub(crate) fn resumption(&self) -> Resumption {
        match self {
            Self::Contained(_) => Resumption::Here,
            Self::EarlyEnd => Resumption::PastMark,
            Self::Truncated | Self::Malformed(_) => Resumption::NextChunk,
            Self::Unreadable(_) => Resumption::Nowhere,
        }
    }
}

/// The place where reading can resume after a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resumption {
    /// The current position of the reader.
    Here,
    /// The end-of-file mark that is not the end; it is read as a record of an unknown type.
    PastMark,
    /// The next chunk with an intact header.
    NextChunk,
    Nowhere,
}

//! The bytes of OTF2 files: numbers, records, chunks. The meaning of records is not defined here.
//!
//! A file is a sequence of chunks of the same size; only the last one may be shorter. A chunk consists of a header
//! (mark, byte order, numbers of its first and its last event) and records. A record consists of a byte with its
//! type, its length, and its fields. There are two marks among the records: "end of chunk", followed by zeros, and
//! "end of file", followed by one byte without meaning. A file of events has two more kinds of records, which belong
//! to the event that follows: a time stamp, which is omitted if the time has not changed, and a list of attributes.
//!
//! Most numbers are only as long as necessary: a byte with the size, then that many bytes. A size of 0 is the number
//! 0. A size of 255 is the greatest number of the type, which means "undefined".

mod chunks;
mod cursor;
mod encoder;
mod sink;
mod value;

use std::io;

pub(crate) use chunks::{ChunkHeader, ChunkReader, Mark};
pub(crate) use cursor::Cursor;
pub(crate) use encoder::{Encoder, TooWide};
pub(crate) use sink::{ChunkWriter, SinkError};
pub(crate) use value::{read_value, write_value};

/// Mark after the last record of a chunk; zeros fill the rest of the chunk.
pub(crate) const END_OF_CHUNK: u8 = 0;
/// A byte that libotf2 writes after the end of a file.
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

/// The encoding of a number in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// One byte.
    U8,
    /// Two bytes.
    U16,
    /// Unsigned, up to 4 bytes after a byte with their number.
    U32,
    /// Unsigned, up to 8 bytes after a byte with their number.
    U64,
    /// Two's complement, one byte.
    I8,
    /// Two's complement, two bytes.
    I16,
    /// Two's complement, up to 4 bytes after a byte with their number.
    I32,
    /// Two's complement, up to 8 bytes after a byte with their number.
    I64,
    /// Four bytes: a single-precision number.
    Full32,
    /// Eight bytes: a time, a double, or a value of a metric.
    Full64,
}

/// A fault in the bytes of a file.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The file ends before its end-of-file mark.
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
    /// The fault of a record that is too short for its fields.
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

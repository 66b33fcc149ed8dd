//! Reading a file chunk by chunk, record by record.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::{
    BIG_ENDIAN, CHUNK_HEADER, Cursor, END_OF_CHUNK, END_OF_FILE, Fault, HEADER, LITTLE_ENDIAN,
};

/// What comes next in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A record, or a part of one, of that type.
    Record(u8),
    /// The end.
    EndOfFile,
}

/// An open file of chunks. Memory: one chunk.
#[derive(Debug)]
pub(crate) struct ChunkReader {
    file: File,
    /// Size of a chunk.
    chunk: u64,
    /// Size of the file when it was opened.
    length: u64,
    /// Where the current chunk begins.
    start: u64,
    bytes: Vec<u8>,
    at: usize,
    big_endian: bool,
    /// Whether chunks count their events; in other files the numbers mean nothing.
    numbered: bool,
    /// Events so far, and how many there are at the end of this chunk by its header.
    events: u64,
    last: u64,
}

impl ChunkReader {
    /// Opens a file with chunks of `chunk` bytes; `numbered` if it holds events. Reads nothing yet.
    pub(crate) fn open(path: &Path, chunk: u64, numbered: bool) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            file,
            chunk,
            length,
            start: 0,
            bytes: Vec::new(),
            at: 0,
            big_endian: false,
            numbered,
            events: 0,
            last: 0,
        })
    }

    /// Where the next record begins.
    #[inline(always)]
    pub(crate) fn offset(&self) -> u64 {
        self.start + self.at as u64
    }

    /// Size of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// What comes next; goes on to the next chunk where one ends.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<Mark, Fault> {
        match self.bytes.get(self.at) {
            Some(&code) if code > CHUNK_HEADER => {
                self.at += 1;
                Ok(Mark::Record(code))
            }
            _ => self.mark(),
        }
    }

    /// Everything that is not a record.
    #[cold]
    fn mark(&mut self) -> Result<Mark, Fault> {
        if self.bytes.is_empty() {
            self.load(0)?;
        }
        loop {
            match self.bytes.get(self.at) {
                None => return Err(self.cut()),
                Some(&END_OF_CHUNK) => {
                    self.check_count()?;
                    self.load(self.start + self.chunk)?;
                }
                Some(&END_OF_FILE) => {
                    self.check_count()?;
                    return Ok(Mark::EndOfFile);
                }
                Some(&code) if code > CHUNK_HEADER => {
                    self.at += 1;
                    return Ok(Mark::Record(code));
                }
                Some(_) => return Err(Fault::Malformed("there is no such type of record")),
            }
        }
    }

    fn check_count(&self) -> Result<(), Fault> {
        if self.numbered && self.events != self.last {
            return Err(Fault::Malformed(
                "a chunk does not hold as many events as its header says",
            ));
        }
        Ok(())
    }

    /// Takes note of an event.
    ///
    /// # Errors
    /// If its chunk should have no more of them.
    #[inline(always)]
    pub(crate) fn count_event(&mut self) -> Result<(), Fault> {
        if self.events >= self.last {
            return Err(Fault::Malformed(
                "a chunk does not hold as many events as its header says",
            ));
        }
        self.events += 1;
        Ok(())
    }

    /// Loads the chunk at `start` and reads its header.
    fn load(&mut self, start: u64) -> Result<(), Fault> {
        self.start = start;
        self.at = 0;
        self.bytes.clear();
        let size = self.chunk.min(self.length.saturating_sub(start));
        self.bytes.reserve_exact(size as usize);
        self.file
            .seek(SeekFrom::Start(start))
            .map_err(Fault::Unreadable)?;
        let chunk = (&mut self.file).take(size);
        let mut chunk = chunk;
        chunk
            .read_to_end(&mut self.bytes)
            .map_err(Fault::Unreadable)?;
        self.header()
    }

    fn header(&mut self) -> Result<(), Fault> {
        self.big_endian = match self.bytes[..] {
            [] | [CHUNK_HEADER] => return Err(Fault::Truncated),
            [CHUNK_HEADER, LITTLE_ENDIAN, ..] => false,
            [CHUNK_HEADER, BIG_ENDIAN, ..] => true,
            [CHUNK_HEADER, ..] => {
                return Err(Fault::Malformed("a chunk has an unknown byte order"));
            }
            _ => return Err(Fault::Malformed("a chunk has no header")),
        };
        if self.bytes.len() < HEADER {
            return Err(Fault::Truncated);
        }
        let mut numbers = Cursor::new(&self.bytes, 2, HEADER, self.big_endian);
        let (first, last) = (numbers.full64()?, numbers.full64()?);
        // The numbers are 1-based; without events the last one is not beyond those before.
        if self.numbered && last > self.events && first != self.events + 1 {
            self.at = 2;
            return Err(Fault::Malformed(
                "a chunk does not begin where the one before ends",
            ));
        }
        self.last = last.max(self.events);
        self.at = HEADER;
        Ok(())
    }

    /// What it means that the chunk has no more bytes.
    #[cold]
    fn cut(&self) -> Fault {
        if self.start + self.bytes.len() as u64 >= self.length {
            return Fault::Truncated;
        }
        Fault::Malformed("a record crosses the end of its chunk")
    }

    /// The record behind its type: its length, then its fields.
    ///
    /// # Errors
    /// If the chunk ends before the record does.
    #[inline(always)]
    pub(crate) fn record(&mut self) -> Result<Cursor<'_>, Fault> {
        let begin = self.at + 1;
        let (begin, end) = match self.bytes.get(self.at) {
            Some(&u8::MAX) => self.long_record()?,
            Some(&length) => (begin, begin + usize::from(length)),
            None => return Err(self.cut()),
        };
        self.cursor(begin, end)
    }

    #[cold]
    fn long_record(&self) -> Result<(usize, usize), Fault> {
        let begin = self.at + 9;
        let mut cursor = Cursor::new(&self.bytes, self.at + 1, begin, self.big_endian);
        let length = cursor.full64().map_err(|_| self.cut())?;
        Ok((
            begin,
            begin.saturating_add(usize::try_from(length).unwrap_or(usize::MAX)),
        ))
    }

    /// A record that is a single number, without a length.
    ///
    /// # Errors
    /// If the chunk ends before the number does.
    #[inline(always)]
    pub(crate) fn single(&mut self) -> Result<Cursor<'_>, Fault> {
        let begin = self.at;
        let end = match self.bytes.get(begin) {
            Some(&size @ 0..=8) => begin + 1 + usize::from(size),
            Some(&u8::MAX) => begin + 1,
            Some(_) => return Err(Fault::Malformed("a number is longer than 8 bytes")),
            None => return Err(self.cut()),
        };
        self.cursor(begin, end)
    }

    /// The eight bytes of a time stamp.
    ///
    /// # Errors
    /// If the chunk ends before they do.
    #[inline(always)]
    pub(crate) fn time(&mut self) -> Result<u64, Fault> {
        let begin = self.at;
        self.cursor(begin, begin + 8)?.full64()
    }

    #[inline(always)]
    fn cursor(&mut self, begin: usize, end: usize) -> Result<Cursor<'_>, Fault> {
        if end > self.bytes.len() {
            return Err(self.cut());
        }
        self.at = end;
        Ok(Cursor::new(&self.bytes, begin, end, self.big_endian))
    }
}

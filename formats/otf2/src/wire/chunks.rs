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

/// Bytes that are read at once: few enough to be in a near cache when they are decoded. In tests,
/// few enough that short files need several windows.
const WINDOW: usize = if cfg!(test) { 64 } else { 1 << 17 };

/// An open file of chunks. Memory: a window of the file, or its longest record if that is more.
#[derive(Debug)]
pub(crate) struct ChunkReader {
    file: File,
    /// Size of a chunk.
    chunk: u64,
    /// Size of the file when it was opened.
    length: u64,
    /// Where the current chunk begins, and where it ends at the latest.
    start: u64,
    end: u64,
    /// A window of the chunk: so many bytes of it are filled, the first one is at `base`.
    window: Vec<u8>,
    filled: usize,
    base: u64,
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
            end: 0,
            window: Vec::new(),
            filled: 0,
            base: 0,
            at: 0,
            big_endian: false,
            numbered,
            events: 0,
            last: 0,
        })
    }

    /// Where the next record begins, or would if the file went on.
    #[inline(always)]
    pub(crate) fn offset(&self) -> u64 {
        self.length.min(self.base + self.at as u64)
    }

    /// Size of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Goes back to `offset`, where a record began that is not before the last event.
    ///
    /// # Errors
    /// If it was passed over so far that it is to be read again, and no longer can be.
    pub(crate) fn go_back(&mut self, offset: u64) -> Result<(), Fault> {
        if offset < self.start {
            self.load(offset - offset % self.chunk)?;
        }
        let is_at_hand = self.base..=self.base + self.filled as u64;
        if !is_at_hand.contains(&offset) {
            self.file
                .seek(SeekFrom::Start(offset))
                .map_err(Fault::Unreadable)?;
            (self.base, self.filled) = (offset, 0);
        }
        self.at = (offset - self.base) as usize;
        Ok(())
    }

    /// What comes next; goes on to the next chunk where one ends.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<Mark, Fault> {
        match self.bytes().get(self.at) {
            Some(&code) if code > CHUNK_HEADER => {
                self.at += 1;
                Ok(Mark::Record(code))
            }
            _ => self.mark(),
        }
    }

    /// What there is of the chunk.
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self.window.get(..self.filled).unwrap_or_default()
    }

    /// Everything that is not a record at hand.
    #[cold]
    fn mark(&mut self) -> Result<Mark, Fault> {
        if self.window.is_empty() {
            self.load(0)?;
        }
        loop {
            self.need(1)?;
            match self.bytes().get(self.at) {
                Some(&END_OF_CHUNK) => {
                    self.check_count()?;
                    self.load(self.start + self.chunk)?;
                }
                Some(&END_OF_FILE) => {
                    self.check_count()?;
                    // One byte follows, which means nothing.
                    if self.offset() + 2 < self.length {
                        return Err(Fault::Malformed("the file goes on behind its end"));
                    }
                    return Ok(Mark::EndOfFile);
                }
                Some(&code) if code > CHUNK_HEADER => {
                    self.at += 1;
                    return Ok(Mark::Record(code));
                }
                _ => return Err(Fault::Malformed("there is no such type of record")),
            }
        }
    }

    /// Sees to it that so many bytes of the chunk are at hand.
    ///
    /// # Errors
    /// If the chunk has fewer.
    #[inline(always)]
    fn need(&mut self, bytes: usize) -> Result<(), Fault> {
        if self.filled - self.at < bytes {
            return self.fill(bytes);
        }
        Ok(())
    }

    /// Moves the window so that it begins with the next byte and has at least so many.
    #[cold]
    fn fill(&mut self, bytes: usize) -> Result<(), Fault> {
        let behind = self.base + self.filled as u64;
        let left = self.end.saturating_sub(behind);
        let rest = self.filled - self.at;
        if left < bytes.saturating_sub(rest) as u64 {
            return Err(self.cut());
        }
        self.window.copy_within(self.at..self.filled, 0);
        self.base += self.at as u64;
        (self.at, self.filled) = (0, rest);
        if self.window.len() < bytes.max(WINDOW) {
            self.window.resize(bytes.max(WINDOW), 0);
        }
        let space = (self.window.len() as u64).min(rest as u64 + left) as usize;
        while self.filled < space {
            let free = self.window.get_mut(self.filled..space).unwrap_or_default();
            match self.file.read(free) {
                Ok(0) => break,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::Unreadable(error)),
            }
        }
        // A file that has become shorter meanwhile.
        if self.filled < bytes {
            return Err(Fault::Truncated);
        }
        Ok(())
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

    /// Goes to the chunk at `start` and reads its header.
    fn load(&mut self, start: u64) -> Result<(), Fault> {
        // A file that was cut within the filling of a chunk ends before the next one begins.
        let start = start.min(self.length);
        self.file
            .seek(SeekFrom::Start(start))
            .map_err(Fault::Unreadable)?;
        self.start = start;
        self.end = self.length.min(start.saturating_add(self.chunk));
        (self.base, self.at, self.filled) = (start, 0, 0);
        self.header()
    }

    fn header(&mut self) -> Result<(), Fault> {
        self.need(2)?;
        self.big_endian = match self.bytes() {
            [CHUNK_HEADER, LITTLE_ENDIAN, ..] => false,
            [CHUNK_HEADER, BIG_ENDIAN, ..] => true,
            [CHUNK_HEADER, ..] => {
                return Err(Fault::Malformed("a chunk has an unknown byte order"));
            }
            _ => return Err(Fault::Malformed("a chunk has no header")),
        };
        self.need(HEADER)?;
        let mut numbers = Cursor::new(self.bytes(), 2, HEADER, self.big_endian);
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
        if self.end >= self.length {
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
        self.need(1)?;
        match self.bytes().get(self.at) {
            Some(&length) if length != u8::MAX => {
                self.at += 1;
                self.cursor(usize::from(length))
            }
            _ => self.long_record(),
        }
    }

    #[cold]
    fn long_record(&mut self) -> Result<Cursor<'_>, Fault> {
        self.need(9)?;
        self.at += 1;
        let length = self.cursor(8)?.full64()?;
        // No record is longer than its chunk.
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.cursor(length)
    }

    /// A record that is a single number, without a length.
    ///
    /// # Errors
    /// If the chunk ends before the number does.
    #[inline(always)]
    pub(crate) fn single(&mut self) -> Result<Cursor<'_>, Fault> {
        self.need(1)?;
        let length = match self.bytes().get(self.at) {
            Some(&size @ 0..=8) => 1 + usize::from(size),
            Some(&u8::MAX) => 1,
            _ => return Err(Fault::Malformed("a number is longer than 8 bytes")),
        };
        self.cursor(length)
    }

    /// The eight bytes of a time stamp.
    ///
    /// # Errors
    /// If the chunk ends before they do.
    #[inline(always)]
    pub(crate) fn time(&mut self) -> Result<u64, Fault> {
        self.cursor(8)?.full64()
    }

    /// The next so many bytes.
    #[inline(always)]
    fn cursor(&mut self, length: usize) -> Result<Cursor<'_>, Fault> {
        self.need(length)?;
        let begin = self.at;
        self.at += length;
        Ok(Cursor::new(self.bytes(), begin, self.at, self.big_endian))
    }
}

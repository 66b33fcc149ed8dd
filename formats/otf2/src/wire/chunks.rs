//! Reading a file chunk by chunk, record by record.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::{
    BIG_ENDIAN, CHUNK_HEADER, Cursor, END_OF_BUFFER, END_OF_CHUNK, END_OF_FILE, Fault, HEADER,
    LITTLE_ENDIAN, Resumption,
};

/// What comes next in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A record, or a part of one, of that type.
    Record(u8),
    /// The end.
    EndOfFile,
}

/// A chunk whose header claims a different number of events than the chunk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Miscount {
    /// Offset of the chunk.
    pub(crate) byte: u64,
    /// Number of the last event in the chunk, according to its header and as counted.
    pub(crate) claimed: u64,
    pub(crate) counted: u64,
}

/// Bytes that are read at once: few enough to be in a near cache when they are decoded. In tests,
/// few enough that short files need several windows.
const WINDOW: usize = if cfg!(test) { 64 } else { 1 << 17 };

/// Bytes of the two marks that end a file.
const MARKS: u64 = 2;

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
    /// Number of events so far, as the file numbers them, and at the end of this chunk, according to its
    /// header.
    events: u64,
    last: u64,
    miscount: Option<Miscount>,
    /// Offset of an end-of-file mark that is not the end of the file.
    no_end: Option<u64>,
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
            miscount: None,
            no_end: None,
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
            Some(&code) if code > END_OF_FILE => {
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
                Some(&END_OF_CHUNK) => self.next_chunk()?,
                Some(&END_OF_FILE) if self.no_end != Some(self.offset()) => {
                    return self.end().map(|()| Mark::EndOfFile);
                }
                Some(&code) => {
                    self.at += 1;
                    return Ok(Mark::Record(code));
                }
                None => return Err(self.cut()),
            }
        }
    }

    /// Moves from the end of the current chunk to the next one.
    fn next_chunk(&mut self) -> Result<(), Fault> {
        let (start, claimed) = (self.start, self.last);
        let first = self.load(self.start + self.chunk)?;
        if !self.numbered || claimed == self.events {
            return Ok(());
        }
        // The header of the next chunk confirms that events are missing.
        if self.missing_before(first) && claimed == first - 1 {
            self.events = claimed;
            return Err(Fault::Contained(
                "a chunk has fewer events than its header and the next one say",
            ));
        }
        self.miscounted(start, claimed);
        Ok(())
    }

    /// Returns whether events are missing before a chunk whose first event has number `first`, and no more
    /// than a chunk has room for.
    fn missing_before(&self, first: u64) -> bool {
        let room = self.events.saturating_add(self.chunk);
        (self.events + 2..=room).contains(&first)
    }

    fn miscounted(&mut self, byte: u64, claimed: u64) {
        let counted = self.events;
        self.miscount.get_or_insert(Miscount {
            byte,
            claimed,
            counted,
        });
    }

    /// Checks the end-of-file mark. libotf2 writes a second mark after it, and bytes after both have no
    /// meaning. If the second mark is missing, the first one is a damaged byte, and records follow it.
    fn end(&mut self) -> Result<(), Fault> {
        let is_complete = self.numbered && self.events >= self.last;
        let is_cut = self.trailing() > 0 && !is_complete && self.need(2).is_ok();
        if is_cut && self.bytes().get(self.at + 1) != Some(&END_OF_BUFFER) {
            return Err(Fault::EarlyEnd);
        }
        if self.numbered && self.events != self.last {
            self.miscounted(self.start, self.last);
        }
        Ok(())
    }

    /// Returns the number of bytes after the marks that end the file. The marks must have been read.
    pub(crate) fn trailing(&self) -> u64 {
        self.length.saturating_sub(self.offset() + MARKS)
    }

    /// Returns the first chunk whose header claims a different number of events than the chunk has.
    pub(crate) fn miscount(&self) -> Option<Miscount> {
        self.miscount
    }

    /// Returns the number of the last event according to the header of the current chunk, or `None` if the
    /// chunk has no room for that many.
    pub(crate) fn claimed(&self) -> Option<u64> {
        let room = self.events.saturating_add(self.end - self.start);
        Some(self.last).filter(|&last| self.numbered && last <= room)
    }

    /// Resumes after a fault and returns whether there is anything left to read.
    ///
    /// # Errors
    /// If the header of the next chunk is damaged as well.
    pub(crate) fn resume(&mut self, resumption: Resumption) -> Result<bool, Fault> {
        match resumption {
            Resumption::Here => Ok(true),
            Resumption::PastMark => {
                self.no_end = Some(self.offset());
                Ok(true)
            }
            Resumption::NextChunk => {
                let start = self.start.saturating_add(self.chunk);
                if start >= self.length {
                    return Ok(false);
                }
                let first = self.load(start)?;
                if self.missing_before(first) {
                    self.events = first - 1;
                }
                Ok(true)
            }
            Resumption::Nowhere => Ok(false),
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

    /// Resumes after a fault and passes over any number of damaged chunks; `report` gets the offset and
    /// the fault of each. Returns whether there is anything left to read.
    pub(crate) fn go_on(
        &mut self,
        mut resumption: Resumption,
        mut report: impl FnMut(u64, Fault),
    ) -> bool {
        loop {
            match self.resume(resumption) {
                Ok(goes_on) => return goes_on,
                Err(fault) => {
                    resumption = fault.resumption();
                    report(self.offset(), fault);
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn count_event(&mut self) {
        self.events += 1;
    }

    /// Moves to the chunk at `start`, reads its header and returns the number of its first event.
    fn load(&mut self, start: u64) -> Result<u64, Fault> {
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

    fn header(&mut self) -> Result<u64, Fault> {
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
        self.last = if last < first { self.events } else { last };
        self.at = HEADER;
        Ok(first)
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

//! Reads a file chunk by chunk and record by record.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::{
    BIG_ENDIAN, CHUNK_HEADER, Cursor, END_OF_BUFFER, END_OF_CHUNK, END_OF_FILE, Fault, HEADER,
    LITTLE_ENDIAN, Resumption,
};

/// The next item in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A record of that type, or a part of a record.
    Record(u8),
    /// The end of the file, or of the chunks that are read.
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

/// The header of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkHeader {
    is_big_endian: bool,
    /// The numbers of its first and its last event, from 1 on. Without events, the last number is smaller than the first one.
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl ChunkHeader {
    /// Reads the header at the beginning of `bytes`.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let is_big_endian = is_big_endian(bytes)?;
        let mut numbers = Cursor::new(bytes, 2, HEADER, is_big_endian);
        Ok(Self {
            is_big_endian,
            first: numbers.full64()?,
            last: numbers.full64()?,
        })
    }
}

/// Returns the byte order of the chunk that begins with `bytes`.
fn is_big_endian(bytes: &[u8]) -> Result<bool, Fault> {
    match bytes {
        [CHUNK_HEADER, LITTLE_ENDIAN, ..] => Ok(false),
        [CHUNK_HEADER, BIG_ENDIAN, ..] => Ok(true),
        [CHUNK_HEADER, ..] => Err(Fault::Malformed("a chunk has an unknown byte order")),
        _ => Err(Fault::Malformed("a chunk has no header")),
    }
}

/// Number of bytes read at once: few enough to stay in a fast cache until they are decoded. In tests, few enough that
/// short files need several windows.
const WINDOW: usize = if cfg!(test) { 64 } else { 1 << 17 };

/// Bytes of the two marks that end a file.
const MARKS: u64 = 2;

/// An open file of chunks. It needs memory for a window of the file, or for its longest record if that is larger.
#[derive(Debug)]
pub(crate) struct ChunkReader {
    file: File,
    /// Size of a chunk.
    chunk: u64,
    /// Size of the file when it was opened.
    length: u64,
    /// The offsets at which the current chunk begins, and at which it ends at the latest.
    start: u64,
    end: u64,
    /// The offset of the chunk before which the reader stops.
    stop: u64,
    /// A window of the chunk: `filled` bytes of it are valid, and the first byte has the offset `base`.
    window: Vec<u8>,
    filled: usize,
    base: u64,
    at: usize,
    big_endian: bool,
    /// Whether chunks count their events; in other files the numbers have no meaning.
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
    /// Opens a file with chunks of `chunk` bytes; `numbered` if it contains events. Reads nothing yet.
    pub(crate) fn open(path: &Path, chunk: u64, numbered: bool) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            file,
            chunk,
            length,
            start: 0,
            end: 0,
            stop: u64::MAX,
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

    /// Restricts the reader of a file that is not read yet to the chunks in a range of offsets. There are `events` events
    /// before them.
    pub(crate) fn within(mut self, bytes: Range<u64>, events: u64) -> Self {
        (self.start, self.stop, self.events) = (bytes.start, bytes.end, events);
        self
    }

    /// Lifts the restriction to a range of offsets.
    pub(crate) fn go_beyond(&mut self) {
        self.stop = u64::MAX;
    }

    /// Returns the offset of the next record, or the offset where it would begin if the file continued.
    #[inline(always)]
    pub(crate) fn offset(&self) -> u64 {
        self.length.min(self.base + self.at as u64)
    }

    /// Returns the size of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Goes back to `offset`, the beginning of a record that is not before the last counted event.
    ///
    /// # Errors
    /// Returns an error if that part of the file must be read again and cannot be read any more.
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

    /// Returns the next item, and moves to the next chunk at the end of a chunk.
    ///
    /// # Errors
    /// Returns an error if the file is damaged or cannot be read.
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

    /// Returns the available bytes of the chunk.
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self.window.get(..self.filled).unwrap_or_default()
    }

    /// Handles every case other than a record that is already in the window.
    #[cold]
    fn mark(&mut self) -> Result<Mark, Fault> {
        if self.window.is_empty() {
            self.load(self.start)?;
        }
        loop {
            self.need(1)?;
            match self.bytes().get(self.at) {
                Some(&END_OF_CHUNK) if self.start.saturating_add(self.chunk) >= self.stop => {
                    return Ok(Mark::EndOfFile);
                }
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
                "a chunk contains fewer events than its header and the next header declare",
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
    /// Returns an error if the header of the next chunk is damaged as well.
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

    /// Ensures that the window has at least `bytes` unread bytes of the chunk.
    ///
    /// # Errors
    /// Returns an error if the chunk has fewer.
    #[inline(always)]
    fn need(&mut self, bytes: usize) -> Result<(), Fault> {
        if self.filled - self.at < bytes {
            return self.fill(bytes);
        }
        Ok(())
    }

    /// Moves the window so that it begins with the next byte and has at least `bytes` bytes.
    #[cold]
    fn fill(&mut self, bytes: usize) -> Result<(), Fault> {
        let next = self.base + self.filled as u64;
        let left = self.end.saturating_sub(next);
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
        // The file has become shorter since it was opened.
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
        // A file that was cut within the padding of a chunk ends before the next chunk begins.
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
        is_big_endian(self.bytes())?;
        self.need(HEADER)?;
        let ChunkHeader {
            is_big_endian,
            first,
            last,
        } = ChunkHeader::parse(self.bytes())?;
        self.big_endian = is_big_endian;
        self.last = if last < first { self.events } else { last };
        self.at = HEADER;
        Ok(first)
    }

    /// Returns the fault for a chunk that has no more bytes.
    #[cold]
    fn cut(&self) -> Fault {
        if self.end >= self.length {
            return Fault::Truncated;
        }
        Fault::Malformed("a record crosses the end of its chunk")
    }

    /// Returns the rest of the record after its type: its length, then its fields.
    ///
    /// # Errors
    /// Returns an error if the chunk ends before the record does.
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

    /// Returns a record that is a single number, without a length.
    ///
    /// # Errors
    /// Returns an error if the chunk ends before the number does.
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

    /// Returns the eight bytes of a time stamp.
    ///
    /// # Errors
    /// Returns an error if the chunk ends before the time stamp does.
    #[inline(always)]
    pub(crate) fn time(&mut self) -> Result<u64, Fault> {
        self.cursor(8)?.full64()
    }

    /// Returns a cursor over the next `length` bytes.
    #[inline(always)]
    fn cursor(&mut self, length: usize) -> Result<Cursor<'_>, Fault> {
        self.need(length)?;
        let begin = self.at;
        self.at += length;
        Ok(Cursor::new(self.bytes(), begin, self.at, self.big_endian))
    }
}

//! Splits a file, a pipe, or several files in sequence into lines.
//!
//! Lines are slices of one buffer, which grows up to the length of the longest allowed line.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Input, Place, TraceError};

use crate::bytes::{Bytes, read_error};

/// The longest line that readers and writers accept, in bytes. The limit bounds the memory for input that
/// is not text, and has room for definitions with a number per process, such as groups of a million ranks.
pub const LONGEST_LINE: usize = 1 << 26;
const BLOCK: usize = 1 << 18;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line without its line ending.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The bytes of the line.
    pub bytes: &'a [u8],
    /// 1-based number of the line in its file.
    pub number: u64,
    /// Offset of the first byte in the file.
    pub offset: u64,
    /// Whether the line has a line ending; only the last line of a file may lack one.
    pub is_whole: bool,
    /// Index of the file among the files of the input.
    pub file: usize,
}

/// The reason why no line was returned.
#[derive(Debug)]
pub enum NoLine {
    /// The line with this number and offset is longer than [`LONGEST_LINE`]. The next call returns the line after it.
    TooLong(u64, u64),
    /// The input cannot be read. The next call continues with the next file.
    Unreadable(TraceError),
}

/// The lines of an input.
pub struct Lines {
    /// Files that are not opened yet, in reverse order.
    files: Vec<PathBuf>,
    path: PathBuf,
    file: usize,
    reader: Option<Bytes>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    number: u64,
    /// Offset of `start` in the file.
    offset: u64,
    consumed: u64,
    skipping: bool,
    /// Size of all files in bytes; 0 if unknown.
    pub size: u64,
    /// Whether the input can be opened a second time.
    pub is_repeatable: bool,
}

/// Checks that a reader would accept the lines that a writer produced for one definition or event.
///
/// # Errors
/// If a line is longer than [`LONGEST_LINE`].
#[inline]
pub fn check_lines(lines: &[u8]) -> Result<(), TraceError> {
    if lines.len() <= LONGEST_LINE {
        Ok(())
    } else {
        check_each(lines)
    }
}

#[cold]
fn check_each(lines: &[u8]) -> Result<(), TraceError> {
    match memchr::memchr_iter(b'\n', lines)
        .scan(0, |start, end| {
            let length = end - *start;
            *start = end + 1;
            Some(length)
        })
        .find(|&length| length > LONGEST_LINE)
    {
        None => Ok(()),
        Some(length) => {
            let message = format!("cannot write a line of {length} bytes");
            let hint =
                format!("lines have at most {LONGEST_LINE} bytes; a store has no such limit");
            Err(TraceError::new(ErrorKind::Output, message).hint(hint))
        }
    }
}

impl Lines {
    /// Opens the lines of a file or a pipe.
    ///
    /// # Errors
    /// If the input is missing or unreadable.
    pub fn open(input: Input) -> Result<Self, TraceError> {
        let path = input.path().to_owned();
        let bytes = Bytes::open(input)?;
        let mut lines = Self::new(path);
        (lines.size, lines.is_repeatable) = (bytes.size, bytes.is_repeatable);
        lines.reader = Some(bytes);
        Ok(lines)
    }

    /// Opens the lines of several files, in sequence.
    ///
    /// # Errors
    /// If the first file is missing or unreadable.
    pub fn open_files(mut files: Vec<PathBuf>) -> Result<Self, TraceError> {
        let size = |file: &PathBuf| file.metadata().map_or(0, |metadata| metadata.len());
        let mut lines = Self::new(PathBuf::new());
        lines.size = files.iter().map(size).sum();
        files.reverse();
        if let Some(first) = files.pop() {
            lines.files = files;
            lines.open_file(first)?;
        }
        Ok(lines)
    }

    fn new(path: PathBuf) -> Self {
        Self {
            files: Vec::new(),
            path,
            file: 0,
            reader: None,
            buffer: vec![0; BLOCK],
            start: 0,
            end: 0,
            number: 0,
            offset: 0,
            consumed: 0,
            skipping: false,
            size: 0,
            is_repeatable: true,
        }
    }

    fn open_file(&mut self, path: PathBuf) -> Result<(), TraceError> {
        let bytes = Bytes::open_file(&path);
        self.path = path;
        (self.start, self.end, self.number, self.offset) = (0, 0, 0, 0);
        self.skipping = false;
        self.reader = Some(bytes?);
        Ok(())
    }

    /// Returns the place of a line of the current file.
    #[must_use]
    pub fn place(&self, number: u64, offset: u64) -> Place {
        Place::file(&self.path).byte(offset).line(number)
    }

    /// Returns the path of the current file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes in the lines returned so far, including skipped lines.
    #[must_use]
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Returns the next line; `None` at the end of the input.
    ///
    /// # Errors
    /// If a line is too long, or the input cannot be read. The next call continues after that line or file.
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, NoLine> {
        let mut searched = 0;
        let (length, is_whole) = loop {
            let unsearched = &self.buffer[self.start + searched..self.end];
            if let Some(length) = memchr::memchr(b'\n', unsearched) {
                let length = searched + length;
                if !self.skipping {
                    break (length, true);
                }
                self.advance(length + 1);
                self.skipping = false;
                searched = 0;
                continue;
            }
            if self.skipping {
                self.advance(self.end - self.start);
            }
            searched = self.end - self.start;
            if searched > LONGEST_LINE {
                self.skipping = true;
                self.number += 1;
                return Err(NoLine::TooLong(self.number, self.offset));
            }
            if self.fill()? {
                continue;
            }
            if searched > 0 {
                break (searched, false);
            }
            let Some(next) = self.files.pop() else {
                return Ok(None);
            };
            self.file += 1;
            self.open_file(next).map_err(NoLine::Unreadable)?;
        };
        let (start, offset) = (self.start, self.offset);
        self.advance(length + usize::from(is_whole));
        self.number += 1;
        if length > LONGEST_LINE {
            return Err(NoLine::TooLong(self.number, offset));
        }
        let mut bytes = &self.buffer[start..start + length];
        if let [rest @ .., b'\r'] = bytes {
            bytes = rest;
        }
        if offset == 0 {
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        }
        Ok(Some(Line {
            bytes,
            number: self.number,
            offset,
            is_whole,
            file: self.file,
        }))
    }

    /// Puts back the line that was returned last; `offset` is the offset of its first byte.
    pub fn put_back(&mut self, offset: u64) {
        let length = self.offset - offset;
        self.consumed -= length;
        self.offset = offset;
        self.start -= length as usize;
        self.number -= 1;
    }

    fn advance(&mut self, length: usize) {
        self.start += length;
        self.offset += length as u64;
        self.consumed += length as u64;
    }

    /// Appends more bytes to the buffer. Returns whether there were any.
    fn fill(&mut self) -> Result<bool, NoLine> {
        let Some(reader) = &mut self.reader else {
            return Ok(false);
        };
        if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if self.end > self.buffer.len() / 2 {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
        }
        loop {
            match reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.reader = None;
                    return Ok(false);
                }
                Ok(length) => {
                    self.end += length;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.reader = None;
                    return Err(NoLine::Unreadable(read_error(&self.path, error)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Result<String, u64>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        std::fs::write(&path, bytes).unwrap();
        let mut source = Lines::open(Input::Path(path)).unwrap();
        let mut lines = Vec::new();
        loop {
            match source.next_line() {
                Ok(Some(line)) => lines.push(Ok(String::from_utf8_lossy(line.bytes).into_owned())),
                Ok(None) => break,
                Err(NoLine::TooLong(number, _)) => lines.push(Err(number)),
                Err(NoLine::Unreadable(error)) => panic!("{error}"),
            }
        }
        assert_eq!(source.consumed(), bytes.len() as u64);
        lines
    }

    #[test]
    fn lines_of_all_lengths_and_ends() {
        assert_eq!(lines(b""), []);
        assert_eq!(
            lines(b"\xef\xbb\xbfa\r\n\nb"),
            [Ok("a".into()), Ok(String::new()), Ok("b".into())]
        );
        let longest = "x".repeat(LONGEST_LINE);
        assert_eq!(
            lines(format!("a\n{longest}\nb\n").as_bytes()),
            [Ok("a".into()), Ok(longest.clone()), Ok("b".into())]
        );
        for excess in ["x".repeat(LONGEST_LINE + 1), "x".repeat(2 * LONGEST_LINE)] {
            assert_eq!(
                lines(format!("a\n{excess}\nb").as_bytes()),
                [Ok("a".into()), Err(2), Ok("b".into())]
            );
            assert_eq!(lines(excess.as_bytes()), [Err(1)]);
        }
    }

    #[test]
    fn a_line_that_was_put_back_is_returned_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        std::fs::write(&path, "one\ntwo").unwrap();
        let mut source = Lines::open(Input::Path(path)).unwrap();
        source.next_line().unwrap();
        for _ in 0..3 {
            let line = source.next_line().unwrap().unwrap();
            assert_eq!(
                (line.bytes, line.number, line.offset),
                (b"two".as_slice(), 2, 4)
            );
            source.put_back(4);
        }
    }
}

//! Where lines come from: a file, standard input, or the files of a folder one after another.
//!
//! Lines are handed out as slices of one buffer, which grows up to the longest line allowed.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Input, Place, TraceError};

/// Longest line that is read.
pub(crate) const LONGEST_LINE: usize = 1 << 20;
const BLOCK: usize = 1 << 18;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line without its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub bytes: &'a [u8],
    /// 1-based, in its file.
    pub number: u64,
    /// Offset of its first byte in its file.
    pub offset: u64,
    /// Whether it has an end; only the last line of a file may have none.
    pub is_whole: bool,
    /// Number of its file among the files of the input.
    pub file: usize,
}

/// Why there is no line.
#[derive(Debug)]
pub(crate) enum NoLine {
    /// The line at that number and offset is longer than [`LONGEST_LINE`]; the next call goes on
    /// behind it.
    TooLong(u64, u64),
    /// The input cannot be read; the next call goes on with the next file.
    Unreadable(TraceError),
}

/// Lines of an input.
pub(crate) struct Source {
    /// Files still to be opened, the next one last.
    files: Vec<PathBuf>,
    path: PathBuf,
    file: usize,
    reader: Option<Box<dyn Read + Send>>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    number: u64,
    /// Offset of `start` in the file.
    offset: u64,
    consumed: u64,
    skipping: bool,
    /// Size of all files, 0 if unknown.
    pub size: u64,
    /// Whether the input can be opened a second time.
    pub is_repeatable: bool,
}

impl Source {
    pub(crate) fn open(input: Input) -> Result<Self, TraceError> {
        let mut source = Self {
            files: Vec::new(),
            path: input.path().to_owned(),
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
        };
        match input {
            Input::Stream { head, reader, .. } => {
                source.reader = Some(Box::new(io::Cursor::new(head).chain(reader)));
                source.is_repeatable = false;
            }
            Input::Path(path) => {
                let unreadable = |error| TraceError::unreadable(&path, error);
                let metadata = path.metadata().map_err(unreadable)?;
                if metadata.is_dir() {
                    source.files = trace_files(&path).map_err(unreadable)?;
                    for file in &source.files {
                        source.size += file.metadata().map_or(0, |metadata| metadata.len());
                    }
                    source.files.reverse();
                    let Some(first) = source.files.pop() else {
                        let message = format!("{} holds no file called *.trace", path.display());
                        return Err(TraceError::new(ErrorKind::Foreign, message)
                            .at(Place::file(&path))
                            .hint("a folder of text traces has one file a process: 0.trace, 1.trace, …"));
                    };
                    source.open_file(first)?;
                } else {
                    if metadata.is_file() {
                        source.size = metadata.len();
                    } else {
                        source.is_repeatable = false;
                    }
                    source.open_file(path)?;
                }
            }
        }
        Ok(source)
    }

    fn open_file(&mut self, path: PathBuf) -> Result<(), TraceError> {
        let file = File::open(&path).map_err(|error| TraceError::unreadable(&path, error));
        self.path = path;
        (self.start, self.end, self.number, self.offset) = (0, 0, 0, 0);
        self.skipping = false;
        self.reader = Some(Box::new(file?));
        Ok(())
    }

    /// The place of a line of the current file.
    pub(crate) fn place(&self, number: u64, offset: u64) -> Place {
        Place::file(&self.path).byte(offset).line(number)
    }

    /// The file being read.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes handed out so far.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The next line; `None` at the end of the input.
    #[inline]
    pub(crate) fn next_line(&mut self) -> Result<Option<Line<'_>>, NoLine> {
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

    /// Takes back the line that was handed out last; `offset` is where it began.
    pub(crate) fn put_back(&mut self, offset: u64) {
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

    /// Reads more behind what is there; whether there was more.
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
                    return Err(NoLine::Unreadable(TraceError::unreadable(
                        &self.path, error,
                    )));
                }
            }
        }
    }
}

/// The text traces of a folder: its files `*.trace`, those that begin with numbers in the order of
/// these.
pub(crate) fn trace_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "trace")
            && !path.is_dir()
        {
            files.push(path);
        }
    }
    files.sort_by(|a, b| natural_order(&name(a), &name(b)));
    Ok(files)
}

fn name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// Compares numbers in names as numbers: `2.trace` comes before `10.trace`.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (digits_left, digits_right) = (leading_digits(left), leading_digits(right));
        if !digits_left.is_empty() && !digits_right.is_empty() {
            let (x, y) = (
                digits_left.trim_start_matches('0'),
                digits_right.trim_start_matches('0'),
            );
            let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
            if order != Ordering::Equal {
                return order;
            }
            left = &left[digits_left.len()..];
            right = &right[digits_right.len()..];
            continue;
        }
        let (mut chars_left, mut chars_right) = (left.chars(), right.chars());
        match (chars_left.next(), chars_right.next()) {
            (None, None) => return a.cmp(b),
            (x, y) if x == y => (left, right) = (chars_left.as_str(), chars_right.as_str()),
            (x, y) => return x.cmp(&y),
        }
    }
}

fn leading_digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Result<String, u64>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        std::fs::write(&path, bytes).unwrap();
        let mut source = Source::open(Input::Path(path)).unwrap();
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
        for excess in ["x".repeat(LONGEST_LINE + 1), "x".repeat(5 * LONGEST_LINE)] {
            assert_eq!(
                lines(format!("a\n{excess}\nb").as_bytes()),
                [Ok("a".into()), Err(2), Ok("b".into())]
            );
            assert_eq!(lines(excess.as_bytes()), [Err(1)]);
        }
    }

    #[test]
    fn a_line_put_back_comes_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        std::fs::write(&path, "one\ntwo").unwrap();
        let mut source = Source::open(Input::Path(path)).unwrap();
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

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["10.trace", "2.trace", "a.trace", "2b.trace", "02.trace"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            ["02.trace", "2.trace", "2b.trace", "10.trace", "a.trace"]
        );
    }
}

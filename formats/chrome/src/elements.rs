//! Splits a file into its elements, one at a time: events, definitions and properties.
//!
//! The file is never in memory as a whole. This module finds the end of an element by its brackets and quotes alone;
//! its content is left to the JSON parser.

use std::io::{ErrorKind as IoErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use foldtrace_input::{Bytes, read_error, show};
use foldtrace_trace::{
    Diagnostic, Diagnostics, ErrorKind, Input, Place, ReadOptions, Severity, TraceError,
};

use crate::fault::Fault;
use crate::nesting::{Nesting, ScanOutcome};

/// Number of bytes read at a time.
const BLOCK: usize = 1 << 18;
/// Maximum size of an element, in bytes.
const LONGEST: usize = 1 << 24;
/// Maximum size of a property value, in bytes.
const LONGEST_PROPERTY: usize = 1 << 22;
/// Maximum number of bytes that are scanned again to find an event after damage.
const MOST_REPEATED: usize = 1 << 28;

/// The key under which foldtrace describes how it wrote the file.
pub(crate) const OURS: &str = "foldtrace";
/// The key of the definitions that foldtrace writes.
pub(crate) const OUR_DEFINITIONS: &str = "foldtraceDefinitions";

/// The kind of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    /// An event.
    Event,
    /// A definition written by foldtrace, a string.
    Definition,
    /// A property of the file, with its key.
    Property(String),
    /// A property that is too long to be kept, with its key.
    LongProperty(String),
}

/// An element with its bytes in the file.
#[derive(Debug)]
pub(crate) struct Element<'a> {
    pub kind: ElementKind,
    pub text: &'a [u8],
}

/// The position of the reader in the structure of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Begin,
    /// In the object that contains the events.
    Object,
    /// In an array; `is_bare` if no object contains it.
    Array {
        of_definitions: bool,
        is_bare: bool,
    },
    End,
}

/// Reads the elements of a file.
pub(crate) struct Elements {
    bytes: Bytes,
    path: PathBuf,
    salvage: bool,
    buffer: Vec<u8>,
    /// Index in the buffer where the search for the next element begins.
    at: usize,
    /// Offset of the buffer in the file.
    offset: u64,
    /// Line number of the byte at index `counted`, up to which lines are counted.
    line: u64,
    counted: usize,
    /// Index of the first byte of the last element.
    start: usize,
    state: State,
    is_drained: bool,
    repeated: usize,
}

impl Elements {
    pub(crate) fn open(input: Input, options: ReadOptions) -> Result<Self, TraceError> {
        let path = input.path().to_owned();
        Ok(Self {
            bytes: Bytes::open(input)?,
            path,
            salvage: options.salvage,
            buffer: Vec::new(),
            at: 0,
            offset: 0,
            line: 1,
            counted: 0,
            start: 0,
            state: State::Begin,
            is_drained: false,
            repeated: 0,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size of the file in bytes; 0 if unknown.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.size
    }

    pub(crate) fn is_repeatable(&self) -> bool {
        self.bytes.is_repeatable
    }

    /// Returns the number of bytes consumed so far.
    pub(crate) fn consumed(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// Returns whether foldtrace wrote the file, according to its first key.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn is_ours(&mut self) -> Result<bool, TraceError> {
        const ENOUGH: usize = 256;
        while self.buffer.len() < ENOUGH && !self.is_drained {
            self.fill(0)?;
        }
        let head = self.buffer.trim_ascii_start().strip_prefix(b"{");
        let key = head.and_then(|head| head.trim_ascii_start().strip_prefix(b"\""));
        let rest = key.and_then(|key| key.strip_prefix(OURS.as_bytes()));
        Ok(rest.is_some_and(|rest| rest.starts_with(b"\"")))
    }

    /// Returns the next element. If damage is salvaged, damaged elements are skipped.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    pub(crate) fn next(
        &mut self,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Element<'_>>, TraceError> {
        loop {
            match self.find() {
                Ok(Some((ElementKind::LongProperty(key), _))) => {
                    let message = format!(
                        "the property '{key}' is skipped: its value has more than {LONGEST_PROPERTY} bytes"
                    );
                    let place = self.place(self.start);
                    let loss = Diagnostic::new(Severity::Loss, "chrome.left_out", message);
                    diagnostics.report(loss.at(place));
                }
                Ok(Some((kind, range))) => {
                    self.start = range.start;
                    let text = &self.buffer[range];
                    return Ok(Some(Element { kind, text }));
                }
                Ok(None) => return Ok(None),
                Err(Failure::Fault(fault)) => self.report_or_fail(fault, diagnostics)?,
                Err(Failure::Unreadable(error)) => {
                    self.state = State::End;
                    self.is_drained = true;
                    if !self.salvage || !error.is_salvageable() {
                        return Err(error);
                    }
                    let message = match &error.source {
                        Some(cause) => format!("{error}: {cause}"),
                        None => error.to_string(),
                    };
                    diagnostics.report(
                        Diagnostic::new(Severity::Loss, "chrome.unreadable", message)
                            .at(Place::file(&self.path))
                            .hint("everything read before the failure is kept"),
                    );
                }
            }
        }
    }

    /// Makes the next call of [`next`](Self::next) return the last element again.
    pub(crate) fn put_back(&mut self) {
        self.at = self.start;
    }

    /// Reports a fault of the last element and continues after it, or fails.
    ///
    /// # Errors
    /// If damage is not salvaged.
    #[cold]
    pub(crate) fn report_or_fail(
        &mut self,
        fault: Fault,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        if !self.salvage {
            return Err(self.refuse(fault));
        }
        let at = (self.start + fault.at).min(self.buffer.len());
        let place = self.place(at);
        let mut loss = Diagnostic::new(Severity::Loss, "chrome.bad_event", fault.message).at(place);
        loss.hint = fault.hint;
        diagnostics.report(loss);
        if fault.is_garbled {
            self.recover(at, diagnostics)?;
        }
        Ok(())
    }

    /// Returns the error for a fault and ends reading.
    pub(crate) fn refuse(&mut self, fault: Fault) -> TraceError {
        self.state = State::End;
        let at = (self.start + fault.at).min(self.buffer.len());
        let mut error = TraceError::new(fault.kind, fault.message).at(self.place(at));
        error.hint = fault.hint.map(str::to_owned);
        error
    }

    /// Returns the place of a byte of the buffer.
    fn place(&mut self, at: usize) -> Place {
        let at = at.max(self.counted);
        let ends = memchr::memchr_iter(b'\n', &self.buffer[self.counted..at]).count();
        Place::file(&self.path)
            .byte(self.offset + at as u64)
            .line(self.line + ends as u64)
    }

    /// Moves to the next place after `from` where an event may begin: in an array, an object after a comma or at the
    /// beginning of a line.
    fn recover(&mut self, from: usize, diagnostics: &mut Diagnostics) -> Result<(), TraceError> {
        let in_events = matches!(
            self.state,
            State::Array {
                of_definitions: false,
                ..
            }
        );
        self.repeated += self.at.saturating_sub(self.start);
        if !in_events || self.repeated > MOST_REPEATED {
            self.state = State::End;
            return Ok(());
        }
        self.at = self
            .start
            .max(from.min(self.buffer.len()))
            .max(self.start + 1);
        self.at = self.at.min(self.buffer.len());
        loop {
            while let Some(length) = memchr::memchr(b'{', &self.buffer[self.at..]) {
                let brace = self.at + length;
                let before = self.buffer[..brace].trim_ascii_end();
                let is_first =
                    brace - before.len() > 0 && self.buffer[before.len()..brace].contains(&b'\n');
                if is_first || matches!(before.last(), Some(b',' | b'[')) {
                    self.at = brace;
                    return Ok(());
                }
                self.at = brace + 1;
            }
            self.at = self.buffer.len();
            if self.is_drained {
                self.state = State::End;
                return Ok(());
            }
            // The comma and the blanks before a brace may be at the end of this block.
            let keep = self.at.saturating_sub(64);
            if let Err(error) = self.fill(keep) {
                self.state = State::End;
                let message = error.to_string();
                diagnostics.report(
                    Diagnostic::new(Severity::Loss, "chrome.unreadable", message)
                        .at(Place::file(&self.path)),
                );
                return Ok(());
            }
        }
    }

    /// Discards the bytes before `keep` and reads more.
    fn fill(&mut self, keep: usize) -> Result<(), TraceError> {
        if self.counted < keep {
            let passed = &self.buffer[self.counted..keep];
            self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
            self.counted = keep;
        }
        self.buffer.drain(..keep);
        self.offset += keep as u64;
        self.counted -= keep;
        self.at -= keep;
        self.start = self.start.saturating_sub(keep);
        let length = self.buffer.len();
        self.buffer.resize(length + BLOCK, 0);
        let mut end = length;
        let outcome = loop {
            match self.bytes.read(&mut self.buffer[end..]) {
                Ok(0) => {
                    self.is_drained = end < self.buffer.len();
                    break Ok(());
                }
                Ok(count) => end += count,
                Err(error) if error.kind() == IoErrorKind::Interrupted => {}
                Err(error) => break Err(read_error(&self.path, error)),
            }
        };
        self.buffer.truncate(end);
        // Bytes read before a failure are processed first.
        match outcome {
            Err(error) if end == length => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the next byte that is not a blank and, with `commas`, not a comma.
    fn peek(&mut self, commas: bool) -> Result<Option<u8>, Failure> {
        loop {
            while let Some(&byte) = self.buffer.get(self.at) {
                match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => {}
                    b',' if commas => {}
                    byte => {
                        self.start = self.at;
                        return Ok(Some(byte));
                    }
                }
                self.at += 1;
            }
            if self.is_drained {
                self.start = self.at;
                return Ok(None);
            }
            self.fill(self.at).map_err(Failure::Unreadable)?;
        }
    }

    fn find(&mut self) -> Result<Option<(ElementKind, Range<usize>)>, Failure> {
        loop {
            match self.state {
                State::Begin => {
                    let first = self.peek(false)?;
                    if self.offset == 0 && self.buffer[self.at..].starts_with(b"\xef\xbb\xbf") {
                        self.at += 3;
                        continue;
                    }
                    self.state = match first {
                        Some(b'[') => State::Array {
                            of_definitions: false,
                            is_bare: true,
                        },
                        Some(b'{') => State::Object,
                        _ => {
                            self.state = State::End;
                            return Err(self.unexpected("'[' or '{'").into());
                        }
                    };
                    self.at += 1;
                }
                State::Object => {
                    if let Some(found) = self.find_in_object()? {
                        return Ok(Some(found));
                    }
                }
                State::Array {
                    of_definitions,
                    is_bare,
                } => {
                    let opening = if of_definitions { b'"' } else { b'{' };
                    match self.peek(true)? {
                        Some(b']') => {
                            self.at += 1;
                            self.state = if is_bare { State::End } else { State::Object };
                        }
                        Some(byte) if byte == opening => {
                            let range = self.value()?;
                            let kind = if of_definitions {
                                ElementKind::Definition
                            } else {
                                ElementKind::Event
                            };
                            return Ok(Some((kind, range)));
                        }
                        // The closing bracket of an array of events is optional.
                        None if is_bare => self.state = State::End,
                        None => return Err(self.ends_early("']'").into()),
                        Some(_) => {
                            let expected = if of_definitions {
                                "a definition"
                            } else {
                                "an event, '{'"
                            };
                            return Err(self.unexpected(expected).into());
                        }
                    }
                }
                State::End => return Ok(None),
            }
        }
    }

    /// Returns the next property of the object that contains the events; `None` if the reader moves on to an array or
    /// the object ends.
    fn find_in_object(&mut self) -> Result<Option<(ElementKind, Range<usize>)>, Failure> {
        match self.peek(true)? {
            Some(b'}') => {
                self.state = State::End;
                return Ok(None);
            }
            Some(b'"') => {}
            None => return Err(self.ends_early("'}'").into()),
            Some(_) => return Err(self.unexpected("a key in quotes").into()),
        }
        let range = self.value()?;
        let text = &self.buffer[range];
        let key: String =
            serde_json::from_slice(text).map_err(|error| Fault::not_json(&error, text))?;
        match self.peek(false)? {
            Some(b':') => self.at += 1,
            None => return Err(self.ends_early("':'").into()),
            Some(_) => return Err(self.unexpected("':'").into()),
        }
        let first = self.peek(false)?;
        let of_definitions = key == OUR_DEFINITIONS;
        if of_definitions || key == "traceEvents" {
            match first {
                Some(b'[') => self.at += 1,
                None => return Err(self.ends_early("'['").into()),
                Some(_) => return Err(self.unexpected("an array of events, '['").into()),
            }
            self.state = State::Array {
                of_definitions,
                is_bare: false,
            };
            return Ok(None);
        }
        if first.is_none() {
            return Err(self.ends_early("a value").into());
        }
        Ok(Some(match self.short_value()? {
            Some(range) => (ElementKind::Property(key), range),
            None => (ElementKind::LongProperty(key), self.start..self.start),
        }))
    }

    /// Returns the value at the current position, as a range of the buffer.
    fn value(&mut self) -> Result<Range<usize>, Failure> {
        let mut nesting = Nesting::default();
        loop {
            match nesting.find_end(&self.buffer[self.at..]) {
                ScanOutcome::End(length) => {
                    self.at += length;
                    return Ok(self.start..self.at);
                }
                ScanOutcome::LineInText(length) => {
                    self.at += length;
                    let mut fault = Fault::garbled(
                        ErrorKind::Malformed,
                        "expected a closing quote, found the end of the line",
                    );
                    fault.at = self.at - self.start;
                    return Err(fault.into());
                }
                ScanOutcome::Incomplete => self.at = self.buffer.len(),
            }
            if self.is_drained {
                return Err(self.ends_early("the end of an event").into());
            }
            if self.at - self.start > LONGEST {
                let message = format!("expected an event of at most {LONGEST} bytes, found more");
                return Err(Fault::garbled(ErrorKind::Malformed, message).into());
            }
            self.fill(self.start).map_err(Failure::Unreadable)?;
        }
    }

    /// Returns the value like [`value`](Self::value), or skips it and returns `None` if it is too long to be kept.
    fn short_value(&mut self) -> Result<Option<Range<usize>>, Failure> {
        let mut nesting = Nesting::default();
        let mut is_long = false;
        loop {
            match nesting.find_end(&self.buffer[self.at..]) {
                ScanOutcome::End(length) => {
                    self.at += length;
                    return Ok((!is_long).then_some(self.start..self.at));
                }
                ScanOutcome::LineInText(length) => {
                    // Skipped bytes are not checked.
                    self.at += length + 1;
                    continue;
                }
                ScanOutcome::Incomplete => self.at = self.buffer.len(),
            }
            if self.is_drained {
                return Err(self.ends_early("the end of a value").into());
            }
            is_long |= self.at - self.start > LONGEST_PROPERTY;
            if is_long {
                self.start = self.at;
            }
            self.fill(self.start).map_err(Failure::Unreadable)?;
        }
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let rest = &self.buffer[self.at..];
        let message = format!(
            "expected {expected}, found {}",
            show(&rest[..rest.len().min(200)])
        );
        Fault::garbled(ErrorKind::Malformed, message)
    }

    fn ends_early(&self, expected: &str) -> Fault {
        let message = format!("expected {expected}, found the end of the file");
        Fault::garbled(ErrorKind::Truncated, message).hint(
            "the program may still have been running, or the disk full, when the file was written",
        )
    }
}

/// The reason why no element was found.
enum Failure {
    Fault(Fault),
    Unreadable(TraceError),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

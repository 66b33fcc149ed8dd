//! Reads the elements of a document one after another. Unknown elements are skipped, and errors have a line number.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use foldtrace_input::{Bytes, read_error, show};
use foldtrace_notation::number;
use foldtrace_trace::{ErrorKind, Place, Remedy, TraceError};
use quick_xml::NsReader;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::Event;
use quick_xml::name::{Namespace, ResolveResult};

use super::element::Element;
use crate::schema::{FAMILY, MAJOR, NAMESPACE, SCENARIO};

/// Size of the read buffer, in bytes.
const BUFFER: usize = 1 << 16;
/// Maximum size of a tag or a text in bytes, so that damaged input does not exhaust the memory.
const MAX_ITEM_SIZE: u64 = 1 << 26;
/// Maximum nesting depth of elements.
const MAX_DEPTH: u32 = 256;

/// A document that is being read.
pub(super) struct Source {
    path: PathBuf,
    xml: NsReader<Counted>,
    buffer: Vec<u8>,
    /// Number of open elements.
    depth: u32,
    /// Whether reading cannot continue.
    is_broken: bool,
    /// The line where the last item begins.
    line: u64,
    /// The element that began last.
    pub element: Element,
}

/// An item of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// The start of an element; `true` if it belongs to this format.
    Begin(bool),
    /// The end of an element.
    End,
    /// Text, which was appended to the requested string; `true` if it is not only blanks.
    Text(bool),
    /// The end of the document.
    Eof,
}

impl Source {
    /// Creates a source at the beginning of a document.
    pub fn new(path: &Path, bytes: Bytes) -> Self {
        let mut xml = NsReader::from_reader(Counted::new(bytes));
        // Every element then ends in the same way.
        xml.config_mut().expand_empty_elements = true;
        Self {
            path: path.to_owned(),
            xml,
            buffer: Vec::new(),
            depth: 0,
            is_broken: false,
            line: 1,
            element: Element::default(),
        }
    }

    /// Returns the number of open elements.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns whether the structure of the document is damaged, so that reading cannot continue.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Returns the number of bytes read.
    pub fn bytes_read(&self) -> u64 {
        self.xml.get_ref().consumed
    }

    /// Returns the place where the last item begins.
    pub fn place(&self) -> Place {
        Place::file(&self.path).line(self.line)
    }

    /// Creates an error at the last item.
    pub fn fault(&self, message: impl Into<String>) -> TraceError {
        TraceError::new(ErrorKind::Malformed, message).at(self.place())
    }

    /// Creates an error at the last item, where `found` was read instead of `expected`.
    pub fn expected(&self, expected: &str, found: &str) -> TraceError {
        self.fault(format!(
            "expected {expected}, found {}",
            show(found.as_bytes())
        ))
    }

    /// Reads the next item, and appends its text to `text`.
    fn advance(&mut self, mut text: Option<&mut String>) -> Result<Item, TraceError> {
        loop {
            self.buffer.clear();
            let counted = self.xml.get_mut();
            counted.left = MAX_ITEM_SIZE;
            self.line = counted.lines + 1;
            let result = self.xml.read_resolved_event_into(&mut self.buffer);
            let item = match result {
                Ok((space, Event::Start(start))) => {
                    let is_ours = space == ResolveResult::Bound(Namespace(NAMESPACE));
                    let read = self.element.read(&start);
                    read.map(|()| Some(Item::Begin(is_ours)))
                }
                Ok((_, Event::End(_))) => Ok(Some(Item::End)),
                Ok((_, Event::Text(more))) => {
                    let more = more.xml10_content();
                    let is_visible = !more.trim_ascii().is_empty();
                    text.iter_mut().for_each(|text| text.push_str(&more));
                    Ok(Some(Item::Text(is_visible)))
                }
                Ok((_, Event::CData(more))) => {
                    let more = more.xml10_content();
                    text.iter_mut().for_each(|text| text.push_str(&more));
                    Ok(Some(Item::Text(true)))
                }
                Ok((_, Event::GeneralRef(reference))) => match reference.resolve_char_ref() {
                    Ok(Some(c)) => {
                        text.iter_mut().for_each(|text| text.push(c));
                        Ok(Some(Item::Text(true)))
                    }
                    Ok(None) => {
                        let Some(plain) = resolve_xml_entity(&reference) else {
                            let found = reference.to_string();
                            return Err(self
                                .expected("a predefined entity of XML", &found)
                                .hint("the predefined entities are lt, gt, amp, apos and quot"));
                        };
                        text.iter_mut().for_each(|text| text.push_str(plain));
                        Ok(Some(Item::Text(true)))
                    }
                    Err(error) => Err(error),
                },
                Ok((_, Event::Decl(declaration))) => {
                    let encoding = declaration.encoding().and_then(Result::ok);
                    let is_known = |name: &str| {
                        ["utf-8", "us-ascii", "ascii"]
                            .iter()
                            .any(|known| name.eq_ignore_ascii_case(known))
                    };
                    if let Some(name) = encoding.filter(|name| !is_known(name)) {
                        let found = name.into_owned();
                        return Err(self
                            .expected("a document in UTF-8", &found)
                            .hint("'xmllint --encode UTF-8' converts it"));
                    }
                    Ok(None)
                }
                Ok((_, Event::Eof)) => Ok(Some(Item::Eof)),
                Ok((_, Event::Empty(_) | Event::Comment(_) | Event::PI(_) | Event::DocType(_))) => {
                    Ok(None)
                }
                Err(error) => Err(error),
            };
            match item.map_err(|error| self.unreadable(error))? {
                Some(Item::Begin(_)) if self.depth == MAX_DEPTH => {
                    self.is_broken = true;
                    return Err(self.fault(format!(
                        "expected elements nested at most {MAX_DEPTH} deep, found a deeper one"
                    )));
                }
                Some(item) => {
                    match item {
                        Item::Begin(_) => self.depth += 1,
                        Item::End => self.depth = self.depth.saturating_sub(1),
                        Item::Eof if self.depth > 0 => return Err(self.truncated()),
                        Item::Text(_) | Item::Eof => {}
                    }
                    return Ok(item);
                }
                None => {}
            }
        }
    }

    fn truncated(&mut self) -> TraceError {
        self.is_broken = true;
        let message = format!(
            "the document ends too early, with {} unclosed elements",
            self.depth
        );
        TraceError::new(ErrorKind::Truncated, message)
            .at(self.place())
            .hint("the copy may be incomplete")
            .remedy(Remedy::Salvage)
    }

    fn unreadable(&mut self, error: Error) -> TraceError {
        self.is_broken = true;
        let counted = self.xml.get_mut();
        if counted.left == 0 {
            return self.fault(format!(
                "expected a tag or a text of at most {MAX_ITEM_SIZE} bytes, found a longer one"
            ));
        }
        if let Some(failure) = counted.failure.take() {
            return read_error(&self.path, failure);
        }
        let is_truncated = matches!(
            error,
            Error::Syntax(_) | Error::IllFormed(IllFormedError::UnclosedReference)
        );
        if counted.is_at_end && is_truncated {
            return self.truncated().caused_by(error);
        }
        self.fault("the document is not well-formed XML")
            .hint("'xmllint --noout' reports the details")
            .caused_by(error)
    }

    /// Enters the scenario, which is the root of the document.
    pub fn begin(&mut self) -> Result<(), TraceError> {
        const EXPECTED: &str = "a <Scenario> of MTF";
        loop {
            match self.advance(None)? {
                Item::Text(false) => {}
                Item::Text(true) | Item::End => {
                    return Err(self.fault(format!("expected {EXPECTED}, found text")));
                }
                Item::Eof => {
                    let message = format!("expected {EXPECTED}, found the end of the document");
                    return Err(TraceError::new(ErrorKind::Truncated, message).at(self.place()));
                }
                Item::Begin(is_ours) => return self.check_version(is_ours),
            }
        }
    }

    fn check_version(&self, is_ours: bool) -> Result<(), TraceError> {
        let (name, space) = (self.element.name(), self.element.get("xmlns"));
        let major = space.and_then(|space| space.strip_prefix(FAMILY));
        if !is_ours && (name != SCENARIO || major.is_none()) {
            return Err(self
                .expected("a <Scenario> of MTF", &format!("<{name}>"))
                .hint("'schemas/mtf.md' describes the format"));
        }
        if is_ours && name != SCENARIO {
            return Err(self.expected("<Scenario>", &format!("<{name}>")));
        }
        let version = match major {
            Some(major) if !is_ours => major,
            _ => self.element.get("version").unwrap_or_default(),
        };
        let major = version.split('.').next().unwrap_or_default();
        match number(major.as_bytes()) {
            Some(MAJOR) => Ok(()),
            Some(later) if later > MAJOR => Err(self
                .fault(format!(
                    "the document has MTF version {later}, but this foldtrace reads version {MAJOR}"
                ))
                .hint("a newer foldtrace may read it")),
            _ => Err(self.expected("a version such as 1.0", version)),
        }
    }

    /// Enters the next element within the open element; `false` if the open element has ended. The caller must read
    /// the element to its end before the next call. Elements of other namespaces are skipped.
    pub fn child(&mut self) -> Result<bool, TraceError> {
        loop {
            match self.advance(None)? {
                Item::Begin(true) => return Ok(true),
                Item::Begin(false) => self.skip()?,
                Item::End | Item::Eof => return Ok(false),
                Item::Text(false) => {}
                Item::Text(true) => return Err(self.fault("expected an element, found text")),
            }
        }
    }

    /// Skips the rest of the open element.
    pub fn skip(&mut self) -> Result<(), TraceError> {
        self.leave(self.depth)
    }

    /// Skips the rest of the open element at `depth`, including all open elements within it.
    pub fn leave(&mut self, depth: u32) -> Result<(), TraceError> {
        while self.depth >= depth {
            self.advance(None)?;
        }
        Ok(())
    }

    /// Reads the text of the open element into `text`, up to the end of the element.
    pub fn text(&mut self, text: &mut String) -> Result<(), TraceError> {
        text.clear();
        let line = self.line;
        loop {
            match self.advance(Some(text))? {
                Item::Text(_) if text.len() as u64 > MAX_ITEM_SIZE => {
                    return Err(self.fault(format!(
                        "expected a text of at most {MAX_ITEM_SIZE} bytes, found a longer one"
                    )));
                }
                Item::Text(_) => {}
                Item::Begin(_) => self.skip()?,
                Item::End | Item::Eof => break,
            }
        }
        // Errors in a text are reported at its beginning.
        self.line = line;
        Ok(())
    }

    /// Checks that the document ends after the scenario.
    pub fn end(&mut self) -> Result<(), TraceError> {
        loop {
            match self.advance(None)? {
                Item::Text(false) => {}
                Item::Eof => return Ok(()),
                _ => {
                    return Err(self
                        .fault("expected the end of the document after the scenario, found more"));
                }
            }
        }
    }

    /// Returns an attribute that the element must have.
    pub fn required(&self, key: &str) -> Result<&str, TraceError> {
        self.element.get(key).ok_or_else(|| {
            self.fault(format!(
                "expected the attribute '{key}' in <{}>, found none",
                self.element.name()
            ))
        })
    }

    /// Returns a number that the element may have.
    pub fn number(&self, key: &str) -> Result<Option<u64>, TraceError> {
        let Some(text) = self.element.get(key) else {
            return Ok(None);
        };
        match number(text.trim_ascii().as_bytes()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.expected(&format!("a 64-bit number as '{key}'"), text)),
        }
    }

    /// Returns a number that the element must have.
    pub fn required_number(&self, key: &str) -> Result<u64, TraceError> {
        self.required(key)?;
        Ok(self.number(key)?.unwrap_or_default())
    }
}

/// A byte reader that counts bytes and lines, and limits the size of items.
struct Counted {
    bytes: BufReader<Bytes>,
    consumed: u64,
    lines: u64,
    /// Number of bytes that may be read for the current item.
    left: u64,
    is_at_end: bool,
    failure: Option<io::Error>,
}

impl Counted {
    fn new(bytes: Bytes) -> Self {
        Self {
            bytes: BufReader::with_capacity(BUFFER, bytes),
            consumed: 0,
            lines: 0,
            left: MAX_ITEM_SIZE,
            is_at_end: false,
            failure: None,
        }
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        buffer[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(io::Error::other("too long"));
        }
        loop {
            match self.bytes.fill_buf() {
                Ok(available) => {
                    self.is_at_end = available.is_empty();
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let kind = error.kind();
                    self.failure = Some(error);
                    return Err(kind.into());
                }
            }
        }
        Ok(self.bytes.buffer())
    }

    fn consume(&mut self, amount: usize) {
        let available = self.bytes.buffer();
        let taken = available.get(..amount).unwrap_or(available);
        self.lines += taken.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.consumed += amount as u64;
        self.left = self.left.saturating_sub(amount as u64);
        self.bytes.consume(amount);
    }
}

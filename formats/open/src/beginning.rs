//! The beginning of an input, by which formats recognise it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use foldtrace_input::decompressed_head;
use foldtrace_trace::{Format, PathKind, Probe, Registry, TraceError, is_object_url};

use crate::Stdin;

/// Number of bytes that a format receives to recognise an input.
const HEAD: u64 = 1 << 12;
/// The same for an object of JSON that no format recognises by its first bytes: long properties may precede those that tell what it is.
const LONG_HEAD: u64 = 1 << 20;
/// How many bytes of compressed content are decompressed for each of these bytes, at most.
const EXPANSION: u64 = 4;
/// Number of bytes read from a compressed input if the first [`HEAD`] bytes are not enough to decompress anything. A
/// block of Zstandard holds up to 128 KiB and cannot be decompressed before its last byte.
const COMPRESSED_HEAD: u64 = 1 << 18;

/// The beginning of an input.
pub(crate) struct Beginning<'a> {
    path: &'a Path,
    kind: PathKind,
    /// The bytes that have been read.
    bytes: Vec<u8>,
    /// The same without compression; `None` if they are not compressed.
    plain: Option<Vec<u8>>,
}

impl<'a> Beginning<'a> {
    /// Reads the first bytes of an input: enough for a format to recognise it, even if it is compressed.
    pub(crate) fn read(path: &'a Path, stdin: &mut Stdin) -> Result<Self, TraceError> {
        let unreadable = |error: io::Error| TraceError::unreadable(path, error);
        let mut beginning = Self {
            path,
            kind: PathKind::Stream,
            bytes: Vec::new(),
            plain: None,
        };
        if path == Path::new("-") {
            beginning.fill(stdin, HEAD).map_err(unreadable)?;
            return Ok(beginning);
        }
        if is_object_url(path) {
            beginning.kind = PathKind::ObjectFolder;
            return Ok(beginning);
        }
        let metadata = path.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            path.read_dir().map_err(unreadable)?;
            beginning.kind = PathKind::Folder;
        } else if metadata.is_file() {
            beginning.kind = PathKind::File;
            let mut file = File::open(path).map_err(unreadable)?;
            beginning.fill(&mut file, HEAD).map_err(unreadable)?;
        }
        // The first bytes of a pipe cannot be put back, so the user must name its format.
        Ok(beginning)
    }

    /// Adds the next bytes of the input, up to `most` in all.
    fn fill(&mut self, input: &mut impl Read, most: u64) -> io::Result<()> {
        let mut read_up_to = |bytes: &mut Vec<u8>, most: u64| {
            let left = most.saturating_sub(bytes.len() as u64);
            input.take(left).read_to_end(bytes)
        };
        read_up_to(&mut self.bytes, most)?;
        self.plain = decompressed_head(&self.bytes, EXPANSION * most);
        if self.plain.as_ref().is_some_and(Vec::is_empty) {
            read_up_to(&mut self.bytes, COMPRESSED_HEAD)?;
            self.plain = decompressed_head(&self.bytes, EXPANSION * most);
        }
        Ok(())
    }

    /// Returns what formats recognise the input by.
    pub(crate) fn probe(&self) -> Probe<'_> {
        Probe {
            path: self.path,
            kind: self.kind,
            head: self.head(),
        }
    }

    fn head(&self) -> &[u8] {
        self.plain.as_deref().unwrap_or(&self.bytes)
    }

    /// Returns the format that recognises the input. Standard input is read on if necessary.
    ///
    /// # Errors
    /// If the input cannot be read, or no format recognises it.
    pub(crate) fn sniff(
        &mut self,
        formats: &Registry,
        stdin: &mut Stdin,
    ) -> Result<&'static dyn Format, TraceError> {
        let sniffed = formats.sniff(&self.probe());
        if sniffed.is_ok() || !self.is_json_object() {
            return sniffed;
        }
        let read = match self.kind {
            PathKind::File => self.read_on(),
            PathKind::Stream => self.fill(stdin, LONG_HEAD),
            PathKind::Folder | PathKind::ObjectFolder => Ok(()),
        };
        read.map_err(|error| TraceError::unreadable(self.path, error))?;
        formats.sniff(&self.probe())
    }

    /// Adds the next bytes of a file.
    fn read_on(&mut self) -> io::Result<()> {
        let mut file = File::open(self.path)?;
        file.seek(SeekFrom::Start(self.bytes.len() as u64))?;
        self.fill(&mut file, LONG_HEAD)
    }

    fn is_json_object(&self) -> bool {
        let head = self.head();
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        head.trim_ascii_start().starts_with(b"{")
    }

    /// Returns the bytes that have been read.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

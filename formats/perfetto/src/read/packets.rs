//! Splits a file into its packets, one at a time, and decompresses compressed packets.
//!
//! The file is never in memory as a whole.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use foldtrace_input::{Bytes, read_error};
use foldtrace_trace::{
    Diagnostic, Diagnostics, ErrorKind, Input, Place, ReadOptions, Severity, TraceError,
};

use crate::numbers::{COMPRESSED_PACKETS, PACKET, ZSTD_COMPRESSED_PACKETS};
use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value, key, take_number};

/// Number of bytes read at a time.
const BLOCK: usize = 1 << 18;
/// Maximum size of a packet, and of packets that are compressed together, in bytes.
const LONGEST: usize = 1 << 26;
/// Maximum size of the key and the length of a packet, in bytes.
const HEADER: usize = 20;

/// Reads the packets of a file.
pub(crate) struct Packets {
    bytes: Bytes,
    path: PathBuf,
    salvage: bool,
    buffer: Vec<u8>,
    /// Index in the buffer of the next packet.
    at: usize,
    /// Index in the buffer where the last packet begins, with its key.
    start: usize,
    /// Offset of the buffer in the file.
    offset: u64,
    is_drained: bool,
    has_ended: bool,
    /// Decompressed packets, all of which come before the next packet of the buffer.
    inflated: Vec<u8>,
    /// Index in `inflated` of the next packet, and of the last packet.
    inflated_at: usize,
    inflated_start: usize,
}

/// The place of a packet.
enum Found {
    Buffer(Range<usize>),
    Inflated(Range<usize>),
}

/// The reason why no packet was found.
enum Failure {
    Fault(Fault),
    Unreadable(TraceError),
}

impl Packets {
    pub(crate) fn open(input: Input, options: ReadOptions) -> Result<Self, TraceError> {
        let path = input.path().to_owned();
        Ok(Self {
            bytes: Bytes::open(input)?,
            path,
            salvage: options.salvage,
            buffer: Vec::new(),
            at: 0,
            start: 0,
            offset: 0,
            is_drained: false,
            has_ended: false,
            inflated: Vec::new(),
            inflated_at: 0,
            inflated_start: 0,
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

    /// Returns the content of the next packet. If damage is salvaged, reading ends before it.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    pub(crate) fn next(
        &mut self,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<&[u8]>, TraceError> {
        loop {
            match self.find() {
                Ok(Some(Found::Inflated(range))) => return Ok(Some(&self.inflated[range])),
                Ok(Some(Found::Buffer(range))) => {
                    if !is_compressed(&self.buffer[range.clone()]) {
                        return Ok(Some(&self.buffer[range]));
                    }
                    if let Err(fault) = self.inflate(range) {
                        self.report_or_fail(fault, diagnostics)?;
                    }
                }
                Ok(None) => return Ok(None),
                Err(Failure::Fault(fault)) => self.report_or_fail(fault, diagnostics)?,
                Err(Failure::Unreadable(error)) => {
                    if !self.salvage || !error.is_salvageable() {
                        return Err(error);
                    }
                    let message = match &error.source {
                        Some(cause) => format!("{error}: {cause}"),
                        None => error.to_string(),
                    };
                    diagnostics.report(
                        Diagnostic::new(Severity::Loss, "perfetto.unreadable", message)
                            .at(Place::file(&self.path))
                            .hint("everything read before the failure is kept"),
                    );
                }
            }
        }
    }

    /// Makes the next call of [`next`](Self::next) return the last packet again.
    pub(crate) fn put_back(&mut self) {
        if self.inflated_at > 0 {
            self.inflated_at = self.inflated_start;
        } else {
            self.at = self.start;
        }
    }

    /// Reports a fault of the last packet, which is left out, or fails.
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
        let mut loss = Diagnostic::new(Severity::Loss, "perfetto.bad_packet", fault.message);
        loss.hint = fault.hint;
        diagnostics.report(loss.at(self.place()));
        Ok(())
    }

    /// Returns the error for a fault of the last packet and ends reading.
    pub(crate) fn refuse(&mut self, fault: Fault) -> TraceError {
        self.has_ended = true;
        let mut error = TraceError::new(fault.kind, fault.message).at(self.place());
        error.hint = fault.hint.map(str::to_owned);
        error
    }

    /// Returns the place of the last packet. Packets that were compressed are at the place of the compressed packet.
    pub(crate) fn place(&self) -> Place {
        Place::file(&self.path).byte(self.offset + self.start as u64)
    }

    fn find(&mut self) -> Result<Option<Found>, Failure> {
        if let Some(range) = self.find_inflated()? {
            return Ok(Some(Found::Inflated(range)));
        }
        while !self.has_ended {
            if self.buffer.len() - self.at < HEADER && !self.is_drained {
                self.fill()?;
                continue;
            }
            self.start = self.at;
            let rest = &self.buffer[self.at..];
            match rest.first() {
                None => break,
                // Perfetto's service may write a zero between packets.
                Some(0) => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let header = match Header::parse(rest) {
                Ok(header) => header,
                Err(fault) => return Err(self.end(fault)),
            };
            while self.buffer.len() - self.at < header.length + header.size {
                if self.is_drained {
                    return Err(self.end(Fault::truncated()));
                }
                self.fill()?;
            }
            let begin = self.at + header.length;
            self.at = begin + header.size;
            if header.is_packet {
                return Ok(Some(Found::Buffer(begin..self.at)));
            }
        }
        self.has_ended = true;
        Ok(None)
    }

    /// Ends reading at a fault that makes the next packet impossible to find.
    #[cold]
    fn end(&mut self, fault: Fault) -> Failure {
        self.has_ended = true;
        Failure::Fault(fault)
    }

    /// Returns the next decompressed packet; `None` if there are none.
    fn find_inflated(&mut self) -> Result<Option<Range<usize>>, Failure> {
        while self.inflated_at < self.inflated.len() {
            self.inflated_start = self.inflated_at;
            let rest = &self.inflated[self.inflated_at..];
            let cut_off = || {
                Err(Fault::new(
                    "expected the rest of a compressed packet, found its end",
                ))
            };
            let header = match Header::parse(rest) {
                Ok(header) if header.length + header.size > rest.len() => cut_off(),
                Err(fault) if fault.kind == ErrorKind::Truncated => cut_off(),
                header => header,
            };
            let header = header.map_err(|fault| {
                self.inflated_at = self.inflated.len();
                Failure::Fault(fault)
            })?;
            let begin = self.inflated_at + header.length;
            self.inflated_at = begin + header.size;
            if header.is_packet {
                return Ok(Some(begin..self.inflated_at));
            }
        }
        self.inflated.clear();
        self.inflated_at = 0;
        Ok(None)
    }

    /// Decompresses the packets of a packet.
    fn inflate(&mut self, range: Range<usize>) -> Result<(), Fault> {
        for field in Fields::new(&self.buffer[range]) {
            let (number, value) = field?;
            let Value::Bytes(bytes) = value else {
                continue;
            };
            let most = LONGEST as u64 - self.inflated.len() as u64 + 1;
            let inflated = match number {
                COMPRESSED_PACKETS => ZlibDecoder::new(bytes)
                    .take(most)
                    .read_to_end(&mut self.inflated),
                ZSTD_COMPRESSED_PACKETS => zstd::stream::read::Decoder::with_buffer(bytes)
                    .and_then(|decoder| decoder.take(most).read_to_end(&mut self.inflated)),
                _ => continue,
            };
            inflated.map_err(|error| Fault::new(format!("cannot decompress packets: {error}")))?;
            if self.inflated.len() > LONGEST {
                self.inflated.clear();
                return Err(too_long(LONGEST as u64 + 1));
            }
        }
        Ok(())
    }

    /// Discards the bytes before the next packet and reads more.
    fn fill(&mut self) -> Result<(), Failure> {
        self.buffer.drain(..self.at);
        self.offset += self.at as u64;
        (self.at, self.start) = (0, 0);
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
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(read_error(&self.path, error)),
            }
        };
        self.buffer.truncate(end);
        match outcome {
            // Bytes read before a failure are processed first.
            Err(error) if end == length => {
                self.has_ended = true;
                Err(Failure::Unreadable(error))
            }
            _ => Ok(()),
        }
    }
}

/// The key and the length of a field of the file.
struct Header {
    /// Number of bytes of the header itself.
    length: usize,
    /// Number of bytes after it.
    size: usize,
    is_packet: bool,
}

impl Header {
    /// Parses a header at the beginning of `bytes`, of which there are at least [`HEADER`], unless the file ends.
    fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let mut rest = bytes;
        let is_cut = bytes.len() < HEADER;
        let damaged = || {
            if is_cut && bytes.iter().skip(1).all(|&byte| byte >= 0x80) {
                return Fault::truncated();
            }
            Fault::new("expected a packet, found other bytes")
        };
        let field = take_number(&mut rest).and_then(key).ok_or_else(damaged)?;
        let size = match field.1 {
            0 => take_number(&mut rest).map(|_| 0),
            1 => Some(8),
            2 => take_number(&mut rest),
            5 => Some(4),
            _ => None,
        };
        let size = size.ok_or_else(damaged)?;
        if size > LONGEST as u64 {
            return Err(too_long(size));
        }
        Ok(Self {
            length: bytes.len() - rest.len(),
            size: size as usize,
            is_packet: field == (PACKET, 2),
        })
    }
}

fn too_long(size: u64) -> Fault {
    Fault::new(format!(
        "expected a packet of at most {LONGEST} bytes, found one of {size} bytes"
    ))
}

/// Returns whether a packet consists of compressed packets, according to its first field.
fn is_compressed(packet: &[u8]) -> bool {
    let mut rest = packet;
    let first = take_number(&mut rest).and_then(key);
    matches!(
        first,
        Some((COMPRESSED_PACKETS | ZSTD_COMPRESSED_PACKETS, 2))
    )
}

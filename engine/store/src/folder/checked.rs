//! A file of a store whose bytes are verified when they are read.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use blake3::Hash;
use blake3::hazmat::ChainingValue;
use bytes::{Buf, Bytes};
use foldtrace_trace::TraceError;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use super::stored::RangeFile;
use super::tree::{self, GROUP};
use crate::error::wrong;

/// The number of bytes that [`CheckedRead`] requests at once.
const BUFFER: u64 = 1 << 13;

/// The expected hashes of the groups of a file, and a record of the groups that have been verified.
#[derive(Debug)]
pub(super) struct Expected {
    bytes: u64,
    hash: Hash,
    /// The chaining values of the groups; empty if the file has a single group.
    values: Vec<ChainingValue>,
    /// One bit per group.
    verified: Box<[AtomicU64]>,
}

impl Expected {
    /// Returns the expectation for a file of this length and hash; `None` if `values` do not give the
    /// hash.
    pub fn new(bytes: u64, hash: Hash, values: Vec<ChainingValue>) -> Option<Self> {
        let is_single = values.is_empty() && bytes <= GROUP;
        if !is_single && tree::root(&values, bytes) != Some(hash) {
            return None;
        }
        let words = bytes.div_ceil(GROUP).max(1).div_ceil(64);
        Some(Self {
            bytes,
            hash,
            values,
            verified: (0..words).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// Marks all groups as verified.
    pub fn trusted(self) -> Self {
        for word in &self.verified {
            word.store(u64::MAX, Ordering::Relaxed);
        }
        self
    }

    pub fn values(&self) -> &[ChainingValue] {
        &self.values
    }

    fn is_verified(&self, group: u64) -> bool {
        let word = self.verified.get((group / 64) as usize);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (group % 64) & 1 == 1)
    }

    /// Compares the bytes of a group with their expected hash, and records a match.
    fn verify(&self, group: u64, bytes: &[u8]) -> bool {
        let is_intact = match self.values.get(group as usize) {
            Some(expected) => *expected == tree::value(group, bytes),
            None => self.values.is_empty() && self.hash == blake3::hash(bytes),
        };
        if is_intact && let Some(word) = self.verified.get((group / 64) as usize) {
            word.fetch_or(1 << (group % 64), Ordering::Relaxed);
        }
        is_intact
    }
}

/// An open file of a store. Reads only return bytes that have been verified.
#[derive(Clone, Debug)]
pub(crate) struct CheckedFile(Arc<OpenFile>);

#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    file: Box<dyn RangeFile>,
    expected: Arc<Expected>,
}

impl CheckedFile {
    pub(super) fn new(path: PathBuf, file: Box<dyn RangeFile>, expected: Arc<Expected>) -> Self {
        Self(Arc::new(OpenFile {
            path,
            file,
            expected,
        }))
    }

    /// Returns the path of the file, for messages.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Reads the bytes at the offsets `range`.
    ///
    /// # Errors
    /// Returns an error if the file has no such bytes or cannot be read, or if the bytes do not have the expected
    /// hash.
    pub fn bytes(&self, range: Range<u64>) -> Result<Bytes, TraceError> {
        let OpenFile {
            path,
            file,
            expected,
        } = &*self.0;
        if range.start > range.end || range.end > expected.bytes {
            let message = format!(
                "the file has {} bytes, and no bytes {} to {}",
                expected.bytes, range.start, range.end
            );
            return Err(wrong(path, &message));
        }
        let groups = range.start / GROUP..range.end.div_ceil(GROUP);
        let mut unverified = groups.clone().filter(|&group| !expected.is_verified(group));
        let first = unverified.next();
        let last = unverified.next_back().or(first);
        let mut read = range.clone();
        if let (Some(first), Some(last)) = (first, last) {
            read.start = read.start.min(first * GROUP);
            read.end = read.end.max(expected.bytes.min((last + 1) * GROUP));
        }
        let mut buffer = vec![0; (read.end - read.start) as usize];
        let filled = file.read_exact_at(&mut buffer, read.start);
        filled.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                wrong(path, "the file is shorter than when it was written")
            }
            io::ErrorKind::NotFound => wrong(path, "a file of the store is missing"),
            _ => TraceError::unreadable(path, error),
        })?;
        let inside =
            |start: u64, end: u64| (start - read.start) as usize..(end - read.start) as usize;
        if let (Some(first), Some(last)) = (first, last) {
            for group in (first..=last).filter(|&group| !expected.is_verified(group)) {
                let [start, end] = [group, group + 1].map(|g| expected.bytes.min(g * GROUP));
                if !expected.verify(group, &buffer[inside(start, end)]) {
                    let message = format!("bytes {start} to {end} do not match their hash");
                    return Err(wrong(path, &message));
                }
            }
        }
        Ok(Bytes::from(buffer).slice(inside(range.start, range.end)))
    }

    /// Reads the whole file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if its bytes do not have the expected hash.
    pub fn all(&self) -> Result<Bytes, TraceError> {
        self.bytes(0..self.len())
    }
}

impl Length for CheckedFile {
    fn len(&self) -> u64 {
        self.0.expected.bytes
    }
}

impl ChunkReader for CheckedFile {
    type T = CheckedRead;

    fn get_read(&self, start: u64) -> ParquetResult<CheckedRead> {
        Ok(CheckedRead {
            file: self.clone(),
            next: start,
            buffer: Bytes::new(),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.saturating_add(length as u64);
        let bytes = self.bytes(start..end);
        bytes.map_err(|error| ParquetError::External(Box::new(error)))
    }
}

/// A sequential reader of a file, from an offset on.
#[derive(Debug)]
pub(crate) struct CheckedRead {
    file: CheckedFile,
    /// The offset of the first byte after `buffer`.
    next: u64,
    buffer: Bytes,
}

impl Read for CheckedRead {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.buffer.is_empty() {
            let end = self.file.len().min(self.next.saturating_add(BUFFER));
            let bytes = self.file.bytes(self.next.min(end)..end);
            self.buffer = bytes.map_err(io::Error::other)?;
            self.next = end;
        }
        let count = target.len().min(self.buffer.len());
        self.buffer.copy_to_slice(&mut target[..count]);
        Ok(count)
    }
}

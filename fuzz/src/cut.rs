//! A reader that returns a few bytes at a time, like a pipe.

use std::io::{self, ErrorKind, Read};

/// A reader that returns its bytes in pieces of given lengths, which are repeated cyclically. For a length of 0,
/// reading is interrupted once, as by a signal, and then returns one byte.
pub struct Cut {
    bytes: Vec<u8>,
    at: usize,
    lengths: Vec<u8>,
    next: usize,
    interrupted: bool,
}

impl Cut {
    /// Creates a reader of `bytes` in pieces of `lengths`.
    ///
    /// # Panics
    /// Panics if there are no lengths.
    #[must_use]
    pub fn new(bytes: &[u8], lengths: &[u8]) -> Self {
        assert!(!lengths.is_empty());
        Self {
            bytes: bytes.to_owned(),
            at: 0,
            lengths: lengths.to_owned(),
            next: 0,
            interrupted: false,
        }
    }
}

impl Read for Cut {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.lengths[self.next % self.lengths.len()];
        if length == 0 && !self.interrupted {
            self.interrupted = true;
            return Err(ErrorKind::Interrupted.into());
        }
        self.interrupted = false;
        self.next += 1;
        let left = &self.bytes[self.at..];
        let length = usize::from(length.max(1)).min(left.len()).min(buffer.len());
        buffer[..length].copy_from_slice(&left[..length]);
        self.at += length;
        Ok(length)
    }
}

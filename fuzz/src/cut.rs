//! A pipe that gives a few bytes at a time.

use std::io::{self, ErrorKind, Read};

/// Gives bytes in pieces of the lengths told, over and over; a length of 0 is a signal that interrupts
/// the reading, and one byte.
pub struct Cut {
    bytes: Vec<u8>,
    at: usize,
    lengths: Vec<u8>,
    next: usize,
    interrupted: bool,
}

impl Cut {
    /// `bytes` in pieces of `lengths`, of which there is at least one.
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

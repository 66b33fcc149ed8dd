//! The packets of a location: its data stream.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;

use foldtrace_output::OutputFolder;
use foldtrace_trace::{LocationId, TraceError};

use crate::ours::STREAM;
use crate::ours::packet::{CLASS_BITS, CONTEXT, FULL, MAGIC, PACKET, TIME_BITS};

/// The data stream of a location. Its file is open only while a packet is written, so that thousands can grow side by side.
#[derive(Debug)]
pub(super) struct Packets {
    /// The path while the trace is being written, and the final one, for messages.
    path: PathBuf,
    target: PathBuf,
    location: LocationId,
    /// The rank of the process; −1 if there is none.
    rank: u64,
    /// The packet so far; empty between packets.
    pub(super) bytes: Vec<u8>,
    /// The times of the first and of the last event of the packet.
    first: u64,
    pub(super) last: u64,
    written: bool,
}

impl Packets {
    /// Creates the data stream of a location in the folder of its trace.
    pub(super) fn new(folder: &OutputFolder, location: LocationId, rank: Option<u64>) -> Self {
        let name = format!("{STREAM}{location}");
        Self {
            path: folder.path().join(&name),
            target: folder.target().join(&name),
            location,
            rank: rank.unwrap_or(u64::MAX),
            bytes: Vec::new(),
            first: 0,
            last: 0,
            written: false,
        }
    }

    /// Begins an event: writes its header, and that of a new packet before it if none is open. `time` must not be less than
    /// [`last`](Self::last).
    #[inline]
    pub(super) fn begin(&mut self, class: u32, time: u64) {
        let is_first = self.bytes.is_empty();
        if is_first {
            self.bytes.resize(CONTEXT, 0);
            self.first = time;
        }
        // A reader knows the time of the event before, so that the low bits are enough unless they come back to the same ones.
        let is_brief = class < FULL && !is_first && time - self.last < 1 << TIME_BITS;
        self.last = time;
        if is_brief {
            let low = time as u32 & ((1 << TIME_BITS) - 1);
            self.push32(class | low << CLASS_BITS);
        } else {
            self.bytes.push(FULL as u8);
            self.push32(class);
            self.push64(time);
        }
    }

    #[inline]
    pub(super) fn push32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub(super) fn push64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Ends an event. Ends the packet if it is long enough.
    #[inline]
    pub(super) fn end(&mut self) -> Result<(), TraceError> {
        if self.bytes.len() >= PACKET {
            return self.send();
        }
        Ok(())
    }

    /// Ends the packet and writes it, if one is open.
    pub(super) fn send(&mut self) -> Result<(), TraceError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let bits = self.bytes.len() as u64 * 8;
        let context = [
            self.first,
            self.last,
            bits,
            bits,
            self.location.0,
            self.rank,
        ];
        self.bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        for (place, value) in self.bytes[4..CONTEXT].chunks_exact_mut(8).zip(context) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        let mut options = OpenOptions::new();
        let file = options.append(true).create(!self.written).open(&self.path);
        let written = file.and_then(|mut file| file.write_all(&self.bytes));
        written.map_err(|error| TraceError::unwritable(&self.target, error))?;
        self.written = true;
        self.bytes.clear();
        Ok(())
    }
}

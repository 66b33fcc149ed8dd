//! Writes a file chunk by chunk.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::{CHUNK_HEADER, END_OF_BUFFER, END_OF_FILE, Encoder, HEADER, LITTLE_ENDIAN, TIMESTAMP};

/// Offset of the number of the last event within a chunk.
const LAST_EVENT: u64 = 10;

/// Number of bytes of the marks that end a file; every chunk leaves room for them.
const MARKS: u64 = 2;

/// A file of chunks that is being written.
///
/// A record is encoded directly into the buffer: first [`begin`](Self::begin), then the fields with
/// [`encoder`](Self::encoder), then [`end`](Self::end), which moves a record that does not fit to a new chunk. The
/// encoded bytes can be [sent](Self::send) to the file at any time, so that the memory does not depend on the size of
/// a chunk. The file is open only while bytes are sent, so that thousands of files can be written concurrently.
#[derive(Debug)]
pub(crate) struct ChunkWriter {
    path: PathBuf,
    chunk: u64,
    /// The bytes not sent yet.
    pub(crate) encoder: Encoder,
    /// The number of bytes sent to the file, and the offset of its current chunk.
    sent: u64,
    start: u64,
    /// The offsets in the buffer of the current record, and of its time stamp.
    record: usize,
    stamp: usize,
    /// Whether records have time stamps; only then are events counted.
    timed: bool,
    /// The last time stamp in the current chunk.
    time: Option<u64>,
    events: u64,
}

/// The reason why a record could not be written.
#[derive(Debug)]
pub(crate) enum SinkError {
    /// The record is larger than any chunk of the archive; its size in bytes.
    TooLong(usize),
    /// The file could not be written.
    Io(io::Error),
}

impl From<io::Error> for SinkError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl ChunkWriter {
    /// Creates a file with chunks of `chunk` bytes; `timed` if its records have time stamps.
    pub(crate) fn new(path: PathBuf, chunk: u64, timed: bool) -> Self {
        let mut writer = Self {
            path,
            chunk,
            encoder: Encoder::default(),
            sent: 0,
            start: 0,
            record: 0,
            stamp: 0,
            timed,
            time: None,
            events: 0,
        };
        writer.header();
        writer
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Returns the number of bytes not sent yet.
    pub(crate) fn waiting(&self) -> usize {
        self.encoder.bytes.len()
    }

    fn header(&mut self) {
        self.time = None;
        self.encoder.byte(CHUNK_HEADER);
        self.encoder.byte(LITTLE_ENDIAN);
        self.encoder.full64(self.events + 1);
        self.encoder.full64(0);
    }

    /// Begins a record.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        self.record = self.encoder.bytes.len();
        self.stamp = self.record;
    }

    /// Begins a record that has a time. The time is written only if it has changed.
    #[inline(always)]
    pub(crate) fn begin_at(&mut self, time: u64) {
        self.stamp = self.encoder.bytes.len();
        if self.time != Some(time) {
            self.stamp_time(time);
        }
        self.record = self.encoder.bytes.len();
    }

    #[inline(always)]
    fn stamp_time(&mut self, time: u64) {
        self.time = Some(time);
        self.encoder.byte(TIMESTAMP);
        self.encoder.full64(time);
    }

    /// Completes a record.
    ///
    /// # Errors
    /// Returns an error if the record is longer than a chunk, or the file cannot be written.
    #[inline(always)]
    pub(crate) fn end(&mut self) -> Result<(), SinkError> {
        if self.sent + self.encoder.bytes.len() as u64 + MARKS > self.start + self.chunk {
            self.next_chunk()?;
        }
        self.events += u64::from(self.timed);
        Ok(())
    }

    /// Moves the current record to a new chunk.
    #[cold]
    fn next_chunk(&mut self) -> Result<(), SinkError> {
        let record = self.encoder.bytes.split_off(self.record);
        let stamp = self.record - self.stamp;
        let stamp = if self.timed { stamp.max(9) } else { stamp };
        let size = (HEADER + stamp + record.len()) as u64 + MARKS;
        if size > self.chunk {
            return Err(SinkError::TooLong(record.len()));
        }
        // Zeros are "end of chunk" marks.
        self.encoder.bytes.truncate(self.stamp);
        let end = self.start + self.chunk - self.sent;
        self.encoder.bytes.resize(end as usize, 0);
        self.end_chunk()?;
        self.start = self.sent;
        let time = self.time;
        self.header();
        if let Some(time) = time {
            self.stamp_time(time);
        }
        self.begin();
        self.encoder.bytes.extend_from_slice(&record);
        Ok(())
    }

    /// Sends the waiting bytes, and sets the number of the last event in the header of the chunk.
    fn end_chunk(&mut self) -> io::Result<()> {
        let last = self.events.to_le_bytes();
        if self.start < self.sent {
            let mut file = OpenOptions::new().write(true).open(&self.path)?;
            file.seek(SeekFrom::Start(self.start + LAST_EVENT))?;
            file.write_all(&last)?;
        } else {
            let at = (self.start - self.sent + LAST_EVENT) as usize;
            if let Some(place) = self.encoder.bytes.get_mut(at..at + last.len()) {
                place.copy_from_slice(&last);
            }
        }
        self.send()
    }

    /// Sends the waiting bytes to the file. Must not be called between [`begin`](Self::begin) and [`end`](Self::end).
    pub(crate) fn send(&mut self) -> io::Result<()> {
        if self.encoder.bytes.is_empty() {
            return Ok(());
        }
        let mut file = match self.sent {
            0 => File::create_new(&self.path)?,
            _ => OpenOptions::new().append(true).open(&self.path)?,
        };
        file.write_all(&self.encoder.bytes)?;
        self.sent += self.encoder.bytes.len() as u64;
        self.encoder.bytes.clear();
        Ok(())
    }

    /// Completes the file and returns its number of events.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.encoder.byte(END_OF_FILE);
        self.encoder.byte(END_OF_BUFFER);
        self.end_chunk()?;
        Ok(self.events)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::super::{ChunkReader, Mark, Wire};
    use super::*;

    const CHUNK: u64 = 200;

    proptest! {
        /// Records are read back as they were written, whenever they are sent.
        #[test]
        fn records_come_back(
            events in prop::collection::vec((0..40_u64, 0..120_usize, any::<bool>()), 0..60),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("0.evt");
            let mut writer = ChunkWriter::new(path.clone(), CHUNK, true);
            for &(time, size, send) in &events {
                writer.begin_at(time);
                writer.encoder.byte(99);
                let length = writer.encoder.begin();
                writer.encoder.bytes.extend(std::iter::repeat_n(7, size));
                writer.encoder.end(length);
                writer.end().unwrap();
                if send {
                    writer.send().unwrap();
                }
            }
            prop_assert_eq!(writer.finish().unwrap(), events.len() as u64);
            let mut reader = ChunkReader::open(&path, CHUNK, true).unwrap();
            let (mut time, mut read) = (0, Vec::new());
            while let Mark::Record(code) = reader.next().unwrap() {
                if code == TIMESTAMP {
                    time = reader.time().unwrap();
                    continue;
                }
                reader.count_event();
                read.push((time, reader.record().unwrap().left()));
            }
            let expected: Vec<_> = events.iter().map(|&(time, size, _)| (time, size)).collect();
            prop_assert_eq!(read, expected);
        }
    }

    #[test]
    fn a_record_that_fits_no_chunk_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = ChunkWriter::new(folder.path().join("a.def"), CHUNK, false);
        writer.begin();
        writer.encoder.number(Wire::U32, 1).unwrap();
        writer.end().unwrap();
        writer.begin();
        writer.encoder.text(&"x".repeat(200));
        assert!(matches!(writer.end(), Err(SinkError::TooLong(201))));
    }
}

//! Stores the actions of a rank on disk until all ranks are known.
//!
//! Only after all ranks were read is it known whether a message has both ends, and which collective operations all
//! ranks have in common.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt as _;

/// A message as seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The other rank, numbered in the whole program.
    pub peer: u64,
    /// The communicator, as an id of the source.
    pub communicator: u64,
    /// The tag.
    pub tag: u64,
    /// The size in bytes.
    pub bytes: u64,
}

/// An action of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// A literal line, written after the rank.
    Line(Vec<u8>),
    /// Sends a message at a time. With a request number, the send is nonblocking.
    Send {
        message: Message,
        time: u64,
        request: Option<u64>,
    },
    /// Receives a message.
    Receive(Message),
    /// Begins to receive, with a request. `message` is `None` if the trace does not specify the message.
    Post {
        request: u64,
        message: Option<Message>,
    },
    /// Waits for a request.
    Wait(u64),
    /// Waits for all requests.
    WaitAll,
    /// Performs the next collective operation of all ranks.
    Collective,
}

/// A file of records, one rank after another.
pub(crate) struct Spool {
    file: BufWriter<File>,
    length: u64,
}

/// The range of the records of a rank in the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Segment {
    start: u64,
    length: u64,
}

impl Segment {
    pub(crate) fn is_empty(self) -> bool {
        self.length == 0
    }
}

impl Spool {
    pub(crate) fn new(file: File) -> Self {
        Self {
            file: BufWriter::new(file),
            length: 0,
        }
    }

    /// Returns an empty segment where the next record begins.
    pub(crate) fn here(&self) -> Segment {
        Segment {
            start: self.length,
            length: 0,
        }
    }

    /// Returns the segment of everything written since `begin`.
    pub(crate) fn since(&self, begin: Segment) -> Segment {
        Segment {
            start: begin.start,
            length: self.length - begin.start,
        }
    }

    pub(crate) fn push(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Line(line) => {
                self.numbers(0, &[line.len() as u64])?;
                self.bytes(line)
            }
            Record::Send {
                message,
                time,
                request,
            } => {
                let request = request.map_or(0, |request| request + 1);
                self.numbers(1, &[*time, request])?;
                self.message(message)
            }
            Record::Receive(message) => {
                self.numbers(2, &[])?;
                self.message(message)
            }
            Record::Post {
                request,
                message: None,
            } => self.numbers(3, &[*request]),
            Record::Post {
                request,
                message: Some(message),
            } => {
                self.numbers(4, &[*request])?;
                self.message(message)
            }
            Record::Wait(request) => self.numbers(5, &[*request]),
            Record::WaitAll => self.numbers(6, &[]),
            Record::Collective => self.numbers(7, &[]),
        }
    }

    fn message(&mut self, message: &Message) -> io::Result<()> {
        let Message {
            peer,
            communicator,
            tag,
            bytes,
        } = *message;
        for number in [peer, communicator, tag, bytes] {
            self.bytes(&number.to_le_bytes())?;
        }
        Ok(())
    }

    fn numbers(&mut self, code: u8, numbers: &[u64]) -> io::Result<()> {
        self.bytes(&[code])?;
        for number in numbers {
            self.bytes(&number.to_le_bytes())?;
        }
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Completes the file, which any number of readers can then read.
    pub(crate) fn finish(self) -> io::Result<File> {
        self.file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
    }
}

/// Reads several segments of a file in sequence.
struct Segments<'a> {
    file: &'a File,
    segments: std::slice::Iter<'a, Segment>,
    current: Segment,
}

impl Read for Segments<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            match self.segments.next() {
                Some(&next) => self.current = next,
                None => return Ok(0),
            }
        }
        let length = buffer
            .len()
            .min(usize::try_from(self.current.length).unwrap_or(usize::MAX));
        let read = self
            .file
            .read_at(&mut buffer[..length], self.current.start)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.current.start += read as u64;
        self.current.length -= read as u64;
        Ok(read)
    }
}

/// Reads records.
pub(crate) struct Records<'a> {
    file: BufReader<Segments<'a>>,
}

impl<'a> Records<'a> {
    /// Returns the records in some segments of a completed spool.
    pub(crate) fn new(file: &'a File, segments: &'a [Segment]) -> Self {
        let segments = Segments {
            file,
            segments: segments.iter(),
            current: Segment::default(),
        };
        Self {
            file: BufReader::new(segments),
        }
    }
}

impl Records<'_> {
    fn number(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.file.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn message(&mut self) -> io::Result<Message> {
        Ok(Message {
            peer: self.number()?,
            communicator: self.number()?,
            tag: self.number()?,
            bytes: self.number()?,
        })
    }

    /// Returns the next record; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Record>> {
        let mut code = [0];
        if self.file.read(&mut code)? == 0 {
            return Ok(None);
        }
        Ok(Some(match code[0] {
            0 => {
                let mut line = vec![0; self.number()? as usize];
                self.file.read_exact(&mut line)?;
                Record::Line(line)
            }
            1 => {
                let (time, request) = (self.number()?, self.number()?);
                Record::Send {
                    time,
                    request: request.checked_sub(1),
                    message: self.message()?,
                }
            }
            2 => Record::Receive(self.message()?),
            3 => Record::Post {
                request: self.number()?,
                message: None,
            },
            4 => Record::Post {
                request: self.number()?,
                message: Some(self.message()?),
            },
            5 => Record::Wait(self.number()?),
            6 => Record::WaitAll,
            _ => Record::Collective,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message() -> impl Strategy<Value = Message> {
        any::<[u64; 4]>().prop_map(|[peer, communicator, tag, bytes]| Message {
            peer,
            communicator,
            tag,
            bytes,
        })
    }

    fn record() -> impl Strategy<Value = Record> {
        let request = 0..u64::MAX;
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Record::Line),
            (message(), any::<u64>(), prop::option::of(request.clone())).prop_map(
                |(message, time, request)| Record::Send {
                    message,
                    time,
                    request,
                }
            ),
            message().prop_map(Record::Receive),
            (request.clone(), prop::option::of(message()))
                .prop_map(|(request, message)| Record::Post { request, message }),
            request.prop_map(Record::Wait),
            Just(Record::WaitAll),
            Just(Record::Collective),
        ]
    }

    proptest! {
        #[test]
        fn written_records_read_back(ranks in prop::collection::vec(prop::collection::vec(record(), 0..20), 1..4)) {
            let mut spool = Spool::new(tempfile::tempfile().unwrap());
            let mut segments = Vec::new();
            for records in &ranks {
                let begin = spool.here();
                for record in records {
                    spool.push(record).unwrap();
                }
                segments.push(spool.since(begin));
            }
            let file = spool.finish().unwrap();
            for (records, segment) in ranks.iter().zip(&segments) {
                let mut read = Records::new(&file, std::slice::from_ref(segment));
                for record in records {
                    let back = read.next().unwrap();
                    prop_assert_eq!(back.as_ref(), Some(record));
                }
                prop_assert_eq!(read.next().unwrap(), None);
            }
            let mut all = Records::new(&file, &segments);
            for record in ranks.iter().flatten() {
                let back = all.next().unwrap();
                prop_assert_eq!(back.as_ref(), Some(record));
            }
        }
    }
}

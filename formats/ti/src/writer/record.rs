//! What a rank does, as it waits on disk until the other ranks are known.
//!
//! Whether a message has both ends, and which collective operations all ranks take part in, is known
//! only when all of them were seen.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Take, Write};

/// A message as one side of it knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The other rank, of all.
    pub peer: u64,
    /// The communicator, in the ids of the source.
    pub communicator: u64,
    /// The tag.
    pub tag: u64,
    /// How much.
    pub bytes: u64,
}

/// Something a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// A line, as it is to be written behind the rank.
    Line(Vec<u8>),
    /// Sends at a time; with the number of a request, does not wait.
    Send {
        message: Message,
        time: u64,
        request: Option<u64>,
    },
    /// Receives.
    Receive(Message),
    /// Begins to receive, by a request; what, if the trace says it.
    Post {
        request: u64,
        message: Option<Message>,
    },
    /// Waits for a request.
    Wait(u64),
    /// Waits for all requests.
    WaitAll,
    /// Takes part in the next collective operation of all ranks.
    Collective,
}

/// Records on disk, one rank after another.
pub(crate) struct Spool {
    file: BufWriter<File>,
    length: u64,
}

/// Where the records of a rank are.
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

    /// Where the next record begins.
    pub(crate) fn here(&self) -> Segment {
        Segment {
            start: self.length,
            length: 0,
        }
    }

    /// What was written since `begin`.
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

    /// The records of a segment, once all are written.
    pub(crate) fn read(&mut self, segment: Segment) -> io::Result<Records<'_>> {
        self.file.flush()?;
        let mut file = self.file.get_ref();
        file.seek(SeekFrom::Start(segment.start))?;
        Ok(Records {
            file: BufReader::new(file.take(segment.length)),
        })
    }
}

/// Records being read.
pub(crate) struct Records<'a> {
    file: BufReader<Take<&'a File>>,
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

    /// The next record; `None` at the end.
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
        fn what_waits_comes_back(ranks in prop::collection::vec(prop::collection::vec(record(), 0..20), 1..4)) {
            let mut spool = Spool::new(tempfile::tempfile().unwrap());
            let mut segments = Vec::new();
            for records in &ranks {
                let begin = spool.here();
                for record in records {
                    spool.push(record).unwrap();
                }
                segments.push(spool.since(begin));
            }
            for (records, &segment) in ranks.iter().zip(&segments) {
                let mut read = spool.read(segment).unwrap();
                for record in records {
                    let back = read.next().unwrap();
                    prop_assert_eq!(back.as_ref(), Some(record));
                }
                prop_assert_eq!(read.next().unwrap(), None);
            }
        }
    }
}

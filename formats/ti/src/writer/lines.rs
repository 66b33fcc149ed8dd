//! Writes the lines of a rank after all ranks are known.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use super::channels::{Channel, Lanes};
use super::collectives::Collective;
use super::record::{Message, Record, Records};

/// The properties of all ranks that the lines of each rank depend on.
pub(crate) struct Shared<'a> {
    pub lanes: &'a Lanes,
    pub collectives: &'a [Collective],
    pub ranks: u64,
    /// Whether the trace records the ends of sends.
    pub ends_sends: bool,
}

/// The key of a request in a replay: source, destination and tag.
type Key = (u64, u64, u64);

/// Writes the lines of a rank.
pub(crate) struct Lines<'a, W> {
    shared: &'a Shared<'a>,
    rank: u64,
    out: W,
    /// The number of messages of each lane that the rank has sent and received so far.
    sent: HashMap<usize, u64>,
    received: HashMap<usize, u64>,
    collectives: usize,
    /// Requests that are open in the replay. A request with the same key as another open request is not included.
    open: HashSet<Key>,
    key_by_request: HashMap<u64, Key>,
    /// Number of requests that cannot be waited for, because they have the same key as another request.
    pub not_waited_for: u64,
}

impl<'a, W: Write> Lines<'a, W> {
    pub(crate) fn new(shared: &'a Shared<'a>, rank: u64, out: W) -> Self {
        Self {
            shared,
            rank,
            out,
            sent: HashMap::new(),
            received: HashMap::new(),
            collectives: 0,
            open: HashSet::new(),
            key_by_request: HashMap::new(),
            not_waited_for: 0,
        }
    }

    /// Writes all lines. `rebuilt` contains the received messages that the records do not specify.
    pub(crate) fn write(
        &mut self,
        mut records: Records<'_>,
        mut rebuilt: Records<'_>,
    ) -> io::Result<()> {
        while let Some(record) = records.next()? {
            match record {
                Record::Line(line) => {
                    write!(self.out, "{} ", self.rank)?;
                    self.out.write_all(&line)?;
                    self.out.write_all(b"\n")?;
                }
                Record::Send {
                    message, request, ..
                } => self.send(message, request)?,
                Record::Receive(message) => self.receive(message)?,
                Record::Post {
                    request,
                    message: Some(message),
                } => {
                    if let Some((tag, room)) = self.received(message) {
                        self.post(request, message.peer, tag, room)?;
                    }
                }
                Record::Post {
                    request,
                    message: None,
                } => {
                    // The record may also state that no message was left to receive.
                    if let Some(Record::Receive(message)) = rebuilt.next()? {
                        self.post(request, message.peer, message.tag, message.bytes)?;
                    }
                }
                Record::Wait(request) => self.wait(request)?,
                Record::WaitAll => {
                    if !self.open.is_empty() {
                        writeln!(self.out, "{} waitall {}", self.rank, self.open.len())?;
                    }
                    self.open.clear();
                    self.key_by_request.clear();
                }
                Record::Collective => {
                    if let Some(collective) = self.shared.collectives.get(self.collectives) {
                        let line = collective.line(self.shared.ranks);
                        writeln!(self.out, "{} {line}", self.rank)?;
                    }
                    self.collectives += 1;
                }
            }
        }
        self.out.flush()
    }

    /// Writes the lines of a rank without actions.
    pub(crate) fn write_inactive_rank(&mut self) -> io::Result<()> {
        writeln!(self.out, "{0} init\n{0} finalize", self.rank)?;
        self.out.flush()
    }

    fn send(&mut self, message: Message, request: Option<u64>) -> io::Result<()> {
        let channel = Channel::from(self.rank, &message);
        let Some(index) = self.shared.lanes.find(channel) else {
            return Ok(());
        };
        let lane = &self.shared.lanes.all[index];
        let sent = self.sent.entry(index).or_default();
        *sent += 1;
        if *sent > lane.kept() {
            return Ok(());
        }
        let (rank, Message { peer, bytes, .. }) = (self.rank, message);
        let action = if request.is_some() { "isend" } else { "send" };
        writeln!(self.out, "{rank} {action} {peer} {} {bytes}", lane.tag)?;
        if let Some(request) = request {
            self.begin(request, (rank, peer, lane.tag));
        }
        Ok(())
    }

    /// Counts a received message. Returns its tag and the size of its buffer, if the message has another end.
    fn received(&mut self, message: Message) -> Option<(u64, u64)> {
        let channel = Channel::to(self.rank, &message);
        let index = self.shared.lanes.find(channel)?;
        let lane = &self.shared.lanes.all[index];
        let received = self.received.entry(index).or_default();
        *received += 1;
        (*received <= lane.sends).then(|| (lane.tag, lane.room(message.bytes)))
    }

    fn receive(&mut self, message: Message) -> io::Result<()> {
        if let Some((tag, room)) = self.received(message) {
            let (rank, peer) = (self.rank, message.peer);
            writeln!(self.out, "{rank} recv {peer} {tag} {room}")?;
        }
        Ok(())
    }

    fn post(&mut self, request: u64, peer: u64, tag: u64, room: u64) -> io::Result<()> {
        writeln!(self.out, "{} irecv {peer} {tag} {room}", self.rank)?;
        self.begin(request, (peer, self.rank, tag));
        Ok(())
    }

    fn begin(&mut self, request: u64, key: Key) {
        if self.open.insert(key) {
            self.key_by_request.insert(request, key);
        } else if self.shared.ends_sends || key.0 != self.rank {
            self.not_waited_for += 1;
        }
    }

    fn wait(&mut self, request: u64) -> io::Result<()> {
        let Some(key) = self.key_by_request.remove(&request) else {
            return Ok(());
        };
        self.open.remove(&key);
        let (source, destination, tag) = key;
        writeln!(self.out, "{} wait {source} {destination} {tag}", self.rank)
    }
}

//! Reconstructs the messages of receives whose messages the trace does not specify.
//!
//! Some tools record where a receive begins, but not where it ends. The other ends of the messages still identify the
//! messages that a rank received. To find which receive got which message, the rehearsal executes all ranks as a
//! replay would. When no rank can continue, the ranks that have waited least often receive the messages sent to them
//! so far. A replay therefore never waits for a message that is sent only later, whatever the clocks show.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;

use super::channels::{Channel, Lanes};
use super::record::{Message, Record, Records, Segment, Spool};

/// Number of results of a rank that are written together.
const CHUNK: usize = 256;

/// A message that no known receive takes. Messages sent in earlier phases are received first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sent {
    phase: u64,
    source: u64,
    position: u64,
    lane: usize,
    bytes: u64,
}

/// The condition that a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// The given number of messages must be sent on a lane.
    Sent(usize, u64),
    /// All requests must be complete.
    AllRequests,
    /// All other ranks must wait, too.
    AllRanks,
    /// The rank has ended.
    Ended,
}

/// The state of a rank.
struct Runner<'a> {
    records: Records<'a>,
    need: Option<Need>,
    /// The number of times that the rank has waited.
    phase: u64,
    position: u64,
    collectives: usize,
    /// The open receives: the number of those with unknown messages, and the conditions of the others by request
    /// number.
    unknown: u64,
    expected: HashMap<u64, (usize, u64)>,
    /// Number of messages received on each lane.
    received: HashMap<usize, u64>,
    inbox: BTreeSet<Sent>,
    results: Vec<Record>,
    chunks: Vec<Segment>,
}

/// Executes all ranks side by side.
pub(crate) struct Rehearsal<'a> {
    ranks: Vec<Runner<'a>>,
    lanes: &'a mut Lanes,
    /// Number of messages sent so far on each lane.
    sent: Vec<u64>,
    /// Number of collective operations that all ranks have in common.
    collectives: usize,
}

impl<'a> Rehearsal<'a> {
    pub(crate) fn new(
        records: &'a File,
        segments: &'a [Segment],
        lanes: &'a mut Lanes,
        collectives: usize,
    ) -> Self {
        let ranks = segments.iter().map(|segment| Runner {
            records: Records::new(records, std::slice::from_ref(segment)),
            need: None,
            phase: 0,
            position: 0,
            collectives: 0,
            unknown: 0,
            expected: HashMap::new(),
            received: HashMap::new(),
            inbox: BTreeSet::new(),
            results: Vec::new(),
            chunks: Vec::new(),
        });
        Self {
            ranks: ranks.collect(),
            sent: vec![0; lanes.all.len()],
            lanes,
            collectives,
        }
    }

    /// Executes all ranks to their ends. Returns a file with the reconstructed messages of receives, and the segments
    /// of each rank in it. A record other than a receive means that no message was left for the receive.
    pub(crate) fn run(mut self, mut results: Spool) -> io::Result<(File, Vec<Vec<Segment>>)> {
        loop {
            for rank in 0..self.ranks.len() {
                while self.ranks[rank].need.is_none() {
                    self.step(rank)?;
                }
                self.ranks[rank].flush_results(CHUNK, &mut results)?;
            }
            if !self.release() {
                break;
            }
        }
        for runner in &mut self.ranks {
            runner.receive(self.lanes);
            runner.flush_results(0, &mut results)?;
        }
        let chunks = self.ranks.into_iter().map(|runner| runner.chunks);
        Ok((results.finish()?, chunks.collect()))
    }

    /// Executes the next record of a rank.
    fn step(&mut self, rank: usize) -> io::Result<()> {
        let runner = &mut self.ranks[rank];
        let Some(record) = runner.records.next()? else {
            runner.need = Some(Need::Ended);
            return Ok(());
        };
        match record {
            Record::Line(_) => {}
            Record::Send { message, .. } => self.send(rank, message),
            Record::Receive(message) => {
                if let Some((lane, count)) = self.expect(rank, message) {
                    self.ranks[rank].need = Some(Need::Sent(lane, count));
                }
            }
            Record::Post {
                request,
                message: Some(message),
            } => {
                if let Some(expected) = self.expect(rank, message) {
                    self.ranks[rank].expected.insert(request, expected);
                }
            }
            Record::Post { message: None, .. } => runner.unknown += 1,
            Record::Wait(request) => {
                if let Some((lane, count)) = runner.expected.remove(&request) {
                    runner.need = Some(Need::Sent(lane, count));
                }
            }
            Record::WaitAll => runner.need = Some(Need::AllRequests),
            Record::Collective => {
                runner.collectives += 1;
                if runner.collectives <= self.collectives {
                    runner.need = Some(Need::AllRanks);
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, rank: usize, message: Message) {
        let runner = &mut self.ranks[rank];
        runner.position += 1;
        let (phase, position, source) = (runner.phase, runner.position, rank as u64);
        let channel = Channel::from(source, &message);
        let Some(lane) = self.lanes.find(channel) else {
            return;
        };
        self.sent[lane] += 1;
        if self.sent[lane] > self.lanes.all[lane].receives
            && let Some(receiver) = self.ranks.get_mut(message.peer as usize)
        {
            receiver.inbox.insert(Sent {
                phase,
                source,
                position,
                lane,
                bytes: message.bytes,
            });
        }
    }

    /// Returns the lane and the number of the message that a receive will get; `None` if there is no message for it.
    fn expect(&mut self, rank: usize, message: Message) -> Option<(usize, u64)> {
        let lane = self.lanes.find(Channel::to(rank as u64, &message))?;
        let received = self.ranks[rank].received.entry(lane).or_default();
        *received += 1;
        (*received <= self.lanes.all[lane].sends).then_some((lane, *received))
    }

    fn is_met(&self, runner: &Runner<'_>) -> bool {
        let is_sent = |&(lane, count): &(usize, u64)| self.sent[lane] >= count;
        match runner.need {
            Some(Need::Sent(lane, count)) => is_sent(&(lane, count)),
            Some(Need::AllRequests) => {
                runner.inbox.len() as u64 >= runner.unknown && runner.expected.values().all(is_sent)
            }
            _ => false,
        }
    }

    /// Lets ranks continue after all ranks wait: the ranks of the earliest phase whose conditions are met; or else
    /// the rank of the earliest phase that waits for messages or requests, whose condition can never be met; or else
    /// all ranks that wait for each other. Returns whether any rank continues.
    fn release(&mut self) -> bool {
        let waits =
            |runner: &Runner<'_>| matches!(runner.need, Some(Need::Sent(..) | Need::AllRequests));
        let is_met: Vec<_> = self
            .ranks
            .iter()
            .map(|runner| self.is_met(runner))
            .collect();
        let met = self.ranks.iter().zip(&is_met).filter(|(_, met)| **met);
        let earliest = met.map(|(runner, _)| runner.phase).min();
        if let Some(earliest) = earliest {
            for (runner, met) in self.ranks.iter_mut().zip(is_met) {
                if met && runner.phase == earliest {
                    runner.resume(self.lanes);
                }
            }
            return true;
        }
        let stuck = self.ranks.iter_mut().filter(|runner| waits(runner));
        if let Some(stuck) = stuck.min_by_key(|runner| runner.phase) {
            stuck.resume(self.lanes);
            return true;
        }
        let mut has_resumed = false;
        for runner in &mut self.ranks {
            if runner.need == Some(Need::AllRanks) {
                runner.resume(self.lanes);
                has_resumed = true;
            }
        }
        has_resumed
    }
}

impl Runner<'_> {
    /// Continues after a wait.
    fn resume(&mut self, lanes: &mut Lanes) {
        if self.need == Some(Need::AllRequests) {
            self.receive(lanes);
            self.expected.clear();
        }
        self.need = None;
        self.phase += 1;
    }

    /// Assigns the messages sent to the rank to its open receives.
    fn receive(&mut self, lanes: &mut Lanes) {
        for _ in 0..std::mem::take(&mut self.unknown) {
            self.results.push(match self.inbox.pop_first() {
                Some(sent) => {
                    let lane = &mut lanes.all[sent.lane];
                    lane.rebuilt += 1;
                    // Known receives of the lane may take a different message.
                    let is_alone = lane.receives == 0;
                    Record::Receive(Message {
                        peer: sent.source,
                        communicator: 0,
                        tag: lane.tag,
                        bytes: if is_alone {
                            sent.bytes
                        } else {
                            lane.room(sent.bytes)
                        },
                    })
                }
                None => Record::WaitAll,
            });
        }
    }

    /// Writes the results if there are more than `max`.
    fn flush_results(&mut self, max: usize, spool: &mut Spool) -> io::Result<()> {
        if self.results.len() <= max {
            return Ok(());
        }
        let begin = spool.here();
        for record in self.results.drain(..) {
            spool.push(&record)?;
        }
        self.chunks.push(spool.since(begin));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::Ranks;

    use super::super::channels::Channels;
    use super::*;

    fn message(peer: u64, tag: u64) -> Message {
        Message {
            peer,
            communicator: 0,
            tag,
            bytes: 8,
        }
    }

    fn send(peer: u64, tag: u64, time: u64) -> Record {
        Record::Send {
            message: message(peer, tag),
            time,
            request: None,
        }
    }

    fn post(request: u64) -> Record {
        Record::Post {
            request,
            message: None,
        }
    }

    /// Returns the peer and the tag of the message of each receive, or `None`.
    fn rehearse(ranks: &[Vec<Record>]) -> Vec<Vec<Option<(u64, u64)>>> {
        let (mut spool, mut channels) = (
            Spool::new(tempfile::tempfile().unwrap()),
            Channels::default(),
        );
        let mut segments = Vec::new();
        for (source, records) in (0..).zip(ranks) {
            let begin = spool.here();
            for record in records {
                spool.push(record).unwrap();
                if let Record::Send { message, .. } = record {
                    let channel = Channel::from(source, message);
                    channels.send(channel, message.bytes);
                }
            }
            segments.push(spool.since(begin));
        }
        let mut lanes = channels.lanes(&Ranks::default());
        let records = spool.finish().unwrap();
        let rehearsal = Rehearsal::new(&records, &segments, &mut lanes, usize::MAX);
        let results = Spool::new(tempfile::tempfile().unwrap());
        let (results, chunks) = rehearsal.run(results).unwrap();
        let read = |chunks: &Vec<Segment>| {
            let mut records = Records::new(&results, chunks);
            std::iter::from_fn(move || records.next().unwrap())
                .map(|record| match record {
                    Record::Receive(message) => Some((message.peer, message.tag)),
                    _ => None,
                })
                .collect()
        };
        chunks.iter().map(read).collect()
    }

    #[test]
    fn ranks_that_are_ahead_wait_for_their_turn() {
        // Rank 1 receives from both other ranks in each of two rounds; rank 0 ends long before.
        let round = |requests: [u64; 2]| [post(requests[0]), post(requests[1]), Record::WaitAll];
        let ranks = [
            vec![send(1, 5, 1), Record::WaitAll, send(1, 6, 2)],
            [round([0, 1]), round([2, 3])].concat(),
            vec![send(1, 5, 100), Record::WaitAll, send(1, 6, 200)],
        ];
        let received = [(0, 5), (2, 5), (0, 6), (2, 6)].map(Some);
        assert_eq!(rehearse(&ranks), [vec![], received.to_vec(), vec![]]);
    }

    #[test]
    fn a_receive_without_a_message_receives_nothing() {
        let ranks = [
            vec![post(0), post(1), Record::WaitAll, post(2), Record::WaitAll],
            vec![
                send(0, 5, 1),
                Record::WaitAll,
                Record::Collective,
                send(0, 6, 2),
            ],
        ];
        // The operation of a single rank waits until no other rank continues.
        let received = vec![Some((1, 5)), None, None];
        assert_eq!(rehearse(&ranks), [received, vec![]]);
    }
}

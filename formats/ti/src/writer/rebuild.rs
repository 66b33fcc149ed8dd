//! Receives of which the trace does not say what they received.
//!
//! Some tools record that a receive begins, but not that it ends. What a rank received is still known from
//! the other ends of its messages. They are given to its receives in the order in which they were sent:
//! whatever a rank has waited for was sent before that, so that no replay waits for what comes later.

use std::collections::HashMap;
use std::io;

use super::channels::{Channel, Lanes};
use super::record::{Message, Record, Segment, Spool};

/// The most messages that are put into order at a time.
const MOST: u64 = 1 << 22;

/// A message that was sent, and is not received as far as the trace says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sent {
    time: u64,
    source: u64,
    place: u64,
    lane: usize,
    bytes: u64,
}

/// Gives messages to receives that lack them: `unknown` of each rank. What they received goes to a
/// spool, rank by rank.
pub(crate) fn rebuild(
    unknown: &[u64],
    lanes: &mut Lanes,
    segments: &[Segment],
    records: &mut Spool,
    rebuilt: &mut Spool,
) -> io::Result<Vec<Segment>> {
    let mut spare = vec![0; unknown.len()];
    for lane in &lanes.all {
        if let Some(spare) = spare.get_mut(lane.destination as usize) {
            *spare += lane.sends.saturating_sub(lane.receives);
        }
    }
    let mut results = vec![rebuilt.here(); unknown.len()];
    let mut first = 0;
    while first < unknown.len() {
        // As many ranks at a time as memory allows, and one in any case.
        let mut total = 0;
        let mut last = first;
        while last < unknown.len() && (last == first || total + spare[last] <= MOST) {
            total += if unknown[last] > 0 { spare[last] } else { 0 };
            last += 1;
        }
        let group = first..last;
        first = last;
        if total == 0 {
            continue;
        }
        let mut sent: HashMap<u64, Vec<Sent>> = HashMap::new();
        for (source, &segment) in (0u64..).zip(segments) {
            let wants = |rank: usize| group.contains(&rank) && unknown[rank] > 0;
            collect(source, segment, lanes, records, wants, &mut sent)?;
        }
        for rank in group {
            let mut of_rank = sent.remove(&(rank as u64)).unwrap_or_default();
            of_rank.sort_unstable();
            of_rank.truncate(usize::try_from(unknown[rank]).unwrap_or(usize::MAX));
            let begin = rebuilt.here();
            for Sent {
                source,
                lane,
                bytes,
                ..
            } in of_rank
            {
                let lane = &mut lanes.all[lane];
                lane.rebuilt += 1;
                let bytes = if lane.receives > 0 {
                    lane.room(bytes)
                } else {
                    bytes
                };
                rebuilt.push(&Record::Receive(Message {
                    peer: source,
                    communicator: 0,
                    tag: lane.tag,
                    bytes,
                }))?;
            }
            results[rank] = rebuilt.since(begin);
        }
    }
    Ok(results)
}

/// Collects what a rank sent to ranks that want it, and what they do not receive.
fn collect(
    source: u64,
    segment: Segment,
    lanes: &Lanes,
    records: &mut Spool,
    wants: impl Fn(usize) -> bool,
    sent: &mut HashMap<u64, Vec<Sent>>,
) -> io::Result<()> {
    let mut of_lane: HashMap<usize, u64> = HashMap::new();
    let (mut latest, mut place) = (0, 0);
    let mut read = records.read(segment)?;
    while let Some(record) = read.next()? {
        let Record::Send { message, time, .. } = record else {
            continue;
        };
        // Messages of a rank come in the order in which it sent them, whatever its clock says.
        latest = time.max(latest);
        if !wants(message.peer as usize) {
            continue;
        }
        let channel = Channel {
            source,
            destination: message.peer,
            tag: message.tag,
            communicator: message.communicator,
        };
        let Some(lane) = lanes.find(channel) else {
            continue;
        };
        let before = of_lane.entry(lane).or_default();
        *before += 1;
        if *before <= lanes.all[lane].receives {
            continue;
        }
        place += 1;
        sent.entry(message.peer).or_default().push(Sent {
            time: latest,
            source,
            place,
            lane,
            bytes: message.bytes,
        });
    }
    Ok(())
}

//! Who communicates with whom, and the topology that this is.

use std::collections::HashMap;

use foldtrace_matching::Traffic;
use foldtrace_program::Matrix;
use foldtrace_topology::show::answer;
use foldtrace_topology::{Options, Part};
use foldtrace_trace::TraceError;

use super::wait_times::WaitingPairs;
use super::{Finding, Overview, Run, if_possible};
use crate::clock::PageClock;
use crate::pack::Columns;

/// The messages from a location to another one, as indices of locations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    pub sender: u32,
    pub receiver: u32,
    pub traffic: Traffic,
    /// The ticks that the sender waits for the receiver.
    pub waiting: u64,
}

impl Overview {
    /// Adds the messages of a run, and its communication topology if it is a known one.
    pub(super) fn add_communication(&mut self, run: Run<'_>) -> Result<(), TraceError> {
        let found = foldtrace_topology::find(run.store, &Options::default(), run.progress);
        let Some(found) = if_possible(found)? else {
            return Ok(());
        };
        self.diagnostics.merge(found.diagnostics);
        self.channels = channels(run, &found.program);
        let answers = found.program.answer();
        if !answers.is_empty() {
            self.findings.push(Finding {
                text: format!("Communication topology: {}.", answer(&answers)),
                link: "view=communication".to_owned(),
            });
        }
        Ok(())
    }
}

/// Adds to each channel how long the sender waits for the receiver. Processes that exchange no messages may wait for each
/// other, too.
pub(super) fn add_waiting_channels(channels: &mut Vec<Channel>, mut waiting: WaitingPairs) {
    for channel in &mut *channels {
        let pair = (channel.sender, channel.receiver);
        channel.waiting = waiting.remove(&pair).unwrap_or_default();
    }
    let mut others: Vec<_> = waiting.into_iter().collect();
    others.sort_unstable();
    let others = others
        .into_iter()
        .map(|((sender, receiver), waiting)| Channel {
            sender,
            receiver,
            traffic: Traffic::default(),
            waiting,
        });
    channels.extend(others);
}

/// Returns the index of the first location of each rank.
fn indices_of_ranks(run: Run<'_>) -> HashMap<u64, u32> {
    let names = run.store.names();
    let ranked = (0..).zip(run.locations).filter_map(|(index, &location)| {
        let (rank, thread) = names.rank(location)?;
        (thread == 0).then_some((rank, index))
    });
    ranked.collect()
}

/// Returns the messages of a matrix, between the first locations of processes.
pub(super) fn channels_of(run: Run<'_>, matrix: &Matrix) -> Vec<Channel> {
    let of_rank = indices_of_ranks(run);
    let of_rank = |rank: Option<u64>| of_rank.get(&rank?).copied();
    let pairs = matrix.pairs.iter();
    let channels = pairs.filter_map(|(&(sender, receiver), &traffic)| {
        Some(Channel {
            sender: of_rank(sender)?,
            receiver: of_rank(receiver)?,
            traffic,
            waiting: 0,
        })
    });
    channels.collect()
}

/// Returns the messages between processes, each of which is its first location.
fn channels(run: Run<'_>, program: &Part) -> Vec<Channel> {
    let of_rank = indices_of_ranks(run);
    let of_node = |node: u32| {
        let rank = program.ranks.get(node as usize)?;
        of_rank.get(rank).copied()
    };
    let pairs = program.pairs.pairs.iter();
    let ends = pairs.filter_map(|(&(a, b), pair)| Some((of_node(a)?, of_node(b)?, pair)));
    let channels = ends.flat_map(|(a, b, pair)| {
        let channel = |sender, receiver, traffic| Channel {
            sender,
            receiver,
            traffic,
            waiting: 0,
        };
        [channel(a, b, pair.there), channel(b, a, pair.back)]
    });
    channels
        .filter(|channel| channel.traffic.messages > 0)
        .collect()
}

/// Adds the columns of messages between locations, whose names begin with `prefix`.
pub(super) fn pack_channels(
    channels: &[Channel],
    prefix: &str,
    clock: PageClock,
    columns: &mut Columns,
) {
    let name = |column: &str| format!("{prefix}channels.{column}");
    let all = || channels.iter();
    columns.add_u32(name("sender"), all().map(|channel| channel.sender));
    columns.add_u32(name("receiver"), all().map(|channel| channel.receiver));
    let messages = |channel: &Channel| channel.traffic.messages as f64;
    columns.add_f64(name("messages"), all().map(messages));
    let bytes = |channel: &Channel| channel.traffic.bytes.unwrap_or_default() as f64;
    columns.add_f64(name("bytes"), all().map(bytes));
    let waiting = |channel: &Channel| channel.waiting as f64 * clock.tick;
    columns.add_f64(name("waiting"), all().map(waiting));
}

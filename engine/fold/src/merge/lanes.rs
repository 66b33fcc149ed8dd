//! Lanes: the messages of each channel in order, and the constructs that have them at either end.
//!
//! Channels keep order, so the n-th message sent is the n-th message received. Each construct has a run of them at an
//! end; where runs of both ends overlap, two constructs communicate.

use super::system::{Construct, Matched};
use super::{Channel, End};

/// The messages of a construct at one end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub end: End,
    pub construct: u32,
    /// The number of the first message in the channel.
    pub start: u64,
    /// The number of messages.
    pub volume: u64,
}

impl Run {
    pub const fn stop(&self) -> u64 {
        self.start + self.volume
    }
}

/// Messages exchanged by two constructs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub from: u32,
    pub to: u32,
    pub channel: Channel,
    pub messages: u64,
    /// Whether these are all messages of both constructs in the channel.
    pub is_exact: bool,
}

/// The runs of all channels with both ends present.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    /// All runs, ordered by end, then by message number.
    runs: Vec<Run>,
    /// The runs of each construct: `by_construct[firsts[c]..firsts[c + 1]]` are indices into `runs`.
    by_construct: Vec<u32>,
    firsts: Vec<u32>,
}

impl Lanes {
    pub fn new(constructs: &[Construct], matched: &Matched) -> Self {
        let mut all: Vec<Run> = Vec::new();
        for (index, construct) in (0..).zip(constructs) {
            for &(end, volume) in &construct.flow {
                if matched.contains(end.channel()) {
                    all.push(Run {
                        end,
                        construct: index,
                        start: 0,
                        volume,
                    });
                }
            }
        }
        all.sort_unstable_by_key(|run| (run.end, run.construct));
        let mut runs: Vec<Run> = Vec::with_capacity(all.len());
        for channel in all.chunk_by(|a, b| a.end.channel() == b.end.channel()) {
            let (Some(first), Some(last)) = (channel.first(), channel.last()) else {
                continue;
            };
            if first.end == last.end {
                continue;
            }
            for end in channel.chunk_by(|a, b| a.end == b.end) {
                let mut start = 0;
                for &run in end {
                    runs.push(Run { start, ..run });
                    start += run.volume;
                }
            }
        }
        Self::indexed(runs, constructs.len())
    }

    fn indexed(runs: Vec<Run>, constructs: usize) -> Self {
        let mut firsts = vec![0; constructs + 1];
        for run in &runs {
            firsts[run.construct as usize + 1] += 1;
        }
        for index in 0..constructs {
            firsts[index + 1] += firsts[index];
        }
        let mut next = firsts.clone();
        let mut by_construct = vec![0; runs.len()];
        for (index, run) in (0..).zip(&runs) {
            let place = &mut next[run.construct as usize];
            by_construct[*place as usize] = index;
            *place += 1;
        }
        Self {
            runs,
            by_construct,
            firsts,
        }
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Returns the runs of a construct.
    pub fn runs_of(&self, construct: u32) -> impl Iterator<Item = &Run> {
        let [first, last] = [0, 1].map(|i| self.firsts[construct as usize + i] as usize);
        self.by_construct[first..last]
            .iter()
            .map(|&run| &self.runs[run as usize])
    }

    /// Returns the run of an end that has messages both before number `at` and from it on.
    pub fn around(&self, end: End, at: u64) -> Option<&Run> {
        let index = self
            .runs
            .partition_point(|run| (run.end, run.stop()) <= (end, at));
        let run = self.runs.get(index)?;
        (run.end == end && run.start < at).then_some(run)
    }

    /// Returns the messages exchanged by each pair of constructs, by channel and in order.
    pub fn meetings(&self) -> Vec<Meeting> {
        let mut meetings = Vec::with_capacity(self.runs.len() / 2);
        let channels = self
            .runs
            .chunk_by(|a, b| a.end.channel() == b.end.channel());
        for channel in channels {
            let middle = channel.partition_point(|run| run.end.is_source());
            let (sources, sinks) = channel.split_at(middle);
            let (mut source, mut sink) = (0, 0);
            while let (Some(from), Some(to)) = (sources.get(source), sinks.get(sink)) {
                let begin = from.start.max(to.start);
                let stop = from.stop().min(to.stop());
                if begin < stop {
                    meetings.push(Meeting {
                        from: from.construct,
                        to: to.construct,
                        channel: from.end.channel(),
                        messages: stop - begin,
                        is_exact: (from.start, from.volume) == (to.start, to.volume),
                    });
                }
                source += usize::from(from.stop() == stop);
                sink += usize::from(to.stop() == stop);
            }
        }
        meetings
    }
}

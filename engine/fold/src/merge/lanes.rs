//! Lanes: the messages of each channel in order, and which construct has which of them at either end.
//!
//! Channels keep order, so the n-th message that is sent is the n-th that is received. Each construct
//! has a run of them; where runs of both ends overlap, two constructs communicate.

use super::system::{Construct, Matched};
use super::{Channel, End};

/// The messages of a construct at one end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub end: End,
    pub construct: u32,
    /// Number of the first message in the channel.
    pub start: u64,
    /// How many.
    pub volume: u64,
}

impl Run {
    pub const fn stop(&self) -> u64 {
        self.start + self.volume
    }
}

/// Messages that two constructs exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub from: u32,
    pub to: u32,
    pub channel: Channel,
    pub messages: u64,
    /// Whether these are all messages that both have in the channel.
    pub is_exact: bool,
}

/// The runs of all channels of which both ends are present.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    /// By end, then in order.
    runs: Vec<Run>,
    /// Runs of each construct: `of[firsts[c]..firsts[c + 1]]` are indices of `runs`.
    of: Vec<u32>,
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
        let mut of = vec![0; runs.len()];
        for (index, run) in (0..).zip(&runs) {
            let place = &mut next[run.construct as usize];
            of[*place as usize] = index;
            *place += 1;
        }
        Self { runs, of, firsts }
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The runs of a construct.
    pub fn of(&self, construct: u32) -> impl Iterator<Item = &Run> {
        let [first, last] = [0, 1].map(|i| self.firsts[construct as usize + i] as usize);
        self.of[first..last]
            .iter()
            .map(|&run| &self.runs[run as usize])
    }

    /// The run of an end that has messages both before and from number `at`.
    pub fn around(&self, end: End, at: u64) -> Option<&Run> {
        let index = self
            .runs
            .partition_point(|run| (run.end, run.stop()) <= (end, at));
        let run = self.runs.get(index)?;
        (run.end == end && run.start < at).then_some(run)
    }

    /// Who communicates with whom, by channel and in order.
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

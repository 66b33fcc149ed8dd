//! The order of events of several streams.
//!
//! Locations may have events in several streams, and streams events of several locations. Events are therefore taken in rounds: those
//! up to a time for which all streams have been decoded, location after location. Within a location, they are in the order of
//! time, and those of the same time in the order of the streams.

use foldtrace_trace::{Diagnostics, Severity, TraceError};
use rayon::ScopeFifo;
use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefMutIterator as _, ParallelIterator as _,
};

use crate::data_stream::{DataStream, Obstacle};
use crate::fault::{Fault, report};
use crate::feed::Feed;
use crate::plan::TracePlan;
use crate::source::{Source, Span};

/// The number of events of all chunks that are filled at the same time.
const EVENTS: usize = 1 << 17;
/// The least and the greatest number of events of a chunk.
const CHUNK_EVENTS: (usize, usize) = (16, 1 << 11);
/// The number of parts into which the decoding of a round is divided. The more there are, the more evenly all cores are busy.
const PARTS: usize = 64;
/// The least number of events of a part.
const PART_EVENTS: usize = 1 << 7;

/// The streams of all traces.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    pub feeds: Vec<Feed>,
    /// The events of each of them.
    pub sources: Vec<Source>,
    pub salvages: bool,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Round {
    /// Events, which have been added to the spans.
    Events,
    End,
    Failed(TraceError),
}

/// Where a round ends.
#[derive(Clone, Copy, Debug)]
struct Limit {
    /// The turn, and the number of a source, of the first event that is not part of it.
    until: (u64, usize),
    /// A source, and the number of its events that are part of it instead.
    exception: Option<(usize, usize)>,
}

/// Returns the number of events that a chunk takes if there are so many streams.
fn most_events(streams: usize) -> usize {
    (EVENTS / streams.max(1)).clamp(CHUNK_EVENTS.0, CHUNK_EVENTS.1)
}

/// Decodes the chunk of a stream that comes next, which takes `most` events, in parts, alternating with other streams.
fn decode_parts<'a>(
    scope: &ScopeFifo<'a>,
    feed: &'a mut Feed,
    plan: &'a TracePlan,
    [most, part]: [usize; 2],
) {
    if feed.decode_ahead(plan, most, part) {
        scope.spawn_fifo(move |scope| decode_parts(scope, feed, plan, [most, part]));
    }
}

impl Rounds {
    /// Decodes the events after those of `sources`. These are only read, so that they can be taken at the same time.
    pub(crate) fn decode_ahead(feeds: &mut [Feed], sources: &[Source], plans: &[TracePlan]) {
        let most = most_events(sources.len());
        let part = (sources.len() * most / PARTS).max(PART_EVENTS);
        rayon::scope_fifo(|scope| {
            for (feed, source) in feeds.iter_mut().zip(sources) {
                if source.goes_on() {
                    let plan = &plans[source.facts.trace as usize];
                    scope.spawn_fifo(move |scope| decode_parts(scope, feed, plan, [most, part]));
                }
            }
        });
    }

    /// Takes the events of the next round. Events before an obstacle come before its failure.
    pub(crate) fn next(
        &mut self,
        plans: &mut [TracePlan],
        spans: &mut Vec<Span>,
        diagnostics: &mut Diagnostics,
    ) -> Round {
        self.prepare(plans, diagnostics);
        if let Some(error) = self.sources.iter_mut().find_map(Source::take_failure) {
            return Round::Failed(error);
        }
        let Some(limit) = self.limit() else {
            return Round::End;
        };
        for (number, source) in self.sources.iter_mut().enumerate() {
            let count = match limit.exception {
                Some((exception, count)) if exception == number => count,
                _ => source.count_before(|turn| (turn, number) < limit.until),
            };
            if count > 0 {
                source.take(number as u32, count, spans);
            }
        }
        Round::Events
    }

    /// Decodes events of all streams, unless they have been decoded ahead.
    fn prepare(&mut self, plans: &mut [TracePlan], diagnostics: &mut Diagnostics) {
        let most = most_events(self.sources.len());
        let (shared, sources) = (&*plans, self.sources.par_iter_mut());
        let obstacles: Vec<(usize, Obstacle)> = sources
            .zip(&mut self.feeds)
            .enumerate()
            .filter_map(|(number, (source, feed))| {
                let plan = &shared[source.facts.trace as usize];
                Some((number, source.prepare(feed, plan, most)?))
            })
            .collect();
        for (number, obstacle) in obstacles {
            let (source, feed) = (&mut self.sources[number], &mut self.feeds[number]);
            let plan = &mut plans[source.facts.trace as usize];
            let mut next = Some(obstacle);
            while let Some(obstacle) = next {
                match overcome(&feed.stream, obstacle, plan) {
                    Ok(()) => {}
                    Err(error) if self.salvages && error.is_salvageable() => {
                        report(Severity::Loss, "ctf.damaged_stream", &error, diagnostics);
                        if !feed.stream.skip_packet() {
                            feed.stream.skip_file();
                        }
                    }
                    Err(error) => source.fail(error),
                }
                next = source.prepare(feed, plan, most);
            }
        }
    }

    /// Returns where the next round ends; `None` if there are no more events.
    fn limit(&self) -> Option<Limit> {
        let numbered = || self.sources.iter().enumerate();
        let first = numbered().filter_map(|(number, source)| Some((source.next()?, number)));
        let first = first.min()?;
        let ends = numbered().filter(|(_, source)| !source.has_ended());
        // A source may have more events at the time of its last one, which precede those of the sources after it.
        let ends = ends.filter_map(|(number, source)| Some((source.last()?, number + 1)));
        let until = ends.min().unwrap_or((u64::MAX, usize::MAX));
        let barriers = numbered().filter_map(|(number, source)| {
            let (turn, before) = source.next_barrier()?;
            Some(((turn, number), before))
        });
        let limit = match barriers.min() {
            // Nothing precedes the barrier, which has a round of its own.
            Some((turn, 0)) if turn == first => Limit {
                until: first,
                exception: Some((first.1, 1)),
            },
            Some((turn, before)) if turn < until => Limit {
                until: turn,
                exception: Some((turn.1, before)),
            },
            _ => Limit {
                until,
                exception: None,
            },
        };
        Some(limit)
    }
}

/// Does what a stream needs before it can go on.
fn overcome(
    stream: &DataStream,
    obstacle: Obstacle,
    plan: &mut TracePlan,
) -> Result<(), TraceError> {
    match obstacle {
        Obstacle::Unknown(id) => match plan.compile(stream.class, id) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let message =
                    format!("an event has the number {id}, which the metadata do not describe");
                Err(stream.failed(Fault::new(message)))
            }
            Err(fault) => Err(stream.failed(fault)),
        },
        Obstacle::Failed(error) => Err(error),
    }
}

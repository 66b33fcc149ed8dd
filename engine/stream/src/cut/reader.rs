//! The reader of a cut, which wraps the reader of the whole trace.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use foldtrace_trace::{
    Definitions, Diagnostic, Diagnostics, EventStream, Severity, StreamFrom, StreamInfo, TimeRange,
    TraceError, TraceReader,
};

use super::definitions;
use super::filter::{Filter, View};
use super::stream::CutStream;

/// A trace reduced to the events that a [`Filter`] keeps. It has the streams of the locations that are kept;
/// positions in them begin at 0 and have no gaps.
pub struct Cut {
    pub(super) source: Box<dyn TraceReader>,
    pub(super) filter: Filter,
    pub(super) range: TimeRange,
    pub(super) view: View,
    definitions: Definitions,
    diagnostics: Diagnostics,
    streams: Vec<StreamInfo>,
    /// The numbers of these streams in the source.
    numbers: Vec<usize>,
    tally: Tally,
}

/// The number of events kept in all streams together.
#[derive(Debug)]
struct Tally {
    events: AtomicU64,
    /// Whether each stream was read to its end.
    ended: Vec<AtomicBool>,
    left: AtomicUsize,
}

impl Cut {
    /// Cuts `source`.
    ///
    /// If each stream of the source declares its location, names that the source does not define are an error here.
    /// Otherwise, they are an error when a stream that may still define them ends.
    ///
    /// # Errors
    /// Returns an error if `filter` names something that is not defined, or contains a range of time without a tick.
    pub fn new(source: Box<dyn TraceReader>, filter: Filter) -> Result<Self, TraceError> {
        let all = source.definitions();
        let range = filter.time.ticks(all.clock())?;
        if source.streams().iter().all(|s| s.location.is_some()) {
            filter.check(all)?;
        }
        let view = View::new(&filter, all);
        let kept = source.streams().iter().enumerate().filter(|(_, stream)| {
            let location = stream.location;
            location.is_none_or(|location| view.keeps_location(location))
        });
        let (numbers, streams): (Vec<_>, Vec<_>) = kept.map(|(n, s)| (n, s.clone())).unzip();
        let mut diagnostics = source.diagnostics().clone();
        if streams.is_empty() {
            diagnostics.report(nothing_kept());
        }
        Ok(Self {
            definitions: definitions::of_cut(all, range),
            tally: Tally {
                events: AtomicU64::new(0),
                ended: streams.iter().map(|_| AtomicBool::new(false)).collect(),
                left: AtomicUsize::new(streams.len()),
            },
            source,
            filter,
            range,
            view,
            diagnostics,
            streams,
            numbers,
        })
    }

    /// Counts events that were kept.
    pub(super) fn count(&self, events: usize) {
        let events = events as u64;
        self.tally.events.fetch_add(events, Ordering::Relaxed);
    }

    /// Records the end of a stream. The last stream to end reports a cut that has kept nothing.
    pub(super) fn end(&self, stream: usize, diagnostics: &mut Diagnostics) {
        let tally = &self.tally;
        let ended = tally.ended.get(stream);
        if ended.is_none_or(|ended| ended.swap(true, Ordering::Relaxed)) {
            return;
        }
        // The thread that ends the last stream sees all events that the other threads have counted.
        let is_last = tally.left.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last && tally.events.load(Ordering::Relaxed) == 0 {
            diagnostics.report(nothing_kept());
        }
    }
}

fn nothing_kept() -> Diagnostic {
    Diagnostic::new(
        Severity::Loss,
        "cut.empty",
        "the cut has no events: none is within all of the given filters",
    )
    .hint("'foldtrace info' shows the duration, locations, regions and kinds of events of a trace")
}

impl TraceReader for Cut {
    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let number = self.numbers.get(index).copied().unwrap_or(usize::MAX);
        let location = self.streams.get(index).and_then(|s| s.location);
        let begun = if self.range == TimeRange::default() {
            self.source.open_stream(number).map(|stream| StreamFrom {
                open: Vec::new(),
                stream,
            })
        } else {
            self.source.open_stream_in(number, self.range)
        };
        match begun {
            Ok(begun) => Ok(Box::new(CutStream::new(self, index, location, begun))),
            Err(error) => {
                // Salvage continues without this stream, which is then never read to its end.
                self.end(index, &mut Diagnostics::default());
                Err(error)
            }
        }
    }
}

//! The reader of a cut, which wraps the reader of the whole trace.

use foldtrace_trace::{
    Diagnostics, EventStream, StreamFrom, TimeRange, TraceError, TraceHead, TraceReader,
};

use super::definitions;
use super::filter::{Filter, View};
use super::source::FilteredSource;
use super::stream::CutStream;
use super::tally::{Tally, nothing_kept};

/// A trace reduced to the events that a [`Filter`] keeps. It has the streams of the locations that are kept;
/// positions in them begin at 0 and have no gaps.
pub struct Cut {
    source: FilteredSource,
    head: TraceHead,
    /// The numbers of the streams in the source.
    numbers: Vec<usize>,
    tally: Tally,
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
            tally: Tally::new(streams.len()),
            head: TraceHead {
                definitions: definitions::of_cut(all, range),
                diagnostics,
                streams,
                ..TraceHead::default()
            },
            source: FilteredSource {
                reader: source,
                filter,
                range,
                view,
            },
            numbers,
        })
    }
}

impl TraceReader for Cut {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let number = self.numbers.get(index).copied().unwrap_or(usize::MAX);
        let location = self.streams().get(index).and_then(|s| s.location);
        let FilteredSource { reader, range, .. } = &self.source;
        let begun = if *range == TimeRange::default() {
            reader.open_stream(number).map(|stream| StreamFrom {
                open: Vec::new(),
                stream,
            })
        } else {
            reader.open_stream_in(number, *range)
        };
        match begun {
            Ok(begun) => Ok(Box::new(CutStream::new(
                &self.source,
                &self.tally,
                index,
                location,
                begun,
            ))),
            Err(error) => {
                // Salvage continues without this stream, which is then never read to its end.
                self.tally.end(index, &mut Diagnostics::default());
                Err(error)
            }
        }
    }
}

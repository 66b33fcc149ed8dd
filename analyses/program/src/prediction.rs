//! Predicts the next events from the loops that are open, and measures how often the predictions are right.
//!
//! Folding a stream predicts it (Ketterlin et al., RR-8562, section II.C): an open loop is expected to continue. The
//! accuracy of the prediction shows how regular a program is, and where it becomes irregular.

use foldtrace_fold::{Folder, Selection, Shapes};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, SymbolId, TraceError};

/// The prediction results of one location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// The number of events, each of which was to be predicted once.
    pub events: u64,
    /// The number of events for which there was a prediction.
    pub announced: u64,
    /// The number of events that were predicted correctly.
    pub right: u64,
}

/// The events after a prefix of a stream: predicted and actual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// The predicted events.
    pub announced: Vec<SymbolId>,
    /// The actual events; fewer if the stream ends.
    pub came: Vec<SymbolId>,
}

/// Options for predicting events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// The selection of events.
    pub selection: Selection,
    /// The number of events to predict at a time.
    pub count: usize,
    /// The maximum number of terms in the body of a loop.
    pub max_body: usize,
}

/// Folds a location and predicts the next events after every `count` events.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn forecast(
    store: &StoreReader,
    location: LocationId,
    ways: Ways,
    progress: &Progress,
) -> Result<Forecast, TraceError> {
    let mut shapes = Shapes::default();
    shapes.update(store.symbols());
    let mut folder = Folder::new(ways.max_body);
    let mut forecast = Forecast::default();
    let mut events = Selected::new(store, location, ways.selection);
    loop {
        progress.check()?;
        let announced = folder.predict(ways.count, store.symbols());
        let came = events.take(ways.count)?;
        if came.is_empty() {
            return Ok(forecast);
        }
        let right = announced.iter().zip(&came).take_while(|(a, b)| a == b);
        forecast.events += came.len() as u64;
        forecast.announced += announced.len().min(came.len()) as u64;
        forecast.right += right.count() as u64;
        folder.push(&came, store.symbols(), &shapes);
        progress.count(came.len());
    }
}

/// Predicts the events after the first `prefix` events of a location, and returns them with the actual events.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn ahead(
    store: &StoreReader,
    location: LocationId,
    prefix: u64,
    ways: Ways,
    progress: &Progress,
) -> Result<Ahead, TraceError> {
    const CHUNK: u64 = 1 << 16;
    let mut shapes = Shapes::default();
    shapes.update(store.symbols());
    let mut folder = Folder::new(ways.max_body);
    let mut events = Selected::new(store, location, ways.selection);
    let mut left = prefix;
    while left > 0 {
        progress.check()?;
        let came = events.take(left.min(CHUNK) as usize)?;
        if came.is_empty() {
            break;
        }
        folder.push(&came, store.symbols(), &shapes);
        left -= came.len() as u64;
    }
    Ok(Ahead {
        announced: folder.predict(ways.count, store.symbols()),
        came: events.take(ways.count)?,
    })
}

/// The selected events of a location, in portions of any size.
struct Selected<'a> {
    stream: foldtrace_store::LocationStream<'a>,
    store: &'a StoreReader,
    selection: Selection,
    waiting: std::collections::VecDeque<SymbolId>,
    symbols: Vec<SymbolId>,
}

impl<'a> Selected<'a> {
    fn new(store: &'a StoreReader, location: LocationId, selection: Selection) -> Self {
        Self {
            stream: store.events(location, Position(0)),
            store,
            selection,
            waiting: std::collections::VecDeque::new(),
            symbols: Vec::new(),
        }
    }

    /// Returns the next `count` events, or fewer at the end.
    fn take(&mut self, count: usize) -> Result<Vec<SymbolId>, TraceError> {
        while self.waiting.len() < count {
            self.stream.next_symbols(&mut self.symbols)?;
            if self.symbols.is_empty() {
                break;
            }
            let table = self.store.symbols();
            let selected = |symbol: &&SymbolId| self.selection.contains(table.kind(**symbol));
            self.waiting.extend(self.symbols.iter().filter(selected));
        }
        let count = count.min(self.waiting.len());
        Ok(self.waiting.drain(..count).collect())
    }
}

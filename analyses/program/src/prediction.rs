//! Prediction: what the loops that are open announce, and how often they are right.
//!
//! Folding a stream predicts it (Ketterlin et al., RR-8562, section II.C): a loop that is open goes on. How
//! good that is says how regular a program is, and where it stops being so.

use foldtrace_fold::{Folder, Selection, Shapes};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, SymbolId, TraceError};

/// How well a location was predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// Events, of which each was to be predicted once.
    pub events: u64,
    /// Events that were announced.
    pub announced: u64,
    /// Events that were as announced.
    pub right: u64,
}

/// What comes after a prefix of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// What was announced.
    pub announced: Vec<SymbolId>,
    /// What came, where the stream did not end.
    pub came: Vec<SymbolId>,
}

/// How to predict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// Which events.
    pub selection: Selection,
    /// How many events are announced at a time.
    pub count: usize,
    /// Terms that the body of a loop may have.
    pub max_body: usize,
}

/// Folds a location and, every `count` events, predicts the next ones.
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

/// What is announced after the first `prefix` events of a location, and what came.
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

/// The selected events of a location, in any portions.
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

    /// The next `count` events; fewer at the end.
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

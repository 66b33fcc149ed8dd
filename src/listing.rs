//! Listing events, a line each, from any trace or from a model.

use std::io::Write;

use foldtrace_store::StoreReader;
use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventText, LocationId, Names, Operand, Position, Step,
    SymbolText, TraceError, TraceReader,
};

use crate::metrics::Metrics;

/// Which events, and how much of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First position of each location.
    pub from: Position,
    /// At most so many events of each location.
    pub count: u64,
    /// Only what happened, without quantities.
    pub topology: bool,
}

impl Range {
    fn positions(&self) -> std::ops::Range<Position> {
        self.from..Position(self.from.0.saturating_add(self.count))
    }
}

/// Lists the events of the locations that `select` names; of all if it names none. `select` is
/// asked again when late definitions arrive, until when what it cannot name yet is skipped.
///
/// # Errors
/// If the trace is damaged, `select` cannot name a location even at the end, or `out` fails.
pub fn print(
    reader: &dyn TraceReader,
    range: &Range,
    out: &mut impl Write,
    select: impl Fn(&Names) -> Result<Vec<LocationId>, TraceError>,
) -> anyhow::Result<()> {
    let positions = range.positions();
    let mut definitions = reader.definitions().clone();
    let mut names = Names::new(&definitions);
    let mut metrics = Metrics::new(&definitions);
    let mut selected = select(&names);
    for (index, info) in reader.streams().iter().enumerate() {
        if let (Some(location), Ok(selected)) = (info.location, &selected)
            && !selected.is_empty()
            && !selected.contains(&location)
        {
            continue;
        }
        let mut stream = reader.open_stream_at(index, positions.clone())?;
        let mut batch = EventBatch::default();
        let mut diagnostics = Diagnostics::default();
        while stream.next_batch(&mut batch, &mut diagnostics)? == Step::Batch {
            if !batch.definitions.is_empty() {
                definitions.append(&batch.definitions);
                names = Names::new(&definitions);
                metrics = Metrics::new(&definitions);
                selected = select(&names);
            }
            let wanted = match &selected {
                Ok(selected) => selected.is_empty() || selected.contains(&batch.location),
                Err(_) => false,
            };
            if wanted {
                let symbols = stream.symbols();
                for event in batch
                    .iter(symbols)
                    .filter(|event| positions.contains(&event.position))
                {
                    let text = EventText::new(&names, &batch, event, symbols);
                    line(out, &text, range.topology, &metrics)?;
                }
            }
            let behind = Position(batch.first.0 + batch.len() as u64);
            if info.location.is_some() && behind >= positions.end {
                break;
            }
        }
    }
    selected?;
    Ok(())
}

/// Lists single events of a store in the order in which `places` names them; of each only what
/// happened if `topology` says so.
///
/// # Errors
/// If there is no such event, a place is none, the store is damaged, or `out` fails.
pub fn print_at(
    store: &StoreReader,
    places: impl Iterator<Item = Result<(LocationId, Position), TraceError>>,
    topology: bool,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    /// Events that are looked up together.
    const CHUNK: usize = 1 << 16;
    let metrics = Metrics::new(store.definitions());
    let mut lookup = store.lookup();
    let mut places = places.peekable();
    while places.peek().is_some() {
        let places: Vec<_> = places.by_ref().take(CHUNK).collect::<Result<_, _>>()?;
        let events = lookup.get_many(&places)?;
        for (&(location, position), event) in places.iter().zip(&events) {
            let event = event
                .as_ref()
                .ok_or_else(|| no_event(store, location, position))?;
            let text = event.text(store.names(), store.symbols());
            line(out, &text, topology, &metrics)?;
        }
    }
    Ok(())
}

fn no_event(store: &StoreReader, location: LocationId, position: Position) -> TraceError {
    let label = store.names().label(location);
    let message = format!("location {label} has no event at position {position}");
    let error = TraceError::new(ErrorKind::Usage, message);
    match store.index().events(location) {
        0 => error.hint("it has no events"),
        events => error.hint(format!("its positions are 0 to {}", events - 1)),
    }
}

/// Writes position, tab and event. A comment of the text format repeats the values of metrics with names
/// and units, so the line can still be read back.
fn line(
    out: &mut impl Write,
    text: &EventText<'_>,
    topology: bool,
    metrics: &Metrics,
) -> std::io::Result<()> {
    write!(out, "{}\t", text.event.position)?;
    if !topology {
        write!(out, "{text}")?;
        if let Some(metric) = text.symbol.get(Operand::Metric) {
            let values = metrics.values(metric, text.metrics, text.event.index);
            if !values.is_empty() {
                write!(out, " # {values}")?;
            }
        }
        return writeln!(out);
    }
    let text = SymbolText {
        exact: true,
        ..SymbolText::new(text.names, text.location, text.symbol)
    };
    writeln!(out, "{text}")
}

//! Lists events of any trace or store, one per line.

use std::fmt::Write as _;
use std::io;

use foldtrace_store::StoreReader;
use foldtrace_stream::read::{Late, Progress, Reading};
use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventText, LocationId, Metrics, Names, Operand, Position,
    Step, SymbolText, TraceError, TraceReader,
};

use crate::metrics::MetricValues;

/// The events to list, and whether to include their quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First position of each location.
    pub from: Position,
    /// Maximum number of events per location.
    pub count: u64,
    /// Whether to omit times and other quantities.
    pub topology: bool,
    /// Whether to list the intact events of a damaged trace.
    pub salvage: bool,
}

impl Range {
    fn positions(&self) -> std::ops::Range<Position> {
        self.from..Position(self.from.0.saturating_add(self.count))
    }
}

/// Lists the events of the locations that `select` returns, or of all locations if it returns none. `select` is
/// called again whenever late definitions arrive; until it succeeds, events are skipped. Returns the problems found.
///
/// # Errors
/// If the trace is damaged and not salvaged, `select` still fails at the end of the trace, or `out` cannot be written.
pub fn print(
    reader: &dyn TraceReader,
    range: &Range,
    out: &mut impl io::Write,
    select: impl Fn(&Names) -> Result<Vec<LocationId>, TraceError>,
) -> anyhow::Result<Diagnostics> {
    let positions = range.positions();
    let progress = Progress::default();
    let mut late = Late::default();
    let mut definitions = reader.definitions().clone();
    let names_of = || Names::new(reader.definitions());
    let mut names = reader.all_names().cloned().unwrap_or_else(names_of);
    let mut metrics = Metrics::new(&definitions);
    let mut selected = select(&names);
    let mut lines = Lines::new(out, range.topology);
    for (index, info) in reader.streams().iter().enumerate() {
        if let (Some(location), Ok(selected)) = (info.location, &selected)
            && !selected.is_empty()
            && !selected.contains(&location)
        {
            continue;
        }
        let mut stream = Reading::open_at(
            reader,
            index,
            positions.clone(),
            range.salvage,
            &progress,
            &mut late,
        )?;
        let mut batch = EventBatch::default();
        while stream.next_batch(&mut batch, &mut late)? == Step::Batch {
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
            if wanted && let Some(symbols) = stream.symbols() {
                for event in batch
                    .iter(symbols)
                    .filter(|event| positions.contains(&event.position))
                {
                    let text = EventText::new(&names, &batch, event, symbols);
                    lines.write(&text, &metrics)?;
                }
            }
            let next = Position(batch.first.0 + batch.len() as u64);
            if info.location.is_some() && next >= positions.end {
                break;
            }
        }
    }
    selected?;
    let mut diagnostics = reader.diagnostics().clone();
    diagnostics.merge(late.diagnostics);
    Ok(diagnostics)
}

/// Lists single events of a store in the order of `places`, without quantities if `topology` is set.
///
/// # Errors
/// If an event does not exist, an item of `places` is an error, the store is damaged, or `out` cannot be written.
pub fn print_at(
    store: &StoreReader,
    places: impl Iterator<Item = Result<(LocationId, Position), TraceError>>,
    topology: bool,
    out: &mut impl io::Write,
) -> anyhow::Result<()> {
    /// Number of events that are looked up together.
    const CHUNK: usize = 1 << 16;
    let metrics = Metrics::new(store.definitions());
    let mut lines = Lines::new(out, topology);
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
            lines.write(&text, &metrics)?;
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

/// A writer of events, one per line: position, tab and event. A comment of the text format repeats the values of
/// metrics with names and units, so the line can still be read back.
struct Lines<'a, W> {
    out: &'a mut W,
    /// Whether to omit times and other quantities.
    topology: bool,
    /// The current line.
    line: String,
}

impl<'a, W: io::Write> Lines<'a, W> {
    fn new(out: &'a mut W, topology: bool) -> Self {
        Self {
            out,
            topology,
            line: String::new(),
        }
    }

    fn write(&mut self, text: &EventText<'_>, metrics: &Metrics) -> anyhow::Result<()> {
        self.line.clear();
        write!(self.line, "{}\t", text.event.position)?;
        if self.topology {
            let symbol = SymbolText::new(text.names, text.location, text.symbol);
            let exact = true;
            write!(self.line, "{}", SymbolText { exact, ..symbol })?;
        } else {
            write!(self.line, "{text}")?;
            if let Some(metric) = text.symbol.get(Operand::Metric) {
                let values = MetricValues::new(metrics, metric, text.metrics, text.event.index);
                if !values.is_empty() {
                    write!(self.line, " # {values}")?;
                }
            }
        }
        self.line.push('\n');
        Ok(self.out.write_all(self.line.as_bytes())?)
    }
}

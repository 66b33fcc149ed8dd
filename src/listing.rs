//! Listing events, a line each, from any trace or from a model.

use std::io::Write;

use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventText, LocationId, Names, Place, Position, Step,
    SymbolText, TraceError, TraceReader,
};

use crate::store::StoreReader;

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
                    let symbol = symbols.symbol(event.symbol);
                    write!(out, "{}\t", event.position)?;
                    if range.topology {
                        let text = SymbolText::new(&names, batch.location, symbol);
                        writeln!(
                            out,
                            "{}",
                            SymbolText {
                                exact: true,
                                ..text
                            }
                        )?;
                    } else {
                        writeln!(
                            out,
                            "{}",
                            EventText {
                                names: &names,
                                batch: &batch,
                                event,
                                symbol
                            }
                        )?;
                    }
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

/// Lists what the stored models of `locations` expand to.
///
/// # Errors
/// If a model is damaged, or `out` fails.
pub fn replay(
    store: &StoreReader,
    locations: &[LocationId],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let (names, symbols) = (store.names(), store.symbols());
    for stored in store
        .models()?
        .iter()
        .filter(|stored| locations.contains(&stored.location))
    {
        // Few symbols, many events: a text a symbol is made once.
        let mut texts: Vec<Option<String>> = vec![None; symbols.len()];
        let mut events = 0;
        for (position, symbol) in stored.model.expand(symbols).enumerate() {
            let text = texts[symbol.index()].get_or_insert_with(|| {
                let text = SymbolText::new(names, stored.location, symbols.symbol(symbol));
                SymbolText {
                    exact: true,
                    ..text
                }
                .to_string()
            });
            writeln!(out, "{position}\t{text}")?;
            events += 1;
        }
        if events != stored.model.events {
            let (location, expected) = (stored.location, stored.model.events);
            let message =
                format!("the model gives {events} events, location {location} has {expected}");
            return Err(TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(store.path()).location(location))
                .hint("'foldtrace verify' tells what is not as it was written")
                .into());
        }
    }
    Ok(())
}

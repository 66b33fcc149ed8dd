//! Reads a trace to its end, into a form that tests can compare.

use std::collections::BTreeMap;
use std::path::Path;

use foldtrace_trace::{
    AttributeColumns, Definitions, Diagnostics, EventBatch, EventRef, Format, Input, LocationId,
    MetricColumns, Quantity, ReadOptions, Step, Symbol, SymbolTable, TraceError, ValueType,
};

/// An event with all its data, independent of its batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The symbol of the event.
    pub symbol: Symbol,
    /// The time in ticks.
    pub time: u64,
    /// The quantities; undefined if the kind of the event does not have them.
    pub quantities: [u64; Quantity::COUNT],
    /// The metric values: member, type and bits.
    pub metrics: Vec<(u32, ValueType, u64)>,
    /// The attributes: id, type and bits.
    pub attributes: Vec<(u64, ValueType, u64)>,
}

impl Event {
    /// Creates an event from the columns of a batch.
    pub fn new(
        event: &EventRef,
        symbols: &SymbolTable,
        metrics: &MetricColumns,
        attributes: &AttributeColumns,
    ) -> Self {
        let (m, a) = (metrics, attributes);
        Self {
            symbol: symbols.symbol(event.symbol),
            time: event.time.0,
            quantities: event.quantities,
            metrics: (m.rows(event.index))
                .map(|row| (m.member[row], m.value_type[row], m.value[row]))
                .collect(),
            attributes: (a.rows(event.index))
                .map(|row| (a.attribute[row], a.value_type[row], a.value[row]))
                .collect(),
        }
    }
}

/// Events by location.
pub type Events = BTreeMap<LocationId, Vec<Event>>;

/// Appends the events of a batch, and checks that positions have no gap.
pub fn collect(events: &mut Events, batch: &EventBatch, symbols: &SymbolTable) {
    let mine = events.entry(batch.location).or_default();
    for event in batch.iter(symbols) {
        assert_eq!(event.position.0, mine.len() as u64, "positions have a gap");
        mine.push(Event::new(
            &event,
            symbols,
            &batch.metrics,
            &batch.attributes,
        ));
    }
}

/// The result of reading a trace to its end.
#[derive(Debug, Default)]
pub struct Read {
    /// All definitions, in order.
    pub definitions: Definitions,
    /// All events, by location.
    pub events: Events,
    /// The diagnostics of the reader and its streams.
    pub diagnostics: Diagnostics,
    /// The errors of the streams.
    pub errors: Vec<TraceError>,
    /// The number of batches.
    pub batches: usize,
}

/// Reads a whole trace, one stream after another, and collects the errors of the streams.
///
/// # Errors
/// If the trace cannot be opened.
pub fn read(format: &dyn Format, path: &Path, salvage: bool) -> Result<Read, TraceError> {
    let reader = format.open(Input::Path(path.to_owned()), &ReadOptions::whole(salvage))?;
    let mut read = Read {
        definitions: reader.definitions().clone(),
        diagnostics: reader.diagnostics().clone(),
        ..Read::default()
    };
    let mut batch = EventBatch::default();
    for index in 0..reader.streams().len() {
        let mut stream = reader.open_stream(index)?;
        loop {
            let step = stream.next_batch(&mut batch, &mut read.diagnostics);
            read.definitions.append(&batch.definitions);
            if !batch.is_empty() {
                read.batches += 1;
                collect(&mut read.events, &batch, stream.symbols());
            }
            match step {
                Ok(Step::Batch) => assert!(!batch.is_empty()),
                Ok(Step::End) => {
                    assert!(batch.is_empty());
                    break;
                }
                Err(error) => read.errors.push(error),
            }
        }
    }
    Ok(read)
}

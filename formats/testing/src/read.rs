//! Reading a trace to its end, into something that can be compared.

use std::collections::BTreeMap;
use std::path::Path;

use foldtrace_trace::{
    AttributeColumns, Definitions, Diagnostics, EventBatch, EventRef, Format, Input, LocationId,
    MetricColumns, Quantity, ReadOptions, Step, Symbol, SymbolTable, TraceError, ValueType,
};

/// An event with everything it has, apart from its batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What happened.
    pub symbol: Symbol,
    /// When.
    pub time: u64,
    /// How much; undefined where its kind has no such quantity.
    pub quantities: [u64; Quantity::COUNT],
    /// Member, type and bits.
    pub metrics: Vec<(u32, ValueType, u64)>,
    /// Id, type and bits.
    pub attributes: Vec<(u64, ValueType, u64)>,
}

impl Event {
    /// An event that stands in columns.
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

/// Appends the events of a batch; checks that positions have no gap.
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

/// A trace that was read to its end.
#[derive(Debug, Default)]
pub struct Read {
    /// All of them, in order.
    pub definitions: Definitions,
    /// All of them, by location.
    pub events: Events,
    /// Of the reader and its streams.
    pub diagnostics: Diagnostics,
    /// Of the streams.
    pub errors: Vec<TraceError>,
    /// How many there were.
    pub batches: usize,
}

/// Reads all there is of a trace, stream after stream; errors of the streams are collected.
///
/// # Errors
/// Those of opening.
pub fn read(format: &dyn Format, path: &Path, salvage: bool) -> Result<Read, TraceError> {
    let reader = format.open(Input::Path(path.to_owned()), &ReadOptions { salvage })?;
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

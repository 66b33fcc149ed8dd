//! What the tests of this crate share.

use std::collections::BTreeMap;
use std::path::Path;

use foldtrace_chrome::Chrome;
use foldtrace_trace::{
    Definitions, Diagnostics, EventBatch, Format, Input, LocationId, Quantity, ReadOptions, Step,
    Symbol, SymbolTable, TraceError, ValueType,
};

/// An event with everything it has, apart from its batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    pub symbol: Symbol,
    pub time: u64,
    pub quantities: [u64; Quantity::COUNT],
    pub metrics: Vec<(u32, ValueType, u64)>,
    pub attributes: Vec<(u64, ValueType, u64)>,
}

/// Events by location.
pub type Events = BTreeMap<LocationId, Vec<Whole>>;

/// Appends the events of a batch; checks that positions have no gap.
pub fn collect(events: &mut Events, batch: &EventBatch, symbols: &SymbolTable) {
    let mine = events.entry(batch.location).or_default();
    for event in batch.iter(symbols) {
        assert_eq!(event.position.0, mine.len() as u64);
        let metrics = &batch.metrics;
        let attributes = &batch.attributes;
        mine.push(Whole {
            symbol: symbols.symbol(event.symbol),
            time: event.time.0,
            quantities: event.quantities,
            metrics: metrics
                .rows(event.index)
                .map(|row| {
                    (
                        metrics.member[row],
                        metrics.value_type[row],
                        metrics.value[row],
                    )
                })
                .collect(),
            attributes: attributes
                .rows(event.index)
                .map(|row| {
                    (
                        attributes.attribute[row],
                        attributes.value_type[row],
                        attributes.value[row],
                    )
                })
                .collect(),
        });
    }
}

/// A trace that was read to its end.
#[derive(Debug, Default)]
pub struct Read {
    pub definitions: Definitions,
    pub events: Events,
    pub diagnostics: Diagnostics,
    pub errors: Vec<TraceError>,
}

/// Reads all there is; errors of the stream are collected, those of opening are not.
pub fn read(path: &Path, salvage: bool) -> Result<Read, TraceError> {
    let reader = Chrome.open(Input::Path(path.to_owned()), &ReadOptions { salvage })?;
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

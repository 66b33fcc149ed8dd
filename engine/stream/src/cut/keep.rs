//! Keeps some events of a batch, by a mask over its columns.
//!
//! Quantities are packed, so each of their columns is traversed together with the symbols, which determine the event
//! of each value. Nothing is allocated: columns are compacted in place.

use foldtrace_trace::{EventBatch, Quantity};

/// Keeps the events for which `keep` is `true`, with their quantities, metrics and attributes. `keep` is as long as
/// the batch, and `quantities` contains the bits of the quantities of each event in the original batch. The batch's
/// first position and its definitions do not change.
pub(super) fn retain(batch: &mut EventBatch, keep: &[bool], quantities: &[u8]) {
    for &quantity in Quantity::ALL {
        let bit = quantity.bit();
        let column = &mut batch.quantities[quantity as usize];
        if column.is_empty() {
            continue;
        }
        let mut owners = keep.iter().zip(quantities).filter(|(_, q)| *q & bit != 0);
        column.retain(|_| owners.next().is_some_and(|(keep, _)| *keep));
    }
    let metrics = &mut batch.metrics;
    let rows = &metrics.event;
    retain_rows(&mut metrics.member, rows, keep);
    retain_rows(&mut metrics.value_type, rows, keep);
    retain_rows(&mut metrics.value, rows, keep);
    renumber(&mut metrics.event, keep);
    let attributes = &mut batch.attributes;
    let rows = &attributes.event;
    retain_rows(&mut attributes.attribute, rows, keep);
    retain_rows(&mut attributes.value_type, rows, keep);
    retain_rows(&mut attributes.value, rows, keep);
    renumber(&mut attributes.event, keep);
    retain_events(&mut batch.symbols, keep);
    retain_events(&mut batch.times, keep);
}

fn is_kept(keep: &[bool], event: u32) -> bool {
    keep.get(event as usize) == Some(&true)
}

/// Keeps values of a column with one value per event.
fn retain_events<T>(column: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    column.retain(|_| keep.next() == Some(&true));
}

/// Keeps values of a column next to `rows`, which contains the event of each value.
fn retain_rows<T>(column: &mut Vec<T>, rows: &[u32], keep: &[bool]) {
    let mut rows = rows.iter();
    column.retain(|_| rows.next().is_some_and(|&event| is_kept(keep, event)));
}

/// Replaces the event indices of a column by those after the removal. The indices do not decrease, so that one pass
/// counts the kept events.
fn renumber(events: &mut Vec<u32>, keep: &[bool]) {
    events.retain(|&event| is_kept(keep, event));
    let (mut passed, mut kept) = (0, 0);
    for event in events {
        while passed < *event {
            kept += u32::from(is_kept(keep, passed));
            passed += 1;
        }
        *event = kept;
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{
        EventKind, LocationId, Position, Symbol, SymbolId, SymbolTable, Timestamp, ValueType,
    };
    use proptest::prelude::*;

    use super::*;

    /// An event with its quantities, metrics and attributes.
    #[derive(Clone, Debug, PartialEq)]
    struct Event {
        kind: usize,
        time: u64,
        quantities: [u64; Quantity::COUNT],
        metrics: Vec<(u32, u64)>,
        attributes: Vec<(u64, u64)>,
        keep: bool,
    }

    fn event() -> impl Strategy<Value = Event> {
        let side = || prop::collection::vec((0..3_u32, any::<u64>()), 0..3);
        (
            0..EventKind::COUNT,
            any::<u64>(),
            prop::array::uniform5(any::<u64>()),
            side(),
            side(),
            any::<bool>(),
        )
            .prop_map(
                |(kind, time, quantities, metrics, attributes, keep)| Event {
                    kind,
                    time,
                    quantities,
                    metrics,
                    attributes: attributes
                        .into_iter()
                        .map(|(a, v)| (u64::from(a), v))
                        .collect(),
                    keep,
                },
            )
    }

    fn batch_of<'a>(events: impl Iterator<Item = &'a Event>, symbols: &[SymbolId]) -> EventBatch {
        let mut batch = EventBatch::default();
        batch.reset(LocationId(3), Position(7));
        for event in events {
            let index = batch.len() as u32;
            let kind = EventKind::ALL[event.kind];
            let quantities = kind.quantities().iter();
            let quantities: Vec<_> = quantities
                .map(|&q| (q, event.quantities[q as usize]))
                .collect();
            batch.push(symbols[event.kind], Timestamp(event.time), &quantities);
            for &(member, value) in &event.metrics {
                batch.metrics.push(index, member, ValueType::Uint64, value);
            }
            for &(attribute, value) in &event.attributes {
                batch
                    .attributes
                    .push(index, attribute, ValueType::Int64, value);
            }
        }
        batch
    }

    proptest! {
        #[test]
        fn the_result_is_a_batch_of_the_kept_events(events in prop::collection::vec(event(), 0..60)) {
            let mut table = SymbolTable::default();
            let symbols: Vec<_> = EventKind::ALL.iter().map(|&k| table.intern(Symbol::new(k, &[]))).collect();
            let mut batch = batch_of(events.iter(), &symbols);
            let keep: Vec<_> = events.iter().map(|event| event.keep).collect();
            let bits: Vec<_> = events.iter().map(|event| EventKind::ALL[event.kind].quantity_bits()).collect();
            retain(&mut batch, &keep, &bits);
            prop_assert_eq!(batch, batch_of(events.iter().filter(|event| event.keep), &symbols));
        }
    }
}

//! Batches: consecutive events of one location, in columns.
//!
//! The same reader and consumer reuse a batch many times, so that its columns are allocated only once. Quantities are
//! packed: a column has values only for events whose kind has that quantity, in order. [`EventBatch::iter`] assembles
//! the events from the columns.

use crate::{
    Definitions, LocationId, Position, Quantity, SymbolId, SymbolTable, Timestamp, ValueType,
};

/// Consecutive events of one location. The symbols are ids of the stream's own [`SymbolTable`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventBatch {
    /// The location of the events.
    pub location: LocationId,
    /// Position of the first event; the others follow without gaps.
    pub first: Position,
    /// The symbol of each event.
    pub symbols: Vec<SymbolId>,
    /// The time of each event.
    pub times: Vec<Timestamp>,
    /// Packed values per [`Quantity`], indexed by its discriminant.
    pub quantities: [Vec<u64>; Quantity::COUNT],
    /// Values of metric events.
    pub metrics: MetricColumns,
    /// Attributes that events have in addition to the fields of their records.
    pub attributes: AttributeColumns,
    /// Definitions that became known since the previous batch.
    pub definitions: Definitions,
}

/// Values of the members of metrics, any number per event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricColumns {
    /// Index of the event in its batch; not decreasing.
    pub event: Vec<u32>,
    /// Index of the member within its metric's class.
    pub member: Vec<u32>,
    /// Type of the value.
    pub value_type: Vec<ValueType>,
    /// Bits of the value.
    pub value: Vec<u64>,
}

/// Attributes of events: named, typed values in addition to the fields of the records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeColumns {
    /// Index of the event in its batch; not decreasing.
    pub event: Vec<u32>,
    /// Id of the attribute's definition.
    pub attribute: Vec<u64>,
    /// Type of the value.
    pub value_type: Vec<ValueType>,
    /// Bits of the value, or the id of the definition it refers to.
    pub value: Vec<u64>,
}

impl MetricColumns {
    /// Appends one value of event number `event` of the batch.
    pub fn push(&mut self, event: u32, member: u32, value_type: ValueType, value: u64) {
        self.event.push(event);
        self.member.push(member);
        self.value_type.push(value_type);
        self.value.push(value);
    }

    /// Removes all values but keeps the memory.
    pub fn clear(&mut self) {
        self.event.clear();
        self.member.clear();
        self.value_type.clear();
        self.value.clear();
    }

    /// Removes the values of event number `event` and of all later events.
    pub fn truncate(&mut self, event: u32) {
        let rows = self.rows(event).start;
        self.event.truncate(rows);
        self.member.truncate(rows);
        self.value_type.truncate(rows);
        self.value.truncate(rows);
    }

    /// Returns a copy of the values of event number `event`, as event 0.
    #[must_use]
    pub fn of_event(&self, event: u32) -> Self {
        let rows = self.rows(event);
        Self {
            event: vec![0; rows.len()],
            member: self.member[rows.clone()].to_vec(),
            value_type: self.value_type[rows.clone()].to_vec(),
            value: self.value[rows].to_vec(),
        }
    }

    /// Returns the values of event number `event`, as a range of rows.
    #[must_use]
    pub fn rows(&self, event: u32) -> std::ops::Range<usize> {
        rows(&self.event, event)
    }
}

impl AttributeColumns {
    /// Appends one attribute of event number `event` of the batch.
    #[inline]
    pub fn push(&mut self, event: u32, attribute: u64, value_type: ValueType, value: u64) {
        self.event.push(event);
        self.attribute.push(attribute);
        self.value_type.push(value_type);
        self.value.push(value);
    }

    /// Appends attributes of event number `event` of the batch: their ids, types and bits.
    #[inline]
    pub fn extend(&mut self, event: u32, attributes: &[(u64, ValueType, u64)]) {
        for &(attribute, value_type, value) in attributes {
            self.push(event, attribute, value_type, value);
        }
    }

    /// Removes all attributes but keeps the memory.
    pub fn clear(&mut self) {
        self.event.clear();
        self.attribute.clear();
        self.value_type.clear();
        self.value.clear();
    }

    /// Removes the attributes of event number `event` and of all later events.
    pub fn truncate(&mut self, event: u32) {
        let rows = self.rows(event).start;
        self.event.truncate(rows);
        self.attribute.truncate(rows);
        self.value_type.truncate(rows);
        self.value.truncate(rows);
    }

    /// Returns a copy of the attributes of event number `event`, as event 0.
    #[must_use]
    pub fn of_event(&self, event: u32) -> Self {
        let rows = self.rows(event);
        Self {
            event: vec![0; rows.len()],
            attribute: self.attribute[rows.clone()].to_vec(),
            value_type: self.value_type[rows.clone()].to_vec(),
            value: self.value[rows].to_vec(),
        }
    }

    /// Returns the attributes of event number `event`, as a range of rows.
    #[must_use]
    pub fn rows(&self, event: u32) -> std::ops::Range<usize> {
        rows(&self.event, event)
    }
}

fn rows(events: &[u32], event: u32) -> std::ops::Range<usize> {
    let start = events.partition_point(|&e| e < event);
    start..start + events[start..].partition_point(|&e| e == event)
}

impl EventBatch {
    /// Empties the batch for events of `location` that begin at position `first`. Keeps the memory.
    pub fn reset(&mut self, location: LocationId, first: Position) {
        self.location = location;
        self.first = first;
        self.symbols.clear();
        self.times.clear();
        self.quantities.iter_mut().for_each(Vec::clear);
        self.metrics.clear();
        self.attributes.clear();
        self.definitions.clear();
    }

    /// Returns the number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Returns whether the batch has no events.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Appends an event, with `quantities` in the order of its kind's [`quantities`](crate::EventKind::quantities).
    #[inline]
    pub fn push(&mut self, symbol: SymbolId, time: Timestamp, quantities: &[(Quantity, u64)]) {
        self.symbols.push(symbol);
        self.times.push(time);
        for &(quantity, value) in quantities {
            self.quantities[quantity as usize].push(value);
        }
    }

    /// Returns an iterator over the events; `symbols` is the table of the stream that filled the batch.
    #[must_use]
    pub fn iter<'a>(&'a self, symbols: &'a SymbolTable) -> Events<'a> {
        Events {
            batch: self,
            symbols,
            cursor: BatchCursor::default(),
        }
    }
}

/// One event of a batch, assembled from its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRef {
    /// Index in the batch.
    pub index: u32,
    /// Position in the location.
    pub position: Position,
    /// The time of the event.
    pub time: Timestamp,
    /// The symbol of the event.
    pub symbol: SymbolId,
    /// The value of each [`Quantity`]; [`UNDEFINED`](crate::UNDEFINED) if the kind does not have it.
    pub quantities: [u64; Quantity::COUNT],
}

impl EventRef {
    /// Returns the value of `quantity`; `None` if the kind does not have it or the source left it undefined.
    #[inline]
    #[must_use]
    pub fn get(&self, quantity: Quantity) -> Option<u64> {
        let value = self.quantities[quantity as usize];
        (value != crate::UNDEFINED).then_some(value)
    }
}

/// A position in a batch that does not borrow the batch, for callers that alternate between many batches.
///
/// A cursor is valid for one filling of a batch; when the batch is filled again, it needs a new cursor.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchCursor {
    next: usize,
    quantities: [usize; Quantity::COUNT],
}

impl BatchCursor {
    /// Returns the event at the cursor and advances the cursor; `None` at the end of the batch.
    #[inline]
    pub fn next(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Option<EventRef> {
        let index = self.next;
        let symbol = *batch.symbols.get(index)?;
        self.next += 1;
        let mut quantities = [crate::UNDEFINED; Quantity::COUNT];
        for &quantity in symbols.kind(symbol).quantities() {
            let column = quantity as usize;
            if let Some(&value) = batch.quantities[column].get(self.quantities[column]) {
                quantities[column] = value;
            }
            self.quantities[column] += 1;
        }
        Some(EventRef {
            index: index as u32,
            position: Position(batch.first.0 + index as u64),
            time: batch.times[index],
            symbol,
            quantities,
        })
    }

    /// Returns the position, the time and the symbol of the event at the cursor; `None` at the end of the batch.
    #[inline]
    #[must_use]
    pub fn peek(&self, batch: &EventBatch) -> Option<(Position, Timestamp, SymbolId)> {
        let index = self.next;
        let symbol = *batch.symbols.get(index)?;
        let position = Position(batch.first.0 + index as u64);
        Some((position, batch.times[index], symbol))
    }

    /// Advances the cursor past the event at it.
    #[inline]
    pub fn skip(&mut self, batch: &EventBatch, symbols: &SymbolTable) {
        if let Some(&symbol) = batch.symbols.get(self.next) {
            self.next += 1;
            for &quantity in symbols.kind(symbol).quantities() {
                self.quantities[quantity as usize] += 1;
            }
        }
    }
}

/// An iterator over the events of a batch, see [`EventBatch::iter`].
#[derive(Debug)]
pub struct Events<'a> {
    batch: &'a EventBatch,
    symbols: &'a SymbolTable,
    cursor: BatchCursor,
}

impl Iterator for Events<'_> {
    type Item = EventRef;

    #[inline]
    fn next(&mut self) -> Option<EventRef> {
        self.cursor.next(self.batch, self.symbols)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.batch.len() - self.cursor.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Events<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventKind, Symbol};

    #[test]
    fn packed_quantities_come_back_with_their_events() {
        let mut symbols = SymbolTable::default();
        let enter = symbols.intern(Symbol::new(EventKind::Enter, &[1]));
        let send = symbols.intern(Symbol::new(EventKind::MpiSend, &[1, 0, 5]));
        let mut batch = EventBatch::default();
        batch.reset(LocationId(4), Position(10));
        batch.push(enter, Timestamp(1), &[]);
        batch.push(send, Timestamp(2), &[(Quantity::Bytes, 800)]);
        batch.push(send, Timestamp(3), &[(Quantity::Bytes, 900)]);
        batch.metrics.push(1, 0, ValueType::Uint64, 5);
        batch.metrics.push(1, 1, ValueType::Uint64, 6);
        let events: Vec<_> = batch.iter(&symbols).collect();
        assert_eq!(events[1].quantities[Quantity::Bytes as usize], 800);
        assert_eq!(events[2].get(Quantity::Bytes), Some(900));
        assert_eq!(events[0].get(Quantity::Bytes), None);
        assert_eq!(events[2].position, Position(12));
        assert_eq!(batch.metrics.rows(1), 0..2);
        assert_eq!(batch.metrics.rows(0), 0..0);
        assert_eq!(batch.metrics.rows(2), 2..2);
        batch.metrics.truncate(2);
        assert_eq!(batch.metrics.value, [5, 6]);
        batch.metrics.truncate(1);
        assert_eq!(batch.metrics, MetricColumns::default());
    }
}

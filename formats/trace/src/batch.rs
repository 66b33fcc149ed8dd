//! Batches: consecutive events of one location, as columns.
//!
//! A batch is filled and emptied again and again by the same pair of reader and consumer, so that
//! its columns are allocated once. Quantities are packed: a column holds values only for events
//! whose kind has that quantity, in order; [`EventBatch::iter`] puts them back together.

use crate::{
    Definitions, LocationId, Position, Quantity, SymbolId, SymbolTable, Timestamp, ValueType,
};

/// Consecutive events of one location. Symbols are ids of the stream's own [`SymbolTable`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventBatch {
    /// Whose events these are.
    pub location: LocationId,
    /// Position of the first event; the others follow without a gap.
    pub first: Position,
    /// What happened, one an event.
    pub symbols: Vec<SymbolId>,
    /// When, one an event.
    pub times: Vec<Timestamp>,
    /// Packed values a [`Quantity`], indexed by its discriminant.
    pub quantities: [Vec<u64>; Quantity::COUNT],
    /// Values of metric events.
    pub metrics: MetricColumns,
    /// Attributes that events carry beyond their record.
    pub attributes: AttributeColumns,
    /// Definitions that became known since the batch before.
    pub definitions: Definitions,
}

/// Values of the members of metrics, several an event.
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

/// Attributes of events: a named, typed value beside the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeColumns {
    /// Index of the event in its batch; not decreasing.
    pub event: Vec<u32>,
    /// Id of the attribute's definition.
    pub attribute: Vec<u64>,
    /// Type of the value.
    pub value_type: Vec<ValueType>,
    /// Bits of the value, or the id of what it refers to.
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

    /// Forgets all values, keeps the memory.
    pub fn clear(&mut self) {
        self.event.clear();
        self.member.clear();
        self.value_type.clear();
        self.value.clear();
    }

    /// Forgets the values of event number `event` and of those behind it.
    pub fn truncate(&mut self, event: u32) {
        let rows = self.rows(event).start;
        self.event.truncate(rows);
        self.member.truncate(rows);
        self.value_type.truncate(rows);
        self.value.truncate(rows);
    }

    /// A copy of the values of event number `event`, as event 0.
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

    /// Values of event number `event`, as a range of rows.
    #[must_use]
    pub fn rows(&self, event: u32) -> std::ops::Range<usize> {
        rows(&self.event, event)
    }
}

impl AttributeColumns {
    /// Appends one attribute of event number `event` of the batch.
    pub fn push(&mut self, event: u32, attribute: u64, value_type: ValueType, value: u64) {
        self.event.push(event);
        self.attribute.push(attribute);
        self.value_type.push(value_type);
        self.value.push(value);
    }

    /// Forgets all attributes, keeps the memory.
    pub fn clear(&mut self) {
        self.event.clear();
        self.attribute.clear();
        self.value_type.clear();
        self.value.clear();
    }

    /// Forgets the attributes of event number `event` and of those behind it.
    pub fn truncate(&mut self, event: u32) {
        let rows = self.rows(event).start;
        self.event.truncate(rows);
        self.attribute.truncate(rows);
        self.value_type.truncate(rows);
        self.value.truncate(rows);
    }

    /// A copy of the attributes of event number `event`, as event 0.
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

    /// Attributes of event number `event`, as a range of rows.
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
    /// Empties the batch for events of `location` from `first` on; keeps the memory.
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

    /// Number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether there is no event in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Appends an event; `quantities` in the order of its kind's [`quantities`](crate::EventKind::quantities).
    #[inline]
    pub fn push(&mut self, symbol: SymbolId, time: Timestamp, quantities: &[(Quantity, u64)]) {
        self.symbols.push(symbol);
        self.times.push(time);
        for &(quantity, value) in quantities {
            self.quantities[quantity as usize].push(value);
        }
    }

    /// The events one by one; `symbols` is the table of the stream that filled the batch.
    #[must_use]
    pub fn iter<'a>(&'a self, symbols: &'a SymbolTable) -> Events<'a> {
        Events {
            batch: self,
            symbols,
            cursor: BatchCursor::default(),
        }
    }
}

/// One event of a batch, put together from its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRef {
    /// Index in the batch.
    pub index: u32,
    /// Position in the location.
    pub position: Position,
    /// When.
    pub time: Timestamp,
    /// What.
    pub symbol: SymbolId,
    /// How much: one value a [`Quantity`] that the kind has, [`UNDEFINED`](crate::UNDEFINED) for others.
    pub quantities: [u64; Quantity::COUNT],
}

impl EventRef {
    /// The value of `quantity`; `None` where the kind has none or the source left it undefined.
    #[inline]
    #[must_use]
    pub fn get(&self, quantity: Quantity) -> Option<u64> {
        let value = self.quantities[quantity as usize];
        (value != crate::UNDEFINED).then_some(value)
    }
}

/// A place in a batch that does not hold on to it, for who goes through many batches by turns.
/// It is of use for one batch as it was filled; a batch that is filled anew needs a new one.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchCursor {
    next: usize,
    quantities: [usize; Quantity::COUNT],
}

impl BatchCursor {
    /// The event at the cursor, which goes on to the one behind; `None` at the end of the batch.
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

    /// The time of the event at the cursor; `None` at the end of the batch.
    #[inline]
    #[must_use]
    pub fn time(&self, batch: &EventBatch) -> Option<Timestamp> {
        batch.times.get(self.next).copied()
    }
}

/// Iterator over the events of a batch, see [`EventBatch::iter`].
#[derive(Debug)]
pub struct Events<'a> {
    batch: &'a EventBatch,
    symbols: &'a SymbolTable,
    cursor: BatchCursor,
}

impl Iterator for Events<'_> {
    type Item = EventRef;

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

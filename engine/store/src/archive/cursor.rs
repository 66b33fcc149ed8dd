//! The decoded quantities of a segment, read from the first event to the last.

use foldtrace_trace::{EventBatch, Quantity, Timestamp, UNDEFINED};

use super::quantities::EventColumns;
use crate::field::{Field, Gathered};

/// The decoded quantities of a segment, and the position in them.
#[derive(Debug)]
pub(crate) struct Cursor {
    columns: EventColumns,
    /// The quantities that each event has, one bit per quantity.
    masks: Vec<u8>,
    event: usize,
    values: [usize; Quantity::COUNT],
}

impl Cursor {
    /// Creates a cursor at the first event; `masks` are the quantities that each event has, one bit per quantity.
    pub fn new(columns: EventColumns, masks: Vec<u8>) -> Self {
        Self {
            columns,
            masks,
            event: 0,
            values: [0; Quantity::COUNT],
        }
    }

    /// Returns the times of all events.
    pub fn times(&self) -> &[u64] {
        &self.columns.times
    }

    /// Appends the values of some events, in ascending order, in a column.
    pub fn gather(&self, field: Field, events: &[u64], gathered: &mut Gathered) {
        let Field::Quantity(quantity) = field else {
            let time = |&event: &u64| self.columns.times.get(event as usize).copied();
            events.iter().for_each(|event| gathered.push(time(event)));
            return;
        };
        let has = |mask: &u8| mask & quantity.bit() != 0;
        let (mut event, mut value) = (0, 0);
        for &requested in events {
            let requested = (requested as usize).min(self.masks.len());
            value += self.masks[event..requested]
                .iter()
                .filter(|m| has(m))
                .count();
            event = requested;
            let found = self.columns.quantities[quantity as usize].get(value);
            let found = found.filter(|_| self.masks.get(requested).is_some_and(has));
            let is_known = |&&v: &&u64| v != UNDEFINED || quantity == Quantity::Value;
            gathered.push(found.filter(is_known).copied());
        }
    }

    /// Skips the next events.
    pub fn skip(&mut self, events: usize) {
        let end = (self.event + events).min(self.masks.len());
        for mask in &self.masks[self.event..end] {
            for quantity in Quantity::ALL {
                self.values[*quantity as usize] += usize::from(mask & quantity.bit() != 0);
            }
        }
        self.event = end;
    }

    /// Appends the times of the next events, and skips their other quantities.
    pub fn read_times(&mut self, events: usize, times: &mut Vec<Timestamp>) {
        let first = self.event;
        self.skip(events);
        let read = self.columns.times[first..self.event].iter();
        times.extend(read.map(|&time| Timestamp(time)));
    }

    /// Returns the time of the next event, and one value per quantity, which is undefined if the event does not have
    /// it.
    pub fn read_event(&mut self) -> (Timestamp, [u64; Quantity::COUNT]) {
        let (event, first) = (self.event, self.values);
        self.skip(1);
        let mut values = [UNDEFINED; Quantity::COUNT];
        for (index, value) in values.iter_mut().enumerate() {
            let having = first[index]..self.values[index];
            if let Some(&[found]) = self.columns.quantities[index].get(having) {
                *value = found;
            }
        }
        let time = self.columns.times.get(event).copied().unwrap_or_default();
        (Timestamp(time), values)
    }

    /// Adds times and quantities to `batch`, which contains the symbols of the next events.
    pub fn read(&mut self, batch: &mut EventBatch) {
        let first = self.values;
        self.read_times(batch.symbols.len(), &mut batch.times);
        for &quantity in Quantity::ALL {
            let index = quantity as usize;
            let values = &self.columns.quantities[index][first[index]..self.values[index]];
            batch.quantities[index].extend_from_slice(values);
        }
    }
}

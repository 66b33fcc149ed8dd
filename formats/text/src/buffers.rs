//! From lines of all locations to batches of one location each.
//!
//! Lines of a trace in global time order change location all the time. Each location collects its
//! events in a batch of its own until that is full, or all of them together have become too many;
//! so memory is bounded whatever the number of locations.

use std::collections::{HashMap, VecDeque};

use foldtrace_trace::{EventBatch, EventKind, LocationId, Position, Quantity, SymbolId, Timestamp};

use crate::event::Extras;

/// Events of a full batch.
const FULL: usize = 8192;
/// Rows of a full batch: events, metric values and attributes.
const FULL_ROWS: usize = 8 * FULL;
/// Rows of all batches together that are waiting at most.
const MOST_ROWS: usize = 1 << 18;
/// Emptied batches that are kept for the next location. Each is reckoned as a full one while it is
/// in use, because its memory is.
const SPARE: usize = 8;

#[derive(Debug)]
struct Slot {
    location: LocationId,
    /// Position of the next event.
    next: u64,
    last_time: u64,
    /// Rows reckoned for the batch.
    rows: usize,
    batch: Option<Box<EventBatch>>,
}

/// Batches being collected.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    slots: Vec<Slot>,
    slot_of: HashMap<LocationId, u32>,
    /// Slots with events, in the order of their first one.
    active: Vec<u32>,
    ready: VecDeque<u32>,
    #[expect(clippy::vec_box, reason = "the boxes move on to slots as they are")]
    spare: Vec<Box<EventBatch>>,
    rows: usize,
}

impl Buffers {
    /// The slot of a location.
    pub(crate) fn slot(&mut self, location: LocationId) -> u32 {
        *self.slot_of.entry(location).or_insert_with(|| {
            self.slots.push(Slot {
                location,
                next: 0,
                last_time: 0,
                rows: 0,
                batch: None,
            });
            self.slots.len() as u32 - 1
        })
    }

    /// Appends an event; gives its position and the time before it if its own time is less.
    #[inline]
    pub(crate) fn push(
        &mut self,
        slot_id: u32,
        symbol: SymbolId,
        kind: EventKind,
        time: Option<u64>,
        quantities: &[u64; Quantity::COUNT],
        extras: &Extras,
    ) -> Option<Backwards> {
        let slot = &mut self.slots[slot_id as usize];
        let mut rows = 1 + extras.metrics.len() + extras.attributes.len();
        let batch = slot.batch.get_or_insert_with(|| {
            self.active.push(slot_id);
            let mut batch = match self.spare.pop() {
                Some(batch) => {
                    rows += FULL;
                    batch
                }
                None => Box::default(),
            };
            batch.reset(slot.location, Position(slot.next));
            batch
        });
        let index = batch.len() as u32;
        // Without a clock, the order is the time.
        let time = time.unwrap_or(slot.next);
        batch.symbols.push(symbol);
        batch.times.push(Timestamp(time));
        for &quantity in kind.quantities() {
            batch.quantities[quantity as usize].push(quantities[quantity as usize]);
        }
        for &(member, value_type, bits) in &extras.metrics {
            batch.metrics.push(index, member, value_type, bits);
        }
        for &(id, value_type, bits) in &extras.attributes {
            batch.attributes.push(index, id, value_type, bits);
        }
        slot.rows += rows;
        self.rows += rows;
        let backwards = (time < slot.last_time).then_some(Backwards {
            location: slot.location,
            position: Position(slot.next),
            time,
            before: slot.last_time,
        });
        slot.last_time = time;
        slot.next += 1;
        if batch.len() >= FULL || slot.rows >= 2 * FULL_ROWS {
            self.active.retain(|&other| other != slot_id);
            self.ready.push_back(slot_id);
        }
        if self.rows > MOST_ROWS {
            self.flush();
        }
        backwards
    }

    /// Makes all that was collected ready.
    pub(crate) fn flush(&mut self) {
        self.ready.extend(self.active.drain(..));
    }

    /// Whether a batch is ready; it has to be taken before the next event is pushed.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Moves the next batch that is ready into `batch`; whether there was one.
    pub(crate) fn take(&mut self, batch: &mut EventBatch) -> bool {
        let Some(slot) = self.ready.pop_front() else {
            return false;
        };
        let slot = &mut self.slots[slot as usize];
        let Some(mut full) = slot.batch.take() else {
            return false;
        };
        self.rows -= slot.rows;
        slot.rows = 0;
        std::mem::swap(&mut *full, batch);
        if self.spare.len() < SPARE {
            self.spare.push(full);
        }
        true
    }
}

/// Time that went backwards in a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backwards {
    pub location: LocationId,
    pub position: Position,
    pub time: u64,
    pub before: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldtrace_trace::UNDEFINED;

    #[test]
    fn batches_are_consecutive_and_memory_is_bounded() {
        let mut buffers = Buffers::default();
        let mut next = HashMap::new();
        let mut batch = EventBatch::default();
        let mut total = 0;
        let mut take = |buffers: &mut Buffers| {
            while buffers.take(&mut batch) {
                let expected: &mut u64 = next.entry(batch.location).or_default();
                assert_eq!(batch.first.0, *expected);
                *expected += batch.len() as u64;
                total += batch.len();
            }
        };
        for i in 0..600_000u64 {
            // One location has many events, and thousands have few.
            let location = if i % 3 == 0 { 0 } else { i % 5000 };
            let slot = buffers.slot(LocationId(location));
            buffers.push(
                slot,
                SymbolId(0),
                EventKind::Enter,
                None,
                &[UNDEFINED; 5],
                &Extras::default(),
            );
            assert!(buffers.rows <= MOST_ROWS + FULL + 1);
            take(&mut buffers);
        }
        buffers.flush();
        take(&mut buffers);
        assert_eq!(total, 600_000);
        assert_eq!(buffers.rows, 0);
    }
}

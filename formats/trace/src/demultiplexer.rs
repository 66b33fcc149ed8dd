//! Splits events of all locations into batches of one location each.
//!
//! A trace in global time order changes location all the time. The events of each location are collected in a batch
//! of its own until the batch is full, or until all batches together are too large. The memory is therefore bounded
//! for any number of locations.

use std::collections::{HashMap, VecDeque};

use crate::{
    EventBatch, EventKind, LocationId, Position, Quantity, SymbolId, Timestamp, UNDEFINED,
    ValueType,
};

/// Number of events of a full batch.
const FULL: usize = 8192;
/// Number of rows of a full batch: events, metric values and attributes.
const FULL_ROWS: usize = 8 * FULL;
/// Maximum number of rows of all waiting batches together.
const MOST_ROWS: usize = 1 << 18;
/// Maximum number of rows for which empty batches that are kept for reuse have memory, and for which reused ones have it.
const MOST_SPARE_ROWS: usize = 1 << 20;

#[derive(Debug)]
struct Slot {
    location: LocationId,
    /// Position of the next event.
    next: u64,
    last_time: u64,
    /// Rows of the batch.
    rows: usize,
    /// Rows for which the batch had memory when it was reused.
    reused_rows: usize,
    batch: Option<Box<EventBatch>>,
    /// Whether the batch is ready to be taken; until it is taken, it keeps growing.
    is_ready: bool,
}

/// The data of an event besides its symbol and its time.
#[derive(Clone, Debug)]
pub struct Carried {
    /// One value per [`Quantity`]; values of quantities that the kind does not have are ignored.
    pub quantities: [u64; Quantity::COUNT],
    /// Member, type and bits of metric values.
    pub metrics: Vec<(u32, ValueType, u64)>,
    /// Id, type and bits of attributes.
    pub attributes: Vec<(u64, ValueType, u64)>,
}

impl Default for Carried {
    fn default() -> Self {
        Self {
            quantities: [UNDEFINED; Quantity::COUNT],
            metrics: Vec::new(),
            attributes: Vec::new(),
        }
    }
}

impl Carried {
    /// Removes all data but keeps the memory.
    pub fn clear(&mut self) {
        self.quantities = [UNDEFINED; Quantity::COUNT];
        self.metrics.clear();
        self.attributes.clear();
    }
}

/// Collects events of all locations in batches of one location each.
///
/// ```
/// use foldtrace_trace::{
///     Carried, Demultiplexer, EventBatch, EventKind, LocationId, Symbol, SymbolTable,
/// };
/// let mut symbols = SymbolTable::default();
/// let enter = symbols.intern(Symbol::new(EventKind::Enter, &[0]));
/// let mut events = Demultiplexer::default();
/// for (location, time) in [(7, 10), (3, 11), (7, 12)] {
///     let slot = events.slot(LocationId(location));
///     events.push(slot, enter, EventKind::Enter, Some(time), &Carried::default());
/// }
/// events.flush();
/// let mut batch = EventBatch::default();
/// assert!(events.take(&mut batch));
/// assert_eq!((batch.location, batch.len()), (LocationId(7), 2));
/// assert!(events.take(&mut batch));
/// assert_eq!((batch.location, batch.len()), (LocationId(3), 1));
/// assert!(!events.take(&mut batch));
/// ```
#[derive(Debug, Default)]
pub struct Demultiplexer {
    slots: Vec<Slot>,
    slot_of: HashMap<LocationId, u32>,
    /// Slots with events, in the order of their first event.
    active: Vec<u32>,
    ready: VecDeque<u32>,
    #[expect(
        clippy::vec_box,
        reason = "the boxes are moved into slots without copying the batches"
    )]
    spare: Vec<Box<EventBatch>>,
    /// Rows for which the spare batches have memory.
    spare_rows: usize,
    /// Rows for which batches in use had memory when they were reused.
    reused_rows: usize,
    rows: usize,
    backwards: Option<Backwards>,
}

impl Demultiplexer {
    /// Returns the slot of a location.
    pub fn slot(&mut self, location: LocationId) -> u32 {
        *self.slot_of.entry(location).or_insert_with(|| {
            self.slots.push(Slot {
                location,
                next: 0,
                last_time: 0,
                rows: 0,
                reused_rows: 0,
                batch: None,
                is_ready: false,
            });
            self.slots.len() as u32 - 1
        })
    }

    /// Appends an event. If it has no time, its position serves as its time.
    #[inline]
    pub fn push(
        &mut self,
        slot_id: u32,
        symbol: SymbolId,
        kind: EventKind,
        time: Option<u64>,
        carried: &Carried,
    ) {
        let slot = &mut self.slots[slot_id as usize];
        let rows = 1 + carried.metrics.len() + carried.attributes.len();
        let batch = slot.batch.get_or_insert_with(|| {
            self.active.push(slot_id);
            let mut batch = self.spare.pop().unwrap_or_default();
            let capacity = rows_in_memory(&batch);
            self.spare_rows -= capacity;
            if self.reused_rows + capacity > MOST_SPARE_ROWS {
                batch = Box::default();
            } else {
                self.reused_rows += capacity;
                slot.reused_rows = capacity;
            }
            batch.reset(slot.location, Position(slot.next));
            batch
        });
        let index = batch.len() as u32;
        // Without a clock, the order serves as the time.
        let time = time.unwrap_or(slot.next);
        batch.symbols.push(symbol);
        batch.times.push(Timestamp(time));
        for &quantity in kind.quantities() {
            batch.quantities[quantity as usize].push(carried.quantities[quantity as usize]);
        }
        for &(member, value_type, bits) in &carried.metrics {
            batch.metrics.push(index, member, value_type, bits);
        }
        if !carried.attributes.is_empty() {
            batch.attributes.extend(index, &carried.attributes);
        }
        slot.rows += rows;
        self.rows += rows;
        if time < slot.last_time {
            self.backwards = Some(Backwards {
                location: slot.location,
                position: Position(slot.next),
                time,
                before: slot.last_time,
            });
        }
        slot.last_time = time;
        slot.next += 1;
        let is_full = batch.len() >= FULL || slot.rows >= 2 * FULL_ROWS;
        if is_full && !slot.is_ready {
            slot.is_ready = true;
            self.active.retain(|&other| other != slot_id);
            self.ready.push_back(slot_id);
        }
        if self.rows > MOST_ROWS {
            self.flush();
        }
    }

    /// Removes and returns the last pushed event whose time is before that of the preceding event of its location.
    #[inline]
    pub fn take_backwards(&mut self) -> Option<Backwards> {
        self.backwards.take()
    }

    /// Returns the position of the next event of a slot.
    #[must_use]
    pub fn next(&self, slot: u32) -> Position {
        Position(self.slots[slot as usize].next)
    }

    /// Replaces the symbol of an event by another one of the same kind, once more is known about the event. Returns
    /// `false` if the event has already been taken.
    pub fn amend(&mut self, slot: u32, position: Position, symbol: SymbolId) -> bool {
        let batch = self.slots[slot as usize].batch.as_mut();
        let waiting = batch.and_then(|batch| {
            let index = position.0.checked_sub(batch.first.0)?;
            batch.symbols.get_mut(usize::try_from(index).ok()?)
        });
        waiting.map(|waiting| *waiting = symbol).is_some()
    }

    /// Makes all collected batches ready.
    pub fn flush(&mut self) {
        for slot in self.active.drain(..) {
            self.slots[slot as usize].is_ready = true;
            self.ready.push_back(slot);
        }
    }

    /// Returns whether a batch is ready. Ready batches must be taken soon: until then, memory grows with every event.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Moves the next ready batch into `batch`. Returns whether there was one.
    pub fn take(&mut self, batch: &mut EventBatch) -> bool {
        let Some(slot) = self.ready.pop_front() else {
            return false;
        };
        let slot = &mut self.slots[slot as usize];
        slot.is_ready = false;
        let Some(mut full) = slot.batch.take() else {
            return false;
        };
        self.rows -= std::mem::take(&mut slot.rows);
        self.reused_rows -= std::mem::take(&mut slot.reused_rows);
        std::mem::swap(&mut *full, batch);
        let capacity = rows_in_memory(&full);
        if self.spare_rows + capacity <= MOST_SPARE_ROWS {
            self.spare_rows += capacity;
            self.spare.push(full);
        }
        true
    }
}

/// Returns the number of rows for which a batch has memory: events, metric values and attributes.
fn rows_in_memory(batch: &EventBatch) -> usize {
    batch.symbols.capacity() + batch.metrics.event.capacity() + batch.attributes.event.capacity()
}

/// A time that went backwards in a location.
#[derive(Clone, Copy, Debug)]
pub struct Backwards {
    /// The location of the event.
    pub location: LocationId,
    /// The position of the event.
    pub position: Position,
    /// The time of the event.
    pub time: u64,
    /// The time of the preceding event.
    pub before: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_waits_grows_on_and_is_taken_once() {
        let mut events = Demultiplexer::default();
        let slots = [0, 1].map(|location| events.slot(LocationId(location)));
        let (symbol, kind) = (SymbolId::new(0), EventKind::Enter);
        events.push(slots[1], symbol, kind, None, &Carried::default());
        for _ in 0..FULL + 10 {
            events.push(slots[0], symbol, kind, None, &Carried::default());
        }
        events.flush();
        let mut batch = EventBatch::default();
        let mut taken = Vec::new();
        while events.take(&mut batch) {
            taken.push((batch.location, batch.len()));
        }
        assert_eq!(taken, [(LocationId(0), FULL + 10), (LocationId(1), 1)]);
    }

    #[test]
    fn batches_are_consecutive_and_memory_is_bounded() {
        let mut events = Demultiplexer::default();
        let mut next = HashMap::new();
        let mut batch = EventBatch::default();
        let mut total = 0;
        let mut take = |events: &mut Demultiplexer| {
            while events.take(&mut batch) {
                let expected: &mut u64 = next.entry(batch.location).or_default();
                assert_eq!(batch.first.0, *expected);
                *expected += batch.len() as u64;
                total += batch.len();
            }
        };
        for i in 0..600_000u64 {
            // One location has many events, and thousands have few.
            let location = if i % 3 == 0 { 0 } else { i % 5000 };
            let slot = events.slot(LocationId(location));
            events.push(
                slot,
                SymbolId::new(0),
                EventKind::Enter,
                None,
                &Carried::default(),
            );
            assert!(events.rows <= MOST_ROWS + 1);
            assert!(events.spare_rows <= MOST_SPARE_ROWS);
            assert!(events.reused_rows <= MOST_SPARE_ROWS);
            take(&mut events);
        }
        events.flush();
        take(&mut events);
        assert_eq!(total, 600_000);
        assert_eq!((events.rows, events.reused_rows), (0, 0));
    }

    /// Each full batch is reused by a location with a single event, which keeps it.
    #[test]
    fn large_batches_do_not_pile_up_in_locations_with_few_events() {
        let mut events = Demultiplexer::default();
        let mut batch = EventBatch::default();
        for pair in 0..400 {
            let [large, small] = [0, 1].map(|of| events.slot(LocationId(2 * pair + of)));
            for slot in std::iter::repeat_n(large, FULL).chain([small]) {
                let (symbol, kind) = (SymbolId::new(0), EventKind::Enter);
                events.push(slot, symbol, kind, None, &Carried::default());
                while events.take(&mut batch) {}
            }
        }
        let kept = events.slots.iter().filter_map(|slot| slot.batch.as_deref());
        let kept = Vec::from_iter(kept.map(rows_in_memory));
        assert_eq!(kept.len(), 400);
        assert!(kept.iter().sum::<usize>() <= MOST_SPARE_ROWS + 400 * 8);
        assert!(kept.contains(&FULL), "no batch was reused");
    }

    #[test]
    fn an_event_that_waits_can_get_another_symbol() {
        let mut events = Demultiplexer::default();
        let slot = events.slot(LocationId(3));
        let push = |events: &mut Demultiplexer| {
            let position = events.next(slot);
            let carried = Carried::default();
            events.push(slot, SymbolId::new(0), EventKind::Enter, None, &carried);
            position
        };
        let gone = push(&mut events);
        events.flush();
        let mut batch = EventBatch::default();
        assert!(events.take(&mut batch));
        assert!(!events.amend(slot, gone, SymbolId::new(9)));
        let (first, second) = (push(&mut events), push(&mut events));
        assert!(events.amend(slot, second, SymbolId::new(9)));
        assert!(!events.amend(slot, gone, SymbolId::new(9)));
        events.flush();
        assert!(events.take(&mut batch));
        assert_eq!(
            (batch.first, batch.symbols),
            (first, vec![SymbolId::new(0), SymbolId::new(9)])
        );
    }
}

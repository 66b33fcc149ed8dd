//! Turns calls with a beginning and an end into events, in the order of time within each location.
//!
//! Calls come in the order of their beginnings. Their ends wait until the next event of their location comes, so the memory is that
//! of the calls that are open at the same time.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use foldhash::fast::RandomState;
use foldtrace_trace::{
    Carried, Demultiplexer, EventBatch, EventKind, LocationId, Quantity, SymbolId,
};

use crate::Call;

/// The beginning and the end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The time of the beginning.
    pub begin: i64,
    /// The time of the end; `None` if the call did not end.
    pub end: Option<i64>,
}

/// The number of a location in a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane(usize);

/// An event that happens within a call, at its beginning or at its end.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The symbol of the event.
    pub symbol: SymbolId,
    /// The kind of the event.
    pub kind: EventKind,
    /// The quantities of the event.
    pub quantities: [u64; Quantity::COUNT],
}

/// A call that was entered and waits for its end.
#[derive(Debug)]
struct Open {
    end: i64,
    /// The number of the call: of calls that end at the same time, the last one is left first.
    number: u64,
    leave: SymbolId,
    /// Whether events happen at the end of this call.
    has_moments: bool,
}

impl Open {
    fn order(&self) -> (i64, Reverse<u64>) {
        (self.end, Reverse(self.number))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The call that ends first is the greatest one.
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.order().cmp(&self.order())
    }
}

/// The calls of a location that wait for their ends.
#[derive(Debug, Default)]
struct Waiting {
    /// Calls that are within each other: the last one ends first.
    nested: Vec<Open>,
    /// Calls that end after one that began before them.
    overlapping: BinaryHeap<Open>,
}

impl Waiting {
    /// Adds the call that began last.
    #[inline]
    fn push(&mut self, call: Open) {
        if self.nested.last().is_none_or(|last| last < &call) {
            self.nested.push(call);
        } else {
            self.overlapping.push(call);
        }
    }

    /// Returns the call that ends first.
    #[inline]
    fn first(&self) -> Option<&Open> {
        self.nested.last().max(self.overlapping.peek())
    }

    /// Removes the call that ends first.
    #[inline]
    fn pop(&mut self) -> Option<Open> {
        if self.nested.last() >= self.overlapping.peek() {
            self.nested.pop()
        } else {
            self.overlapping.pop()
        }
    }
}

#[derive(Debug)]
struct State {
    slot: u32,
    open: Waiting,
}

/// The events of all locations.
#[derive(Debug, Default)]
pub struct Timeline {
    events: Demultiplexer,
    lanes: Vec<State>,
    /// The events at the ends of open calls, by the numbers of the calls.
    moments: HashMap<u64, Vec<Moment>, RandomState>,
    carried: Carried,
    /// The time that becomes 0.
    origin: i64,
    calls: u64,
    overlaps: u64,
    ends_before_begin: u64,
    open_calls: u64,
}

impl Timeline {
    /// Creates a timeline whose times count from `origin`.
    #[must_use]
    pub fn new(origin: i64) -> Self {
        Self {
            origin,
            ..Self::default()
        }
    }

    /// Adds a location.
    pub fn lane(&mut self, location: LocationId) -> Lane {
        let slot = self.events.slot(location);
        self.lanes.push(State {
            slot,
            open: Waiting::default(),
        });
        Lane(self.lanes.len() - 1)
    }

    /// Returns the number of calls that end after one that began before them.
    #[must_use]
    pub fn overlaps(&self) -> u64 {
        self.overlaps
    }

    /// Returns the number of calls that end before they begin. Their ends are their beginnings.
    #[must_use]
    pub fn ends_before_begin(&self) -> u64 {
        self.ends_before_begin
    }

    /// Returns the number of calls that have no end.
    #[must_use]
    pub fn open_calls(&self) -> u64 {
        self.open_calls
    }

    /// Begins a call with its attributes. If it has no end, it stays open.
    #[inline]
    pub fn call(&mut self, lane: Lane, span: Span, call: Call, carried: &Carried) {
        self.call_with(lane, span, call, carried, None, Vec::new());
    }

    /// Begins a call with its attributes, and with events at its beginning and at its end. If it has no end, it stays open, and
    /// the events at its end never happen.
    #[inline]
    pub fn call_with(
        &mut self,
        lane: Lane,
        span: Span,
        call: Call,
        carried: &Carried,
        at_begin: Option<Moment>,
        at_end: Vec<Moment>,
    ) {
        self.event(lane, span.begin, (call.enter, EventKind::Enter), carried);
        let state = &mut self.lanes[lane.0];
        if let Some(moment) = at_begin {
            let time = Some(ticks(span.begin, self.origin));
            self.carried.quantities = moment.quantities;
            let Moment { symbol, kind, .. } = moment;
            self.events
                .push(state.slot, symbol, kind, time, &self.carried);
            self.carried.clear();
        }
        let Some(end) = span.end else {
            self.open_calls += 1;
            return;
        };
        self.ends_before_begin += u64::from(end < span.begin);
        let end = end.max(span.begin);
        self.overlaps += u64::from(state.open.first().is_some_and(|first| first.end < end));
        self.calls += 1;
        state.open.push(Open {
            end,
            number: self.calls,
            leave: call.leave,
            has_moments: !at_end.is_empty(),
        });
        if !at_end.is_empty() {
            self.moments.insert(self.calls, at_end);
        }
    }

    /// Appends an event, after the ends of calls that end at its time or before.
    #[inline]
    pub fn event(&mut self, lane: Lane, time: i64, what: (SymbolId, EventKind), carried: &Carried) {
        self.settle(lane.0, time);
        let time = ticks(time, self.origin);
        let slot = self.lanes[lane.0].slot;
        self.events.push(slot, what.0, what.1, Some(time), carried);
    }

    /// Leaves the calls of a location that end at a time or before.
    #[inline]
    fn settle(&mut self, lane: usize, time: i64) {
        let state = &mut self.lanes[lane];
        while let Some(call) = state.open.first()
            && call.end <= time
            && let Some(call) = state.open.pop()
        {
            let time = Some(ticks(call.end, self.origin));
            if call.has_moments {
                for moment in self.moments.remove(&call.number).unwrap_or_default() {
                    self.carried.quantities = moment.quantities;
                    let Moment { symbol, kind, .. } = moment;
                    self.events
                        .push(state.slot, symbol, kind, time, &self.carried);
                }
                self.carried.clear();
            }
            let kind = EventKind::Leave;
            self.events
                .push(state.slot, call.leave, kind, time, &self.carried);
        }
    }

    /// Leaves all calls, and makes all events ready.
    pub fn finish(&mut self) {
        for lane in 0..self.lanes.len() {
            self.settle(lane, i64::MAX);
        }
        self.events.flush();
    }

    /// Moves the next ready batch into `batch`. Returns whether there was one.
    pub fn take(&mut self, batch: &mut EventBatch) -> bool {
        self.events.take(batch)
    }

    /// Returns whether a batch is ready.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.events.is_ready()
    }
}

/// Returns the number of ticks from the origin to a time.
#[inline]
fn ticks(time: i64, origin: i64) -> u64 {
    // The origin is the earliest time, so the difference has no sign.
    time.wrapping_sub(origin) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldtrace_trace::Timestamp;
    use proptest::prelude::*;

    fn span((begin, end): (i64, Option<i64>)) -> Span {
        Span { begin, end }
    }

    fn call(number: u32) -> Call {
        Call {
            enter: SymbolId::new(2 * number),
            leave: SymbolId::new(2 * number + 1),
        }
    }

    /// Returns the events of a location as the sign of their kind and their region, with their times.
    fn events(calls: &[(i64, Option<i64>)]) -> (Vec<(char, u32, u64)>, u64) {
        let mut timeline = Timeline::new(-5);
        let lane = timeline.lane(LocationId(0));
        let carried = Carried::default();
        for (number, &times) in (0..).zip(calls) {
            timeline.call(lane, span(times), call(number), &carried);
        }
        timeline.finish();
        let (mut batch, mut events) = (EventBatch::default(), Vec::new());
        while timeline.take(&mut batch) {
            for (symbol, &Timestamp(time)) in batch.symbols.iter().zip(&batch.times) {
                let row = symbol.row_number();
                events.push((if row % 2 == 0 { '+' } else { '-' }, row / 2, time));
            }
        }
        (events, timeline.overlaps())
    }

    #[test]
    fn calls_nest_if_their_times_do() {
        let calls = [
            (0, Some(10)),
            (0, Some(4)),
            (4, Some(4)),
            (4, Some(10)),
            (10, None),
        ];
        let (events, overlaps) = events(&calls);
        let expected = [
            ('+', 0, 5),
            ('+', 1, 5),
            ('-', 1, 9),
            ('+', 2, 9),
            ('-', 2, 9),
            ('+', 3, 9),
            ('-', 3, 15),
            ('-', 0, 15),
            ('+', 4, 15),
        ];
        assert_eq!(events, expected);
        assert_eq!(overlaps, 0);
    }

    #[test]
    fn calls_that_overlap_keep_their_times() {
        let (events, overlaps) = events(&[(0, Some(10)), (5, Some(20)), (12, Some(3))]);
        let expected = [
            ('+', 0, 5),
            ('+', 1, 10),
            ('-', 0, 15),
            ('+', 2, 17),
            ('-', 2, 17),
            ('-', 1, 25),
        ];
        assert_eq!(
            events, expected,
            "an end before the beginning is at the beginning"
        );
        assert_eq!(overlaps, 1);
    }

    #[test]
    fn events_of_a_call_are_within_it() {
        let mut timeline = Timeline::new(0);
        let lane = timeline.lane(LocationId(3));
        let carried = Carried::default();
        let moment = |symbol, kind| Moment {
            symbol: SymbolId::new(symbol),
            kind,
            quantities: [symbol.into(); Quantity::COUNT],
        };
        timeline.call_with(
            lane,
            span((4, Some(4))),
            call(0),
            &carried,
            Some(moment(6, EventKind::MpiSend)),
            [7, 8]
                .map(|symbol| moment(symbol, EventKind::MpiRecv))
                .to_vec(),
        );
        timeline.finish();
        let mut batch = EventBatch::default();
        assert!(timeline.take(&mut batch));
        let rows: Vec<_> = batch.symbols.iter().map(|it| it.row_number()).collect();
        assert_eq!(rows, [0, 6, 7, 8, 1]);
        assert_eq!(batch.quantities[Quantity::Bytes as usize], [6, 7, 8]);
    }

    proptest! {
        #[test]
        fn calls_leave_in_the_order_of_a_heap(steps in prop::collection::vec(prop::option::of(0..9_i64), 0..60)) {
            let (mut waiting, mut heap) = (Waiting::default(), BinaryHeap::new());
            let open = |end, number| Open { end, number, leave: SymbolId::new(0), has_moments: false };
            for (number, step) in (0..).zip(steps) {
                match step {
                    Some(end) => {
                        waiting.push(open(end, number));
                        heap.push(open(end, number));
                    }
                    None => prop_assert_eq!(waiting.pop(), heap.pop()),
                }
                prop_assert_eq!(waiting.first(), heap.peek());
            }
        }

        #[test]
        fn every_call_is_left_at_its_end(mut calls in prop::collection::vec((0..50_i64, 0..50_i64), 0..40)) {
            calls.sort_by_key(|&(begin, length)| (begin, Reverse(begin + length)));
            let times: Vec<_> = calls.iter().map(|&(begin, length)| (begin, Some(begin + length))).collect();
            let (events, _) = events(&times);
            prop_assert!(events.is_sorted_by_key(|&(_, _, time)| time));
            prop_assert_eq!(events.len(), 2 * calls.len());
            for (number, (begin, length)) in (0..).zip(calls) {
                let at = |sign| events.iter().position(|event| (event.0, event.1) == (sign, number)).unwrap();
                let (enter, leave) = (at('+'), at('-'));
                prop_assert!(enter < leave);
                prop_assert_eq!(events[enter].2, (begin + 5) as u64);
                prop_assert_eq!(events[leave].2, (begin + length + 5) as u64);
            }
        }
    }
}

//! Finds calls: each enter with its leave, its exclusive time, and its enclosing call.
//!
//! A leave ends the innermost open call of the same region or calling context ([`OpenCalls`]), so that a call that is
//! left out of order still has its own end. An enter without a leave, or a leave without an enter, is also a call,
//! with only a beginning or only an end.

use foldtrace_trace::{
    CallChange, EventRef, OpenCalls, Position, SymbolId, SymbolTable, Timestamp,
};

/// The position and time of an event in a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The position of the event.
    pub position: Position,
    /// The time of the event.
    pub time: Timestamp,
}

impl Moment {
    /// Returns the moment of an event.
    #[must_use]
    pub fn of(event: &EventRef) -> Self {
        Self {
            position: event.position,
            time: event.time,
        }
    }

    /// Returns the ticks from this moment to `later`; negative if the clock went backwards.
    #[must_use]
    pub fn ticks_to(self, later: Self) -> i64 {
        later.time.0.wrapping_sub(self.time.0) as i64
    }
}

/// A call of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The symbol of the event that entered the call, or of the event that left it if no event entered it.
    pub symbol: SymbolId,
    /// The moment at which the call was entered; `None` if it never was.
    pub begin: Option<Moment>,
    /// The moment at which the call was left; `None` if it never was.
    pub end: Option<Moment>,
    /// The exclusive time in ticks, during which the call was the innermost open one; `None` unless it was both
    /// entered and left.
    pub exclusive: Option<i64>,
    /// The number of enclosing calls: one more than that of the parent, or 0 without a parent.
    pub depth: u32,
    /// The position at which the parent was entered: the innermost open call when this one was entered.
    pub parent: Option<Position>,
    /// Whether the call was left before a call within it.
    pub is_misnested: bool,
}

/// A matcher of the enters and leaves of one location.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// The open calls, which determine the call that a leave ends.
    open: OpenCalls<OpenCall>,
    /// The moment of the latest enter or leave.
    latest: Option<Moment>,
}

/// A call that was entered and not left yet.
#[derive(Clone, Copy, Debug)]
struct OpenCall {
    symbol: SymbolId,
    begin: Moment,
    exclusive: i64,
    depth: u32,
    parent: Option<Position>,
}

impl Calls {
    /// Processes the next event of the location, and returns the call that it ends, if any. `symbols` must be the
    /// same table in every call.
    pub fn take(&mut self, event: &EventRef, symbols: &SymbolTable) -> Option<Call> {
        let now = Moment::of(event);
        let latest = self.latest;
        let enter = |around: Option<&mut OpenCall>| {
            let (depth, parent) = within(around.as_deref());
            if let Some(around) = around {
                around.pass(latest, now);
            }
            OpenCall {
                symbol: event.symbol,
                begin: now,
                exclusive: 0,
                depth,
                parent,
            }
        };
        match self.open.take_with(event.symbol, symbols, enter) {
            CallChange::Entered => {
                self.latest = Some(now);
                None
            }
            CallChange::Left {
                mut call,
                is_innermost,
                ..
            } => {
                let innermost = if is_innermost {
                    Some(&mut call)
                } else {
                    self.open.last_mut()
                };
                if let Some(innermost) = innermost {
                    innermost.pass(latest, now);
                }
                self.latest = Some(now);
                Some(Call {
                    end: Some(now),
                    exclusive: Some(call.exclusive),
                    is_misnested: !is_innermost,
                    ..call.without_end()
                })
            }
            CallChange::None if symbols.kind(event.symbol).is_leave() => {
                let (depth, parent) = within(self.open.last());
                Some(Call {
                    symbol: event.symbol,
                    begin: None,
                    end: Some(now),
                    exclusive: None,
                    depth,
                    parent,
                    is_misnested: false,
                })
            }
            CallChange::None => None,
        }
    }

    /// Returns the calls that are never left, in the order in which they were entered.
    pub fn finish(&self) -> impl Iterator<Item = Call> {
        self.open.calls().map(|(_, call)| call.without_end())
    }
}

/// Returns the depth and parent of a call that is entered within `innermost`.
fn within(innermost: Option<&OpenCall>) -> (u32, Option<Position>) {
    match innermost {
        Some(call) => (call.depth + 1, Some(call.begin.position)),
        None => (0, None),
    }
}

impl OpenCall {
    /// Adds the time from `latest` to `now`, during which this call was innermost, to its exclusive time.
    fn pass(&mut self, latest: Option<Moment>, now: Moment) {
        let ticks = latest.map_or(0, |latest| latest.ticks_to(now));
        self.exclusive = self.exclusive.wrapping_add(ticks);
    }

    fn without_end(self) -> Call {
        Call {
            symbol: self.symbol,
            begin: Some(self.begin),
            end: None,
            exclusive: None,
            depth: self.depth,
            parent: self.parent,
            is_misnested: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{EventBatch, EventKind, LocationId, Symbol};
    use proptest::prelude::*;

    use super::*;

    /// Returns the calls that are found in events, which are given as (enters, region, time).
    fn calls_of(events: &[(bool, u64, u64)]) -> (SymbolTable, Vec<Call>) {
        let mut symbols = SymbolTable::default();
        let mut batch = EventBatch::default();
        batch.reset(LocationId(0), Position(0));
        for &(enters, region, time) in events {
            let kind = if enters {
                EventKind::Enter
            } else {
                EventKind::Leave
            };
            let symbol = symbols.intern(Symbol::new(kind, &[region]));
            batch.push(symbol, Timestamp(time), &[]);
        }
        let mut calls = Calls::default();
        let mut found: Vec<Call> = batch
            .iter(&symbols)
            .filter_map(|event| calls.take(&event, &symbols))
            .collect();
        found.extend(calls.finish());
        (symbols, found)
    }

    fn at(position: u64, time: u64) -> Option<Moment> {
        let (position, time) = (Position(position), Timestamp(time));
        Some(Moment { position, time })
    }

    #[test]
    fn calls_that_end_out_of_order_have_their_own_ends() {
        // EZTrace: ENTER Working, ENTER finalize, LEAVE Working, LEAVE finalize, and one more leave.
        let events = [
            (true, 1, 10),
            (true, 2, 20),
            (false, 1, 30),
            (true, 3, 35),
            (false, 2, 40),
            (false, 2, 50),
        ];
        let (symbols, calls) = calls_of(&events);
        let region = |call: &Call| symbols.symbol(call.symbol).operands[0];
        let [working, finalize, stray, open] = calls[..] else {
            panic!("{calls:?}");
        };
        assert_eq!(
            [&working, &finalize, &stray, &open].map(region),
            [1, 2, 2, 3]
        );
        assert_eq!((working.begin, working.end), (at(0, 10), at(2, 30)));
        assert_eq!((finalize.begin, finalize.end), (at(1, 20), at(4, 40)));
        assert_eq!((stray.begin, stray.end), (None, at(5, 50)));
        assert_eq!((open.begin, open.end), (at(3, 35), None));
        assert_eq!(
            [working, finalize, stray, open].map(|call| call.is_misnested),
            [true, true, false, false],
            "finalize is left before the call of region 3 within it"
        );
        assert_eq!(
            [working, finalize, stray, open].map(|call| call.depth),
            [0, 1, 3, 2]
        );
        let parents = [working, finalize, stray, open].map(|call| call.parent);
        let within = |position| Some(Position(position));
        assert_eq!(parents, [None, within(0), within(3), within(1)]);
        // Working is innermost from 10 to 20, finalize from 20 to 35.
        assert_eq!(working.exclusive, Some(10));
        assert_eq!(finalize.exclusive, Some(15));
        assert_eq!((stray.exclusive, open.exclusive), (None, None));
    }

    /// Returns events in which each enter is left and calls nest, from steps: enter a region, or leave.
    fn well_nested(steps: &[Option<u64>]) -> Vec<(bool, u64, u64)> {
        let mut open = Vec::new();
        let mut events = Vec::new();
        for (time, step) in steps.iter().enumerate() {
            // The times do not grow evenly.
            let time = (time * time) as u64;
            match step {
                Some(region) => {
                    open.push(*region);
                    events.push((true, *region, time));
                }
                None => events.extend(open.pop().map(|region| (false, region, time))),
            }
        }
        let end = (steps.len() * steps.len()) as u64;
        events.extend(open.into_iter().rev().map(|region| (false, region, end)));
        events
    }

    proptest! {
        #[test]
        fn nested_calls_are_those_of_a_stack(
            steps in prop::collection::vec(prop::option::of(0u64..4), 0..60)
        ) {
            let events = well_nested(&steps);
            let (_, calls) = calls_of(&events);
            // The oracle: a stack of (position, time, time in children).
            let mut stack: Vec<(u64, u64, i64)> = Vec::new();
            let mut expected = Vec::new();
            for (position, &(enters, _, time)) in events.iter().enumerate() {
                if enters {
                    stack.push((position as u64, time, 0));
                    continue;
                }
                let (begin, start, children) = stack.pop().unwrap();
                let duration = (time - start) as i64;
                if let Some(parent) = stack.last_mut() {
                    parent.2 += duration;
                }
                expected.push((
                    (at(begin, start), at(position as u64, time)),
                    Some(duration - children),
                    stack.len() as u32,
                    stack.last().map(|&(begin, ..)| Position(begin)),
                ));
            }
            let found: Vec<_> = calls
                .iter()
                .map(|call| ((call.begin, call.end), call.exclusive, call.depth, call.parent))
                .collect();
            prop_assert_eq!(found, expected);
            prop_assert!(calls.iter().all(|call| !call.is_misnested));
        }

        #[test]
        fn no_enter_and_no_leave_is_lost_in_any_order(
            events in prop::collection::vec((any::<bool>(), 0u64..3, 0u64..50), 0..60)
        ) {
            let (symbols, calls) = calls_of(&events);
            // The oracle keeps a stack per region: a leave ends the latest enter of its region.
            let mut open = vec![Vec::new(); 3];
            let mut expected = Vec::new();
            for (position, &(enters, region, time)) in events.iter().enumerate() {
                let (now, of_region) = (at(position as u64, time), &mut open[region as usize]);
                if enters {
                    of_region.push(now);
                } else {
                    expected.push((region, of_region.pop().flatten(), now));
                }
            }
            let mut unfinished: Vec<_> = (0u64..3)
                .flat_map(|region| open[region as usize].iter().map(move |&begin| (region, begin, None)))
                .collect();
            unfinished.sort_by_key(|(_, begin, _)| begin.unwrap().position);
            expected.extend(unfinished);
            let found: Vec<_> = calls
                .iter()
                .map(|call| (symbols.symbol(call.symbol).operands[0], call.begin, call.end))
                .collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn the_time_within_calls_is_shared_out_once(
            mut events in prop::collection::vec((any::<bool>(), 0u64..3, 0u64..50), 0..60)
        ) {
            // Every call is left at the end, so that all of the time is known.
            let mut open = [0u32; 3];
            for &(enters, region, _) in &events {
                let open = &mut open[region as usize];
                *open = if enters { *open + 1 } else { open.saturating_sub(1) };
            }
            for (region, &open) in open.iter().enumerate() {
                events.extend((0..open).map(|_| (false, region as u64, 60)));
            }
            let (_, calls) = calls_of(&events);
            let shared: i64 = calls.iter().filter_map(|call| call.exclusive).sum();
            // Between two changes, the time counts if any call is open.
            let mut depth = [0u32; 3];
            let (mut latest, mut within) = (0, 0);
            for &(enters, region, time) in &events {
                let is_stray = !enters && depth[region as usize] == 0;
                if is_stray {
                    continue;
                }
                if depth.iter().any(|&open| open > 0) {
                    within += time as i64 - latest;
                }
                latest = time as i64;
                let open = &mut depth[region as usize];
                *open = if enters { *open + 1 } else { *open - 1 };
            }
            prop_assert_eq!(shared, within);
        }
    }
}

//! Measures how long the occurrences of patterns take, and their parts.
//!
//! The method follows Trahay et al., Selecting points of interest in traces using patterns of events, section IV. A
//! walk over the patterns of a location runs in parallel with the times of its events, so that memory is proportional
//! to the patterns, not to the trace.

mod points;
mod selection;
mod tally;
#[cfg(test)]
mod tests;

pub use points::{Cause, Finding, Point, Points};
pub use selection::{Kept, Peaks, Representative, Selecting};
pub use tally::{Durations, Tally, Tallying};

use foldtrace_fold::patterns::{Letter, PatternId, Patterns, Visit, Walk};
use foldtrace_trace::Timestamp;

/// The role of an event in the time of a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The event enters a call.
    Enter {
        /// Whether the time in the call is spent on communication.
        communicates: bool,
    },
    /// The event leaves a call.
    Leave,
    /// Any other event.
    #[default]
    Other,
}

/// The times of an occurrence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    /// The time of its first event.
    pub begin: Timestamp,
    /// The time from its first event to its last one.
    pub whole: u64,
    /// The part of `whole` outside of all patterns within the occurrence. The time between two of these patterns, or
    /// before the first iteration of a loop, is outside of them.
    pub exclusive: u64,
    /// The time from the preceding event to the first event of the occurrence, if it follows another occurrence in a
    /// loop. The time before the first iteration belongs to something else.
    pub before: Option<Before>,
    /// The part of `exclusive` and of the time before the occurrence that was spent outside of calls that
    /// communicate.
    pub computing: u64,
    /// The part of `exclusive` and of the time before the occurrence that was spent in calls that communicate.
    pub communicating: u64,
}

/// The time between the previous iteration and this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// The duration in ticks.
    pub ticks: u64,
    /// Whether the time is spent in a call that communicates.
    pub communicates: bool,
}

/// The time between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElapsedTime {
    /// The duration in ticks.
    pub ticks: u64,
    /// Whether the time is spent in a call that communicates.
    pub communicates: bool,
    /// The item of an occurrence that follows the time; `None` outside of patterns and before iterations.
    pub before: Option<ItemPlace>,
}

/// A place in an open occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemPlace {
    /// The number of open occurrences around it.
    pub depth: usize,
    /// The index of the item among the items of all patterns.
    pub item: usize,
}

/// An observer of a walk over a location.
pub trait Observer {
    /// Called when an occurrence begins with the next event.
    fn begin(&mut self, pattern: PatternId);
    /// Called for each event, with the time before it.
    fn event(&mut self, letter: Letter, passed: ElapsedTime);
    /// Called when a loop in the innermost open occurrence is complete, `ticks` after its first event.
    fn end_loop(&mut self, item: usize, ticks: u64);
    /// Called when the innermost open occurrence is complete.
    fn end(&mut self, pattern: PatternId, ticks: Ticks);
}

/// An open occurrence.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Whether it follows another one in a loop.
    again: bool,
    /// The beginning of the occurrence, known after its first event.
    begun: Option<Begun>,
    /// The current item, and the time when it began.
    item: Option<usize>,
    item_begin: Timestamp,
    /// The time in ticks spent in it but not in patterns within it: on computing, and on communication.
    own: [u64; 2],
}

/// The beginning of an occurrence.
#[derive(Clone, Copy, Debug, Default)]
struct Begun {
    time: Timestamp,
    before: Option<Before>,
}

/// A walk over the patterns of a location, in parallel with the times of its events.
pub struct Pass<'a, O> {
    walk: Walk<'a>,
    /// By letter: its role.
    roles: &'a [Role],
    open: Vec<Open>,
    /// By open call: whether it communicates.
    calls: Vec<bool>,
    now: Option<Timestamp>,
    observer: O,
}

impl<'a, O: Observer> Pass<'a, O> {
    /// Starts before the first event; `roles` are the roles of the letters.
    pub fn new(patterns: &'a Patterns, roles: &'a [Role], observer: O) -> Self {
        Self {
            walk: Walk::new(patterns),
            roles,
            open: Vec::new(),
            calls: Vec::new(),
            now: None,
            observer,
        }
    }

    /// Takes the times of the next events.
    pub fn take(&mut self, times: &[Timestamp]) {
        for &time in times {
            while let Some(visit) = self.walk.next() {
                if let Visit::Event { letter, item } = visit {
                    self.event(letter, item, time);
                    break;
                }
                self.visit(visit);
            }
        }
    }

    /// Ends the walk after the last event; returns the observer.
    pub fn finish(mut self) -> O {
        while let Some(visit) = self.walk.next() {
            self.visit(visit);
        }
        self.observer
    }

    fn event(&mut self, letter: Letter, item: usize, time: Timestamp) {
        let ticks = time.0.saturating_sub(self.now.unwrap_or(time).0);
        let communicates = self.calls.last().copied().unwrap_or_default();
        let begun = self.open.iter().rposition(|open| open.begun.is_some());
        let first = begun.map_or(0, |begun| begun + 1);
        // The time before an iteration belongs to the iteration itself, and the time before any other event to the
        // occurrence around it.
        let again = self.open.get(first).is_some_and(|open| open.again);
        let whose = if again { Some(first) } else { begun };
        if let Some(open) = whose.and_then(|depth| self.open.get_mut(depth)) {
            let own = &mut open.own[usize::from(communicates)];
            *own = own.saturating_add(ticks);
        }
        let is_new = first < self.open.len();
        let before = begun.filter(|_| !again).and_then(|depth| {
            let item = if is_new { self.walk.item(depth)? } else { item };
            Some(ItemPlace { depth, item })
        });
        for (depth, open) in self.open.iter_mut().enumerate().skip(first) {
            let before = (again && depth == first).then_some(Before {
                ticks,
                communicates,
            });
            open.begun = Some(Begun { time, before });
        }
        if let Some(place) = before
            && let Some(open) = self.open.get_mut(place.depth)
            && open.item != Some(place.item)
        {
            open.item = Some(place.item);
            open.item_begin = time;
        }
        for open in self.open.iter_mut().skip(first) {
            open.item_begin = time;
        }
        match self.roles.get(letter.index()).copied().unwrap_or_default() {
            Role::Enter { communicates } => self.calls.push(communicates),
            Role::Leave => {
                self.calls.pop();
            }
            Role::Other => {}
        }
        self.now = Some(time);
        let passed = ElapsedTime {
            ticks,
            communicates,
            before,
        };
        self.observer.event(letter, passed);
    }

    fn visit(&mut self, visit: Visit) {
        match visit {
            Visit::Event { .. } => {}
            Visit::Begin { pattern, again } => {
                self.open.push(Open {
                    again,
                    begun: None,
                    item: None,
                    item_begin: Timestamp(0),
                    own: [0; 2],
                });
                self.observer.begin(pattern);
            }
            Visit::EndLoop { item } => {
                let now = self.now.unwrap_or_default();
                if let Some(open) = self.open.last() {
                    let ticks = now.0.saturating_sub(open.item_begin.0);
                    self.observer.end_loop(item, ticks);
                }
            }
            Visit::End(pattern) => {
                let Some(open) = self.open.pop() else { return };
                let now = self.now.unwrap_or_default();
                let begun = open.begun.unwrap_or_default();
                let [computing, communicating] = open.own;
                let before = begun.before.map_or(0, |before| before.ticks);
                let ticks = Ticks {
                    begin: begun.time,
                    whole: now.0.saturating_sub(begun.time.0),
                    exclusive: computing
                        .saturating_add(communicating)
                        .saturating_sub(before),
                    before: begun.before,
                    computing,
                    communicating,
                };
                self.observer.end(pattern, ticks);
            }
        }
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn begin(&mut self, pattern: PatternId) {
        self.0.begin(pattern);
        self.1.begin(pattern);
    }

    fn event(&mut self, letter: Letter, passed: ElapsedTime) {
        self.0.event(letter, passed);
        self.1.event(letter, passed);
    }

    fn end_loop(&mut self, item: usize, ticks: u64) {
        self.0.end_loop(item, ticks);
        self.1.end_loop(item, ticks);
    }

    fn end(&mut self, pattern: PatternId, ticks: Ticks) {
        self.0.end(pattern, ticks);
        self.1.end(pattern, ticks);
    }
}

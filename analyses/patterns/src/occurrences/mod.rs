//! How long the occurrences of patterns take, and the parts of them.
//!
//! After Trahay et al., Selecting points of interest in traces using patterns of events, section IV. A
//! walk over the patterns of a location goes beside the times of its events, and memory is that of the
//! patterns, not of the trace.

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

/// How an event takes part in the time of a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It enters a call that communicates, or any other call.
    Enter {
        /// Whether time in it is spent on communication.
        communicates: bool,
    },
    /// It leaves a call.
    Leave,
    /// Anything else.
    #[default]
    Other,
}

/// The times of an occurrence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    /// The time of its first event.
    pub begin: Timestamp,
    /// From its first event to its last one.
    pub whole: u64,
    /// Of the whole, outside of all patterns within it. What lies between two of these, or before the first one of a loop,
    /// is outside of them.
    pub exclusive: u64,
    /// From the event before it to its first one, if it follows another occurrence in a loop. What comes
    /// before the first one belongs to something else.
    pub before: Option<Before>,
    /// Of the time before it and `exclusive`, what was spent outside of calls that communicate.
    pub computing: u64,
    /// Of the same, what was spent in calls that communicate.
    pub communicating: u64,
}

/// The time between an iteration and the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// How long it is.
    pub ticks: u64,
    /// Whether it is spent in a call that communicates.
    pub communicates: bool,
}

/// The time between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// How long it is.
    pub ticks: u64,
    /// Whether it is spent in a call that communicates.
    pub communicates: bool,
    /// Before which item of which occurrence it is; `None` outside of patterns, and before iterations.
    pub before: Option<Place>,
}

/// A place in an open occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// How many occurrences are open around.
    pub depth: usize,
    /// The item, among those of all patterns.
    pub item: usize,
}

/// Who is told what happens on the way over a location.
pub trait Observer {
    /// An occurrence begins with the event to come.
    fn begin(&mut self, pattern: PatternId);
    /// The next event, and the time before it.
    fn event(&mut self, letter: Letter, passed: Passed);
    /// A loop in the innermost open occurrence is complete, after these ticks since its first event.
    fn end_loop(&mut self, item: usize, ticks: u64);
    /// The innermost open occurrence is complete.
    fn end(&mut self, pattern: PatternId, ticks: Ticks);
}

/// An open occurrence.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Whether it follows another one in a loop.
    again: bool,
    /// Its beginning, as soon as its first event has come.
    begun: Option<Begun>,
    /// The item that is going on, and when it began.
    item: Option<usize>,
    item_begin: Timestamp,
    /// Ticks that are spent in it, but in no pattern within it: on computing, on communication.
    own: [u64; 2],
}

/// How an occurrence began.
#[derive(Clone, Copy, Debug, Default)]
struct Begun {
    time: Timestamp,
    before: Option<Before>,
}

/// A walk over the patterns of a location beside the times of its events.
pub struct Pass<'a, O> {
    walk: Walk<'a>,
    /// By letter.
    roles: &'a [Role],
    open: Vec<Open>,
    /// Whether each open call communicates.
    calls: Vec<bool>,
    now: Option<Timestamp>,
    observer: O,
}

impl<'a, O: Observer> Pass<'a, O> {
    /// Begins at the first event; `roles` are those of the letters.
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

    /// The times of the next events.
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

    /// All events have come.
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
        // The time before an iteration is its own, that before anything else that of what is around.
        let again = self.open.get(first).is_some_and(|open| open.again);
        let whose = if again { Some(first) } else { begun };
        if let Some(open) = whose.and_then(|depth| self.open.get_mut(depth)) {
            let own = &mut open.own[usize::from(communicates)];
            *own = own.saturating_add(ticks);
        }
        let is_new = first < self.open.len();
        let before = begun.filter(|_| !again).and_then(|depth| {
            let item = if is_new { self.walk.item(depth)? } else { item };
            Some(Place { depth, item })
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
        let passed = Passed {
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

    fn event(&mut self, letter: Letter, passed: Passed) {
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

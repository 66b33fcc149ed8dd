//! How long the occurrences of patterns take, and the parts of them.
//!
//! After Trahay et al., Selecting points of interest in traces using patterns of events, section IV. A
//! walk over the patterns of a location goes beside the times of its events, and memory is that of the
//! patterns, not of the trace.

mod histogram;
mod points;
mod selection;
mod tally;

pub use histogram::{Histogram, Peak, Window};
pub use points::{Cause, Finding, Point, Points};
pub use selection::{Kept, Peaks, Representative, Selecting};
pub use tally::{Durations, Tally, Tallying};

use foldtrace_trace::Timestamp;

use crate::fold::patterns::{Letter, PatternId, Patterns, Visit, Walk};

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
    /// Of the whole, outside of all patterns within it.
    pub exclusive: u64,
    /// From the event before it to its first one.
    pub before: u64,
    /// Of `before` and the whole, outside of calls that communicate.
    pub computing: u64,
    /// Of `before` and the whole, in calls that communicate.
    pub communicating: u64,
}

/// Who is told what happens on the way over a location.
pub trait Observer {
    /// An occurrence begins with the event to come.
    fn begin(&mut self, pattern: PatternId);
    /// The next event, `ticks` after the one before it, which were spent in a call that communicates or not.
    fn event(&mut self, letter: Letter, ticks: u64, communicates: bool);
    /// An item of the innermost open occurrence is complete, `ticks` after the event before it.
    fn item(&mut self, item: usize, ticks: u64);
    /// The innermost open occurrence is complete.
    fn end(&mut self, pattern: PatternId, ticks: Ticks);
}

/// An open occurrence.
#[derive(Clone, Copy, Debug)]
struct Open {
    pattern: PatternId,
    /// The event before it.
    before: Moment,
    /// The time of its first event, as soon as that has come.
    begin: Option<Timestamp>,
    /// The time of the event before the item that is going on.
    item_begin: Timestamp,
    /// Ticks of the patterns within it.
    within: u64,
}

/// An event: its time, and the ticks of computing until then.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    time: Timestamp,
    computing: u64,
}

/// A walk over the patterns of a location beside the times of its events.
pub struct Pass<'a, O> {
    walk: Walk<'a>,
    /// By letter.
    roles: &'a [Role],
    open: Vec<Open>,
    /// Whether each open call communicates.
    calls: Vec<bool>,
    now: Option<Moment>,
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
                if let Visit::Event(letter) = visit {
                    self.event(letter, time);
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

    fn event(&mut self, letter: Letter, time: Timestamp) {
        let before = self.now.unwrap_or(Moment { time, computing: 0 });
        let ticks = time.0.saturating_sub(before.time.0);
        let communicates = self.calls.last().copied().unwrap_or_default();
        let now = Moment {
            time,
            computing: before.computing + if communicates { 0 } else { ticks },
        };
        let begun = self.open.iter_mut().rev();
        for open in begun.take_while(|open| open.begin.is_none()) {
            open.begin = Some(time);
            open.before = before;
            open.item_begin = before.time;
        }
        match self.roles.get(letter.index()).copied().unwrap_or_default() {
            Role::Enter { communicates } => self.calls.push(communicates),
            Role::Leave => {
                self.calls.pop();
            }
            Role::Other => {}
        }
        self.now = Some(now);
        self.observer.event(letter, ticks, communicates);
    }

    fn visit(&mut self, visit: Visit) {
        match visit {
            Visit::Event(_) => {}
            Visit::Begin(pattern) => {
                self.open.push(Open {
                    pattern,
                    before: Moment::default(),
                    begin: None,
                    item_begin: Timestamp(0),
                    within: 0,
                });
                self.observer.begin(pattern);
            }
            Visit::Item(item) => {
                let now = self.now.unwrap_or_default().time;
                if let Some(open) = self.open.last_mut() {
                    let ticks = now.0.saturating_sub(open.item_begin.0);
                    open.item_begin = now;
                    self.observer.item(item, ticks);
                }
            }
            Visit::End(pattern) => {
                let Some(open) = self.open.pop() else { return };
                debug_assert_eq!(open.pattern, pattern);
                let now = self.now.unwrap_or_default();
                let begin = open.begin.unwrap_or(now.time);
                let whole = now.time.0.saturating_sub(begin.0);
                if let Some(around) = self.open.last_mut() {
                    around.within += whole;
                }
                let before = begin.0.saturating_sub(open.before.time.0);
                let computing = now.computing - open.before.computing;
                let ticks = Ticks {
                    begin,
                    whole,
                    exclusive: whole.saturating_sub(open.within),
                    before,
                    computing,
                    communicating: (before + whole).saturating_sub(computing),
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

    fn event(&mut self, letter: Letter, ticks: u64, communicates: bool) {
        self.0.event(letter, ticks, communicates);
        self.1.event(letter, ticks, communicates);
    }

    fn item(&mut self, item: usize, ticks: u64) {
        self.0.item(item, ticks);
        self.1.item(item, ticks);
    }

    fn end(&mut self, pattern: PatternId, ticks: Ticks) {
        self.0.end(pattern, ticks);
        self.1.end(pattern, ticks);
    }
}

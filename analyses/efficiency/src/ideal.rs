//! Executes the communication of a trace on an ideal network, after Dimemas: with zero latency and infinite bandwidth.
//!
//! Each process computes as long as recorded. A call of MPI takes no time, except that a receive waits until its message is
//! sent, and a collective operation until the members have begun it on which it depends. Operations come from the
//! [`Replay`](foldtrace_clock::Replay), so whatever it follows counts here.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_clock::{Arrival, Dependence, Participant, Stamp, Visitor};
use foldtrace_trace::{Position, SymbolId, Timestamp};

use crate::iterations::Iterations;
use crate::lane::{Effect, Lane};

/// The number of a location, and the position of one of its events.
type Place = (usize, Position);

/// The state of an execution on the ideal network.
pub(crate) struct Ideal<'a> {
    /// By row of the table of symbols.
    effects: Vec<Effect>,
    /// By number of the location: those of the replay come first.
    pub lanes: Vec<Lane<'a>>,
    pub iterations: Iterations<'a>,
    /// The ideal times of sends and of beginnings of collective operations on which events to come depend.
    departures: HashMap<Place, u64, FixedState>,
    /// The number of dependences that contradict others.
    pub contradictions: u64,
}

impl<'a> Ideal<'a> {
    pub fn new(effects: Vec<Effect>, lanes: Vec<Lane<'a>>, iterations: Iterations<'a>) -> Self {
        Self {
            effects,
            lanes,
            iterations,
            departures: HashMap::default(),
            contradictions: 0,
        }
    }

    /// Takes the next event of a location.
    #[inline]
    pub fn take(&mut self, location: usize, time: Timestamp, symbol: SymbolId) {
        if let Some(&effect) = self.effects.get(symbol.row()) {
            self.lanes[location].pass(time, effect, &mut self.iterations);
        }
    }

    fn departed(&mut self, stamp: Stamp) -> Option<u64> {
        self.departures.remove(&(stamp.location, stamp.position))
    }

    /// Lets an event wait for a time, unless its process has continued before.
    fn wait(&mut self, arrival: Arrival, until: Option<u64>) {
        let Some(until) = until else { return };
        if arrival.has_passed {
            self.contradictions += 1;
        } else {
            self.lanes[arrival.stamp.location].wait(until);
        }
    }
}

impl Visitor for Ideal<'_> {
    fn pass(&mut self, stamp: Stamp, symbol: SymbolId) {
        self.take(stamp.location, stamp.time, symbol);
    }

    fn time(&mut self, _: usize, time: Timestamp) -> i64 {
        time.0.cast_signed()
    }

    fn event(&mut self, _: Stamp) {}

    fn depart(&mut self, stamp: Stamp) {
        let ideal = self.lanes[stamp.location].now.ideal;
        self.departures
            .insert((stamp.location, stamp.position), ideal);
    }

    fn depart_alone(&mut self, stamp: Stamp) {
        self.departed(stamp);
    }

    fn arrive(&mut self, _: Stamp, _: bool) {}

    fn message(&mut self, send: Stamp, receive: Arrival) {
        let sent = self.departed(send);
        self.wait(receive, sent);
    }

    fn collective(&mut self, dependence: Dependence, participants: &[Participant]) {
        let begins = participants.iter().map(|it| match it.begin {
            Some(begin) => self.departed(begin),
            // Without a recorded beginning, the operation begins with the call that ends it.
            None if it.end.has_passed => None,
            None => Some(self.lanes[it.end.stamp.location].now.ideal),
        });
        let begins: Vec<Option<u64>> = begins.collect();
        let latest = dependence.latest_begins(&begins);
        for (it, begin) in participants.iter().zip(latest) {
            self.wait(it.end, begin);
        }
    }
}

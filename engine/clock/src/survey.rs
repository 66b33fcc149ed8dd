//! Surveys the transfers between clocks: the first pass over a trace.
//!
//! Times are compared as they were recorded. Lanes are sorted by the time since their first event, because their clocks may
//! have begun at any time.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::{Position, Timestamp};

use crate::dependence::Dependence;
use crate::hull::{Hull, Transfer};
use crate::replay::{Arrival, Participant, Stamp, Visitor};

/// The transfers from one lane to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    /// The lower hull of the transfers.
    pub hull: Hull,
    /// Whether an arrival is earlier than its departure.
    pub is_violated: bool,
}

/// The transfers between all lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    /// By lane: the time of the first event.
    pub origins: Vec<Option<Timestamp>>,
    /// By sending and receiving lane.
    pub routes: HashMap<(usize, usize), Route, FixedState>,
    /// By location: the number of events that are earlier than an event on which they depend.
    pub violations: Vec<u64>,
    /// By location: the position from which violations are counted. The stage before has counted the others.
    counted_from: Vec<Position>,
}

impl Survey {
    /// Creates a survey of lanes, given by the times of their first events, and of locations, given by the positions from which
    /// violations are counted.
    pub fn new(origins: Vec<Option<Timestamp>>, counted_from: Vec<Position>) -> Self {
        Self {
            origins,
            routes: HashMap::default(),
            violations: vec![0; counted_from.len()],
            counted_from,
        }
    }

    /// Adds the survey of the next stage.
    pub fn add(&mut self, next: Self) {
        for (lanes, route) in next.routes {
            let own = self.routes.entry(lanes).or_default();
            own.is_violated |= route.is_violated;
            let transfers = route.hull.vertices();
            transfers
                .iter()
                .for_each(|&transfer| own.hull.push(transfer));
        }
        for (own, violations) in self.violations.iter_mut().zip(next.violations) {
            *own += violations;
        }
    }

    fn count(&mut self, arrival: Stamp, is_violated: bool) {
        if is_violated && arrival.position >= self.counted_from[arrival.location] {
            self.violations[arrival.location] += 1;
        }
    }

    /// Returns the ticks from the first event of the lane.
    fn since_origin(&self, stamp: Stamp) -> i64 {
        let origin = self.origins[stamp.lane].unwrap_or_default();
        stamp.time.0.wrapping_sub(origin.0) as i64
    }

    fn transfer(&mut self, departure: Stamp, arrival: Stamp) {
        if departure.lane == arrival.lane {
            return;
        }
        let (sent, arrived) = (self.since_origin(departure), self.since_origin(arrival));
        let route = self
            .routes
            .entry((departure.lane, arrival.lane))
            .or_default();
        route.is_violated |= arrival.time < departure.time;
        route.hull.push(Transfer {
            arrival: arrived,
            ticks: arrived.saturating_sub(sent),
        });
    }
}

impl Visitor for Survey {
    fn time(&mut self, lane: usize, time: Timestamp) -> i64 {
        let origin = self.origins[lane].get_or_insert(time);
        time.0.wrapping_sub(origin.0) as i64
    }

    fn event(&mut self, _: Stamp) {}

    fn depart(&mut self, _: Stamp) {}

    fn depart_alone(&mut self, _: Stamp) {}

    fn arrive(&mut self, _: Stamp, _: bool) {}

    fn message(&mut self, send: Stamp, receive: Arrival) {
        self.count(receive.stamp, receive.stamp.time < send.time);
        self.transfer(send, receive.stamp);
    }

    fn collective(&mut self, dependence: Dependence, participants: &[Participant]) {
        let times = participants
            .iter()
            .map(|it| it.begin.map(|begin| begin.time));
        let begins = dependence.latest_begins(&times.collect::<Vec<_>>());
        for (it, begin) in participants.iter().zip(begins) {
            let end = it.end.stamp;
            self.count(end, begin.is_some_and(|begin| end.time < begin));
        }
        dependence.pairs(participants.len(), |from, to| {
            if let Some(begin) = participants[from].begin {
                self.transfer(begin, participants[to].end.stamp);
            }
        });
    }
}

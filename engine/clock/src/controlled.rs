//! The controlled logical clock: the second pass over a trace.
//!
//! After Becker, Rabenseifner, Wolf et al., Scalable timestamp synchronization for event traces of message-passing applications, and
//! Rabenseifner, The controlled logical clock. Each event gets the latest of three times: the estimate of its clock; the time
//! after the event before it, whose distance shrinks by at most 1 % so that the clock returns to its estimate; and, if it
//! depends on other events, their times plus the minimum latency (forward amortisation). Where this makes the clock jump,
//! the events before are moved as well, by amounts that grow linearly towards the jump and stretch their distances by at
//! most 1 %; but no event moves beyond an event that depends on it (backward amortisation).
//!
//! Both amortisations happen in one pass. The last events of a location that communicate wait in a queue, in which they can
//! still be moved; an event that depends on one of them comes later in the replay, so it uses the moved time.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;
use foldtrace_trace::{Position, Timestamp};
use slab::Slab;

use crate::dependence::Dependence;
use crate::estimate::Estimate;
use crate::knots::{Knot, KnotWriter};
use crate::lanes::Lanes;
use crate::line::Line;
use crate::replay::{Arrival, Participant, Stamp, Visitor};

/// The inverse of the part by which amortisation changes the distances of events: 1 %.
const AMORTISATION: i64 = 100;

/// The maximum number of events in all queues together, unless there are very many lanes.
const ALL_QUEUED: usize = 1 << 17;

/// The numbers of events in a queue that are useful.
const QUEUED: std::ops::RangeInclusive<usize> = 16..=1024;

/// An event of a queue.
#[derive(Clone, Copy, Debug)]
struct Entry {
    location: usize,
    position: Position,
    estimated: i64,
    corrected: i64,
    /// The key of the departure, if other events depend on this one.
    departure: Option<usize>,
}

/// An event on which others depend.
#[derive(Clone, Copy, Debug)]
struct Departure {
    corrected: i64,
    /// The latest time to which the event can be moved.
    latest: i64,
    /// Whether events that depend on it are still to come.
    is_open: bool,
    /// Whether its time can still change.
    is_queued: bool,
}

/// The clock of a lane.
#[derive(Debug)]
struct LaneClock {
    line: Option<Line>,
    latency: i64,
    /// The estimated and the corrected time of the last event.
    last: Option<(i64, i64)>,
    queue: VecDeque<Entry>,
    /// The times of all locations of the lane together, for its locations that do not communicate.
    shared: Option<(u64, KnotWriter)>,
}

/// Corrects the times of a trace.
#[derive(Debug)]
pub(crate) struct ControlledClock {
    base: Timestamp,
    /// Whether times are corrected beyond the estimate.
    is_controlled: bool,
    queued: usize,
    lanes: Vec<LaneClock>,
    writers: Vec<KnotWriter>,
    departures: Slab<Departure>,
    keys: HashMap<(usize, Position), usize, FixedState>,
    /// The times of events that have passed although they depend on events to come.
    awaited: HashMap<(usize, Position), i64, FixedState>,
    /// By location: the number of events that are earlier than an event on which they depend.
    violations: Vec<u64>,
}

/// The corrected times of a trace.
#[derive(Debug)]
pub(crate) struct CorrectedTimes {
    /// By location: the writer that has taken all of its events.
    pub writers: Vec<KnotWriter>,
    /// By lane: the writer that has taken the events of all of its locations, if another location shares its clock.
    pub shared: Vec<Option<KnotWriter>>,
    /// By location: the number of violations that remain.
    pub violations: Vec<u64>,
}

/// A corrected event, and the ticks by which its clock has jumped there.
#[derive(Clone, Copy, Debug)]
struct Placed {
    corrected: i64,
    jump: i64,
}

impl ControlledClock {
    /// Creates the clocks of `lanes` from their estimate.
    pub fn new(estimate: &Estimate, lanes: &Lanes, is_controlled: bool) -> Self {
        let mut has_silent = vec![false; lanes.len()];
        for &(_, lane) in lanes.silent() {
            has_silent[lane] = true;
        }
        let clocks = estimate
            .lines
            .iter()
            .zip(&estimate.latencies)
            .zip(has_silent);
        let clocks = clocks.map(|((&line, &latency), has_silent)| LaneClock {
            line,
            latency,
            last: None,
            queue: VecDeque::new(),
            shared: (has_silent && line.is_some()).then(Default::default),
        });
        let queued = (ALL_QUEUED / lanes.len().max(1)).clamp(*QUEUED.start(), *QUEUED.end());
        Self {
            base: estimate.base,
            is_controlled,
            queued: if is_controlled { queued } else { 0 },
            lanes: clocks.collect(),
            writers: vec![KnotWriter::default(); lanes.locations().len()],
            departures: Slab::new(),
            keys: HashMap::default(),
            awaited: HashMap::default(),
            violations: vec![0; lanes.locations().len()],
        }
    }

    /// Returns the estimated time of an event, in ticks since the base.
    fn estimated(&self, lane: usize, time: Timestamp) -> i64 {
        let line = self.lanes[lane].line;
        let common = line.map_or(time, |line| line.at(time));
        common.0.wrapping_sub(self.base.0) as i64
    }

    /// Gives the next event of a lane its time: `bound` at the earliest. Appends it to the queue.
    fn place(&mut self, stamp: Stamp, bound: Option<i64>, departure: Option<usize>) -> Placed {
        let estimated = self.estimated(stamp.lane, stamp.time);
        let lane = &mut self.lanes[stamp.lane];
        let (mut corrected, mut jump) = (estimated, 0);
        if lane.line.is_none() {
            return Placed { corrected, jump };
        }
        if self.is_controlled {
            if let Some((last_estimated, last)) = lane.last {
                let ticks = estimated.saturating_sub(last_estimated);
                // Where a clock goes backwards, so do the corrected times.
                let kept = ticks - ticks.max(0) / AMORTISATION;
                corrected = corrected.max(last.saturating_add(kept));
            }
            let late = bound.map_or(0, |bound| bound.saturating_sub(corrected));
            jump = late.max(0);
            corrected += jump;
        }
        lane.last = Some((estimated, corrected));
        lane.queue.push_back(Entry {
            location: stamp.location,
            position: stamp.position,
            estimated,
            corrected,
            departure,
        });
        Placed { corrected, jump }
    }

    /// Moves the events before an arrival towards its jump, and passes the oldest events of the queue on.
    fn settle(&mut self, stamp: Stamp, Placed { corrected, jump }: Placed) {
        let lane = &mut self.lanes[stamp.lane];
        if jump > 0 {
            let before = corrected - jump;
            let begin = before.saturating_sub(jump.saturating_mul(AMORTISATION));
            let is_stamp = |entry: &Entry| {
                (entry.location, entry.position) == (stamp.location, stamp.position)
            };
            let mut earlier = lane
                .queue
                .iter_mut()
                .rev()
                .skip_while(|entry| !is_stamp(entry));
            earlier.next();
            let mut most = jump;
            for entry in earlier {
                let departure = entry.departure.and_then(|key| self.departures.get_mut(key));
                let share = entry.corrected.min(before).saturating_sub(begin) / AMORTISATION;
                most = most.min(share);
                if let Some(departure) = &departure {
                    most = most.min(departure.latest.saturating_sub(entry.corrected));
                }
                if most <= 0 {
                    break;
                }
                entry.corrected += most;
                if let Some(departure) = departure {
                    departure.corrected = entry.corrected;
                }
            }
        }
        while self.lanes[stamp.lane].queue.len() > self.queued {
            self.pass_on(stamp.lane);
        }
    }

    /// Passes the oldest event of a queue on; its time is final.
    fn pass_on(&mut self, lane: usize) {
        let lane = &mut self.lanes[lane];
        let Some(entry) = lane.queue.pop_front() else {
            return;
        };
        let [time, corrected] = [entry.estimated, entry.corrected]
            .map(|ticks| Timestamp(self.base.0.wrapping_add(ticks as u64)));
        let knot = Knot {
            position: entry.position,
            time,
            corrected,
        };
        self.writers[entry.location].push(knot);
        if let Some((number, writer)) = &mut lane.shared {
            let position = Position(*number);
            writer.push(Knot { position, ..knot });
            *number += 1;
        }
        if let Some(key) = entry.departure
            && let Some(departure) = self.departures.get_mut(key)
        {
            departure.is_queued = false;
            if !departure.is_open {
                self.departures.remove(key);
            }
        }
    }

    /// Returns the time of a departure.
    fn departed(&self, stamp: Stamp) -> Option<i64> {
        let key = *self.keys.get(&(stamp.location, stamp.position))?;
        Some(self.departures.get(key)?.corrected)
    }

    /// Ends a departure, of which all dependent events have come: it cannot move beyond `latest`.
    fn close(&mut self, stamp: Stamp, latest: Option<i64>) {
        let Some(key) = self.keys.remove(&(stamp.location, stamp.position)) else {
            return;
        };
        let Some(departure) = self.departures.get_mut(key) else {
            return;
        };
        departure.is_open = false;
        if let Some(latest) = latest {
            departure.latest = latest;
        }
        if !departure.is_queued {
            self.departures.remove(key);
        }
    }

    /// Counts an arrival that is earlier than the event on which it depends.
    fn check(&mut self, arrival: Stamp, corrected: i64, departed: Option<i64>) {
        let is_violated = departed.is_some_and(|departed| corrected < departed);
        self.violations[arrival.location] += u64::from(is_violated);
    }

    /// Gives an arrival its time, unless it has one.
    fn arrive_after(&mut self, arrival: Arrival, departed: Option<i64>) -> Placed {
        let Arrival { stamp, has_passed } = arrival;
        let placed = if has_passed {
            let corrected = self.awaited.remove(&(stamp.location, stamp.position));
            Placed {
                corrected: corrected.unwrap_or(i64::MAX),
                jump: 0,
            }
        } else {
            let latency = self.lanes[stamp.lane].latency;
            let bound = departed.map(|departed| departed.saturating_add(latency));
            self.place(stamp, bound, None)
        };
        self.check(stamp, placed.corrected, departed);
        placed
    }

    /// Ends the trace. Returns the corrected times.
    pub fn finish(mut self) -> CorrectedTimes {
        for lane in 0..self.lanes.len() {
            while !self.lanes[lane].queue.is_empty() {
                self.pass_on(lane);
            }
        }
        let shared = self
            .lanes
            .into_iter()
            .map(|lane| lane.shared.map(|(_, writer)| writer));
        CorrectedTimes {
            writers: self.writers,
            shared: shared.collect(),
            violations: self.violations,
        }
    }
}

impl Visitor for ControlledClock {
    fn time(&mut self, lane: usize, time: Timestamp) -> i64 {
        self.estimated(lane, time)
    }

    fn event(&mut self, stamp: Stamp) {
        let placed = self.place(stamp, None, None);
        self.settle(stamp, placed);
    }

    fn depart(&mut self, stamp: Stamp) {
        if self.lanes[stamp.lane].line.is_none() {
            return;
        }
        let key = self.departures.insert(Departure {
            corrected: 0,
            latest: i64::MAX,
            is_open: true,
            is_queued: true,
        });
        self.keys.insert((stamp.location, stamp.position), key);
        let placed = self.place(stamp, None, Some(key));
        if let Some(departure) = self.departures.get_mut(key) {
            departure.corrected = placed.corrected;
        }
        self.settle(stamp, placed);
    }

    fn arrive(&mut self, stamp: Stamp, is_awaited: bool) {
        let placed = self.place(stamp, None, None);
        if is_awaited {
            self.awaited
                .insert((stamp.location, stamp.position), placed.corrected);
        }
        self.settle(stamp, placed);
    }

    fn depart_alone(&mut self, stamp: Stamp) {
        self.close(stamp, None);
    }

    fn message(&mut self, send: Stamp, receive: Arrival) {
        let placed = self.arrive_after(receive, self.departed(send));
        let latency = self.lanes[send.lane].latency;
        self.close(send, Some(placed.corrected.saturating_sub(latency)));
        if !receive.has_passed {
            self.settle(receive.stamp, placed);
        }
    }

    fn collective(&mut self, dependence: Dependence, participants: &[Participant]) {
        let departed = |begin: Option<Stamp>| self.departed(begin?);
        let begins: Vec<_> = participants.iter().map(|it| departed(it.begin)).collect();
        let begins = dependence.latest_begins(&begins);
        let placed = participants.iter().zip(begins);
        let placed: Vec<Placed> = placed
            .map(|(it, begin)| self.arrive_after(it.end, begin))
            .collect();
        let ends: Vec<i64> = placed.iter().map(|placed| placed.corrected).collect();
        for (it, end) in participants.iter().zip(dependence.earliest_ends(&ends)) {
            if let Some(begin) = it.begin {
                let latency = self.lanes[begin.lane].latency;
                self.close(begin, end.map(|end| end.saturating_sub(latency)));
            }
        }
        for (it, placed) in participants.iter().zip(placed) {
            if !it.end.has_passed {
                self.settle(it.end.stamp, placed);
            }
        }
    }
}

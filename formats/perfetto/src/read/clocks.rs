//! The clocks of a trace, and the conversion of their times to the clock of the trace.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{Diagnostic, Diagnostics, Place, Severity};

use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value};

/// `BuiltinClock::BUILTIN_CLOCK_BOOTTIME`, the clock of a trace unless a snapshot names another one.
const BOOTTIME: u32 = 6;
/// `BuiltinClock::BUILTIN_CLOCK_MONOTONIC`, the clock of legacy times.
pub(crate) const MONOTONIC: u32 = 3;
/// Clocks that each sequence has for itself.
const OF_SEQUENCE: std::ops::RangeInclusive<u32> = 64..=127;

/// A clock: the sequence that it belongs to, or 0, and its id.
type ClockKey = (u32, u32);

/// A clock that a snapshot describes.
#[derive(Debug)]
struct Clock {
    /// Nanoseconds of a unit.
    unit: i128,
    /// Whether each time is the difference from the previous one.
    is_incremental: bool,
    /// The last time, in nanoseconds.
    last: i128,
    /// Simultaneous nanoseconds of this clock and of the clock of the trace, in ascending order. A point is kept only
    /// if the difference of the clocks has changed.
    points: Vec<(i128, i128)>,
}

/// All clocks of a trace.
#[derive(Debug)]
pub(crate) struct Clocks {
    /// The clock of the trace.
    primary: u32,
    clocks: HashMap<ClockKey, Clock, RandomState>,
    /// Number of times of clocks without a known relation to the clock of the trace, and one of these clocks.
    unrelated: u64,
    unrelated_clock: u32,
}

impl Default for Clocks {
    fn default() -> Self {
        Self {
            primary: BOOTTIME,
            clocks: HashMap::default(),
            unrelated: 0,
            unrelated_clock: 0,
        }
    }
}

/// A reading of a clock.
#[derive(Clone, Copy, Debug)]
struct Reading {
    id: u32,
    nanoseconds: i128,
    unit: i128,
    is_incremental: bool,
}

impl Clocks {
    /// Takes a message `ClockSnapshot`.
    pub(crate) fn snapshot(&mut self, sequence: u32, message: &[u8]) -> Result<(), Fault> {
        let mut readings = Vec::new();
        let mut primary = None;
        for field in Fields::new(message) {
            match field? {
                (1, Value::Bytes(clock)) => readings.push(Reading::parse(clock)?),
                (2, Value::Number(id)) => primary = Some(id as u32),
                _ => {}
            }
        }
        if let Some(primary) = primary.filter(|&primary| primary > 0)
            && self.clocks.is_empty()
        {
            self.primary = primary;
        }
        let Some(now) = self.trace_time(sequence, &readings) else {
            return Ok(());
        };
        for reading in readings.iter().filter(|reading| reading.id != self.primary) {
            let clock = self.clocks.entry(key(sequence, reading.id));
            let clock = clock.or_insert_with(|| Clock {
                unit: reading.unit,
                is_incremental: reading.is_incremental,
                last: 0,
                points: Vec::new(),
            });
            clock.unit = reading.unit;
            clock.is_incremental = reading.is_incremental;
            clock.last = reading.nanoseconds;
            let is_new = clock.points.last().is_none_or(|last| {
                let differs =
                    now.saturating_sub(reading.nanoseconds) != last.1.saturating_sub(last.0);
                reading.nanoseconds > last.0 && differs
            });
            if is_new {
                clock.points.push((reading.nanoseconds, now));
            }
        }
        Ok(())
    }

    /// Returns the time of a snapshot on the clock of the trace: its own reading of that clock, or else that of a clock
    /// that an earlier snapshot related to it.
    fn trace_time(&self, sequence: u32, readings: &[Reading]) -> Option<i128> {
        let own = readings.iter().find(|reading| reading.id == self.primary);
        own.map(|reading| reading.nanoseconds).or_else(|| {
            readings.iter().find_map(|reading| {
                let clock = self.clocks.get(&key(sequence, reading.id))?;
                clock.convert(reading.nanoseconds)
            })
        })
    }

    /// Converts the time of a packet to nanoseconds of the clock of the trace. `clock` is the clock that the packet or
    /// the defaults of its sequence name.
    #[inline]
    pub(crate) fn time(&mut self, sequence: u32, clock: Option<u32>, time: i128) -> i128 {
        let id = clock.unwrap_or(BOOTTIME);
        if id == self.primary {
            return time;
        }
        let found = self.clocks.get_mut(&key(sequence, id));
        let converted = found.and_then(|clock| {
            let mut nanoseconds = time * clock.unit;
            if clock.is_incremental {
                nanoseconds = nanoseconds.saturating_add(clock.last);
                clock.last = nanoseconds;
            }
            clock.convert(nanoseconds)
        });
        converted.unwrap_or_else(|| {
            self.unrelated += 1;
            self.unrelated_clock = id;
            time
        })
    }

    /// Reports the times that could not be converted.
    pub(crate) fn report(&self, place: &Place, diagnostics: &mut Diagnostics) {
        if self.unrelated == 0 {
            return;
        }
        let message = format!(
            "the times of {} events are kept as they are: no snapshot relates their clock, {}, to that of the trace",
            self.unrelated, self.unrelated_clock
        );
        let warning = Diagnostic::new(Severity::Warning, "perfetto.unknown_clock", message);
        diagnostics.report_many(warning.at(place.clone()), self.unrelated);
    }
}

impl Clock {
    /// Converts nanoseconds of this clock to those of the clock of the trace: by the last point before them, or else by
    /// the first one.
    #[inline]
    fn convert(&self, nanoseconds: i128) -> Option<i128> {
        let after = self.points.partition_point(|point| point.0 <= nanoseconds);
        let (own, trace) = self.points.get(after.saturating_sub(1))?;
        Some(nanoseconds.saturating_sub(*own).saturating_add(*trace))
    }
}

impl Reading {
    fn parse(message: &[u8]) -> Result<Self, Fault> {
        /// Maximum length of a unit: a time in such units does not overflow.
        const LONGEST: u64 = 1 << 40;
        let mut reading = Self {
            id: 0,
            nanoseconds: 0,
            unit: 1,
            is_incremental: false,
        };
        for field in Fields::new(message) {
            match field? {
                (1, Value::Number(id)) => reading.id = id as u32,
                (2, Value::Number(time)) => reading.nanoseconds = i128::from(time),
                (3, Value::Number(flag)) => reading.is_incremental = flag != 0,
                (4, Value::Number(unit)) => reading.unit = i128::from(unit.clamp(1, LONGEST)),
                _ => {}
            }
        }
        reading.nanoseconds *= reading.unit;
        Ok(reading)
    }
}

fn key(sequence: u32, clock: u32) -> ClockKey {
    if OF_SEQUENCE.contains(&clock) {
        (sequence, clock)
    } else {
        (0, clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes a snapshot of clocks: id, time, whether incremental, unit.
    fn snapshot(clocks: &[(u8, u8, bool, u8)]) -> Vec<u8> {
        let encode = |&(id, time, incremental, unit): &(u8, u8, bool, u8)| {
            [
                0x0a,
                8,
                0x08,
                id,
                0x10,
                time,
                0x18,
                u8::from(incremental),
                0x20,
                unit,
            ]
        };
        clocks.iter().flat_map(encode).collect()
    }

    #[test]
    fn times_are_converted_by_the_last_snapshot_before_them() {
        let mut clocks = Clocks::default();
        clocks
            .snapshot(1, &snapshot(&[(6, 100, false, 1), (3, 10, false, 1)]))
            .unwrap();
        clocks
            .snapshot(1, &snapshot(&[(6, 115, false, 1), (3, 20, false, 1)]))
            .unwrap();
        let times = [5, 15, 25].map(|time| clocks.time(1, Some(3), time));
        assert_eq!(times, [95, 105, 120]);
        assert_eq!(clocks.time(1, None, 7), 7);
    }

    #[test]
    fn incremental_clocks_belong_to_their_sequence() {
        let mut clocks = Clocks::default();
        clocks
            .snapshot(1, &snapshot(&[(6, 100, false, 1), (64, 2, true, 10)]))
            .unwrap();
        let times = [1, 2, 3].map(|time| clocks.time(1, Some(64), time));
        assert_eq!(times, [110, 130, 160]);
        assert_eq!(clocks.time(2, Some(64), 4), 4);
        assert_eq!((clocks.unrelated, clocks.unrelated_clock), (1, 64));
        // A snapshot without the clock of the trace is related to it by an incremental clock.
        clocks
            .snapshot(1, &snapshot(&[(64, 20, true, 10), (3, 5, false, 1)]))
            .unwrap();
        assert_eq!(clocks.time(1, Some(3), 6), 281);
    }

    #[test]
    fn the_longest_times_do_not_overflow() {
        // An incremental clock with the longest unit.
        let own = b"\x0a\x0d\x08\x40\x10\x00\x18\x01\x20\x80\x80\x80\x80\x80\x20";
        let snapshot = [&snapshot(&[(6, 1, false, 1)])[..], own].concat();
        for time in [i128::from(i64::MIN), i128::from(i64::MAX)] {
            let mut clocks = Clocks::default();
            clocks.snapshot(1, &snapshot).unwrap();
            let mut last = 0;
            for _ in 0..1 << 15 {
                let converted = clocks.time(1, Some(64), time * 1000);
                assert!(if time < 0 {
                    converted <= last
                } else {
                    converted >= last
                });
                last = converted;
            }
        }
    }
}

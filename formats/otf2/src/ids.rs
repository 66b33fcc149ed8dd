//! Ids that a location numbers in its own way, and clocks that are off.
//!
//! A measurement gives ids and takes times on each location by itself. What is the same elsewhere,
//! and how clocks differ, is known at the end only, and is written into the location's own
//! definitions. Readers apply both: libotf2 does, and so does this.

use std::collections::HashMap;

use foldtrace_trace::{Operand, UNDEFINED, ValueType};

/// What a table of ids is about; the codes are OTF2's `OTF2_MappingType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum IdKind {
    String,
    Attribute,
    Location,
    Region,
    Group,
    Metric,
    Comm,
    Parameter,
    RmaWin,
    SourceCodeLocation,
    CallingContext,
    InterruptGenerator,
    IoFile,
    IoHandle,
    LocationGroup,
}

impl IdKind {
    /// How many there are; tables with later codes are of no use to anyone.
    const COUNT: usize = 15;

    /// What the ids of an operand are about.
    pub(crate) const fn of_operand(operand: Operand) -> Option<Self> {
        Some(match operand {
            Operand::Region => Self::Region,
            Operand::Communicator => Self::Comm,
            Operand::Window => Self::RmaWin,
            Operand::Group => Self::Group,
            Operand::Metric => Self::Metric,
            Operand::Parameter => Self::Parameter,
            Operand::String => Self::String,
            Operand::CallingContext => Self::CallingContext,
            Operand::InterruptGenerator => Self::InterruptGenerator,
            Operand::Handle | Operand::NewHandle => Self::IoHandle,
            Operand::File => Self::IoFile,
            _ => return None,
        })
    }

    /// What the ids of a type of values are about.
    pub(crate) const fn of_value(value_type: ValueType) -> Option<Self> {
        Some(match value_type {
            ValueType::String => Self::String,
            ValueType::Attribute => Self::Attribute,
            ValueType::Location => Self::Location,
            ValueType::Region => Self::Region,
            ValueType::Group => Self::Group,
            ValueType::Metric => Self::Metric,
            ValueType::Comm => Self::Comm,
            ValueType::Parameter => Self::Parameter,
            ValueType::RmaWin => Self::RmaWin,
            ValueType::SourceCodeLocation => Self::SourceCodeLocation,
            ValueType::CallingContext => Self::CallingContext,
            ValueType::InterruptGenerator => Self::InterruptGenerator,
            ValueType::IoFile => Self::IoFile,
            ValueType::IoHandle => Self::IoHandle,
            ValueType::LocationGroup => Self::LocationGroup,
            _ => return None,
        })
    }
}

/// From a location's ids to those of the trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdMaps {
    maps: [Option<HashMap<u64, u64>>; IdKind::COUNT],
}

impl IdMaps {
    /// Takes a table: pairs of local and global id. Gives whether it is the first one of its kind;
    /// another one does not count.
    pub(crate) fn add(&mut self, code: u64, pairs: &[u64]) -> bool {
        let slot = usize::try_from(code)
            .ok()
            .and_then(|index| self.maps.get_mut(index));
        match slot {
            Some(slot @ None) => {
                // Ids are 32 bits wide, but for those of locations.
                let wide = code == IdKind::Location as u64;
                let pairs = pairs.chunks_exact(2).filter_map(|pair| match *pair {
                    [local, 0xffff_ffff] if !wide => Some((local, UNDEFINED)),
                    [local, global] => Some((local, global)),
                    _ => None,
                });
                *slot = Some(pairs.collect());
                true
            }
            Some(_) => false,
            None => true,
        }
    }

    /// The global id; one that no table knows is global already.
    #[inline(always)]
    pub(crate) fn apply(&self, kind: IdKind, id: u64) -> u64 {
        match &self.maps[kind as usize] {
            None => id,
            Some(map) => map.get(&id).copied().unwrap_or(id),
        }
    }
}

/// A stretch of time in which a clock drifts evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    begin: u64,
    end: u64,
    offset: i64,
    slope: f64,
}

/// How far a location's clock is off.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockCorrection {
    intervals: Vec<Interval>,
    last: Option<(u64, i64)>,
    current: usize,
}

impl ClockCorrection {
    /// Takes a measured offset. Gives whether it is later than the one before; one that is not does
    /// not count.
    pub(crate) fn add(&mut self, time: u64, offset: i64) -> bool {
        if let Some((begin, before)) = self.last {
            if begin >= time {
                return false;
            }
            self.intervals.push(Interval {
                begin,
                end: time,
                offset: before,
                slope: offset.wrapping_sub(before) as f64 / (time - begin) as f64,
            });
        }
        self.last = Some((time, offset));
        true
    }

    /// The corrected time. Times are asked for in the order of the events; beyond the first and the
    /// last offset the nearest interval goes on. A single offset says nothing about a drift and is
    /// not applied, as in libotf2.
    #[inline(always)]
    pub(crate) fn apply(&mut self, time: u64) -> u64 {
        if self.intervals.is_empty() {
            return time;
        }
        self.interpolate(time)
    }

    fn interpolate(&mut self, time: u64) -> u64 {
        while self.current + 1 < self.intervals.len() && time > self.intervals[self.current].end {
            self.current += 1;
        }
        let Interval {
            begin,
            offset,
            slope,
            ..
        } = self.intervals[self.current];
        let since = if time >= begin {
            (time - begin) as f64
        } else {
            -((begin - time) as f64)
        };
        let drift = (slope * since).round_ties_even();
        // Beyond 64 bits libotf2 gets what its processor makes of it.
        let drift = match drift {
            -9.223_372_036_854_775_8e18..9.223_372_036_854_775_8e18 => drift as i64,
            _ => i64::MIN,
        };
        time.wrapping_add(offset.wrapping_add(drift).cast_unsigned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_without_an_entry_stay() {
        let mut maps = IdMaps::default();
        assert!(maps.add(IdKind::Region as u64, &[0, 7, 1, 9]));
        assert!(
            !maps.add(IdKind::Region as u64, &[0, 8]),
            "the first counts"
        );
        assert!(maps.add(200, &[0, 8]), "of a kind of a later version");
        assert_eq!(maps.apply(IdKind::Region, 1), 9);
        assert_eq!(maps.apply(IdKind::Region, 2), 2);
        assert_eq!(maps.apply(IdKind::Comm, 1), 1);
    }

    #[test]
    fn clocks_are_interpolated_between_offsets_and_beyond_them() {
        let mut clock = ClockCorrection::default();
        assert!(clock.add(1000, 0));
        assert_eq!(clock.apply(5), 5, "one offset is none");
        assert!(clock.add(2000, 100));
        assert!(!clock.add(2000, 7));
        assert!(clock.add(3000, -100));
        assert_eq!(clock.apply(500), 450);
        assert_eq!(clock.apply(1000), 1000);
        assert_eq!(clock.apply(1505), 1555, "50.5 is rounded to 50");
        assert_eq!(clock.apply(2500), 2500);
        assert_eq!(clock.apply(4000), 3700);
    }
}

//! Translates the ids that each location assigns by itself, and corrects the clocks of locations.
//!
//! During a measurement, each location assigns ids and takes times by itself. Only at the end is it known which ids
//! are the same and how the clocks differ; this is written into the location's own definitions. Readers apply both,
//! as libotf2 and this module do.

use std::collections::HashMap;

use foldtrace_trace::{Operand, UNDEFINED, ValueType};

/// The kind of ids in a mapping table; the codes are those of OTF2's `OTF2_MappingType`.
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
    /// The number of kinds; tables with later codes are not used.
    const COUNT: usize = 15;

    /// Returns the kind of ids of an operand.
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

    /// Returns the kind of ids of a type of values.
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

/// The maps from a location's ids to the ids of the trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdMaps {
    maps: [Option<HashMap<u64, u64>>; IdKind::COUNT],
}

impl IdMaps {
    /// Adds a table of pairs of local and global id. Returns whether it is not a repetition: a second table of the
    /// same kind is ignored.
    pub(crate) fn add(&mut self, code: u64, pairs: &[u64]) -> bool {
        let slot = usize::try_from(code)
            .ok()
            .and_then(|index| self.maps.get_mut(index));
        match slot {
            Some(slot @ None) => {
                // Ids are 32 bits wide, except those of locations.
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

    /// Returns the global id. An id that is in no table is already global.
    #[inline(always)]
    pub(crate) fn apply(&self, kind: IdKind, id: u64) -> u64 {
        match &self.maps[kind as usize] {
            None => id,
            Some(map) => map.get(&id).copied().unwrap_or(id),
        }
    }
}

/// An interval of time in which a clock drifts linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    begin: u64,
    end: u64,
    offset: i64,
    slope: f64,
}

/// The correction of a location's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockCorrection {
    intervals: Vec<Interval>,
    last: Option<(u64, i64)>,
    current: usize,
}

impl ClockCorrection {
    /// Adds a measured offset. Returns whether it is later than the preceding one; otherwise, it is ignored.
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

    /// Returns the corrected time. The times must be passed in the order of the events. Before the first and after
    /// the last offset, the nearest interval is extrapolated. A single offset gives no drift and is not applied, as
    /// in libotf2.
    #[inline(always)]
    pub(crate) fn apply(&mut self, time: u64) -> u64 {
        if self.intervals.is_empty() {
            return time;
        }
        self.interpolate(time)
    }

    /// Returns whether `time` and later times are corrected in the same way if no earlier times are passed.
    pub(crate) fn is_same_from(&self, time: u64) -> bool {
        let reached = self
            .intervals
            .partition_point(|interval| interval.end < time);
        self.current <= reached
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
        // Beyond 64 bits, libotf2 gets what the processor's conversion yields.
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

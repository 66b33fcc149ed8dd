//! Assigns colours to the values of a measure: evenly spaced levels where values are similar, and levels of 1, 2, 5,
//! 10, … where small and large values have to be distinguished.

use foldtrace_view::palette::LEVELS;

use super::{Cell, Grid};
use crate::Class;

/// The measure that colours show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Lateness,
    Differential,
    Duration,
}

impl Measure {
    pub const ALL: [Self; 3] = [Self::Lateness, Self::Differential, Self::Duration];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Lateness => "lateness",
            Self::Differential => "differential lateness",
            Self::Duration => "duration",
        }
    }

    pub fn of(self, cell: &Cell) -> u64 {
        match self {
            Self::Lateness => cell.event.lateness,
            Self::Differential => cell.event.differential_lateness,
            Self::Duration => cell.ticks(),
        }
    }
}

/// The levels of a measure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Levels {
    pub measure: Measure,
    ticks_per_second: f64,
    /// The upper bound of each level, in seconds; levels without values are omitted.
    pub bounds: Vec<f64>,
}

impl Levels {
    pub fn new(grid: &Grid, measure: Measure) -> Self {
        let ticks_per_second = grid.clock.ticks_per_second.max(1) as f64;
        let is_of_map = measure == Measure::Lateness;
        let of_map = is_of_map.then(|| grid.lateness_of_map());
        let values = grid.cells.iter().map(|cell| measure.of(cell));
        let values = values.chain(of_map.into_iter().flatten());
        let values: Vec<u64> = values.filter(|&value| value > 0).collect();
        let most = values.iter().copied().max().unwrap_or(0);
        let small = values
            .iter()
            .filter(|&&value| value < most.div_ceil(LEVELS as u64));
        let is_even = 3 * small.count() < values.len();
        let least = values.into_iter().min().unwrap_or(0) as f64 / ticks_per_second;
        let bounds = match most as f64 / ticks_per_second {
            0.0 => Vec::new(),
            most if is_even => even(most),
            most => growing(least, most),
        };
        Self {
            measure,
            ticks_per_second,
            bounds,
        }
    }

    /// Returns the colour of a cell: 0 for none, then from 1 to [`LEVELS`]. The largest values have the last colour.
    pub fn colour_of(&self, cell: &Cell) -> usize {
        self.colour_of_ticks(self.measure.of(cell))
    }

    /// Returns the colour of a value.
    pub fn colour_of_ticks(&self, value: u64) -> usize {
        if value == 0 {
            return 0;
        }
        let seconds = value as f64 / self.ticks_per_second;
        let below = self
            .bounds
            .iter()
            .filter(|&&bound| bound * 1.000_001 < seconds);
        self.colour(below.count().min(self.bounds.len().saturating_sub(1)))
    }

    /// Returns the colour of a level: fewer levels are farther apart, and the last one always has the last colour.
    pub fn colour(&self, level: usize) -> usize {
        match self.bounds.len() {
            0 | 1 => LEVELS,
            levels => 1 + (level * (LEVELS - 1) + (levels - 1) / 2) / (levels - 1),
        }
    }
}

/// Returns evenly spaced levels.
fn even(most: f64) -> Vec<f64> {
    const STEPS: [f64; 9] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];
    let least = most / LEVELS as f64;
    let decade = 10_f64.powf(least.log10().floor());
    let mut steps = STEPS.map(|step| step * decade).into_iter();
    let step = steps.find(|&step| step * 1.000_001 >= least);
    let step = step.unwrap_or(10.0 * decade);
    let levels = (most / step - 1e-6).ceil().max(1.0) as usize;
    (1..=levels).map(|level| level as f64 * step).collect()
}

/// Returns levels that grow by a factor of 2 or 2.5, from the largest value down to the smallest.
fn growing(least: f64, most: f64) -> Vec<f64> {
    let mut bound = Round::above(most);
    let mut bounds = vec![bound.value()];
    while bounds.len() < LEVELS {
        bound = bound.less();
        if bound.value() < least * 0.999_999 {
            break;
        }
        bounds.push(bound.value());
    }
    bounds.reverse();
    bounds
}

/// A number of the form 1, 2, or 5 times a power of ten.
#[derive(Clone, Copy, Debug)]
struct Round {
    digit: usize,
    decade: i32,
}

const DIGITS: [f64; 3] = [1.0, 2.0, 5.0];

impl Round {
    /// Returns the smallest round number that is not less than a positive number.
    fn above(number: f64) -> Self {
        let mut decade = number.log10().floor() as i32 - 1;
        loop {
            for digit in 0..DIGITS.len() {
                let round = Self { digit, decade };
                if round.value() * 1.000_001 >= number {
                    return round;
                }
            }
            decade += 1;
        }
    }

    fn less(self) -> Self {
        match self.digit {
            0 => Self {
                digit: DIGITS.len() - 1,
                decade: self.decade - 1,
            },
            digit => Self {
                digit: digit - 1,
                ..self
            },
        }
    }

    fn value(self) -> f64 {
        DIGITS[self.digit] * 10_f64.powi(self.decade)
    }
}

/// Returns the value from which values stand out: they are at least an eighth of the largest one, and few.
fn outstanding(mut values: Vec<u64>, share: usize) -> u64 {
    values.sort_unstable_by(|a, b| b.cmp(a));
    let most = values.first().copied().unwrap_or(0);
    let few = values
        .get((values.len() / share).max(24))
        .copied()
        .unwrap_or(0);
    // If the largest values are all the same, there is no way to choose among them.
    most.div_ceil(8).max(few + 1).min(most).max(1)
}

/// Returns the differential lateness, in ticks, from which a cell is marked as an origin.
pub(super) fn marked(grid: &Grid) -> u64 {
    let values = grid
        .cells
        .iter()
        .map(|cell| cell.event.differential_lateness);
    outstanding(values.collect(), 80)
}

/// Returns for each message whether it is marked, because it makes its receiver very late.
pub(super) fn delaying(grid: &Grid) -> Vec<bool> {
    let lateness = |&(_, to): &(usize, usize)| {
        let event = &grid.cells[to].event;
        match event.class {
            Some(Class::LateSender | Class::Message) => event.lateness,
            _ => 0,
        }
    };
    let values: Vec<u64> = grid.messages.iter().map(lateness).collect();
    let least = outstanding(values.clone(), 30);
    values.into_iter().map(|value| value >= least).collect()
}

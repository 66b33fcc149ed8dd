//! Codes the times of a segment.
//!
//! The time until an event depends on its symbol, on the events before and after it, and on the time until the preceding
//! event. It is coded as a number of periods of the clock; the time that this number predicts is nearly always exact.

use super::coder::Coder;
use super::grid::{Grid, Period};
use super::number::{Context, Numbers, length_of};

const TIME: Context = Context::new(7);
const BACKWARDS: Context = Context::new(2);
const DEVIATION: Context = Context::new(5);

/// The addition to the context of deviations for their sign, and that for their magnitude if it is more than a tick.
/// Both are greater than any confidence.
const SIGN: u32 = 1 << 16;
const MAGNITUDE: u32 = 1 << 17;

/// Codes the times of events with these fingerprints. `period` is that of the clock; `ascending` tells that times never
/// go backwards.
pub(super) fn code_times<C: Coder>(
    coder: &mut C,
    period: Period,
    ascending: bool,
    prints: impl Iterator<Item = u32>,
    times: &mut [u64],
) {
    let mut numbers = Numbers::new(16 * times.len());
    let mut grid = Grid::new(period);
    let mut prints = prints.peekable();
    let (mut time_before, mut print_before, mut length_before) = (0_u64, 0, 0);
    for time in times {
        let print = prints.next().unwrap_or_default();
        let next = prints.peek().copied().unwrap_or_default();
        let pair = TIME.and(print_before).and(print);
        let step = time.wrapping_sub(time_before);
        let backwards = !ascending && {
            let backwards = u32::from((step as i64) < 0);
            numbers.small(coder, BACKWARDS.and(print), 1, backwards) == 1
        };
        let distance = if backwards { step.wrapping_neg() } else { step };
        let periods = numbers.number(
            coder,
            pair.and(length_before),
            pair.and(next),
            grid.nearest(distance, backwards),
        );
        let mut coded = grid.advance(periods, backwards);
        if period != Period::TICK {
            let deviation = step.wrapping_sub(coded) as i64;
            let deviation = code_deviation(coder, &mut numbers, &grid, periods, deviation);
            grid.correct(deviation);
            coded = coded.wrapping_add(deviation as u64);
        }
        *time = time_before.wrapping_add(coded);
        (time_before, print_before, length_before) = (*time, print, length_of(periods));
    }
}

/// Codes the deviation of a time from the grid, after a step of some periods.
fn code_deviation<C: Coder>(
    coder: &mut C,
    numbers: &mut Numbers,
    grid: &Grid,
    periods: u64,
    deviation: i64,
) -> i64 {
    let context = DEVIATION.and(grid.confidence(periods));
    if numbers.small(coder, context, 1, u32::from(deviation != 0)) == 0 {
        return 0;
    }
    let is_early = u32::from(deviation < 0);
    let is_early = numbers.small(coder, context.and(SIGN), 1, is_early) == 1;
    let rest = deviation.unsigned_abs().wrapping_sub(1);
    let large = DEVIATION.and(MAGNITUDE);
    let deviation = numbers.number(coder, large, large, rest).wrapping_add(1) as i64;
    if is_early {
        deviation.wrapping_neg()
    } else {
        deviation
    }
}

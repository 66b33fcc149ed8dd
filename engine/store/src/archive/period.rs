//! Finds the period of a clock: the time after which its reading changes.
//!
//! Many clocks report nanoseconds but change only every 10 ns, every 41.67 ns or every microsecond. All times are then
//! whole numbers of periods after a common start, rounded down to ticks, so that a number of periods determines the
//! time.

use microfft::Complex32;
use microfft::real::rfft_4096;
use num_integer::Integer as _;

use super::grid::{Grid, Period};

/// The number of steps between consecutive times that are examined for candidates.
const SAMPLE: usize = 1 << 12;

/// The minimum number of steps; fewer are not significant.
const FEWEST: usize = 256;

/// The number of lengths of steps, in ticks, in the spectrum; also the number of its samples.
const WIDTH: usize = 1 << 12;

/// The longest period in ticks, apart from common divisors of all steps.
const LONGEST: usize = 256;

/// The minimum power of a candidate, as a share of the power if all steps are multiples of its period, and as a share
/// of the greatest power of the candidates.
const POWER: f32 = 0.1;
const POWER_OF_GREATEST: f32 = 0.25;

/// The inverse of the minimum distance of a peak from higher ones, as a share of its frequency.
const NEAR: usize = 16;

/// The maximum number of candidates.
const CANDIDATES: usize = 6;

/// The number of bits per time that a period must save, compared with any shorter period. A multiple of the period of
/// a clock saves more only by chance.
const WORTH: f64 = 0.25;

/// Returns the period of a clock with these times, or a tick if no other period makes them shorter.
pub(super) fn find_period(times: &[u64]) -> Period {
    let steps: Vec<u64> = times
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]))
        .filter(|&step| (1..1 << 63).contains(&step))
        .collect();
    if steps.len() < FEWEST {
        return Period::TICK;
    }
    let divisor = steps.iter().try_fold(0_u64, |divisor, step| {
        Some(divisor.gcd(step)).filter(|&divisor| divisor > 1)
    });
    if let Some(period) = divisor.and_then(|ticks| Period::new(ticks as f64)) {
        return period;
    }
    let sample = &steps[..steps.len().min(SAMPLE)];
    let (mut best, mut most) = (None, WORTH);
    for candidate in candidates(sample) {
        let candidate = candidate.refined(sample);
        let Some(period) = Period::new(candidate.ticks) else {
            continue;
        };
        let saved = saved(period, sample);
        if saved > most {
            (best, most) = (Some(candidate), saved + WORTH);
        }
    }
    best.and_then(|candidate| Period::new(candidate.refined(&steps).ticks))
        .unwrap_or(Period::TICK)
}

/// A period that a clock may have.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    ticks: f64,
    /// The maximum difference from the actual period, in ticks.
    error: f64,
}

impl Candidate {
    /// Returns the candidate with the precision that `steps` allow.
    ///
    /// The number of periods in a step is certain if it is short. The more consecutive steps are certain, the more
    /// exact is the period, and the longer are the steps that are certain.
    fn refined(mut self, steps: &[u64]) -> Self {
        loop {
            let longest = 0.25 * self.ticks * self.ticks / self.error;
            let frequency = self.ticks.recip();
            // Runs of certain steps, and the least squares of their lengths.
            let (mut products, mut squares) = (0.0, 0.0);
            for run in steps.split(|&step| step as f64 > longest) {
                let (mut ticks, mut periods) = (0.0, 0.0);
                for &step in run {
                    ticks += step as f64;
                    periods += (step as f64 * frequency + 0.5).floor();
                }
                products += ticks * periods;
                squares += periods * periods;
            }
            // Times are rounded to ticks, at both ends of a run.
            let error = squares.sqrt().recip();
            // Without any run, the error is infinite.
            let is_better = error <= 0.5 * self.error;
            if !is_better {
                return self;
            }
            self = Self {
                ticks: products / squares,
                error,
            };
        }
    }
}

/// Returns the periods at the peaks of the spectrum of the steps' lengths, in ascending order.
fn candidates(steps: &[u64]) -> Vec<Candidate> {
    let mut lengths = [0.0; WIDTH];
    let mut count = 0;
    for &step in steps {
        if let Some(length) = lengths.get_mut(step as usize) {
            *length += 1.0;
            count += 1;
        }
    }
    if count < FEWEST {
        return Vec::new();
    }
    let powers: Vec<f32> = rfft_4096(&mut lengths)
        .iter()
        .map(Complex32::norm_sqr)
        .collect();
    let least = POWER * (count * count) as f32;
    let is_peak = |&at: &usize| {
        let near = at - at / NEAR..powers.len().min(at + at / NEAR + 1);
        let power = powers[at];
        power >= least && powers[near].iter().all(|&other| other <= power)
    };
    let mut peaks: Vec<usize> = (WIDTH / LONGEST..powers.len() - 1)
        .filter(is_peak)
        .collect();
    let greatest = peaks.iter().map(|&at| powers[at]).fold(0.0, f32::max);
    peaks.retain(|&at| powers[at] >= POWER_OF_GREATEST * greatest);
    // Peaks at multiples of the frequency of a clock are nearly as high as that at the frequency.
    peaks.truncate(CANDIDATES);
    peaks.reverse();
    let candidate = |at: usize| {
        // The vertex of the parabola through three powers.
        let [before, power, after] = [powers[at - 1], powers[at], powers[at + 1]].map(f64::from);
        let bend = before - 2.0 * power + after;
        let shift = 0.5 * (before - after) / bend;
        let vertex = at as f64 + if bend < 0.0 { shift } else { 0.0 };
        let ticks = WIDTH as f64 / vertex;
        Candidate {
            ticks,
            error: 0.5 * ticks / vertex,
        }
    };
    peaks.into_iter().map(candidate).collect()
}

/// Returns the number of bits per long step that a period saves: the number of bits of the lengths within a period,
/// minus the entropy of the deviations.
fn saved(period: Period, steps: &[u64]) -> f64 {
    let mut grid = Grid::new(period);
    let mut counts = [0_u32; 2 * LONGEST];
    let mut all = 0_u32;
    for &step in steps {
        let periods = grid.nearest(step, false);
        let deviation = step.wrapping_sub(grid.advance(periods, false)) as i64;
        grid.correct(deviation);
        let place = (deviation + LONGEST as i64) as usize;
        if periods >= 8
            && let Some(count) = counts.get_mut(place)
        {
            *count += 1;
            all += 1;
        }
    }
    // With so few steps, this many deviations cannot be distinguished from chance.
    if f64::from(all) < (FEWEST as f64).max(8.0 * period.ticks()) {
        return 0.0;
    }
    let entropy: f64 = counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f64::from(count) / f64::from(all);
            -share * share.log2()
        })
        .sum();
    period.ticks().log2() - entropy
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Times of a clock with a period in ticks, which is read after these numbers of periods.
    fn times(period: f64, steps: &[u64]) -> Vec<u64> {
        let mut periods = 1_000_000;
        let time = |step: &u64| {
            periods += step;
            (periods as f64 * period + 0.3).floor() as u64
        };
        steps.iter().map(time).collect()
    }

    fn steps() -> impl Strategy<Value = Vec<u64>> {
        let step = prop_oneof![
            6 => 1..60_u64,
            3 => 60..2000_u64,
            1 => 2000..1_000_000_u64,
        ];
        prop::collection::vec(step, 4000..8000)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn periods_of_clocks_are_found(steps in steps(), period in 4.0..64.0_f64) {
            let times = times(period, &steps);
            let found = find_period(&times).ticks();
            let longest = (times[times.len() - 1] - times[0]) as f64;
            prop_assert!(
                (found - period).abs() < 8.0 * period / longest,
                "{found} instead of {period}"
            );
        }

        #[test]
        fn clocks_that_count_ticks_have_no_other_period(steps in steps()) {
            prop_assert_eq!(find_period(&times(1.0, &steps)), Period::TICK);
        }
    }

    /// The spectrum of equal steps is flat.
    #[test]
    fn equal_steps_of_a_tick_have_no_other_period() {
        assert_eq!(find_period(&times(1.0, &[1; 1000])), Period::TICK);
    }

    proptest! {
        #[test]
        fn any_times_have_a_period(times in prop::collection::vec(any::<u64>(), 0..2000)) {
            find_period(&times);
        }

        #[test]
        fn few_lengths_of_steps_have_a_period(
            lengths in prop::collection::vec(0..200_u64, 1..4),
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..2000),
        ) {
            let steps: Vec<u64> = choices.iter().map(|choice| *choice.get(&lengths)).collect();
            find_period(&times(1.0, &steps));
        }
    }

    #[test]
    fn common_divisors_are_periods() {
        let steps: Vec<u64> = (1..1000).map(|n| n * n % 177 + 1).collect();
        let times: Vec<u64> = times(1.0, &steps).iter().map(|time| 1000 * time).collect();
        assert_eq!(find_period(&times).ticks(), 1000.0);
    }
}

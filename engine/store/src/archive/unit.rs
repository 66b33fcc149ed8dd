//! Finds the unit in which a clock actually counts.
//!
//! Many clocks report nanoseconds but count in steps of ten or of a thousand. The remainders of short times, divided
//! by the step, are then nearly always the same, so it pays to code them separately.

/// The steps to try, in ticks: the steps of real clocks.
const CANDIDATES: [u16; 18] = [
    2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 100, 128, 250, 256, 500, 1000,
];

/// The maximum number of times examined.
const SAMPLE: usize = 1 << 15;

/// The minimum number of times; fewer are not significant.
const FEWEST: usize = 256;

/// The number of bits per examined time that a unit must save.
const WORTH: f64 = 1.0;

/// Returns the unit of these times; 1 if no other unit is better.
pub(super) fn clock_unit(times: &[u64]) -> u16 {
    let sample: Vec<u64> = times
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]))
        .take(SAMPLE)
        .collect();
    let mut best = (1, WORTH);
    for unit in CANDIDATES {
        let saved = saved(&sample, unit);
        // A multiple of the unit saves more only by chance.
        if saved > best.1 + 0.25 {
            best = (unit, saved);
        }
    }
    best.0
}

/// Returns the number of bits per time that the unit saves: the entropy of uniformly distributed remainders minus
/// that of the actual remainders. Only times of 8 to 64 units are significant.
fn saved(sample: &[u64], unit: u16) -> f64 {
    let unit = usize::from(unit);
    let mut counts = vec![0_u32; unit];
    let several = 8 * unit as u64..64 * unit as u64;
    for ticks in sample.iter().filter(|ticks| several.contains(ticks)) {
        counts[(*ticks % unit as u64) as usize] += 1;
    }
    let all: u32 = counts.iter().sum();
    // With so few times, this many remainders cannot be distinguished from chance.
    if (all as usize) < FEWEST.max(8 * unit) {
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
    (unit as f64).log2() - entropy
}

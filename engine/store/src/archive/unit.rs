//! The unit in which a clock really counts.
//!
//! Many clocks tell nanoseconds but count in steps of ten, or of a thousand. Then what is left of
//! short times, divided by the step, is nearly always the same, and worth to be coded apart.

/// Steps that clocks are known to make, in ticks.
const CANDIDATES: [u16; 18] = [
    2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 100, 128, 250, 256, 500, 1000,
];

/// Times that are looked at.
const SAMPLE: usize = 1 << 15;

/// Fewer say nothing.
const FEWEST: usize = 256;

/// Bits that a unit must save of each time that is looked at.
const WORTH: f64 = 1.0;

/// The unit of these times, 1 if none is better.
pub(super) fn of(times: &[u64]) -> u16 {
    let sample: Vec<u64> = times
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]))
        .take(SAMPLE)
        .collect();
    let mut best = (1, WORTH);
    for unit in CANDIDATES {
        let saved = saved(&sample, unit);
        // A multiple of the unit saves no more but for chance.
        if saved > best.1 + 0.25 {
            best = (unit, saved);
        }
    }
    best.0
}

/// Bits that the unit saves of a time: those of a rest that could be any, less those of the rests
/// that are. Only times of some units, but not of many, show it.
fn saved(sample: &[u64], unit: u16) -> f64 {
    let unit = usize::from(unit);
    let mut counts = vec![0_u32; unit];
    let several = 8 * unit as u64..64 * unit as u64;
    for ticks in sample.iter().filter(|ticks| several.contains(ticks)) {
        counts[(*ticks % unit as u64) as usize] += 1;
    }
    let all: u32 = counts.iter().sum();
    // So many rests cannot be told from chance by so few times.
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

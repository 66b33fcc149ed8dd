//! Tests whether a construct takes longer in one run than in another, relative to the spread of its iterations.
//!
//! Times are compared as logarithms, because noise and slowdowns are factors. Medians and median absolute deviations
//! ignore single outliers, such as an iteration that the operating system interrupts.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The least number of values for a test.
pub const LEAST_VALUES: usize = 4;

/// The number of values from which deviations are measured by their median.
const MANY: usize = 10;

/// The standard deviation of a normal distribution, in median absolute deviations.
const DEVIATION: f64 = 1.4826;

/// The standard error of the median of normally distributed values, in standard errors of the mean.
const ERROR_OF_MEDIAN: f64 = 1.2533;

/// A spread that no clock resolves. It is the least spread in a test.
const LEAST_SPREAD: f64 = 1e-6;

/// The difference between two runs, as a logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The logarithm of the ratio: positive if the second run takes longer.
    pub log: f64,
    /// The standard deviation of that logarithm between iterations.
    pub spread: f64,
    /// The probability of at least such a difference if both runs were the same, before the correction for the number
    /// of tests.
    pub probability: f64,
}

impl Shift {
    /// Tests the logarithms of the ratios of corresponding iterations; `None` if there are too few.
    #[must_use]
    pub fn paired(logs: &[f64]) -> Option<Self> {
        if logs.len() < LEAST_VALUES {
            return None;
        }
        let log = median(logs);
        let spread = spread(logs, log).max(LEAST_SPREAD);
        let error = ERROR_OF_MEDIAN * spread / (logs.len() as f64).sqrt();
        Some(Self {
            log,
            spread,
            probability: two_sided(log / error, logs.len() as f64 - 1.0),
        })
    }

    /// Tests the logarithms of the times of iterations that do not correspond; `None` if there are too few.
    #[must_use]
    pub fn unpaired(first: &[f64], second: &[f64]) -> Option<Self> {
        if first.len().min(second.len()) < LEAST_VALUES {
            return None;
        }
        let medians = [first, second].map(median);
        let log = medians[1] - medians[0];
        let spreads = [spread(first, medians[0]), spread(second, medians[1])];
        let lengths = [first.len(), second.len()].map(|length| length as f64);
        let variances: [f64; 2] =
            std::array::from_fn(|run| spreads[run].max(LEAST_SPREAD).powi(2) / lengths[run]);
        let variance = variances[0] + variances[1];
        // Welch and Satterthwaite.
        let freedom = variance.powi(2)
            / (variances[0].powi(2) / (lengths[0] - 1.0)
                + variances[1].powi(2) / (lengths[1] - 1.0));
        let error = ERROR_OF_MEDIAN * variance.sqrt();
        let spread = spreads[0].max(spreads[1]).max(LEAST_SPREAD);
        Some(Self {
            log,
            spread,
            probability: two_sided(log / error, freedom),
        })
    }
}

/// Returns the probability that Student's t is at least as far from 0.
fn two_sided(t: f64, freedom: f64) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, freedom.max(1.0));
    distribution.map_or(1.0, |distribution| {
        (2.0 * distribution.sf(t.abs())).min(1.0)
    })
}

/// Returns the median of some values; 0 if there are none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(middle)) {
        (1, Some(&value)) => value,
        (0, Some(&value)) => f64::midpoint(value, sorted[middle - 1]),
        _ => 0.0,
    }
}

/// Returns the median of values with weights; 0 if there are none.
#[must_use]
pub fn weighted_median(values: &mut [(f64, f64)]) -> f64 {
    values.sort_by(|one, two| one.0.total_cmp(&two.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let middle = values.iter().find(|(_, weight)| {
        sum += weight;
        sum >= half
    });
    middle.map_or(0.0, |(value, _)| *value)
}

/// Returns the standard deviation of values around `centre`, regardless of outliers if there are many values.
#[must_use]
pub fn spread(values: &[f64], centre: f64) -> f64 {
    if values.len() >= MANY {
        let deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
        return DEVIATION * median(&deviations);
    }
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

/// Corrects the probabilities of many tests after Holm: the probability that at least one of the tests with a corrected
/// probability below p finds a difference by chance is at most p.
#[must_use]
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&one, &two| probabilities[one].total_cmp(&probabilities[two]));
    let mut corrected = vec![1.0; probabilities.len()];
    let mut greatest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        let tests = (probabilities.len() - rank) as f64;
        greatest = greatest.max((tests * probabilities[index]).min(1.0));
        corrected[index] = greatest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn holm_multiplies_by_the_number_of_tests_that_are_left() {
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        assert_eq!(holm(&[0.5, 0.9]), [1.0, 1.0]);
    }

    #[test]
    fn equal_runs_do_not_differ() {
        let logs = [0.0; 20];
        assert_eq!(Shift::paired(&logs).unwrap().probability, 1.0);
        assert_eq!(Shift::unpaired(&logs, &logs).unwrap().probability, 1.0);
        assert!(Shift::paired(&logs[..3]).is_none());
    }

    /// Returns values of a normal distribution around 0: sums of twelve uniform ones.
    fn normal(random: &mut fastrand::Rng, number: usize) -> Vec<f64> {
        let one = |_| (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        (0..number).map(one).collect()
    }

    proptest! {
        #[test]
        fn a_shift_is_found_and_chance_is_not(seed in any::<u64>(), number in 20..64_usize) {
            let mut random = fastrand::Rng::with_seed(seed);
            let [first, second] = std::array::from_fn(|_| normal(&mut random, number));
            let slower: Vec<f64> = second.iter().map(|value| value + 4.0).collect();
            let found = Shift::unpaired(&first, &slower).unwrap();
            prop_assert!(found.probability < 1e-4 && (found.log - 4.0).abs() < 2.0);
            let found = Shift::paired(&slower).unwrap();
            prop_assert!(found.probability < 1e-4 && (found.log - 4.0).abs() < 1.0);
            // A median of normal values is hardly ever this far off.
            prop_assert!(Shift::paired(&second).unwrap().probability > 1e-7);
            prop_assert!(Shift::unpaired(&first, &second).unwrap().probability > 1e-7);
        }

        #[test]
        fn outliers_do_not_matter(seed in any::<u64>(), outlier in 1.0..1e6_f64) {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut logs = normal(&mut random, 41);
            logs.sort_by(f64::total_cmp);
            let before = Shift::paired(&logs).unwrap();
            if let Some(last) = logs.last_mut() {
                *last += outlier;
            }
            prop_assert_eq!(Shift::paired(&logs).unwrap().log, before.log);
        }
    }
}

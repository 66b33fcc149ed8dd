//! Reduces a distribution to a few values that are equally frequent and have the mean of the distribution.

use foldtrace_logical::model::Distribution;

/// The number of values.
const STRATA: usize = 16;

/// Returns the values of a distribution between `from` and `to`, which are positions in its order, from 0 to 1.
pub(super) fn strata(quantiles: &[u64], (from, to): (f64, f64)) -> Vec<f64> {
    let value = |part: f64| {
        let place = part * (quantiles.len() - 1) as f64;
        let below = place.floor() as usize;
        let above = (below + 1).min(quantiles.len() - 1);
        let [below_is, above_is] = [below, above].map(|index| quantiles[index] as f64);
        below_is + (above_is - below_is) * place.fract()
    };
    if quantiles.is_empty() {
        return vec![0.0; STRATA];
    }
    let middle = |index| from + (to - from) * (f64::from(index) + 0.5) / STRATA as f64;
    (0..STRATA as u32)
        .map(|index| value(middle(index)))
        .collect()
}

/// Changes values so that they have this mean: only the greatest value if that is enough, otherwise all of them.
/// Outliers are at the upper end, and say little about the other values.
pub(super) fn with_mean(mut values: Vec<f64>, mean: f64) -> Vec<f64> {
    let sum = mean * values.len() as f64;
    let Some((last, others)) = values.split_last_mut() else {
        return values;
    };
    let others: f64 = others.iter().sum();
    let least = others / (STRATA - 1) as f64;
    if sum - others >= least {
        *last = sum - others;
        values.sort_by(f64::total_cmp);
        return values;
    }
    let own = others + *last;
    let factor = if own > 0.0 { sum / own } else { 0.0 };
    values.iter().map(|value| value * factor).collect()
}

/// Returns the only value of a distribution, or `None` if there are several.
pub(super) fn only(distribution: &Distribution) -> Option<u64> {
    let (first, last) = (
        distribution.quantiles.first(),
        distribution.quantiles.last(),
    );
    let mean = distribution
        .sum
        .checked_div(distribution.count)
        .unwrap_or(0);
    match (first, last) {
        (Some(first), Some(last)) if first == last => Some(*first),
        (None, _) => Some(mean),
        _ => None,
    }
}

/// Rounds values to integers whose mean comes closest to `mean`.
pub(super) fn whole(values: &[f64], mean: f64) -> Vec<u64> {
    let mut whole: Vec<u64> = values
        .iter()
        .map(|value| value.floor().max(0.0) as u64)
        .collect();
    let sum: u64 = whole.iter().sum();
    let missing = (mean * values.len() as f64).round().max(0.0) as u64;
    let missing = missing.saturating_sub(sum) as usize;
    let count = whole.len().max(1);
    for index in 0..missing.min(4 * count) {
        whole[index % count] += 1;
    }
    whole
}

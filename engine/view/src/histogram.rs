//! Counts durations in a histogram, and finds its peaks.

use std::ops::Range;

/// A histogram of durations in ticks. Bins are logarithmic: there are 2 to the power of `BITS` per power of two, so that
/// a bin is about 1 % wide with 6 bits, and 0.1 % with 10; at most 10 are possible. Shorter durations than twice that
/// number have a bin each. Memory grows at most with the number of different durations, not with the number of
/// occurrences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram<const BITS: u32 = 6> {
    /// The bins that are not empty, by duration, with their counts.
    bins: Vec<(u16, u64)>,
    count: u64,
    sum: u128,
    least: u64,
    greatest: u64,
}

/// A duration that many occurrences have approximately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// The median of these occurrences, in ticks.
    pub ticks: u64,
    /// The shortest duration that belongs to the peak.
    pub from: u64,
    /// The longest duration that belongs to the peak.
    pub to: u64,
    /// The number of occurrences in the peak.
    pub count: u64,
}

impl Peak {
    /// Returns whether a duration belongs to the peak.
    #[must_use]
    pub const fn contains(&self, ticks: u64) -> bool {
        self.from <= ticks && ticks <= self.to
    }
}

/// The definition of a peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Durations that differ from a peak by at most this fraction of it belong to the peak; the paper uses 0.1.
    pub width: f64,
    /// The minimum number of similar occurrences of a peak.
    pub support: u64,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            width: 0.1,
            support: 3,
        }
    }
}

impl<const BITS: u32> Histogram<BITS> {
    const fn bin(ticks: u64) -> u16 {
        const { assert!(BITS <= 10, "the number of a bin has 16 bits") };
        if ticks < 1 << BITS {
            return ticks as u16;
        }
        let shift = ticks.ilog2() - BITS;
        // The mantissa keeps its leading bit, which counts as one more power of two.
        ((shift << BITS) as u64 + (ticks >> shift)) as u16
    }

    /// Returns the shortest duration of a bin.
    const fn start(bin: u16) -> u64 {
        let bin = bin as u64;
        if bin < 2 << BITS {
            return bin;
        }
        let shift = (bin >> BITS) - 1;
        if shift + BITS as u64 >= 64 {
            return u64::MAX;
        }
        (bin - (shift << BITS)) << shift
    }

    /// Returns the longest duration of a bin.
    const fn end(bin: u16) -> u64 {
        let next = Self::start(bin + 1);
        if next == u64::MAX { next } else { next - 1 }
    }

    /// Adds an occurrence.
    pub fn add(&mut self, ticks: u64) {
        let bin = Self::bin(ticks);
        match self.bins.binary_search_by_key(&bin, |&(bin, _)| bin) {
            Ok(index) => self.bins[index].1 += 1,
            Err(index) => self.bins.insert(index, (bin, 1)),
        }
        let is_first = self.count == 0;
        self.least = if is_first {
            ticks
        } else {
            self.least.min(ticks)
        };
        self.greatest = self.greatest.max(ticks);
        self.count += 1;
        self.sum += u128::from(ticks);
    }

    /// Adds all occurrences of another histogram.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        let mut bins = Vec::with_capacity(self.bins.len().max(other.bins.len()));
        let (mut a, mut b) = (self.bins.iter().peekable(), other.bins.iter().peekable());
        while let Some(&&(bin, _)) = match (a.peek(), b.peek()) {
            (Some(left), Some(right)) => Some(if left.0 <= right.0 { left } else { right }),
            (left, right) => left.or(right),
        } {
            let mut count = 0;
            for side in [&mut a, &mut b] {
                count += side.next_if(|next| next.0 == bin).map_or(0, |next| next.1);
            }
            bins.push((bin, count));
        }
        self.bins = bins;
        self.least = if self.count == 0 {
            other.least
        } else {
            self.least.min(other.least)
        };
        self.greatest = self.greatest.max(other.greatest);
        self.count += other.count;
        self.sum += other.sum;
    }

    /// Returns the number of occurrences.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sum of all durations, in ticks.
    #[must_use]
    pub const fn sum(&self) -> u128 {
        self.sum
    }

    /// Returns the shortest duration.
    #[must_use]
    pub const fn least(&self) -> u64 {
        self.least
    }

    /// Returns the longest duration.
    #[must_use]
    pub const fn greatest(&self) -> u64 {
        self.greatest
    }

    /// Returns the median, accurate to the width of a bin; 0 if there are no occurrences.
    #[must_use]
    pub fn median(&self) -> u64 {
        self.median_of(&self.bins)
    }

    /// Iterates over the bins that are not empty: the shortest and the longest duration of each, and the number of
    /// occurrences in it.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = (u64, u64, u64)> + '_ {
        let bins = self.bins.iter();
        bins.map(|&(bin, count)| (Self::start(bin), Self::end(bin), count))
    }

    /// Returns the middle of the bin that contains the median of some bins.
    fn median_of(&self, bins: &[(u16, u64)]) -> u64 {
        let all: u64 = bins.iter().map(|&(_, count)| count).sum();
        let mut before = 0;
        for &(bin, count) in bins {
            before += count;
            if before * 2 >= all {
                let middle = Self::start(bin) + (Self::end(bin) - Self::start(bin)) / 2;
                return middle.clamp(self.least, self.greatest);
            }
        }
        0
    }

    /// Returns the peaks, the one with the most occurrences first.
    ///
    /// The density at a duration is the number of occurrences that are similar to it: a kernel density estimate on a
    /// logarithmic axis, whose kernel is the window itself. The highest density defines a peak, at the median of the
    /// similar occurrences, so that a single distant occurrence has no effect. These occurrences are removed, and the
    /// rest may have further peaks, until fewer than [`Window::support`] of them are similar to each other.
    #[must_use]
    pub fn peaks(&self, window: Window) -> Vec<Peak> {
        let mut left = self.bins.clone();
        let mut peaks = Vec::new();
        while let Some((densest, most)) = Self::densest(&left, window.width) {
            if most < window.support.max(1) {
                break;
            }
            let around = |ticks: u64| {
                let (from, to) = similar(ticks, window.width);
                let is_similar = move |bin: u16| {
                    from <= Self::start(bin) && Self::end(bin) <= to
                        || (Self::start(bin)..=Self::end(bin)).contains(&ticks)
                };
                let similar = left.iter().filter(|&&(bin, _)| is_similar(bin));
                let count = similar.map(|&(_, count)| count).sum();
                (
                    Peak {
                        ticks,
                        from,
                        to,
                        count,
                    },
                    is_similar,
                )
            };
            let (first, last) = (left[densest.start].0, left[densest.end - 1].0);
            let mut peak = around(self.median_of(&left[densest]));
            if peak.0.count < most {
                peak = around(Self::start(first) + (Self::end(last) - Self::start(first)) / 2);
            }
            left.retain(|&(bin, _)| !(peak.1)(bin));
            peaks.push(peak.0);
        }
        peaks.sort_by_key(|peak| (std::cmp::Reverse(peak.count), peak.ticks));
        peaks
    }

    /// Returns the bins with the most occurrences that fit into one window, and the number of these occurrences; the
    /// first of several such ranges.
    fn densest(bins: &[(u16, u64)], width: f64) -> Option<(Range<usize>, u64)> {
        let ratio = (1.0 + width) / (1.0 - width).max(f64::MIN_POSITIVE);
        let (mut best, mut most) = (None, 0);
        let (mut first, mut count) = (0, 0_u64);
        for (index, &(bin, more)) in bins.iter().enumerate() {
            count += more;
            while first < index && Self::end(bin) as f64 > Self::start(bins[first].0) as f64 * ratio
            {
                count -= bins[first].1;
                first += 1;
            }
            if count > most {
                (best, most) = (Some((first..index + 1, count)), count);
            }
        }
        best
    }
}

/// Returns the shortest and the longest duration that are similar to a duration.
fn similar(ticks: u64, width: f64) -> (u64, u64) {
    let away = ticks as f64 * width;
    (
        (ticks as f64 - away).ceil() as u64,
        (ticks as f64 + away).floor() as u64,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(durations: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        durations.iter().for_each(|&ticks| histogram.add(ticks));
        histogram
    }

    fn check<const BITS: u32>(ticks: u64) {
        let bin = Histogram::<BITS>::bin(ticks);
        let (start, end) = (Histogram::<BITS>::start(bin), Histogram::<BITS>::end(bin));
        assert!(start <= ticks && ticks <= end, "{ticks}");
        assert!(end - start <= ticks >> BITS, "{ticks}");
    }

    #[test]
    fn each_duration_is_in_its_bin_and_bins_are_narrow() {
        let mut durations: Vec<u64> = (0..2000).collect();
        durations.extend(
            (0..64).flat_map(|shift| [(1_u64 << shift) - 1, 1 << shift, u64::MAX >> shift]),
        );
        for ticks in durations {
            check::<6>(ticks);
            check::<10>(ticks);
        }
    }

    #[test]
    fn one_narrow_peak_is_one() {
        let histogram = of(&[60_000, 61_000, 61_500, 62_000, 63_000]);
        let peaks = histogram.peaks(Window::default());
        assert_eq!(peaks.len(), 1);
        assert_eq!(peaks[0].count, 5);
        assert!(peaks[0].contains(60_000) && peaks[0].contains(63_000));
    }

    /// Figure 6 of the paper: 87 %, 8 % and 5 % of the occurrences.
    #[test]
    fn three_peaks_are_three() {
        let mut durations = vec![43_000; 87];
        durations.extend([243_000; 8]);
        durations.extend([1_478_000; 5]);
        durations.push(9_000_000);
        let histogram = of(&durations);
        let peaks = histogram.peaks(Window::default());
        let counts: Vec<u64> = peaks.iter().map(|peak| peak.count).collect();
        assert_eq!(counts, [87, 8, 5]);
        assert!(peaks.iter().all(|peak| !peak.contains(9_000_000)));
        let ticks: Vec<u64> = peaks.iter().map(|peak| peak.ticks / 10_000).collect();
        assert_eq!(ticks, [4, 24, 148]);
    }

    #[test]
    fn merging_is_adding_one_after_the_other() {
        let (left, right) = ([1, 5, 5, 900, 70_000], [5, 899, 1_000_000, 0]);
        let mut merged = of(&left);
        merged.merge(&of(&right));
        let both: Vec<u64> = left.iter().chain(&right).copied().collect();
        assert_eq!(merged, of(&both));
        merged.merge(&Histogram::default());
        assert_eq!(merged, of(&both));
    }

    #[test]
    fn durations_of_nothing_are_similar_to_each_other() {
        let peaks = of(&[0, 0, 0, 0]).peaks(Window::default());
        assert_eq!(
            peaks,
            [Peak {
                ticks: 0,
                from: 0,
                to: 0,
                count: 4
            }]
        );
    }
}

//! The spread of a share over the iterations of a phase, in memory that does not grow with their number.

use std::collections::BTreeMap;

/// The number of steps between 0 and 1 in which shares are counted.
const STEPS: f64 = 10_000.0;

/// The least, the median and the greatest of some shares. The median is exact to 0.01 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The least share.
    pub least: f64,
    /// The share that half of them do not exceed.
    pub median: f64,
    /// The greatest share.
    pub greatest: f64,
}

/// Counts shares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    counts: BTreeMap<u32, u64>,
    range: Option<(f64, f64)>,
}

impl Shares {
    pub fn add(&mut self, share: f64) {
        // A cast of floating-point numbers saturates.
        *self
            .counts
            .entry((share * STEPS).round().min(10.0 * STEPS) as u32)
            .or_default() += 1;
        let (least, greatest) = self.range.unwrap_or((share, share));
        self.range = Some((least.min(share), greatest.max(share)));
    }

    /// Returns the spread; `None` without any share.
    pub fn spread(&self) -> Option<Spread> {
        let (least, greatest) = self.range?;
        let all: u64 = self.counts.values().sum();
        let mut below = 0;
        let median = self.counts.iter().find(|(_, count)| {
            below += **count;
            2 * below >= all
        });
        let median = f64::from(*median?.0) / STEPS;
        Some(Spread {
            least,
            median: median.clamp(least, greatest),
            greatest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_divides_the_shares() {
        let mut shares = Shares::default();
        assert_eq!(shares.spread(), None);
        for share in [0.9, 0.1, 0.5, 0.52, 0.95] {
            shares.add(share);
        }
        let expected = Spread {
            least: 0.1,
            median: 0.52,
            greatest: 0.95,
        };
        assert_eq!(shares.spread(), Some(expected));
    }
}

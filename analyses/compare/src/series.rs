//! The time of a construct over the iterations of its loop, in a fixed amount of memory.

/// The times of consecutive iterations, in blocks of equal length. When there are too many blocks, neighbours are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The number of iterations in a block: a power of two.
    length: u64,
    blocks: Vec<Block>,
}

/// The occurrences of a construct in some iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The time of all of them.
    pub sum: i64,
    /// The time of the shortest; the greatest number if none counts.
    pub least: i64,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            sum: 0,
            least: i64::MAX,
        }
    }
}

impl Block {
    /// Returns the time of the shortest occurrence; `None` if none counts.
    #[must_use]
    pub fn fastest(&self) -> Option<f64> {
        (self.least != i64::MAX).then_some(self.least.max(0) as f64)
    }

    fn with(self, other: Self) -> Self {
        Self {
            sum: self.sum.wrapping_add(other.sum),
            least: self.least.min(other.least),
        }
    }
}

impl Default for Series {
    fn default() -> Self {
        Self {
            length: 1,
            blocks: Vec::new(),
        }
    }
}

impl Series {
    /// Adds occurrences in iteration number `index`. The series has at most `most` blocks.
    pub fn add(&mut self, index: u64, occurrences: Block, most: usize) {
        while index / self.length >= most as u64 {
            self.join();
        }
        let block = (index / self.length) as usize;
        if block >= self.blocks.len() {
            self.blocks.resize(block + 1, Block::default());
        }
        if let Some(of) = self.blocks.get_mut(block) {
            *of = of.with(occurrences);
        }
    }

    /// Joins pairs of neighbours.
    fn join(&mut self) {
        let pairs = self.blocks.chunks(2);
        let joined = pairs.map(|pair| {
            pair.iter()
                .fold(Block::default(), |all, one| all.with(*one))
        });
        self.blocks = joined.collect();
        self.length *= 2;
    }

    /// Adds another series, iteration by iteration.
    pub fn add_all(&mut self, other: &Self) {
        let other = other.with_length(self.length);
        while self.length < other.length {
            self.join();
        }
        if self.blocks.len() < other.blocks.len() {
            self.blocks.resize(other.blocks.len(), Block::default());
        }
        for (all, one) in self.blocks.iter_mut().zip(&other.blocks) {
            *all = all.with(*one);
        }
    }

    /// Returns the series in blocks of at least `length` iterations.
    #[must_use]
    pub fn with_length(&self, length: u64) -> Self {
        let mut series = self.clone();
        while series.length < length {
            series.join();
        }
        series
    }

    /// Returns the series with other times, such as in another unit.
    #[must_use]
    pub fn map(&self, time: impl Fn(i64) -> i64) -> Self {
        let blocks = self.blocks.iter().map(|block| Block {
            sum: time(block.sum),
            least: if block.least == i64::MAX {
                i64::MAX
            } else {
                time(block.least)
            },
        });
        Self {
            length: self.length,
            blocks: blocks.collect(),
        }
    }

    /// Returns the number of iterations in a block.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Returns the blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the sum of all times.
    #[must_use]
    pub fn total(&self) -> i64 {
        let sums = self.blocks.iter().map(|block| block.sum);
        sums.fold(0, i64::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the series of occurrences, computed from all of them at once.
    fn expected(occurrences: &[(u64, i64)], most: u64) -> Series {
        let last = occurrences.iter().map(|one| one.0).max().unwrap_or(0);
        let length = (0..64)
            .map(|power| 1_u64 << power)
            .find(|length| last / length < most);
        let length = length.unwrap();
        let blocks = (0..=last / length).map(|block| {
            let times = occurrences
                .iter()
                .filter(|one| one.0 / length == block)
                .map(|one| one.1);
            Block {
                sum: times.clone().sum(),
                least: times.min().unwrap_or(i64::MAX),
            }
        });
        Series {
            length,
            blocks: blocks.collect(),
        }
    }

    proptest! {
        #[test]
        fn blocks_have_the_occurrences_of_their_iterations(
            mut occurrences in prop::collection::vec((0..500_u64, 0..1_000_i64), 1..200),
            cut in any::<prop::sample::Index>(),
        ) {
            occurrences.sort_unstable();
            let series = |of: &[(u64, i64)]| {
                let mut series = Series::default();
                of.iter().for_each(|&(index, time)| series.add(index, Block { sum: time, least: time }, 16));
                series
            };
            let all = expected(&occurrences, 16);
            prop_assert_eq!(&series(&occurrences), &all);
            // Two series of the same iterations, one of them in shorter blocks, are those of all occurrences.
            let (first, second) = occurrences.split_at(cut.index(occurrences.len()));
            for [one, two] in [[first, second], [second, first]] {
                let mut sum = series(one);
                sum.add_all(&series(two));
                prop_assert_eq!(&sum, &all);
            }
        }
    }
}

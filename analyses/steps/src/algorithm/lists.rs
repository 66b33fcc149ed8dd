//! Stores many lists of indices in one place.

/// Lists of indices, stored contiguously. There are at most 2^32 owners, and as many items.
#[derive(Debug)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

/// The items of a list.
#[derive(Clone, Debug)]
pub(super) struct Items<'a>(std::slice::Iter<'a, u32>);

impl Lists {
    /// Creates the lists of `len` owners; each pair is an owner and an item of its list.
    pub fn new(len: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut starts = vec![0; len + 1];
        for (owner, _) in pairs.clone() {
            starts[owner] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Each list is filled from its end, so that its start is found when all items have been placed.
        let mut items = vec![0; end as usize];
        for (owner, item) in pairs {
            starts[owner] -= 1;
            items[starts[owner] as usize] = item as u32;
        }
        for owner in 0..len {
            items[starts[owner] as usize..starts[owner + 1] as usize].reverse();
        }
        Self { starts, items }
    }

    /// Returns the number of owners.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the list of an owner, in the order of the pairs.
    pub fn of(&self, owner: usize) -> Items<'_> {
        let (start, end) = (self.starts[owner], self.starts[owner + 1]);
        Items(self.items[start as usize..end as usize].iter())
    }

    /// Iterates over all lists, by owner.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Items<'_>> + ExactSizeIterator {
        (0..self.len()).map(|owner| self.of(owner))
    }
}

impl Iterator for Items<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.0.next().map(|&item| item as usize)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Items<'_> {
    fn next_back(&mut self) -> Option<usize> {
        self.0.next_back().map(|&item| item as usize)
    }
}

impl ExactSizeIterator for Items<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_of_the_pairs() {
        let pairs = [(2, 5), (0, 1), (2, 3), (2, 4), (0, 9)];
        let lists = Lists::new(4, pairs.into_iter());
        let all: Vec<Vec<usize>> = lists.iter().map(Iterator::collect).collect();
        assert_eq!(all, [vec![1, 9], vec![], vec![5, 3, 4], vec![]]);
    }
}

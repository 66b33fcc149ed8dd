//! Stores many lists of indices in one place.

/// Lists of indices, stored contiguously.
#[derive(Debug)]
pub(super) struct Lists {
    starts: Vec<usize>,
    items: Vec<usize>,
}

impl Lists {
    /// Creates the lists of `len` owners; each pair is an owner and an item of its list.
    pub fn new(len: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut starts = vec![0; len + 1];
        for (owner, _) in pairs.clone() {
            starts[owner + 1] += 1;
        }
        for owner in 0..len {
            starts[owner + 1] += starts[owner];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[len]];
        for (owner, item) in pairs {
            items[next[owner]] = item;
            next[owner] += 1;
        }
        Self { starts, items }
    }

    /// Returns the list of an owner, in the order of the pairs.
    pub fn of(&self, owner: usize) -> &[usize] {
        &self.items[self.starts[owner]..self.starts[owner + 1]]
    }

    /// Iterates over all lists, by owner.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[usize]> {
        (0..self.starts.len() - 1).map(|owner| self.of(owner))
    }
}

//! Checks whether regions are left in the order in which they were entered.

/// Maximum number of open regions that are searched for one that is not the innermost. Without this limit, a trace in
/// which some regions are only entered and others only left would take quadratic time. No program that ends is in
/// that many regions at once.
const SEARCHED: usize = 1000;

/// The open regions of a location.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    stack: Vec<u64>,
}

/// The position of a region among the open regions when it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaveOrder {
    /// It was the innermost region.
    InOrder,
    /// It was open, but this region, the innermost one, is still open within it.
    Outer(u64),
    /// It was not entered, or it is not among the innermost regions.
    NeverEntered,
}

impl Nesting {
    /// Enters a region.
    #[inline(always)]
    pub(crate) fn enter(&mut self, region: u64) {
        self.stack.push(region);
    }

    /// Leaves a region.
    #[inline(always)]
    pub(crate) fn leave(&mut self, region: u64) -> LeaveOrder {
        if self.stack.last() == Some(&region) {
            self.stack.pop();
            return LeaveOrder::InOrder;
        }
        self.leave_outer(region)
    }

    #[cold]
    fn leave_outer(&mut self, region: u64) -> LeaveOrder {
        let Some(&inner) = self.stack.last() else {
            return LeaveOrder::NeverEntered;
        };
        let beyond = self.stack.len().saturating_sub(SEARCHED);
        let searched = self.stack.get(beyond..).unwrap_or_default();
        let Some(depth) = searched.iter().rposition(|&entered| entered == region) else {
            return LeaveOrder::NeverEntered;
        };
        // Only this region is removed: the regions within it may be left later, and then in order.
        self.stack.remove(beyond + depth);
        LeaveOrder::Outer(inner)
    }

    /// Returns the open regions, outermost first.
    pub(crate) fn open(&self) -> &[u64] {
        &self.stack
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_left_too_early_does_not_blame_those_within_it() {
        let mut nesting = Nesting::default();
        nesting.enter(1);
        nesting.enter(2);
        assert_eq!(nesting.leave(1), LeaveOrder::Outer(2));
        assert_eq!(nesting.leave(2), LeaveOrder::InOrder);
        assert_eq!(nesting.leave(2), LeaveOrder::NeverEntered);
        nesting.enter(3);
        assert_eq!(nesting.leave(4), LeaveOrder::NeverEntered);
        assert_eq!(nesting.open(), [3]);
    }

    #[test]
    fn regions_that_are_only_entered_cost_no_more_than_others() {
        let mut nesting = Nesting::default();
        (0..1_000_000).for_each(|region| nesting.enter(region));
        for _ in 0..10_000 {
            assert_eq!(nesting.leave(5), LeaveOrder::NeverEntered);
        }
        assert_eq!(nesting.leave(999_000), LeaveOrder::Outer(999_999));
        assert_eq!(nesting.leave(999_999), LeaveOrder::InOrder);
        assert_eq!(nesting.open().len(), 999_998);
    }
}

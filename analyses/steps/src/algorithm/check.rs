//! Whether steps are as they must be: looked at afterwards, and apart from how they were found.
//!
//! In a legal trace, nothing is ever found here. Damaged ones may say that each of two messages was
//! sent behind the receive of the other; then no steps can be right.

/// Counts what contradicts the order of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Checker {
    /// The step of the last operation of each location.
    last: Vec<Option<u64>>,
    pub violations: u64,
}

impl Checker {
    /// The next operation of a location has a step behind that of the one before.
    pub fn operation(&mut self, lane: usize, step: u64) {
        if self.last.len() <= lane {
            self.last.resize(lane + 1, None);
        }
        let last = self.last[lane].replace(step);
        self.violations += u64::from(last.is_some_and(|last| last >= step));
    }

    /// A message is received at least a step after it was sent.
    pub fn message(&mut self, send: u64, receive: u64) {
        self.violations += u64::from(receive <= send);
    }

    /// A member of a collective operation shares the step of the others.
    pub fn member(&mut self, first: u64, own: u64) {
        self.violations += u64::from(first != own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_contradiction_counts() {
        let mut checker = Checker::default();
        for step in [0, 1, 5] {
            checker.operation(3, step);
        }
        checker.operation(0, 0);
        checker.message(4, 5);
        checker.member(5, 5);
        assert_eq!(checker.violations, 0);
        checker.operation(3, 5);
        checker.message(5, 5);
        checker.message(6, 5);
        checker.member(5, 4);
        assert_eq!(checker.violations, 4);
    }
}

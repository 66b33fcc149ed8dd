//! Checks that steps are consistent: after they were found, and independently of how.
//!
//! A legal trace has no violations. A damaged trace may claim that each of two messages was sent after the other one
//! was received; then no assignment of steps is consistent.

/// Counts contradictions to the order of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Checker {
    /// The step of the last operation of each location.
    last: Vec<Option<u64>>,
    pub violations: u64,
}

impl Checker {
    /// Checks that the step of the next operation of a location is greater than the one before.
    pub fn operation(&mut self, lane: usize, step: u64) {
        if self.last.len() <= lane {
            self.last.resize(lane + 1, None);
        }
        let last = self.last[lane].replace(step);
        self.violations += u64::from(last.is_some_and(|last| last >= step));
    }

    /// Checks that a message is received at least one step after it was sent.
    pub fn message(&mut self, send: u64, receive: u64) {
        self.violations += u64::from(receive <= send);
    }

    /// Checks that a member of a collective operation has the same step as its first member.
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

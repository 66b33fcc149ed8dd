//! Compares the calls of each process with those that the logical program prescribes. Xu et al. leave this test to
//! one process; here, it covers all of them.

use std::collections::VecDeque;

use super::align::{Reach, WINDOW, beside, in_step};
use super::{Instances, Letter};

/// The result of comparing the calls of a process with the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Calls that the process makes and the program contains, in the same order.
    pub reproduced: u64,
    /// Calls that the process makes and the program does not contain.
    pub missing: u64,
    /// Calls that the program contains and the process does not make.
    pub added: u64,
}

impl Agreement {
    /// Returns the sum of two agreements.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self {
            reproduced: self.reproduced + other.reproduced,
            missing: self.missing + other.missing,
            added: self.added + other.added,
        }
    }
}

/// An incremental comparison, which finds the call of the program for each letter of a process.
#[derive(Clone, Debug)]
pub struct Follow<'a, T> {
    expected: Instances<'a>,
    /// Calls of the program that the process has not reached, after it has diverged from the program.
    ahead: VecDeque<(u32, Letter)>,
    /// Letters of the process since it diverged.
    waiting: VecDeque<(Letter, T)>,
    window: usize,
    reach: Reach,
    agreement: Agreement,
}

impl<'a, T> Follow<'a, T> {
    /// Creates a comparison with the calls that the program prescribes.
    #[must_use]
    pub fn new(expected: Instances<'a>) -> Self {
        Self {
            expected,
            ahead: VecDeque::new(),
            waiting: VecDeque::new(),
            window: WINDOW,
            reach: Reach::new(2),
            agreement: Agreement::default(),
        }
    }

    /// Adds the next letter of the process. Passes the payload of each letter that is settled, including letters that
    /// waited, to `report`, with the number of the matching call, or `None` if no call matches.
    pub fn take(&mut self, letter: Letter, payload: T, report: &mut impl FnMut(Option<u32>, T)) {
        if self.waiting.is_empty() {
            let expected = self.ahead.pop_front().or_else(|| self.expected.next());
            if let Some((call, expected)) = expected {
                if expected == letter {
                    self.agreement.reproduced += 1;
                    return report(Some(call), payload);
                }
                self.ahead.push_front((call, expected));
            }
        }
        self.waiting.push_back((letter, payload));
        if self.waiting.len() >= self.window {
            self.catch_up(false, report);
        }
    }

    /// Ends the comparison after the last letter of the process, and returns the agreement.
    pub fn finish(mut self, report: &mut impl FnMut(Option<u32>, T)) -> Agreement {
        while !self.waiting.is_empty() {
            self.catch_up(true, report);
        }
        self.agreement.added += (self.ahead.len() + self.expected.count()) as u64;
        self.agreement
    }

    /// Aligns the expected calls with the letters of the process, and settles both up to the point where they agree
    /// again.
    fn catch_up(&mut self, is_over: bool, report: &mut impl FnMut(Option<u32>, T)) {
        let missing = self.window.saturating_sub(self.ahead.len());
        self.ahead.extend(self.expected.by_ref().take(missing));
        let expected: Vec<Letter> = self.ahead.iter().map(|&(_, letter)| letter).collect();
        let done: Vec<Letter> = self.waiting.iter().map(|&(letter, _)| letter).collect();
        let pairs = beside(&expected, &done);
        let agree = pairs
            .iter()
            .map(|(expected, done)| expected.is_some() && done.is_some());
        let end = in_step(agree);
        let may_widen =
            self.reach.exceeds(self.window) && (!is_over || expected.len() >= self.window);
        if end.is_none() && may_widen {
            self.window *= 4;
            return;
        }
        self.window = WINDOW;
        self.reach.adapt(end.is_some());
        for (expected, done) in &pairs[..end.unwrap_or(pairs.len())] {
            let expected = expected.and_then(|_| self.ahead.pop_front());
            let done = done.and_then(|_| self.waiting.pop_front());
            match (expected, done) {
                (Some((call, _)), Some((_, payload))) => {
                    self.agreement.reproduced += 1;
                    report(Some(call), payload);
                }
                (None, Some((_, payload))) => {
                    self.agreement.missing += 1;
                    report(None, payload);
                }
                (Some(_), None) => self.agreement.added += 1,
                (None, None) => (),
            }
        }
        self.settle(report);
    }

    /// Adds the waiting letters again: letters that agree now do not need a window.
    fn settle(&mut self, report: &mut impl FnMut(Option<u32>, T)) {
        let waiting = std::mem::take(&mut self.waiting);
        for (letter, payload) in waiting {
            self.take(letter, payload, report);
        }
    }
}

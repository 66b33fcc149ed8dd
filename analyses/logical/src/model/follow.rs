//! What a process did beside what the logical program says: the test of every process that Xu et al. leave
//! to one of them.

use std::collections::VecDeque;

use super::align::{WIDEST, WINDOW, beside, in_step};
use super::{Instances, Letter};

/// What came of comparing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Calls that the process makes and the program says, in the same order.
    pub reproduced: u64,
    /// Calls that the process makes and the program does not say.
    pub missing: u64,
    /// Calls that the program says and the process does not make.
    pub added: u64,
}

impl Agreement {
    /// Both together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self {
            reproduced: self.reproduced + other.reproduced,
            missing: self.missing + other.missing,
            added: self.added + other.added,
        }
    }
}

/// Goes along what a process does, and says of each letter which call of the program it is.
#[derive(Clone, Debug)]
pub struct Follow<'a, T> {
    expected: Instances<'a>,
    /// Calls of the program that the process has not come to, after it left the program.
    ahead: VecDeque<(u32, Letter)>,
    /// What it did since.
    waiting: VecDeque<(Letter, T)>,
    window: usize,
    agreement: Agreement,
}

impl<'a, T> Follow<'a, T> {
    /// Along what the program says.
    #[must_use]
    pub fn new(expected: Instances<'a>) -> Self {
        Self {
            expected,
            ahead: VecDeque::new(),
            waiting: VecDeque::new(),
            window: WINDOW,
            agreement: Agreement::default(),
        }
    }

    /// The process does this; `tell` hears of it, and of what waited, which call it is, if any.
    pub fn take(&mut self, letter: Letter, what: T, tell: &mut impl FnMut(Option<u32>, T)) {
        if self.waiting.is_empty() {
            let expected = self.ahead.pop_front().or_else(|| self.expected.next());
            if let Some((call, expected)) = expected {
                if expected == letter {
                    self.agreement.reproduced += 1;
                    return tell(Some(call), what);
                }
                self.ahead.push_front((call, expected));
            }
        }
        self.waiting.push_back((letter, what));
        if self.waiting.len() >= self.window {
            self.catch_up(false, tell);
        }
    }

    /// The process does nothing more.
    pub fn finish(mut self, tell: &mut impl FnMut(Option<u32>, T)) -> Agreement {
        while !self.waiting.is_empty() {
            self.catch_up(true, tell);
        }
        self.agreement.added += (self.ahead.len() + self.expected.count()) as u64;
        self.agreement
    }

    /// Lays beside each other what was said and done, and settles it up to where both agree again.
    fn catch_up(&mut self, is_over: bool, tell: &mut impl FnMut(Option<u32>, T)) {
        let missing = self.window.saturating_sub(self.ahead.len());
        self.ahead.extend(self.expected.by_ref().take(missing));
        let said: Vec<Letter> = self.ahead.iter().map(|&(_, letter)| letter).collect();
        let done: Vec<Letter> = self.waiting.iter().map(|&(letter, _)| letter).collect();
        let pairs = beside(&said, &done);
        let agree = pairs
            .iter()
            .map(|(said, done)| said.is_some() && done.is_some());
        let end = in_step(agree);
        let may_widen = self.window < WIDEST && (!is_over || said.len() >= self.window);
        if end.is_none() && may_widen {
            self.window *= 4;
            return;
        }
        self.window = WINDOW;
        for (said, done) in &pairs[..end.unwrap_or(pairs.len())] {
            let said = said.and_then(|_| self.ahead.pop_front());
            let done = done.and_then(|_| self.waiting.pop_front());
            match (said, done) {
                (Some((call, _)), Some((_, what))) => {
                    self.agreement.reproduced += 1;
                    tell(Some(call), what);
                }
                (None, Some((_, what))) => {
                    self.agreement.missing += 1;
                    tell(None, what);
                }
                (Some(_), None) => self.agreement.added += 1,
                (None, None) => (),
            }
        }
        self.settle(tell);
    }

    /// What waited and agrees now needs no window.
    fn settle(&mut self, tell: &mut impl FnMut(Option<u32>, T)) {
        let waiting = std::mem::take(&mut self.waiting);
        for (letter, what) in waiting {
            self.take(letter, what, tell);
        }
    }
}

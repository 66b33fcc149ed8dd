//! Finding patterns, letter by letter.

use super::collect;
use super::sequence::{Arena, Node, Pairs, Sign};
use super::{Letter, Patterns};

/// Finds the patterns of a sequence.
///
/// ```
/// use foldtrace_fold::patterns::{Finder, Item, Letter, PatternId, What};
///
/// let mut finder = Finder::default();
/// let once = [1, 2, 3].map(Letter);
/// (0..1000).for_each(|_| finder.push(&once));
/// let patterns = finder.finish();
/// let pattern = What::Pattern(PatternId(0));
/// assert_eq!(patterns.top, [Item { what: pattern, count: 1000 }]);
/// assert_eq!(patterns.length(PatternId(0)), 3);
/// assert_eq!(patterns.expand().count(), 3000);
/// ```
#[derive(Debug)]
pub struct Finder {
    arena: Arena,
    pairs: Pairs,
    rules: Vec<Rule>,
    /// Rules that are used no more.
    free: Vec<u32>,
    /// The guard of the location's list.
    top: Node,
    /// Nodes whose pairs are to be looked at, because something became another pair.
    changed: Vec<Node>,
    events: u64,
    ahead: Ahead,
}

/// A pattern in the making.
#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    /// The guard of its list.
    guard: Node,
    /// Nodes that it stands at.
    uses: u32,
}

/// What comes next if the last pattern repeats once more.
#[derive(Debug, Default)]
struct Ahead {
    /// The nodes from the pattern inwards, each with how often it is still to come, the present time
    /// included. Empty if nothing is predicted.
    path: Vec<(Node, u64)>,
    /// Whether something of the repetition came already.
    is_begun: bool,
}

impl Default for Finder {
    fn default() -> Self {
        let mut arena = Arena::default();
        Self {
            top: arena.list(u64::MAX),
            arena,
            pairs: Pairs::default(),
            rules: Vec::new(),
            free: Vec::new(),
            changed: Vec::new(),
            events: 0,
            ahead: Ahead::default(),
        }
    }
}

impl Finder {
    /// Takes the next letters.
    pub fn push(&mut self, letters: &[Letter]) {
        self.events += letters.len() as u64;
        for &letter in letters {
            let sign = Sign::letter(letter.0.min(Sign::LETTERS));
            if !self.is_foreseen(sign) {
                self.give_up();
                self.append(sign);
            }
        }
    }

    /// Whether a letter is as predicted, which is all that is to be done for it then.
    #[inline]
    fn is_foreseen(&mut self, sign: Sign) -> bool {
        match self.ahead.path.last() {
            Some(&(node, left)) if self.arena.sign(node) == sign => {
                self.step(node, left);
                true
            }
            _ => false,
        }
    }

    /// The patterns of all letters.
    #[must_use]
    pub fn finish(mut self) -> Patterns {
        self.give_up();
        while self.close_last() {}
        let uses = |rule: u32| self.rules[rule as usize].uses;
        let list = |rule: u32| self.rules[rule as usize].guard;
        collect::patterns(&self.arena, self.top, &list, &uses, self.events)
    }

    /// The last letter was predicted: goes on to the one behind it.
    #[inline]
    fn step(&mut self, node: Node, left: u64) {
        self.ahead.is_begun = true;
        if left > 1 {
            if let Some(last) = self.ahead.path.last_mut() {
                last.1 = left - 1;
            }
            return;
        }
        self.ahead.path.pop();
        let mut next = self.arena.next(node);
        while self.arena.is_guard(next) {
            match self.ahead.path.pop() {
                Some((node, 1)) => next = self.arena.next(node),
                Some((node, left)) => {
                    self.ahead.path.push((node, left - 1));
                    return self.descend();
                }
                None => {
                    // The pattern has come once more.
                    let last = self.arena.previous(self.top);
                    let count = self.arena.count(last) + 1;
                    self.arena.set(last, self.arena.sign(last), count);
                    return self.look_ahead();
                }
            }
        }
        self.ahead.path.push((next, self.arena.count(next)));
        self.descend();
    }

    /// From a node to its first letter.
    #[inline]
    fn descend(&mut self) {
        while let Some(&(node, _)) = self.ahead.path.last()
            && let Some(rule) = self.arena.sign(node).as_rule()
        {
            let first = self.arena.next(self.rules[rule as usize].guard);
            self.ahead.path.push((first, self.arena.count(first)));
        }
    }

    /// If a pattern is complete, it may come again.
    fn look_ahead(&mut self) {
        self.ahead.path.clear();
        self.ahead.is_begun = false;
        let last = self.arena.previous(self.top);
        if let Some(rule) = self.arena.sign(last).as_rule() {
            let first = self.arena.next(self.rules[rule as usize].guard);
            self.ahead.path.push((first, self.arena.count(first)));
            self.descend();
        }
    }

    /// What was predicted does not come: what had come of it is appended, in as large pieces as there are.
    fn give_up(&mut self) {
        let path = std::mem::take(&mut self.ahead.path);
        if !std::mem::take(&mut self.ahead.is_begun) {
            return;
        }
        let mut came: Vec<(Sign, u64)> = Vec::new();
        for &(node, left) in &path {
            let mut complete = Vec::new();
            let mut before = self.arena.previous(node);
            while !self.arena.is_guard(before) {
                complete.push((self.arena.sign(before), self.arena.count(before)));
                before = self.arena.previous(before);
            }
            came.extend(complete.into_iter().rev());
            let times = self.arena.count(node) - left;
            if times > 0 {
                came.push((self.arena.sign(node), times));
            }
        }
        // While they are appended, rules may be taken apart: those that come are held.
        for rule in came.iter().filter_map(|(sign, _)| sign.as_rule()) {
            self.rules[rule as usize].uses += 1;
        }
        for (sign, count) in came {
            self.put(sign, count);
            if let Some(rule) = sign.as_rule() {
                self.rules[rule as usize].uses -= 1;
            }
        }
    }

    /// Appends an item.
    fn put(&mut self, sign: Sign, count: u64) {
        while !self.add_to_last(sign, count) {
            if !self.close_last() {
                let last = self.arena.previous(self.top);
                self.insert_after(last, sign, count);
                return;
            }
        }
    }

    /// Appends a letter that was not predicted.
    fn append(&mut self, sign: Sign) {
        if self.add_to_last(sign, 1) {
            return;
        }
        // Only now is the count of the last item known, and with it the pair that it ends: if that completes
        // a pattern, the letter may be the first one of its next occurrence.
        while self.close_last() {
            self.look_ahead();
            if self.is_foreseen(sign) {
                return;
            }
        }
        self.ahead.path.clear();
        let last = self.arena.previous(self.top);
        self.insert_after(last, sign, 1);
    }

    /// Whether the last item of all is of the same sign, and grows then.
    fn add_to_last(&mut self, sign: Sign, count: u64) -> bool {
        let last = self.arena.previous(self.top);
        let is_same = self.arena.sign(last) == sign;
        if is_same {
            let count = self.arena.count(last) + count;
            self.arena.set(last, sign, count);
        }
        is_same
    }

    /// Whether the last pair of all became a pattern, now that its last item does not grow any more.
    fn close_last(&mut self) -> bool {
        let last = self.arena.previous(self.top);
        self.close(self.arena.previous(last))
    }

    /// Whether the pair that begins at `left` became a pattern, because it occurs elsewhere. All others
    /// that change thereby are looked at, too.
    fn close(&mut self, left: Node) -> bool {
        let Some(found) = self.pairs.find_or_insert(&self.arena, left) else {
            return false;
        };
        self.unite(left, found);
        while let Some(left) = self.changed.pop() {
            // The last item of all may still grow.
            if self.arena.next(self.arena.next(left)) != self.top
                && let Some(found) = self.pairs.find_or_insert(&self.arena, left)
            {
                self.unite(left, found);
            }
        }
        true
    }

    /// The same pair begins at both nodes: it is a pattern.
    fn unite(&mut self, left: Node, found: Node) {
        let before = self.arena.previous(found);
        let behind = self.arena.next(self.arena.next(found));
        let rule = if self.arena.is_guard(before) && before == behind && before != self.top {
            self.arena.owner(before) as u32
        } else {
            self.make_rule(found)
        };
        self.substitute(left, rule);
        let guard = self.rules[rule as usize].guard;
        self.dissolve_if_single(self.arena.next(guard));
        self.dissolve_if_single(self.arena.previous(guard));
    }

    /// A rule of the pair that begins at `found`, and stands there from now on.
    fn make_rule(&mut self, found: Node) -> u32 {
        let rule = self.free.pop().unwrap_or_else(|| {
            self.rules.push(Rule::default());
            self.rules.len() as u32 - 1
        });
        let guard = self.arena.list(u64::from(rule));
        self.rules[rule as usize] = Rule { guard, uses: 0 };
        let mut last = guard;
        for node in [found, self.arena.next(found)] {
            let (sign, count) = (self.arena.sign(node), self.arena.count(node));
            last = self.insert_after(last, sign, count);
        }
        self.substitute(found, rule);
        let first = self.arena.next(guard);
        self.pairs.find_or_insert(&self.arena, first);
        rule
    }

    /// A rule takes the place of the pair that begins at `left`.
    fn substitute(&mut self, left: Node, rule: u32) {
        let (before, right) = (self.arena.previous(left), self.arena.next(left));
        for node in [before, left, right] {
            self.pairs.forget(&self.arena, node);
        }
        self.remove(left);
        self.remove(right);
        let node = self.insert_after(before, Sign::rule(rule), 1);
        let node = self.merge(before, node);
        self.merge(node, self.arena.next(node));
        self.changed.extend([self.arena.previous(node), node]);
    }

    /// Neighbours of the same sign become one item, which is returned; otherwise the right one is.
    fn merge(&mut self, left: Node, right: Node) -> Node {
        let sign = self.arena.sign(left);
        if self.arena.is_guard(left) || sign != self.arena.sign(right) {
            return right;
        }
        for node in [self.arena.previous(left), left, right] {
            self.pairs.forget(&self.arena, node);
        }
        let count = self.arena.count(left) + self.arena.count(right);
        self.remove(right);
        self.arena.set(left, sign, count);
        left
    }

    /// A rule that is used once only is none: its items take the place of the node.
    fn dissolve_if_single(&mut self, node: Node) {
        let Some(rule) = self.arena.sign(node).as_rule() else {
            return;
        };
        let Rule { guard, uses } = self.rules[rule as usize];
        if uses != 1 || self.arena.count(node) != 1 {
            return;
        }
        let (before, behind) = (self.arena.previous(node), self.arena.next(node));
        for node in [before, node] {
            self.pairs.forget(&self.arena, node);
        }
        let (first, last) = (self.arena.next(guard), self.arena.previous(guard));
        self.arena.join(before, first);
        self.arena.join(last, behind);
        self.arena.release(node);
        self.arena.release(guard);
        self.free.push(rule);
        // The last one first, since the first one may be it.
        let last = self.merge(last, behind);
        let left = self.arena.previous(last);
        let first = self.merge(before, self.arena.next(before));
        self.changed
            .extend([self.arena.previous(first), first, left, last]);
    }

    fn insert_after(&mut self, left: Node, sign: Sign, count: u64) -> Node {
        if let Some(rule) = sign.as_rule() {
            self.rules[rule as usize].uses += 1;
        }
        self.arena.insert_after(left, sign, count)
    }

    /// Takes a node out, whose pairs are forgotten already.
    fn remove(&mut self, node: Node) {
        if let Some(rule) = self.arena.sign(node).as_rule() {
            self.rules[rule as usize].uses -= 1;
        }
        self.arena.remove(node);
    }
}

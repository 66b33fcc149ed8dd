//! Finds patterns, one letter at a time.

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
    /// Rules that are no longer used.
    free: Vec<u32>,
    /// The guard of the location's list.
    top: Node,
    /// Nodes whose pairs have changed and have to be examined.
    changed: Vec<Node>,
    events: u64,
    ahead: Ahead,
}

/// A pattern under construction.
#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    /// The guard of its list.
    guard: Node,
    /// The number of nodes that refer to it.
    uses: u32,
}

/// The prediction of the next letters, assuming that the last pattern repeats once more.
#[derive(Debug, Default)]
struct Ahead {
    /// The nodes from the pattern inwards, each with its remaining number of repetitions, including the current one.
    /// Empty if nothing is predicted.
    path: Vec<(Node, u64)>,
    /// Whether a part of the repetition has already occurred.
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
    /// Processes the next letters.
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

    /// Returns whether a letter is as predicted, and if so, advances the prediction. Such a letter needs no other
    /// processing.
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

    /// Returns the patterns of all letters.
    #[must_use]
    pub fn finish(mut self) -> Patterns {
        self.give_up();
        while self.close_last() {}
        let uses = |rule: u32| self.rules[rule as usize].uses;
        let list = |rule: u32| self.rules[rule as usize].guard;
        collect::patterns(&self.arena, self.top, &list, &uses, self.events)
    }

    /// Advances the prediction to the letter after the one that was just matched.
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
                    // The pattern has occurred once more.
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

    /// Extends the path from its last node to the first letter of that node.
    #[inline]
    fn descend(&mut self) {
        while let Some(&(node, _)) = self.ahead.path.last()
            && let Some(rule) = self.arena.sign(node).as_rule()
        {
            let first = self.arena.next(self.rules[rule as usize].guard);
            self.ahead.path.push((first, self.arena.count(first)));
        }
    }

    /// Predicts another occurrence of the last item if it is a pattern.
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

    /// Gives up the prediction, and appends the part of it that has occurred, in the largest possible pieces.
    fn give_up(&mut self) {
        let path = std::mem::take(&mut self.ahead.path);
        if !std::mem::take(&mut self.ahead.is_begun) {
            return;
        }
        let mut occurred: Vec<(Sign, u64)> = Vec::new();
        for &(node, left) in &path {
            let mut complete = Vec::new();
            let mut before = self.arena.previous(node);
            while !self.arena.is_guard(before) {
                complete.push((self.arena.sign(before), self.arena.count(before)));
                before = self.arena.previous(before);
            }
            occurred.extend(complete.into_iter().rev());
            let times = self.arena.count(node) - left;
            if times > 0 {
                occurred.push((self.arena.sign(node), times));
            }
        }
        // Appending may dissolve rules, so the rules to be appended are kept in use meanwhile.
        for rule in occurred.iter().filter_map(|(sign, _)| sign.as_rule()) {
            self.rules[rule as usize].uses += 1;
        }
        for (sign, count) in occurred {
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
        // The count of the last item, and with it the pair that it ends, is known only now. If that pair completes a
        // pattern, the letter may be the first one of the pattern's next occurrence.
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

    /// Adds `count` to the last item of the location if it has the same sign. Returns whether it has.
    fn add_to_last(&mut self, sign: Sign, count: u64) -> bool {
        let last = self.arena.previous(self.top);
        let is_same = self.arena.sign(last) == sign;
        if is_same {
            let count = self.arena.count(last) + count;
            self.arena.set(last, sign, count);
        }
        is_same
    }

    /// Returns whether the last pair of the location became a pattern, now that its last item no longer grows.
    fn close_last(&mut self) -> bool {
        let last = self.arena.previous(self.top);
        self.close(self.arena.previous(last))
    }

    /// Makes a pattern of the pair that begins at `left` if it also occurs elsewhere, and returns whether it does.
    /// All other pairs that change as a result are examined, too.
    fn close(&mut self, left: Node) -> bool {
        let Some(found) = self.pairs.find_or_insert(&self.arena, left) else {
            return false;
        };
        self.unite(left, found);
        while let Some(left) = self.changed.pop() {
            // The last item of the location may still grow.
            if self.arena.next(self.arena.next(left)) != self.top
                && let Some(found) = self.pairs.find_or_insert(&self.arena, left)
            {
                self.unite(left, found);
            }
        }
        true
    }

    /// Makes a pattern of the pair that begins at both nodes.
    fn unite(&mut self, left: Node, found: Node) {
        let before = self.arena.previous(found);
        let after = self.arena.next(self.arena.next(found));
        let rule = if self.arena.is_guard(before) && before == after && before != self.top {
            self.arena.owner(before) as u32
        } else {
            self.make_rule(found)
        };
        self.substitute(left, rule);
        let guard = self.rules[rule as usize].guard;
        self.dissolve_if_single(self.arena.next(guard));
        self.dissolve_if_single(self.arena.previous(guard));
    }

    /// Makes a rule of the pair that begins at `found`, and replaces the pair by it.
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

    /// Replaces the pair that begins at `left` by a rule.
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

    /// Merges neighbours of the same sign into one item, which is returned; otherwise, returns the right one.
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

    /// Dissolves the rule at a node if it is used only once: its items replace the node.
    fn dissolve_if_single(&mut self, node: Node) {
        let Some(rule) = self.arena.sign(node).as_rule() else {
            return;
        };
        let Rule { guard, uses } = self.rules[rule as usize];
        if uses != 1 || self.arena.count(node) != 1 {
            return;
        }
        let (before, after) = (self.arena.previous(node), self.arena.next(node));
        for node in [before, node] {
            self.pairs.forget(&self.arena, node);
        }
        let (first, last) = (self.arena.next(guard), self.arena.previous(guard));
        self.arena.join(before, first);
        self.arena.join(last, after);
        self.arena.release(node);
        self.arena.release(guard);
        self.free.push(rule);
        // The last one first, because the first one may be the same node.
        let last = self.merge(last, after);
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

    /// Removes a node whose pairs are already forgotten.
    fn remove(&mut self, node: Node) {
        if let Some(rule) = self.arena.sign(node).as_rule() {
            self.rules[rule as usize].uses -= 1;
        }
        self.arena.remove(node);
    }
}

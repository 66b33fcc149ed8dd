//! Linked lists of items, and the index of pairs.
//!
//! All lists share one arena: the list of the location, and one list per rule for its body. A list is a ring around a
//! guard node, so its ends need no special cases.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// The number of a node in the arena.
pub(super) type Node = u32;

/// The content of a node: a letter, a rule, or the guard of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sign(u32);

const RULE: u32 = 1 << 31;
const GUARD: Sign = Sign(u32::MAX);
const FREE: Sign = Sign(u32::MAX - 1);

impl Sign {
    /// The number of letters that can be distinguished.
    pub const LETTERS: u32 = RULE - 1;

    pub const fn letter(letter: u32) -> Self {
        Self(letter)
    }

    pub const fn rule(rule: u32) -> Self {
        Self(RULE | rule)
    }

    /// Returns the rule, or `None` for letters and guards.
    pub const fn as_rule(self) -> Option<u32> {
        if self.0 >= RULE && self.0 < FREE.0 {
            Some(self.0 & !RULE)
        } else {
            None
        }
    }

    /// Returns the letter. The sign must be a letter.
    pub const fn as_letter(self) -> u32 {
        self.0
    }
}

/// The columns of all nodes.
#[derive(Debug, Default)]
pub(super) struct Arena {
    signs: Vec<Sign>,
    counts: Vec<u64>,
    /// The neighbours of each node in its list.
    previous: Vec<Node>,
    next: Vec<Node>,
    /// Nodes in no list, available for reuse.
    free: Vec<Node>,
}

impl Arena {
    /// Creates an empty list, and returns its guard, which stores the owner.
    pub fn list(&mut self, owner: u64) -> Node {
        let guard = self.node(GUARD, owner);
        self.join(guard, guard);
        guard
    }

    /// Returns the owner of a guard's list.
    pub fn owner(&self, guard: Node) -> u64 {
        self.count(guard)
    }

    fn node(&mut self, sign: Sign, count: u64) -> Node {
        if let Some(node) = self.free.pop() {
            self.signs[node as usize] = sign;
            self.counts[node as usize] = count;
            return node;
        }
        self.signs.push(sign);
        self.counts.push(count);
        self.previous.push(0);
        self.next.push(0);
        self.signs.len() as Node - 1
    }

    pub fn join(&mut self, left: Node, right: Node) {
        self.next[left as usize] = right;
        self.previous[right as usize] = left;
    }

    pub fn insert_after(&mut self, left: Node, sign: Sign, count: u64) -> Node {
        let (node, right) = (self.node(sign, count), self.next(left));
        self.join(left, node);
        self.join(node, right);
        node
    }

    /// Removes a node from its list.
    pub fn remove(&mut self, node: Node) {
        self.join(self.previous(node), self.next(node));
        self.release(node);
    }

    /// Releases a node that is no longer in a list.
    pub fn release(&mut self, node: Node) {
        self.signs[node as usize] = FREE;
        self.free.push(node);
    }

    pub fn next(&self, node: Node) -> Node {
        self.next[node as usize]
    }

    pub fn previous(&self, node: Node) -> Node {
        self.previous[node as usize]
    }

    pub fn sign(&self, node: Node) -> Sign {
        self.signs[node as usize]
    }

    pub fn set(&mut self, node: Node, sign: Sign, count: u64) {
        self.signs[node as usize] = sign;
        self.counts[node as usize] = count;
    }

    pub fn count(&self, node: Node) -> u64 {
        self.counts[node as usize]
    }

    pub fn is_guard(&self, node: Node) -> bool {
        self.sign(node) == GUARD
    }

    /// Returns the pair that begins at a node, or `None` at the end of a list and for nodes in no list.
    fn pair(&self, node: Node) -> Option<[(Sign, u64); 2]> {
        let is_item = |node: Node| self.sign(node) != GUARD && self.sign(node) != FREE;
        let pair = [node, self.next(node)];
        let is_pair = is_item(pair[0]) && is_item(pair[1]);
        is_pair.then(|| pair.map(|node| (self.sign(node), self.count(node))))
    }
}

/// The node at which each pair of items begins.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    nodes: HashTable<Node>,
}

const HASHER: FixedState = FixedState::with_seed(0x7061_6972);

fn hash(pair: [(Sign, u64); 2]) -> u64 {
    let mut hasher = HASHER.build_hasher();
    for (sign, count) in pair {
        hasher.write_u32(sign.0);
        hasher.write_u64(count);
    }
    hasher.finish()
}

impl Pairs {
    /// Returns the other node at which the pair of `node` already begins. If there is none, records `node` for the
    /// pair.
    pub fn find_or_insert(&mut self, arena: &Arena, node: Node) -> Option<Node> {
        let pair = arena.pair(node)?;
        let hash_of = |&node: &Node| arena.pair(node).map_or(0, hash);
        let is_same = |&other: &Node| arena.pair(other) == Some(pair);
        match self.nodes.entry(hash(pair), is_same, hash_of) {
            hashbrown::hash_table::Entry::Occupied(found) => {
                Some(*found.get()).filter(|&found| found != node)
            }
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                vacant.insert(node);
                None
            }
        }
    }

    /// Removes the record of the pair that begins at `node`, which is about to change.
    pub fn forget(&mut self, arena: &Arena, node: Node) {
        if let Some(pair) = arena.pair(node)
            && let Ok(found) = self.nodes.find_entry(hash(pair), |&other| other == node)
        {
            found.remove();
        }
    }
}

//! Numbers the constructs of a sequence; equal ones have the same number.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

use super::super::model::terms;
use super::super::{Construct, Count, LoopConstruct};

const HASHER: FixedState = FixedState::with_seed(0x7469_6479);

/// A placeholder for a place that does not exist.
pub(super) const NOWHERE: usize = usize::MAX;

/// The number of an item in a [`Pool`].
pub(super) type Id = u32;

/// A loop that may be taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rolled {
    pub count: i64,
    /// Its body with all short loops written out.
    pub body: Arc<[Id]>,
}

#[derive(Debug)]
enum Item {
    /// A construct that is only moved as a whole.
    Whole(Construct),
    Rolled {
        rolled: Rolled,
        /// The body in the fewest terms.
        short: Arc<[Id]>,
    },
}

impl Item {
    fn is(&self, construct: &Construct) -> bool {
        matches!(self, Self::Whole(whole) if whole == construct)
    }

    fn hash(&self) -> u64 {
        match self {
            Self::Whole(construct) => HASHER.hash_one(construct),
            Self::Rolled { .. } => 0,
        }
    }
}

/// The items of one sequence.
#[derive(Debug)]
pub(super) struct Pool {
    items: Vec<Item>,
    /// The number of terms of each item as written.
    terms: Vec<u64>,
    wholes: HashTable<Id>,
    loops: HashMap<Rolled, Id, FixedState>,
    /// The last place of each item while a sequence is searched; otherwise [`NOWHERE`].
    last: Vec<usize>,
}

impl Pool {
    /// Creates a pool for a sequence of about `len` constructs.
    pub fn new(len: usize) -> Self {
        Self {
            items: Vec::with_capacity(len),
            terms: Vec::with_capacity(len),
            wholes: HashTable::with_capacity(len),
            loops: HashMap::with_hasher(HASHER),
            last: Vec::new(),
        }
    }

    /// Returns, for each place of a sequence, the previous place of the same item, or [`NOWHERE`] if there is none.
    pub fn previous(&mut self, ids: &[Id]) -> Vec<usize> {
        self.last.resize(self.items.len(), NOWHERE);
        let last = &mut self.last;
        let places = ids.iter().enumerate();
        let previous = places
            .map(|(at, &id)| std::mem::replace(&mut last[id as usize], at))
            .collect();
        for &id in ids {
            last[id as usize] = NOWHERE;
        }
        previous
    }

    /// Returns the number of terms of a sequence as written.
    pub fn terms(&self, ids: &[Id]) -> u64 {
        ids.iter().map(|&id| self.terms[id as usize]).sum()
    }

    /// Returns the loop that an item is, or `None` for other items.
    pub fn rolled(&self, id: Id) -> Option<&Rolled> {
        match &self.items[id as usize] {
            Item::Whole(_) => None,
            Item::Rolled { rolled, .. } => Some(rolled),
        }
    }

    /// Returns the item that is this loop, if there is one.
    pub fn find_loop(&self, rolled: &Rolled) -> Option<Id> {
        self.loops.get(rolled).copied()
    }

    /// Adds a loop whose body is written as `short`.
    pub fn add_loop(&mut self, rolled: Rolled, short: Vec<Id>) -> Id {
        let terms = 1 + self.terms(&short);
        let item = Item::Rolled {
            rolled: rolled.clone(),
            short: short.into(),
        };
        let id = self.add(item, terms);
        self.loops.insert(rolled, id);
        id
    }

    /// Writes the body of a loop as `short` if that has fewer terms.
    pub fn shorten(&mut self, id: Id, short: &[Id]) {
        let terms = 1 + self.terms(short);
        if terms < self.terms[id as usize]
            && let Item::Rolled { short: written, .. } = &mut self.items[id as usize]
        {
            *written = short.into();
            self.terms[id as usize] = terms;
        }
    }

    fn add(&mut self, item: Item, terms: u64) -> Id {
        let id = self.items.len() as Id;
        self.items.push(item);
        self.terms.push(terms);
        id
    }

    /// Adds a construct that is equal to no other item, because it must not become part of a loop.
    pub fn fixed(&mut self, construct: &Construct) -> Id {
        self.add(Item::Whole(construct.clone()), size(construct))
    }

    /// Returns the item of a construct that is only moved as a whole.
    pub fn whole(&mut self, construct: &Construct) -> Id {
        let hash = HASHER.hash_one(construct);
        let is_same = |id: &Id| self.items[*id as usize].is(construct);
        if let Some(&id) = self.wholes.find(hash, is_same) {
            return id;
        }
        let id = self.add(Item::Whole(construct.clone()), size(construct));
        let items = &self.items;
        self.wholes
            .insert_unique(hash, id, |id| items[*id as usize].hash());
        id
    }

    /// Converts items to constructs.
    pub fn constructs(&self, ids: &[Id]) -> Vec<Construct> {
        ids.iter().map(|&id| self.construct(id)).collect()
    }

    fn construct(&self, id: Id) -> Construct {
        match &self.items[id as usize] {
            Item::Whole(construct) => construct.clone(),
            Item::Rolled { rolled, short } => Construct::Loop(LoopConstruct {
                count: Count {
                    base: rolled.count,
                    steps: Vec::new(),
                },
                body: self.constructs(short).into(),
            }),
        }
    }
}

fn size(construct: &Construct) -> u64 {
    terms(std::slice::from_ref(construct))
}

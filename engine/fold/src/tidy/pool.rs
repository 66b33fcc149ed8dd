//! Numbers the constructs of a sequence; equal ones have the same number.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

use super::super::model::{Step, terms};
use super::super::{Construct, Count, LoopConstruct};
use super::{PIECE, group};

const HASHER: FixedState = FixedState::with_seed(0x7469_6479);

/// The maximum number of iterations of a loop that is written out before anything is compared.
const FEW_ITERATIONS: i64 = 4;

/// The maximum number of items of a loop that is written out.
const FEW_ITEMS: usize = 64;

/// A placeholder for a place that does not exist.
pub(super) const NOWHERE: usize = usize::MAX;

/// The number of an item in a [`Pool`].
pub(super) type Id = u32;

/// A loop that may be taken apart.
#[derive(Clone, Debug)]
pub(super) struct Rolled {
    pub count: i64,
    /// Its body with all short loops written out.
    pub body: Arc<[Id]>,
}

/// A sequence with all short loops written out (`flat`), and as it was (`short`).
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    pub flat: Vec<Id>,
    pub short: Vec<Id>,
}

impl Taken {
    fn push(&mut self, id: Id) {
        self.flat.push(id);
        self.short.push(id);
    }
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

/// The items of one sequence within `level` loops.
#[derive(Debug)]
pub(super) struct Pool {
    level: usize,
    items: Vec<Item>,
    /// The number of terms of each item as written.
    terms: Vec<u64>,
    wholes: HashTable<Id>,
    loops: HashMap<(i64, Arc<[Id]>), Id, FixedState>,
    /// The last place of each item while a sequence is searched; otherwise [`NOWHERE`].
    last: Vec<usize>,
}

impl Pool {
    /// Creates a pool for a sequence of about `len` constructs.
    pub fn new(level: usize, len: usize) -> Self {
        Self {
            level,
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

    fn add(&mut self, item: Item, terms: u64) -> Id {
        let id = self.items.len() as Id;
        self.items.push(item);
        self.terms.push(terms);
        id
    }

    /// Adds the constructs of the sequence, or of the body of a free loop in it, to the pool.
    pub fn take(&mut self, constructs: &[Construct]) -> Taken {
        let mut taken = Taken::default();
        for construct in constructs {
            self.take_one(construct, &mut taken);
        }
        taken
    }

    fn take_one(&mut self, construct: &Construct, taken: &mut Taken) {
        if !is_free(construct, self.level) {
            // This item is equal to no other, because it must not become part of a loop.
            let id = self.add(Item::Whole(construct.clone()), size(construct));
            taken.push(id);
            return;
        }
        if let Construct::Loop(l) = construct
            && l.count.steps.is_empty()
            && l.count.base > 0
            && !l.body.is_empty()
        {
            let body = self.take(&l.body);
            if body.flat.len() <= PIECE {
                let id = self.roll(l.count.base, &body.flat, Some(&body.short));
                self.write_out(id, &mut taken.flat);
                taken.short.push(id);
                return;
            }
        }
        let id = self.whole(construct);
        taken.push(id);
    }

    fn whole(&mut self, construct: &Construct) -> Id {
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

    /// Appends an item, written out if it is a short loop.
    fn write_out(&self, id: Id, flat: &mut Vec<Id>) {
        if let Some(rolled) = self.rolled(id)
            && rolled.count <= FEW_ITERATIONS
            && rolled.count as usize * rolled.body.len() <= FEW_ITEMS
        {
            for _ in 0..rolled.count {
                flat.extend_from_slice(&rolled.body);
            }
            return;
        }
        flat.push(id);
    }

    /// Returns the loop of `count` times `body`. The body may be written as `short` if that has fewer terms.
    pub fn roll(&mut self, count: i64, body: &[Id], short: Option<&[Id]>) -> Id {
        if let [only] = body
            && let Some(inner) = self.rolled(*only)
            && let Some(count) = count.checked_mul(inner.count)
        {
            let body = Arc::clone(&inner.body);
            return self.roll(count, &body, None);
        }
        let root = root(body);
        if root < body.len()
            && let Some(count) = count.checked_mul((body.len() / root) as i64)
        {
            return self.roll(count, &body[..root], None);
        }
        let key = (count, Arc::from(body));
        if let Some(&id) = self.loops.get(&key) {
            self.shorten(id, short);
            return id;
        }
        let grouped = group::group(body, self);
        let terms = 1 + self.terms(&grouped);
        let item = Item::Rolled {
            rolled: Rolled {
                count,
                body: Arc::clone(&key.1),
            },
            short: grouped.into(),
        };
        let id = self.add(item, terms);
        self.loops.insert(key, id);
        self.shorten(id, short);
        id
    }

    fn shorten(&mut self, id: Id, with: Option<&[Id]>) {
        let Some(with) = with else { return };
        let terms = 1 + self.terms(with);
        if terms < self.terms[id as usize]
            && let Item::Rolled { short, .. } = &mut self.items[id as usize]
        {
            *short = with.into();
            self.terms[id as usize] = terms;
        }
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

/// Returns whether nothing in a construct grows with the index of a loop that is not around the sequence.
fn is_free(construct: &Construct, level: usize) -> bool {
    let outside = |steps: &[Step]| steps.iter().all(|step| usize::from(step.depth) < level);
    match construct {
        Construct::Event(event) => outside(&event.steps),
        Construct::Loop(l) => outside(&l.count.steps) && l.body.iter().all(|c| is_free(c, level)),
    }
}

/// Returns the length of the shortest sequence of which this one is a repetition.
fn root(ids: &[Id]) -> usize {
    // For each prefix, the length of its longest proper prefix that is also a suffix of it (Knuth, Morris and Pratt).
    let mut borders = vec![0; ids.len()];
    let mut border = 0;
    for end in 1..ids.len() {
        while border > 0 && ids[border] != ids[end] {
            border = borders[border - 1];
        }
        border += usize::from(ids[border] == ids[end]);
        borders[end] = border;
    }
    let period = ids.len() - border;
    if period > 0 && ids.len().is_multiple_of(period) {
        period
    } else {
        ids.len()
    }
}

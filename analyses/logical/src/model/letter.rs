//! Letters: MPI operations in a form that is the same for all processes.

use foldtrace_fold::{self as fold, Model, Step};
use foldtrace_topology::recognition::{DirectionId, Topology};
use foldtrace_trace::{EventKind, Operand, Symbol, SymbolId, SymbolTable, UNDEFINED};

use super::{Action, Call, CommunicatorId, Construct, Guard, Loop, Number, RoleId};

/// An MPI operation of a process, with its peer as a direction of the topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Letter {
    /// A send to the neighbour in a direction.
    Send {
        /// The direction.
        direction: DirectionId,
        /// The tag, if it is known.
        tag: Option<u64>,
    },
    /// A completed receive from the neighbour in a direction.
    Receive {
        /// The direction.
        direction: DirectionId,
        /// The tag, if it is known.
        tag: Option<u64>,
    },
    /// A collective operation.
    Collective {
        /// The code of the operation, if it is known.
        operation: Option<u64>,
        /// Rank of the root within the communicator, if there is one.
        root: Option<u64>,
        /// The communicator.
        communicator: CommunicatorId,
    },
}

impl Letter {
    /// Returns the same letter with another tag; collective operations have none.
    #[must_use]
    pub const fn with_tag(self, tag: u64) -> Self {
        let tag = Some(tag);
        match self {
            Self::Send { direction, .. } => Self::Send { direction, tag },
            Self::Receive { direction, .. } => Self::Receive { direction, tag },
            Self::Collective { .. } => self,
        }
    }

    /// Returns the direction, or `None` for collective operations.
    #[must_use]
    pub const fn direction(&self) -> Option<DirectionId> {
        match *self {
            Self::Send { direction, .. } | Self::Receive { direction, .. } => Some(direction),
            Self::Collective { .. } => None,
        }
    }

    /// Returns whether the letter is a receive.
    pub(super) const fn is_receive(&self) -> bool {
        matches!(self, Self::Receive { .. })
    }

    /// Returns whether a process at `node` can execute the letter, judging by its neighbours alone.
    #[must_use]
    pub fn is_of(&self, node: u32, topology: &Topology) -> bool {
        self.direction()
            .is_none_or(|direction| topology.neighbour(node, direction).is_some())
    }
}

impl Action {
    /// Returns the letter of the action at these loop indices, or `None` if the number of its direction is invalid.
    #[must_use]
    pub fn letter(&self, indices: &[i64]) -> Option<Letter> {
        // A number that grows may pass through the one that stands for none.
        let number = |number: &Option<Number>| {
            let number = number.as_ref()?.at(indices) as u64;
            (number != UNDEFINED).then_some(number)
        };
        let direction = self.direction(indices);
        Some(match self {
            Self::Send { tag, .. } => Letter::Send {
                direction: direction?,
                tag: number(tag),
            },
            Self::Receive { tag, .. } => Letter::Receive {
                direction: direction?,
                tag: number(tag),
            },
            Self::Collective {
                operation,
                root,
                communicator,
            } => Letter::Collective {
                operation: *operation,
                root: number(root),
                communicator: *communicator,
            },
        })
    }
}

/// Bits for the index of a direction within its sort.
const INDEX: u32 = 20;

/// Bits for the number of a communicator; the bits above contain the guard.
const COMMUNICATOR: u32 = 24;

/// Bits for a direction in a guard.
const DIRECTION: u32 = 16;

/// The bit that marks an encoded guard as [`Guard::Role`]; the bits below contain the number of the role.
const ROLE: u64 = 1 << (2 * DIRECTION + 1);

/// The letters of an alphabet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Letters {
    /// The letter of each row of symbols, and whether the symbols of the row differ in their tags.
    rows: Vec<(Option<Letter>, bool)>,
}

impl Letters {
    /// Returns the letter of a symbol, or `None` if the symbol has no valid direction.
    #[must_use]
    pub fn get(&self, symbol: SymbolId) -> Option<Letter> {
        match *self.rows.get(symbol.row())? {
            (Some(letter), true) => Some(letter.with_tag(symbol.tag().into())),
            (letter, _) => letter,
        }
    }

    /// Returns a letter of each row of symbols.
    pub fn of_rows(&self) -> impl Iterator<Item = Option<Letter>> + '_ {
        self.rows.iter().map(|&(letter, _)| letter)
    }
}

/// A mapping from letters to symbols, so that words can be folded in the same way as events.
///
/// The peer of a symbol encodes a direction. Folding detects peers that grow by a constant, which is wanted for the
/// children of a node but not for +x, -x and +y. The numbers of sorts are therefore chosen such that no three of them
/// are evenly spaced.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// The first direction of each sort, and the number of directions of that sort.
    sorts: Vec<(DirectionId, u32)>,
    /// The peer that encodes each direction.
    codes: Vec<u64>,
    symbols: SymbolTable,
}

impl Alphabet {
    /// Creates the alphabet of programs on a topology.
    #[must_use]
    pub fn new(topology: &Topology) -> Self {
        let directions = &topology.directions;
        let mut sorts: Vec<(DirectionId, u32)> = Vec::new();
        let mut codes = Vec::new();
        for (n, direction) in directions.iter().enumerate() {
            let follows = n > 0 && directions[n - 1].sort == direction.sort;
            match sorts.last_mut() {
                Some((_, count)) if follows && *count < 1 << INDEX => *count += 1,
                _ => sorts.push((DirectionId(n as u32), 1)),
            }
            let (sort, index) = (sorts.len() as u64 - 1, sorts.last().map_or(0, |s| s.1) - 1);
            codes.push(uneven(sort) << INDEX | u64::from(index));
        }
        Self {
            sorts,
            codes,
            symbols: SymbolTable::default(),
        }
    }

    /// Returns the symbols of the letters that have been interned so far.
    #[must_use]
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Returns the symbol of a letter, and adds the symbol if it is new.
    pub fn intern(&mut self, letter: Letter) -> SymbolId {
        let peer = |direction: DirectionId| {
            let code = self.codes.get(direction.0 as usize);
            code.copied().unwrap_or(UNDEFINED)
        };
        let or_undefined = |number: Option<u64>| number.unwrap_or(UNDEFINED);
        let symbol = match letter {
            Letter::Send { direction, tag } => {
                let operands = [peer(direction), 0, or_undefined(tag)];
                Symbol::new(EventKind::MpiSend, &operands)
            }
            Letter::Receive { direction, tag } => {
                let operands = [peer(direction), 0, or_undefined(tag)];
                Symbol::new(EventKind::MpiRecv, &operands)
            }
            Letter::Collective {
                operation,
                root,
                communicator,
            } => {
                let communicator = u64::from(communicator.0);
                let operands = [or_undefined(operation), communicator, or_undefined(root)];
                Symbol::new(EventKind::MpiCollectiveEnd, &operands)
            }
        };
        self.symbols.intern(symbol)
    }

    /// Joins alphabets of programs on a topology. Also returns the ids of the rows of each one in the joined alphabet.
    pub(super) fn joined<'a>(
        topology: &Topology,
        alphabets: impl Iterator<Item = &'a Self> + Clone,
    ) -> (Self, Vec<Vec<SymbolId>>) {
        let (symbols, ids) = SymbolTable::joined(alphabets.map(|alphabet| &alphabet.symbols));
        let joined = Self {
            symbols,
            ..Self::new(topology)
        };
        (joined, ids)
    }

    /// Returns the symbol of the same letter with a guard.
    pub(super) fn guarded(&mut self, symbol: SymbolId, guard: Guard) -> SymbolId {
        let mut symbol = self.symbols.symbol(symbol);
        let guard = match guard {
            Guard::Neighbours {
                directions,
                is_there,
            } => {
                let [one, other] = directions.map(|direction| u64::from(direction.0));
                (one << DIRECTION | other) << 1 | u64::from(is_there)
            }
            Guard::Role(role) => ROLE | u64::from(role.0),
        };
        if let Some(slot) = symbol.kind.slot(Operand::Communicator) {
            symbol.operands[slot] |= (guard + 1) << COMMUNICATOR;
        }
        self.symbols.intern(symbol)
    }

    /// Returns the letter of a symbol, or `None` if the symbol has no valid direction.
    #[must_use]
    pub fn letter(&self, symbol: SymbolId) -> Option<Letter> {
        self.action(&self.symbols.symbol(symbol), &[]).letter(&[])
    }

    /// Returns the letters of all symbols that have been interned so far.
    #[must_use]
    pub fn letters(&self) -> Letters {
        let rows = self.symbols.iter();
        let rows = rows.map(|(id, _)| (self.letter(id), self.symbols.is_tagged(id)));
        Letters {
            rows: rows.collect(),
        }
    }

    /// Returns a model of letters as the constructs of a program.
    #[must_use]
    pub fn program(&self, model: &Model) -> Vec<Construct> {
        self.constructs(&model.constructs, &mut 0)
    }

    fn constructs(&self, constructs: &[fold::Construct], calls: &mut u32) -> Vec<Construct> {
        let constructs = constructs.iter().map(|construct| match construct {
            fold::Construct::Event(event) => {
                *calls += 1;
                let symbol = self.symbols.symbol(event.symbol);
                Construct::Call(Call {
                    number: *calls - 1,
                    action: self.action(&symbol, &event.steps),
                    guard: guard(&symbol),
                    tags: None,
                })
            }
            fold::Construct::Loop(inner) => Construct::Loop(Loop {
                count: Number::new(inner.count.base, &inner.count.steps, 0),
                body: self.constructs(&inner.body, calls),
            }),
        });
        constructs.collect()
    }

    fn action(&self, symbol: &Symbol, steps: &[Step]) -> Action {
        let number = |operand| {
            let slot = symbol.kind.slot(operand)?;
            let base = symbol.operands[slot];
            let number = Number::new(base as i64, steps, slot as u8);
            let is_there = base != UNDEFINED || !number.growth.is_empty();
            is_there.then_some(number)
        };
        let communicator = symbol.get(Operand::Communicator).unwrap_or(0);
        let communicator = CommunicatorId((communicator & ((1 << COMMUNICATOR) - 1)) as u32);
        if symbol.kind == EventKind::MpiCollectiveEnd {
            return Action::Collective {
                operation: symbol.get(Operand::Operation),
                root: number(Operand::Root),
                communicator,
            };
        }
        let tag = number(Operand::Tag);
        let mut direction = number(Operand::Peer).unwrap_or_default();
        direction.base = self.direction(direction.base as u64);
        if symbol.kind == EventKind::MpiSend {
            Action::Send {
                direction,
                tag,
                communicator,
            }
        } else {
            Action::Receive {
                direction,
                tag,
                communicator,
            }
        }
    }

    fn direction(&self, code: u64) -> i64 {
        let sorts = self.sorts.iter().enumerate();
        let mut of_sort = sorts.filter(|&(n, _)| uneven(n as u64) == code >> INDEX);
        let index = (code & ((1 << INDEX) - 1)) as i64;
        of_sort
            .next()
            .map_or(-1, |(_, (first, _))| i64::from(first.0) + index)
    }
}

fn guard(symbol: &Symbol) -> Option<Guard> {
    let above = symbol.get(Operand::Communicator)? >> COMMUNICATOR;
    let guard = above.checked_sub(1)?;
    if guard & ROLE != 0 {
        return Some(Guard::Role(RoleId((guard & (ROLE - 1)) as u32)));
    }
    let direction = |above: u32| DirectionId((guard >> above & ((1 << DIRECTION) - 1)) as u32);
    Some(Guard::Neighbours {
        directions: [direction(DIRECTION + 1), direction(1)],
        is_there: guard & 1 == 1,
    })
}

impl Number {
    fn new(base: i64, steps: &[Step], slot: u8) -> Self {
        let steps = steps.iter().filter(|step| step.slot == slot);
        Self {
            base,
            growth: steps.map(|step| (step.depth, step.coefficient)).collect(),
        }
    }
}

/// Returns the `n`-th number whose base-3 digits are all 0 or 1. No three of these numbers are evenly spaced.
fn uneven(n: u64) -> u64 {
    let bits = (0..u64::BITS).map(|bit| (n >> bit & 1, bit));
    bits.filter(|&(bit, _)| bit == 1)
        .fold(0, |sum: u64, (_, bit)| {
            sum.wrapping_add(3_u64.wrapping_pow(bit))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_three_sorts_are_evenly_spaced() {
        let numbers: Vec<u64> = (0..64).map(uneven).collect();
        for (n, a) in numbers.iter().enumerate() {
            for b in &numbers[n + 1..] {
                assert!(!numbers.contains(&(2 * b - a)), "{a} and {b}");
            }
        }
    }
}

//! Makes models compact in space: processes that do the same, up to their ranks, share one text.
//!
//! The models of RR-8562 are compact in time only; its conclusion asks for regularity among processes. Between two
//! constructs that several processes have in common, each process has events and loops of its own. Processes that
//! differ only in the ranks of their peers, in a way that follows from their own ranks, share these events and loops:
//! `for p in 0-15: p send p+1 mod 16`. The events of each process, and the order of all events, follow exactly from
//! the shared form.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use foldhash::fast::FixedState;
use foldtrace_trace::{Operand, Symbol, SymbolId, SymbolTable};

use super::arrange::arranged;
use super::leaf::Leaves;
use super::system::{Construct, Kind, LoopStep, Matched, Member, System};
use super::{Process, Wiring};

/// The relation of the rank of a peer to the rank of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The rank of the peer is the same for all processes.
    Same(u64),
    /// The rank of the peer is greater by this offset.
    Offset(i64),
    /// The rank of the peer is greater by an offset, modulo the number of processes.
    Ring {
        /// The offset.
        offset: u64,
        /// The number of processes.
        size: u64,
    },
    /// The rank of the peer differs in these bits.
    Bits(u64),
}

impl Relation {
    /// Returns all relations that hold for one process and peer, the most readable one first.
    fn all(own: u64, peer: u64, size: Option<u64>) -> Vec<Self> {
        let mut all = vec![
            Self::Same(peer),
            Self::Offset(peer.wrapping_sub(own) as i64),
        ];
        if let Some(size) = size.filter(|&size| own < size && peer < size) {
            let offset = (peer + size - own) % size;
            all.push(Self::Ring { offset, size });
        }
        all.push(Self::Bits(own ^ peer));
        all
    }

    /// Returns the rank of the peer of the process with rank `own`.
    #[must_use]
    pub const fn of(self, own: u64) -> u64 {
        match self {
            Self::Same(peer) => peer,
            Self::Offset(offset) => own.wrapping_add_signed(offset),
            Self::Ring { offset, size } => (own + offset) % size,
            Self::Bits(bits) => own ^ bits,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same(peer) => write!(f, "{peer}"),
            Self::Offset(0) => write!(f, "p"),
            Self::Offset(offset) => write!(f, "p{offset:+}"),
            Self::Ring { offset, size } if 2 * offset > *size => {
                write!(f, "p-{} mod {size}", size - offset)
            }
            Self::Ring { offset, size } => write!(f, "p+{offset} mod {size}"),
            Self::Bits(bits) => write!(f, "p xor {bits}"),
        }
    }
}

/// An event or a loop that several processes share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shared {
    /// An event.
    Event {
        /// The symbol of the event when the indices of all enclosing loops are zero, without a peer.
        symbol: Symbol,
        /// The growth of its tag with these indices.
        steps: Box<[LoopStep]>,
        /// The relations to its peer that hold for all sharing processes, the most readable one first.
        peer: Vec<Relation>,
    },
    /// A loop.
    Loop {
        /// The number of iterations.
        count: u64,
        /// The events and loops of one iteration.
        body: Vec<Shared>,
        /// The number of times the loop was shifted.
        shifts: u8,
    },
}

/// A part of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Events and loops that each of several processes has of its own.
    Shared {
        /// The processes.
        processes: Vec<Process>,
        /// The events and loops of each process, up to its rank.
        body: Vec<Shared>,
    },
    /// A collective operation.
    Collective(Construct),
    /// A loop of several processes.
    Loop {
        /// The number of iterations.
        count: u64,
        /// The system of one iteration.
        body: SharedSystem,
        /// The processes with events in the loop, in order.
        processes: Arc<[Process]>,
        /// The number of times the loop was shifted.
        shifts: u8,
    },
}

/// A system in which processes share events and loops that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSystem {
    /// The parts of the system, in an order that keeps the order of each process.
    pub items: Vec<Item>,
    matched: Matched,
}

/// A program in which processes share events and loops that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spmd {
    /// The events and loops of the program.
    pub system: SharedSystem,
    /// The symbol of each process for each shared symbol.
    own: Symbols,
}

type Symbols = HashMap<(Process, Symbol), SymbolId, FixedState>;

impl Spmd {
    /// Finds the events and loops that processes with these ranks can share. Symbols that are the same in `canonical`,
    /// which has one per row of the table of symbols, are treated as the same.
    #[must_use]
    pub fn new(
        system: &System,
        ranks: &[u64],
        symbols: &SymbolTable,
        canonical: &[Symbol],
    ) -> Self {
        let size = ranks.len() as u64;
        let is_dense = ranks.iter().all(|&rank| rank < size);
        let mut used: BTreeSet<(Process, SymbolId)> = BTreeSet::new();
        each_event(system, &mut |member| {
            used.insert((member.process, member.symbol));
        });
        let alike = |id: SymbolId| Some(canonical.get(id.row())?.with_tag_of(id));
        let mut names: HashMap<(Process, Symbol), u32, FixedState> = HashMap::default();
        for &(process, id) in &used {
            *names
                .entry((process, alike(id).unwrap_or_else(|| symbols.symbol(id))))
                .or_default() += 1;
        }
        // If a process has several symbols with the same canonical symbol, each represents itself.
        let symbol = |&(process, id): &(Process, SymbolId)| {
            let alike = alike(id).filter(|&alike| names.get(&(process, alike)) == Some(&1));
            ((process, alike.unwrap_or_else(|| symbols.symbol(id))), id)
        };
        let own: Symbols = used.iter().map(symbol).collect();
        let sharer = Sharer {
            ranks,
            shared: own
                .iter()
                .map(|(&(process, symbol), &id)| ((process, id), symbol))
                .collect(),
            size: is_dense.then_some(size),
        };
        let system = sharer.system(system);
        Self { system, own }
    }

    /// Restores the system. Returns `None` if a process has no rank or no symbol for a shared event.
    #[must_use]
    pub fn expand(&self, ranks: &[u64], wiring: &Wiring, symbols: &SymbolTable) -> Option<System> {
        let leaves = Leaves { wiring, symbols };
        self.expand_system(&self.system, ranks, &leaves)
    }

    fn expand_system(
        &self,
        system: &SharedSystem,
        ranks: &[u64],
        leaves: &Leaves<'_>,
    ) -> Option<System> {
        let mut constructs = Vec::new();
        for item in &system.items {
            match item {
                Item::Shared { processes, body } => {
                    for &process in processes {
                        let rank = *ranks.get(process.index())?;
                        let alone = Arc::from([process]);
                        let own = self.process_constructs(leaves, &alone, process, rank, body)?;
                        constructs.extend(own);
                    }
                }
                Item::Collective(construct) => constructs.push(construct.clone()),
                Item::Loop {
                    count,
                    body,
                    shifts,
                    ..
                } => {
                    let body = self.expand_system(body, ranks, leaves)?;
                    let mut construct = Construct::repeat(*count, Arc::new(body));
                    construct.shifts = *shifts;
                    constructs.push(construct);
                }
            }
        }
        Some(arranged(constructs, system.matched.clone()))
    }

    /// Returns the constructs of one process, `alone`, in a shared body.
    fn process_constructs(
        &self,
        leaves: &Leaves<'_>,
        alone: &Arc<[Process]>,
        process: Process,
        rank: u64,
        body: &[Shared],
    ) -> Option<Vec<Construct>> {
        let constructs = body.iter().map(|shared| match shared {
            Shared::Event {
                symbol,
                steps,
                peer,
            } => {
                let mut symbol = *symbol;
                let slot = symbol.kind.slot(Operand::Peer);
                if let (Some(relation), Some(slot)) = (peer.first(), slot) {
                    symbol.operands[slot] = relation.of(rank);
                }
                let symbol = *self.own.get(&(process, symbol))?;
                Some(leaves.event(Member { process, symbol }, alone, steps.clone()))
            }
            Shared::Loop {
                count,
                body,
                shifts,
            } => {
                let body = self.process_constructs(leaves, alone, process, rank, body)?;
                let body = System::sequence(body);
                let mut construct = Construct::repeat(*count, Arc::new(body));
                construct.shifts = *shifts;
                Some(construct)
            }
        });
        constructs.collect()
    }

    /// Returns the number of events, collective operations and loops as written; `for p` does not count.
    #[must_use]
    pub fn terms(&self) -> u64 {
        self.system.terms()
    }
}

impl SharedSystem {
    fn terms(&self) -> u64 {
        let terms = |item: &Item| match item {
            Item::Shared { body, .. } => shared_terms(body),
            Item::Collective(_) => 1,
            Item::Loop { body, .. } => 1 + body.terms(),
        };
        self.items.iter().map(terms).sum()
    }
}

/// Calls `take` for all events of single processes.
fn each_event(system: &System, take: &mut impl FnMut(Member)) {
    for construct in &system.constructs {
        match &construct.kind {
            Kind::Event { member, .. } => take(*member),
            Kind::Collective { .. } => (),
            Kind::Loop { body, .. } => each_event(body, take),
        }
    }
}

fn shared_terms(body: &[Shared]) -> u64 {
    let terms = |shared: &Shared| match shared {
        Shared::Event { .. } => 1,
        Shared::Loop { body, .. } => 1 + shared_terms(body),
    };
    body.iter().map(terms).sum()
}

struct Sharer<'a> {
    ranks: &'a [u64],
    /// The shared symbol for each symbol of a process.
    shared: HashMap<(Process, SymbolId), Symbol, FixedState>,
    /// The number of processes, if all ranks are below it.
    size: Option<u64>,
}

/// Consecutive constructs of one process.
struct Stretch<'a> {
    process: Process,
    /// The index of the first one.
    first: usize,
    constructs: Vec<&'a Construct>,
}

impl Sharer<'_> {
    fn system(&self, system: &System) -> SharedSystem {
        let mut open: BTreeMap<Process, (Option<usize>, Stretch<'_>)> = BTreeMap::new();
        // Stretches, grouped by the joint constructs before and after them.
        let mut between: BTreeMap<(Option<usize>, Option<usize>), Vec<Stretch<'_>>> =
            BTreeMap::new();
        let mut items: Vec<(usize, Item)> = Vec::new();
        for (index, construct) in system.constructs.iter().enumerate() {
            let joint = self.joint(construct);
            for &process in construct.processes.iter() {
                let new = |before| {
                    let constructs = Vec::new();
                    let first = index;
                    (
                        before,
                        Stretch {
                            process,
                            first,
                            constructs,
                        },
                    )
                };
                let entry = open.entry(process).or_insert_with(|| new(None));
                if joint.is_none() {
                    if entry.1.constructs.is_empty() {
                        entry.1.first = index;
                    }
                    entry.1.constructs.push(construct);
                } else {
                    let (before, stretch) = std::mem::replace(entry, new(Some(index)));
                    between
                        .entry((before, Some(index)))
                        .or_default()
                        .push(stretch);
                }
            }
            items.extend(joint.map(|item| (index, item)));
        }
        for (before, stretch) in open.into_values() {
            between.entry((before, None)).or_default().push(stretch);
        }
        for mut stretches in between.into_values() {
            stretches.retain(|stretch| !stretch.constructs.is_empty());
            self.share(stretches, &mut items);
        }
        items.sort_by_key(|(index, _)| *index);
        SharedSystem {
            items: items.into_iter().map(|(_, item)| item).collect(),
            matched: system.matched.clone(),
        }
    }

    /// Returns the item of a construct that no process has of its own; `None` for all others.
    fn joint(&self, construct: &Construct) -> Option<Item> {
        match &construct.kind {
            Kind::Collective { .. } => Some(Item::Collective(construct.clone())),
            Kind::Loop { count, body } if !is_simple(construct) => Some(Item::Loop {
                count: *count,
                body: self.system(body),
                processes: Arc::clone(&construct.processes),
                shifts: construct.shifts,
            }),
            Kind::Loop { .. } | Kind::Event { .. } => None,
        }
    }

    /// Groups the stretches that are the same up to ranks, and adds them to `items`.
    fn share(&self, stretches: Vec<Stretch<'_>>, items: &mut Vec<(usize, Item)>) {
        let mut groups: Vec<(usize, Vec<Process>, Vec<Shared>)> = Vec::new();
        for stretch in stretches {
            let own = self.relative(stretch.process, &stretch.constructs);
            let together = groups.iter_mut().find_map(|(first, processes, body)| {
                let both = common(body, &own)?;
                Some((first, processes, body, both))
            });
            match together {
                Some((first, processes, body, both)) => {
                    *first = stretch.first.min(*first);
                    processes.push(stretch.process);
                    *body = both;
                }
                None => groups.push((stretch.first, vec![stretch.process], own)),
            }
        }
        let shared = groups.into_iter().map(|(first, mut processes, body)| {
            processes.sort_unstable();
            (first, Item::Shared { processes, body })
        });
        items.extend(shared);
    }

    /// Returns the events and loops of a process, with all relations to its peers.
    fn relative(&self, process: Process, constructs: &[&Construct]) -> Vec<Shared> {
        let own = self.ranks.get(process.index()).copied().unwrap_or(0);
        let shared = constructs
            .iter()
            .filter_map(|construct| match &construct.kind {
                Kind::Event { member, steps } => {
                    let mut symbol = *self.shared.get(&(member.process, member.symbol))?;
                    let slot = symbol.kind.slot(Operand::Peer);
                    let peer = symbol.get(Operand::Peer);
                    let peer = peer.map(|peer| Relation::all(own, peer, self.size));
                    if let (Some(slot), Some(_)) = (slot, &peer) {
                        symbol.operands[slot] = 0;
                    }
                    let peer = peer.unwrap_or_default();
                    Some(Shared::Event {
                        symbol,
                        steps: steps.clone(),
                        peer,
                    })
                }
                Kind::Loop { count, body } => {
                    let inner: Vec<&Construct> = body.constructs.iter().collect();
                    Some(Shared::Loop {
                        count: *count,
                        body: self.relative(process, &inner),
                        shifts: construct.shifts,
                    })
                }
                Kind::Collective { .. } => None,
            });
        shared.collect()
    }
}

/// Returns whether a construct is an event, or a loop of one process that exchanges nothing with itself.
fn is_simple(construct: &Construct) -> bool {
    match &construct.kind {
        Kind::Event { .. } => true,
        Kind::Collective { .. } => false,
        Kind::Loop { body, .. } => {
            construct.processes.len() == 1
                && body.matched == Matched::Only(Arc::from([]))
                && body.constructs.iter().all(is_simple)
        }
    }
}

/// Returns the common form of two bodies, with the relations that hold for both, or `None` if there is none.
fn common(a: &[Shared], b: &[Shared]) -> Option<Vec<Shared>> {
    if a.len() != b.len() {
        return None;
    }
    let both = a.iter().zip(b).map(|both| match both {
        (
            Shared::Event {
                symbol,
                steps,
                peer,
            },
            Shared::Event {
                symbol: s,
                steps: t,
                peer: p,
            },
        ) => {
            let kept = peer.iter().filter(|relation| p.contains(relation));
            let kept: Vec<Relation> = kept.copied().collect();
            let fits = (symbol, steps) == (s, t) && peer.is_empty() == p.is_empty();
            (fits && kept.is_empty() == peer.is_empty()).then_some(Shared::Event {
                symbol: *symbol,
                steps: steps.clone(),
                peer: kept,
            })
        }
        (
            Shared::Loop {
                count,
                body,
                shifts,
            },
            Shared::Loop {
                count: c,
                body: b,
                shifts: s,
            },
        ) => {
            let body = common(body, b).filter(|_| (count, shifts) == (c, s))?;
            Some(Shared::Loop {
                count: *count,
                body,
                shifts: *shifts,
            })
        }
        _ => None,
    });
    both.collect()
}

//! Decides which events are equal in patterns.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_fold::patterns::Letter;
use foldtrace_trace::{
    EventBatch, EventKind, LabelText, Names, Operand, Quantity, Symbol, SymbolTable, UNDEFINED,
};

use crate::occurrences::Role;

/// The conditions for two events to be equal. The paper (section III.A) requires the same function, or the same
/// message: sender, receiver, tag and length. Here, the kind of event, all operands and the length
/// count, except for tags if there are more than 1,024.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Equality {
    /// Operands that are ignored.
    pub ignored: Vec<Operand>,
    /// Whether events that transfer different numbers of bytes are equal.
    pub ignores_length: bool,
}

/// The symbols of a trace, divided into classes of equal symbols.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// By row of the table of symbols: the number of the class of its symbols.
    classes: Vec<u32>,
    /// By class: its first symbol, without its tag if symbols of its row differ in their tags.
    symbols: Vec<Symbol>,
    roles: Vec<Role>,
    keys: Vec<blake3::Hash>,
    equality: Equality,
}

impl Alphabet {
    /// Divides `symbols` into classes.
    #[must_use]
    pub fn new(symbols: &SymbolTable, names: &Names, equality: &Equality) -> Self {
        let mut alphabet = Self {
            classes: Vec::with_capacity(symbols.len()),
            symbols: Vec::new(),
            roles: Vec::new(),
            keys: Vec::new(),
            equality: equality.clone(),
        };
        let mut known: HashMap<Symbol, u32, FixedState> = HashMap::default();
        for (id, symbol) in symbols.iter() {
            let without = |mut symbol: Symbol, operand| {
                if let Some(slot) = symbol.kind.slot(operand) {
                    symbol.operands[slot] = UNDEFINED;
                }
                symbol
            };
            let symbol = if symbols.is_tagged(id) {
                without(symbol, Operand::Tag)
            } else {
                symbol
            };
            let ignored = equality.ignored.iter().copied();
            let class = ignored.fold(names.canonical(symbol), without);
            let number = *known.entry(class).or_insert_with(|| {
                let text = LabelText {
                    names,
                    symbol: class,
                }
                .to_string();
                alphabet.symbols.push(symbol);
                alphabet.roles.push(role(&class, names));
                // An enter and a leave have the same text, the name of the region, so the kind is part of the key.
                let key = format!("{} {text}", class.kind);
                alphabet.keys.push(blake3::hash(key.as_bytes()));
                alphabet.symbols.len() as u32 - 1
            });
            alphabet.classes.push(number);
        }
        alphabet
    }
}

fn role(symbol: &Symbol, names: &Names) -> Role {
    match symbol.kind {
        EventKind::Enter | EventKind::CallingContextEnter => {
            let region = names.callee(symbol);
            let name =
                region.and_then(|id| names.name(foldtrace_trace::DefinitionKind::Region, id));
            Role::Enter {
                communicates: name.is_some_and(communicates),
            }
        }
        EventKind::Leave | EventKind::CallingContextLeave => Role::Leave,
        _ => Role::Other,
    }
}

/// Returns whether a routine belongs to MPI, in any spelling: MPI_Send, PMPI_Send, mpi_send_.
fn communicates(routine: &str) -> bool {
    let prefix = |prefix: &str| {
        let start = routine.get(..prefix.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    prefix("mpi_") || prefix("pmpi_")
}

/// The properties of an event that determine its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    class: u32,
    bytes: u64,
    received: u64,
}

/// The number of letters that are found again without a hash table.
const RECENT: usize = 256;

/// A reader of the events of a location, which gives each kind of event a letter.
#[derive(Clone, Debug)]
pub struct LetterReader {
    letters: Letters,
    ids: HashMap<Shape, Letter, FixedState>,
    /// The letters seen last: one for each remainder of the numbers of classes.
    recent: [Letter; RECENT],
}

impl Default for LetterReader {
    fn default() -> Self {
        Self {
            letters: Letters::default(),
            ids: HashMap::default(),
            recent: [Letter::default(); RECENT],
        }
    }
}

impl LetterReader {
    /// Appends the letters of the events of a batch to `letters`.
    pub fn read(
        &mut self,
        batch: &EventBatch,
        symbols: &SymbolTable,
        alphabet: &Alphabet,
        letters: &mut Vec<Letter>,
    ) {
        let mut bytes = batch.quantities[Quantity::Bytes as usize].iter();
        let mut received = batch.quantities[Quantity::BytesReceived as usize].iter();
        for &symbol in &batch.symbols {
            let bits = symbols.kind(symbol).quantity_bits();
            let mut shape = Shape {
                class: alphabet
                    .classes
                    .get(symbol.row())
                    .copied()
                    .unwrap_or_default(),
                bytes: 0,
                received: 0,
            };
            if bits & Quantity::Bytes.bit() != 0 {
                shape.bytes = bytes.next().copied().unwrap_or_default();
            }
            if bits & Quantity::BytesReceived.bit() != 0 {
                shape.received = received.next().copied().unwrap_or_default();
            }
            if alphabet.equality.ignores_length {
                (shape.bytes, shape.received) = (0, 0);
            }
            letters.push(self.letter(shape));
        }
    }

    /// Returns the letter of an event. Most events have the last letter of their class.
    #[inline]
    fn letter(&mut self, shape: Shape) -> Letter {
        let recent = &mut self.recent[shape.class as usize % RECENT];
        if self.letters.shapes.get(recent.index()) == Some(&shape) {
            return *recent;
        }
        let shapes = &mut self.letters.shapes;
        *recent = *self.ids.entry(shape).or_insert_with(|| {
            shapes.push(shape);
            Letter(shapes.len() as u32 - 1)
        });
        *recent
    }

    /// Returns the letters of the events read.
    #[must_use]
    pub fn finish(self) -> Letters {
        self.letters
    }
}

/// The letters of a location: one for each kind of event that it has.
#[derive(Clone, Debug, Default)]
pub struct Letters {
    shapes: Vec<Shape>,
}

impl Letters {
    /// Returns the number of letters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Returns whether there are no letters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Returns by letter its role in the time of the location.
    #[must_use]
    pub fn roles(&self, alphabet: &Alphabet) -> Vec<Role> {
        let roles = self.shapes.iter();
        let roles = roles.map(|shape| alphabet.roles.get(shape.class as usize).copied());
        roles.map(Option::unwrap_or_default).collect()
    }

    /// Returns by letter a key that is the same in all locations and traces.
    #[must_use]
    pub fn keys(&self, alphabet: &Alphabet) -> Vec<u64> {
        let key = |shape: &Shape| {
            let mut hasher = blake3::Hasher::new();
            if let Some(key) = alphabet.keys.get(shape.class as usize) {
                hasher.update(key.as_bytes());
            }
            hasher.update(&shape.bytes.to_le_bytes());
            hasher.update(&shape.received.to_le_bytes());
            let mut first = [0; 8];
            hasher.finalize_xof().fill(&mut first);
            u64::from_le_bytes(first)
        };
        self.shapes.iter().map(key).collect()
    }

    /// Returns an event that a letter stands for: its symbol, and the bytes that it transfers.
    #[must_use]
    pub fn event(&self, letter: Letter, alphabet: &Alphabet) -> Option<(Symbol, u64)> {
        let shape = self.shapes.get(letter.index())?;
        let symbol = alphabet.symbols.get(shape.class as usize)?;
        Some((*symbol, shape.bytes))
    }
}

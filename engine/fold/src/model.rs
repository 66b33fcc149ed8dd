//! Loop models, the output of folding and the input of expanding.

use std::sync::Arc;

use foldtrace_trace::{EventKind, Operand, Symbol, SymbolId, SymbolTable, UNDEFINED};
use serde::{Deserialize, Serialize};

use super::Polynomial;

/// The growth of a number with the index of one enclosing loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Step {
    /// The slot of the event's operand that grows; 0 for the count of a loop.
    pub slot: u8,
    /// The depth of the loop; 0 is the outermost loop of the model.
    pub depth: u16,
    /// The growth per iteration.
    pub coefficient: i64,
}

/// One event of a model. Its numbers (peer, tag, root) may be affine in the indices of the enclosing loops.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventConstruct {
    /// The symbol of the event when all enclosing indices are zero.
    pub symbol: SymbolId,
    /// The growth of its numbers with the enclosing indices.
    pub steps: Vec<Step>,
}

impl EventConstruct {
    /// Returns the operands that are functions of the enclosing indices, with their slots. `symbol` is the symbol of
    /// this event.
    #[must_use]
    pub fn functions(&self, symbol: &Symbol) -> Vec<(usize, Operand, Polynomial)> {
        functions(symbol, &self.steps)
    }
}

/// Returns the operands of a symbol that are functions of the enclosing indices, with their slots.
#[must_use]
pub fn functions(symbol: &Symbol, steps: &[Step]) -> Vec<(usize, Operand, Polynomial)> {
    let operands = symbol.kind.operands().iter().enumerate();
    let functions = operands.filter_map(|(slot, &operand)| {
        let base = symbol.operands[slot];
        let function = function(base as i64, steps, slot as u8)?;
        (base != UNDEFINED).then_some((slot, operand, function))
    });
    functions.collect()
}

/// Returns the number in `slot` as a function of the enclosing indices, or `None` if it is constant.
fn function(base: i64, steps: &[Step], slot: u8) -> Option<Polynomial> {
    let steps = steps.iter().filter(|step| step.slot == slot);
    let terms = steps.map(|step| (usize::from(step.depth), step.coefficient));
    let terms: Vec<_> = terms.collect();
    (!terms.is_empty()).then(|| Polynomial::affine(base, terms))
}

/// The number of iterations of a loop, affine in the enclosing indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Count {
    /// The number of iterations when all enclosing indices are zero.
    pub base: i64,
    /// The growth of that number with the enclosing indices.
    pub steps: Vec<Step>,
}

impl Count {
    /// Returns the count at these indices of the enclosing loops, outermost first.
    #[must_use]
    pub fn at(&self, indices: &[i64]) -> i64 {
        evaluate(self.base, &self.steps, indices)
    }

    /// Returns the count as a function of the enclosing indices.
    #[must_use]
    pub fn polynomial(&self) -> Polynomial {
        function(self.base, &self.steps, 0).unwrap_or_else(|| Polynomial::constant(self.base))
    }
}

/// A loop of a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopConstruct {
    /// The number of iterations.
    pub count: Count,
    /// The constructs of one iteration.
    pub body: Arc<[Construct]>,
}

/// An event or a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Construct {
    /// One event.
    Event(EventConstruct),
    /// A loop.
    Loop(LoopConstruct),
}

/// Returns `base` plus the growth given by the steps at these indices. Wraps on overflow, which only a damaged model
/// can cause.
pub(super) fn evaluate(base: i64, steps: &[Step], indices: &[i64]) -> i64 {
    steps.iter().fold(base, |sum, step| {
        let index = indices.get(usize::from(step.depth)).copied().unwrap_or(0);
        sum.wrapping_add(step.coefficient.wrapping_mul(index))
    })
}

/// The set of events of a stream that a model describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Selection {
    /// Every event.
    #[default]
    All,
    /// Sends, completed receives, and one event per collective operation, as counted in the papers.
    Communication,
}

impl Selection {
    /// Returns the name used in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Communication => "comm",
        }
    }

    /// Returns the selection with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::All, Self::Communication]
            .into_iter()
            .find(|s| s.name() == name)
    }

    /// Returns whether the selection includes events of this kind.
    #[must_use]
    pub const fn contains(self, kind: EventKind) -> bool {
        match self {
            Self::All => true,
            Self::Communication => kind.is_communication(),
        }
    }
}

/// The model of one symbol stream: a sequence of events and loops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Model {
    /// The constructs, in order.
    pub constructs: Arc<[Construct]>,
    /// The number of events in the stream.
    pub events: u64,
}

impl Model {
    /// Returns the number of events in loops.
    #[must_use]
    pub fn events_in_loops(&self) -> u64 {
        let alone = |construct: &&Construct| matches!(construct, Construct::Event(_));
        self.events - self.constructs.iter().filter(alone).count() as u64
    }

    /// Returns the number of events and loops as written, which is the size of the text form.
    #[must_use]
    pub fn terms(&self) -> u64 {
        terms(&self.constructs)
    }

    /// Returns the number of loops as written.
    #[must_use]
    pub fn loops(&self) -> u64 {
        loops(&self.constructs)
    }

    /// Returns the same model with each symbol replaced by `name(symbol)`.
    #[must_use]
    pub fn renamed(&self, name: &impl Fn(SymbolId) -> SymbolId) -> Self {
        Self {
            constructs: renamed(&self.constructs, name),
            events: self.events,
        }
    }

    /// Returns whether the model has at least one event and all of its events are metrics.
    #[must_use]
    pub fn has_only_metrics(&self, symbols: &SymbolTable) -> bool {
        fn all(constructs: &[Construct], symbols: &SymbolTable) -> bool {
            constructs.iter().all(|construct| match construct {
                Construct::Event(event) => symbols.kind(event.symbol) == EventKind::Metric,
                Construct::Loop(l) => all(&l.body, symbols),
            })
        }
        self.events > 0 && all(&self.constructs, symbols)
    }
}

fn renamed(constructs: &[Construct], name: &impl Fn(SymbolId) -> SymbolId) -> Arc<[Construct]> {
    let renamed = constructs.iter().map(|construct| match construct {
        Construct::Event(event) => Construct::Event(EventConstruct {
            symbol: name(event.symbol),
            steps: event.steps.clone(),
        }),
        Construct::Loop(inner) => Construct::Loop(LoopConstruct {
            count: inner.count.clone(),
            body: renamed(&inner.body, name),
        }),
    });
    renamed.collect()
}

pub(super) fn terms(constructs: &[Construct]) -> u64 {
    constructs
        .iter()
        .map(|c| 1 + body(c).map_or(0, terms))
        .sum()
}

fn loops(constructs: &[Construct]) -> u64 {
    constructs
        .iter()
        .filter_map(body)
        .map(|b| 1 + loops(b))
        .sum()
}

fn body(construct: &Construct) -> Option<&[Construct]> {
    match construct {
        Construct::Event(_) => None,
        Construct::Loop(l) => Some(&l.body),
    }
}

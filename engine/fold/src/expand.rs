//! Expands models, the exact inverse of folding.

use std::sync::Arc;

use foldtrace_trace::{Symbol, SymbolId, SymbolTable};

use super::model::evaluate;
use super::{Construct, EventConstruct, Model};

impl Model {
    /// Returns an iterator over the symbols of the stream. `symbols` is the table of the model's symbols.
    #[must_use]
    pub fn expand<'a>(&self, symbols: &'a SymbolTable) -> Expansion<'a> {
        Expansion::new(Arc::clone(&self.constructs), symbols)
    }
}

/// An iterator over the symbols of a model. Its memory is proportional to the depth of the model.
///
/// A model made by folding always expands completely. The expansion of a damaged model ends early; see
/// [`Expansion::is_damaged`].
#[derive(Debug)]
pub struct Expansion<'a> {
    symbols: &'a SymbolTable,
    cursor: Cursor,
    damaged: bool,
}

impl<'a> Expansion<'a> {
    fn new(constructs: Arc<[Construct]>, symbols: &'a SymbolTable) -> Self {
        Self {
            symbols,
            cursor: Cursor::once(constructs),
            damaged: false,
        }
    }

    /// Returns whether the expansion ended early, because the model needs a symbol that the table does not have, or
    /// contains a loop with a negative number of iterations.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }
}

impl Iterator for Expansion<'_> {
    type Item = SymbolId;

    fn next(&mut self) -> Option<SymbolId> {
        match self.cursor.next(self.symbols) {
            Next::Symbol(symbol) => Some(symbol),
            Next::End => None,
            Next::Impossible => {
                self.damaged = true;
                self.cursor = Cursor::default();
                None
            }
        }
    }
}

/// The next step of a walk over constructs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// An event.
    Symbol(SymbolId),
    /// The end of the walk.
    End,
    /// An event without a symbol, or a loop with a negative number of iterations.
    Impossible,
}

#[derive(Clone, Debug)]
struct Level {
    body: Arc<[Construct]>,
    item: usize,
    /// The number of iterations after the current one.
    left: i64,
}

/// A walk over constructs that can be paused at any event. The sequence at the bottom runs once; `indices` has one
/// entry per loop around the current construct.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    levels: Vec<Level>,
    indices: Vec<i64>,
}

impl Cursor {
    /// Creates a walk over constructs that are not in a loop.
    fn once(body: Arc<[Construct]>) -> Self {
        Self {
            levels: vec![Level {
                body,
                item: 0,
                left: 0,
            }],
            indices: Vec::new(),
        }
    }

    /// Creates a walk over iteration number `index` of a loop that is not in another loop.
    pub fn iteration(body: Arc<[Construct]>, index: i64) -> Self {
        Self {
            levels: vec![Level {
                body,
                item: 0,
                left: 0,
            }],
            indices: vec![index],
        }
    }

    /// Returns the next step of the walk.
    pub fn next(&mut self, symbols: &SymbolTable) -> Next {
        loop {
            let Some(level) = self.levels.last_mut() else {
                return Next::End;
            };
            let Some(construct) = level.body.get(level.item) else {
                if level.left > 0 {
                    level.left -= 1;
                    level.item = 0;
                    if let Some(index) = self.indices.last_mut() {
                        *index += 1;
                    }
                } else {
                    self.levels.pop();
                    self.indices.truncate(self.indices.len().saturating_sub(1));
                    // The bottom level has an index only if it is an iteration of a loop. The walk ends with the
                    // bottom level.
                    if self.levels.is_empty() {
                        return Next::End;
                    }
                }
                continue;
            };
            level.item += 1;
            match construct {
                Construct::Event(event) => return symbol_at(event, &self.indices, symbols),
                Construct::Loop(inner) => {
                    let count = inner.count.at(&self.indices);
                    if count < 0 {
                        return Next::Impossible;
                    }
                    if count > 0 && !inner.body.is_empty() {
                        let body = Arc::clone(&inner.body);
                        self.levels.push(Level {
                            body,
                            item: 0,
                            left: count - 1,
                        });
                        self.indices.push(0);
                    }
                }
            }
        }
    }
}

fn symbol_at(event: &EventConstruct, indices: &[i64], symbols: &SymbolTable) -> Next {
    let symbol = event.symbol_at(indices, symbols);
    symbol.map_or(Next::Impossible, Next::Symbol)
}

impl EventConstruct {
    /// Returns the symbol at these indices, or `None` if the table has no such symbol.
    #[must_use]
    pub fn symbol_at(&self, indices: &[i64], symbols: &SymbolTable) -> Option<SymbolId> {
        if !symbols.contains(self.symbol) {
            return None;
        }
        if self.steps.is_empty() {
            return Some(self.symbol);
        }
        let mut symbol: Symbol = symbols.symbol(self.symbol);
        for (slot, operand) in symbol.operands.iter_mut().enumerate() {
            let steps = self
                .steps
                .iter()
                .filter(|step| usize::from(step.slot) == slot);
            *operand = steps.fold(*operand as i64, |sum, step| {
                evaluate(sum, std::slice::from_ref(step), indices)
            }) as u64;
        }
        symbols.find(&symbol)
    }
}

//! The loops of one location, folded from its tokens.

use std::collections::BTreeSet;

use foldtrace_fold::{Construct, Count, DEFAULT_MAX_BODY, Folder};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, SymbolId, TraceError};

use crate::ids::NameId;
use crate::tokens::Tokens;

/// The maximum number of loops and events in the model of a location. A longer model describes no repetition, and the
/// location is compared as if it had no loops.
const MOST_TERMS: u64 = 1 << 17;

/// The names in a loop, without order: what loops are recognised by in another process or run.
pub type Names = BTreeSet<NameId>;

/// A part of the outline of a location.
#[derive(Clone, Debug)]
pub enum Item {
    /// A number of tokens.
    Tokens(u64),
    /// A loop.
    Loop(Loop),
}

/// A loop of a location.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The number of loops before it in the outline, enclosing ones included.
    pub index: usize,
    /// The number of iterations.
    pub count: Count,
    /// The names in its body and in all loops within it.
    pub names: Names,
    /// One iteration.
    pub body: Vec<Item>,
}

/// The loops of a location.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The tokens and loops of the location; empty if the location hardly repeats anything.
    pub items: Vec<Item>,
    /// The number of loops.
    pub loops: usize,
    /// All names.
    pub names: Names,
}

impl Outline {
    /// Folds the tokens of a location.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn fold(
        store: &StoreReader,
        location: LocationId,
        tokens: &Tokens,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let mut folder = Folder::new(DEFAULT_MAX_BODY);
        let mut events = store.events(location, Position(0));
        let (mut symbols, mut selected): (Vec<SymbolId>, Vec<SymbolId>) = Default::default();
        loop {
            progress.check()?;
            events.next_symbols(&mut symbols)?;
            progress.count(symbols.len());
            if symbols.is_empty() {
                break;
            }
            let row = |symbol: &SymbolId| tokens.effect_of(symbol.row())?.token;
            selected.clear();
            selected.extend(symbols.iter().filter_map(row));
            folder.push(&selected, tokens.symbols(), tokens.shapes());
        }
        let model = folder.finish(tokens.symbols(), tokens.shapes());
        Ok(Self::new(&model.constructs, model.terms(), tokens))
    }

    fn new(constructs: &[Construct], terms: u64, tokens: &Tokens) -> Self {
        let mut outline = Self::default();
        let mut names = Names::new();
        let items = outline.items_of(constructs, tokens, &mut names);
        outline.names = names;
        if terms > MOST_TERMS {
            outline.loops = 0;
        } else {
            outline.items = items;
        }
        outline
    }

    fn items_of(
        &mut self,
        constructs: &[Construct],
        tokens: &Tokens,
        names: &mut Names,
    ) -> Vec<Item> {
        let mut items = Vec::new();
        for construct in constructs {
            match construct {
                Construct::Event(event) => {
                    names.extend(tokens.name(event.symbol));
                    match items.last_mut() {
                        Some(Item::Tokens(number)) => *number += 1,
                        _ => items.push(Item::Tokens(1)),
                    }
                }
                Construct::Loop(inner) => {
                    let index = self.loops;
                    self.loops += 1;
                    let mut own = Names::new();
                    let body = self.items_of(&inner.body, tokens, &mut own);
                    names.extend(&own);
                    let count = inner.count.clone();
                    let names = own;
                    items.push(Item::Loop(Loop {
                        index,
                        count,
                        names,
                        body,
                    }));
                }
            }
        }
        items
    }
}

/// Returns the loops among items, without those within other loops.
pub fn loops(items: &[Item]) -> impl Iterator<Item = &Loop> {
    items.iter().filter_map(|item| match item {
        Item::Tokens(_) => None,
        Item::Loop(inner) => Some(inner),
    })
}

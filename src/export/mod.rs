//! Models to the outside: as text and pictures to look at, as JSON for programs.

pub mod dag;
mod json;
pub mod logical;
pub mod matrix;
pub mod patterns;
pub mod program;
mod replay;
pub mod skeleton;
mod text;
pub mod topology;

pub use foldtrace_view::units::{Seconds, grouped};
pub use json::{LocationLoops, loops_json};
pub use replay::{ReplayedLocation, read_model, replay};
pub use text::{LoopsText, TextOptions};

use foldtrace_trace::{LocationId, Operand, Symbol, SymbolTable, UNDEFINED};

use crate::fold::{Count, Polynomial, Step};

/// The steps of one number as a function of the indices, if it is one.
fn function(base: i64, steps: &[Step], slot: u8) -> Option<Polynomial> {
    let mine: Vec<_> = steps
        .iter()
        .filter(|step| step.slot == slot)
        .map(|step| (usize::from(step.depth), step.coefficient))
        .collect();
    (!mine.is_empty()).then(|| Polynomial::affine(base, mine))
}

/// The operands of an event that are functions of the indices, by slot.
fn functions(steps: &[Step], symbol: &Symbol) -> Vec<(usize, Operand, Polynomial)> {
    let operands = symbol.kind.operands().iter().enumerate();
    operands
        .filter_map(|(slot, &operand)| {
            let base = symbol.operands[slot];
            let f = function(base as i64, steps, slot as u8)?;
            (base != UNDEFINED).then_some((slot, operand, f))
        })
        .collect()
}

/// The number of iterations as a function of the indices.
fn count(count: &Count) -> Polynomial {
    function(count.base, &count.steps, 0).unwrap_or_else(|| Polynomial::constant(count.base))
}

/// What all exports of a location's model need.
#[derive(Clone, Copy, Debug)]
struct Context<'a> {
    names: &'a foldtrace_trace::Names,
    symbols: &'a SymbolTable,
    location: LocationId,
}

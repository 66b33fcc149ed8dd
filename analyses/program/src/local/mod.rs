//! Shows the loops of single locations as text and as JSON, and replays models.

mod json;
mod replay;
mod text;

pub use json::{ConstructJson, LoopJson, LoopsJson, loops_json};
pub use replay::{ReplayedLocation, read_model, replay, replay_stored};
pub use text::{LoopsText, TextOptions};

pub(crate) use replay::{Affine, MAX_DEPTH};

use foldtrace_trace::{LocationId, Names, SymbolTable};

/// The context that all texts of a location's model need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) names: &'a Names,
    pub(crate) symbols: &'a SymbolTable,
    pub(crate) location: LocationId,
}

//! Merges the models of the processes of a program into one model.
//!
//! The method follows Ketterlin et al., RR-8562, section III. Models of single processes are merged in pairs until
//! one is left. In each step, constructs that send are matched with those that receive (`lanes`), loops are cut so
//! that each has one counterpart per channel (`regularise`, `shift`), and corresponding loops become one
//! (`coalesce`), whose body is merged in the same way. Loops become one only if they communicate; concurrent loops
//! stay separate.
//!
//! Nothing is lost: [`Global::project`] restores the events of each process.

mod arrange;
mod coalesce;
mod lanes;
mod leaf;
mod order;
mod places;
mod regularise;
mod schedule;
mod shift;
mod spmd;
mod substitution;
mod system;
#[cfg(test)]
mod tests;
mod wiring;

pub use places::{Place, Placed};
pub use schedule::{Schedule, ScheduledEvent};
pub use spmd::{Item, Relation, Shared, SharedSystem, Spmd};
pub use system::{Construct, Kind, Link, LoopStep, Member, System};
pub use wiring::{Channel, End, Process, Role, Wiring};

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use foldtrace_trace::SymbolTable;
use rayon::prelude::*;

use self::coalesce::merge;
use self::leaf::{Leaves, project};
use self::system::Matched;
use super::Model;

/// The reason why models cannot be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// A model has an event whose symbol is missing from the table of symbols.
    #[error("a model has an event whose symbol is missing from the table of symbols")]
    MissingSymbol,
    /// The models have more terms than requested.
    #[error("the models of all processes have too many terms together")]
    TooManyTerms,
}

/// A model of a whole program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// The constructs of all processes.
    pub system: System,
    /// The number of events of each process.
    pub events: Vec<u64>,
}

impl Global {
    /// Merges the models of processes in parallel; `wiring` describes how they communicate. The models may have at most
    /// `max_terms` events and loops, after loops are unrolled whose iterations differ.
    ///
    /// # Errors
    /// If they have more, or a model needs a symbol that the table does not have, which no folded model does.
    pub fn merge(
        models: &[Model],
        wiring: &Wiring,
        symbols: &SymbolTable,
        max_terms: u64,
    ) -> Result<Self, MergeError> {
        let leaves = Leaves { wiring, symbols };
        let terms = AtomicU64::new(0);
        let systems = (0..models.len() as u32).into_par_iter().map(|process| {
            let model = &models[process as usize];
            let left = max_terms.saturating_sub(terms.load(Relaxed));
            let (constructs, own) = leaves.constructs(Process(process), &model.constructs, left)?;
            if terms.fetch_add(own, Relaxed) + own > max_terms {
                return Err(MergeError::TooManyTerms);
            }
            merge(constructs, Matched::All, symbols).ok_or(MergeError::MissingSymbol)
        });
        let systems = systems.collect::<Result<Vec<System>, MergeError>>()?;
        Ok(Self {
            system: reduce(systems, symbols).ok_or(MergeError::MissingSymbol)?,
            events: models.iter().map(|model| model.events).collect(),
        })
    }

    /// Returns the processes, in order.
    pub fn processes(&self) -> impl ExactSizeIterator<Item = Process> {
        (0..self.events.len() as u32).map(Process)
    }

    /// Returns the model of one process, with the same events as the model that was merged.
    #[must_use]
    pub fn project(&self, process: Process) -> Model {
        Model {
            constructs: project(&self.system, process).into(),
            events: self.events.get(process.index()).copied().unwrap_or(0),
        }
    }

    /// Returns the number of events in loops.
    #[must_use]
    pub fn events_in_loops(&self) -> u64 {
        let loops = self.system.constructs.iter();
        let loops = loops.filter(|construct| construct.as_loop().is_some());
        loops.map(Construct::events).sum()
    }

    /// Returns the number of ends of messages and collective operations whose other end is not in the trace.
    #[must_use]
    pub fn dangling(&self) -> u64 {
        self.system.open().map(|(_, volume)| volume).sum()
    }
}

/// Merges systems of consecutive processes, with both halves in parallel.
fn reduce(mut systems: Vec<System>, symbols: &SymbolTable) -> Option<System> {
    match systems.len() {
        0 => merge(Vec::new(), Matched::All, symbols),
        1 => systems.pop(),
        count => {
            let others = systems.split_off(count / 2);
            let (first, second) =
                rayon::join(|| reduce(systems, symbols), || reduce(others, symbols));
            let mut constructs = first?.constructs;
            constructs.extend(second?.constructs);
            merge(constructs, Matched::All, symbols)
        }
    }
}

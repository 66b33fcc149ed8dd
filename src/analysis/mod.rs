//! What follows from events without being written in them: calls, messages, collective operations.
//!
//! Nothing here reads or writes; who has the events hands them over one by one, and what is found comes
//! back as rows. Memory is that of what is open or on its way, not that of the trace. [`Links`] are the
//! messages of a DAG, for which the order of events in each location is enough.

mod calls;
mod census;
mod channels;
mod collectives;
mod communicators;
mod exchange;
mod links;
pub mod logical;
mod matrix;
mod messages;
pub mod occurrences;
mod pairs;
pub(crate) mod routine;
pub mod skeleton;
pub mod steps;
pub mod topology;
mod wires;

pub use calls::{Call, Calls, Moment};
pub use census::Census;
pub use collectives::{Collective, Collectives, Member};
pub use communicators::Communicators;
pub use exchange::{Exchange, Lane, Volumes};
pub use links::{Caller, Link, Links, Run};
pub use matrix::{Matrix, Traffic};
pub use messages::{Message, Messages, Side};
pub use pairs::{Measure, Pair, Pairs};
pub use wires::{Wire, Wires};

use foldtrace_trace::{Diagnostics, EventRef, LocationId, SymbolTable};

/// What matches events of all locations, which it takes in the order of time.
pub trait Matching {
    /// What is made of events that belong together.
    type Found;

    /// Takes the next event in the order of time.
    fn take(&mut self, location: LocationId, event: &EventRef, symbols: &SymbolTable);

    /// What is complete since the last time.
    fn found(&mut self) -> std::vec::Drain<'_, Self::Found>;

    /// The end of the trace: what is incomplete stays so. Gives the last ones, and what was odd about
    /// all.
    #[must_use]
    fn finish(self) -> (Vec<Self::Found>, Diagnostics);
}

//! What follows from events without being written in them: calls, messages, collective operations.
//!
//! Nothing here reads or writes: the caller pushes events one at a time, and gets back rows. Memory is
//! proportional to what is open or on its way, not to the length of the trace. [`Links`] are the messages of a
//! DAG, for which the order of events in each location is enough; [`Wires`] are those of a program's model.

mod calls;
mod census;
mod channels;
mod collectives;
mod communicators;
mod exchange;
mod links;
mod meaning;
mod messages;
mod traffic;
mod wires;

pub use calls::{Call, Calls, Moment};
pub use census::Census;
pub use collectives::{Collective, Collectives, Member};
pub use communicators::Communicators;
pub use exchange::{Exchange, Lane, Volumes};
pub use links::{Caller, Link, Links, Run};
pub use meaning::Meaning;
pub use messages::{Message, Messages, Side};
pub use traffic::{Measure, Traffic};
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

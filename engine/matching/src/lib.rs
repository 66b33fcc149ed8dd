//! Derives what events do not record directly: calls, messages, collective operations.
//!
//! Apart from [`Census::from_store`], [`CollectiveCalls::from_store`] and [stages](Stages), nothing here reads or writes files: the caller
//! pushes events one at a time, and gets back rows. Memory is proportional to the calls, messages and operations in progress, not to the length of the
//! trace. [`Links`] are the messages of a DAG, for which the order of events in each location is sufficient;
//! [`Wires`] are those of a program's model.

mod calls;
mod census;
mod channels;
mod collective_calls;
mod collectives;
mod communicators;
mod exchange;
mod links;
mod meaning;
mod messages;
mod ranks;
mod regions;
mod scan;
mod stages;
mod tag_sequences;
mod traffic;
mod transfer;
mod wires;

pub use calls::{Call, Calls, Moment};
pub use census::Census;
pub use channels::ends_of_sends;
pub use collective_calls::{CallAssembly, CollectiveCall, CollectiveCalls};
pub use collectives::{Collective, Collectives, Member};
pub use communicators::Communicators;
pub use exchange::{Exchange, Lane, Volumes};
pub use links::{Caller, Link, Links, Run};
pub use meaning::Meaning;
pub use messages::{Message, Messages, Side};
pub use ranks::{RankGroups, RankRange};
pub use regions::{Action, CalleeIndex, Paradigm, Region, RegionIndex, Regions};
pub use stages::{
    Border, Communication, Division, FoundByTasks, FoundInStage, OpenCall, Rows, ShareOfStages,
    SharedSearch, SharingTask, StagePart, StageParts, StagedRun, Stages, to_shard,
};
pub use traffic::{Measure, Traffic};
pub use transfer::Transfer;
pub use wires::{Wire, Wires};

use foldtrace_trace::{Diagnostics, EventKind, EventRef, LocationId, SymbolTable};

/// A matcher of the events of all locations, which it takes in the order of time.
pub trait Matching {
    /// The result of matching events that belong together.
    type Match;

    /// Returns whether events of a kind are matched. Events of other kinds need not be taken.
    fn needs(kind: EventKind) -> bool;

    /// Processes the next event in the order of time.
    fn take(&mut self, location: LocationId, event: &EventRef, symbols: &SymbolTable);

    /// Returns the results that have become complete since the last call.
    fn found(&mut self) -> std::vec::Drain<'_, Self::Match>;

    /// Ends the trace: incomplete results stay incomplete. Returns the remaining results, and the problems of all
    /// results.
    #[must_use]
    fn finish(self) -> (Vec<Self::Match>, Diagnostics);
}

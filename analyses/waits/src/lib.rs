//! Wait states of parallel programs: which calls wait for other processes, for how long, and which work of which process
//! is the cause.
//!
//! [`find()`] reads a store in the order of corrected times, several stages at once, and reports each [`WaitState`] to a [`Sink`].
//! [`Summary`] has the sums; [`waits_json`] and [`WaitsTable`] write them. The page `analyses/waits/README.md` defines
//! each number.

mod algorithm;
#[cfg(feature = "command")]
pub mod command;
mod find;
mod json;
mod labels;
mod shard;
mod table;

pub use algorithm::{
    CallPath, Cause, Class, Options, PathIndex, Sink, Summary, TimedIteration, WaitState,
    WaitTotal, Waiting,
};
pub use find::{Found, find};
pub use json::{WaitsJson, waits_json};
pub use labels::WaitLabels;
pub use shard::{ShardRequest, Shards, to_shard};
pub use table::{WAITS, WaitsTable};

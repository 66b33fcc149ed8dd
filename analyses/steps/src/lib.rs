//! Computes the logical steps of a program: which operations happen side by side, how late each one is, and where
//! lateness begins, after Isaacs et al.
//!
//! [`find`] passes the events of a store to the [`algorithm`](Steps), which reports each step to a [`Sink`]: a
//! [`StepsTable`] writes it to a table, a [`LatenessMap`] keeps the latest events, a [`Gatherer`](picture::Gatherer) keeps
//! all events of a [`picture`]. [`report`] renders the origins of lateness as text and JSON.

mod algorithm;
#[cfg(feature = "command")]
pub mod command;
mod find;
mod map;
pub mod picture;
pub mod report;
mod shard;
mod table;

pub use algorithm::*;
pub use find::find;
pub use map::{LatenessMap, Latest};
pub use shard::{ShardRequest, Shards, to_shard};
pub use table::{STEPS, StepsTable};

//! Logical steps: which operations of a program happen side by side, how late each is, and where lateness begins,
//! after Isaacs et al.
//!
//! [`find`] passes the events of a store to the [`algorithm`](Steps), which reports each step to a [`Sink`]: a
//! [`StepsTable`] writes it, a [`Gatherer`](picture::Gatherer) keeps it for a [`picture`]. [`report`] has the
//! origins of lateness as text and JSON.

mod algorithm;
#[cfg(feature = "command")]
pub mod command;
mod find;
pub mod picture;
pub mod report;
mod table;

pub use algorithm::*;
pub use find::find;
pub use table::StepsTable;

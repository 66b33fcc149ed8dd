//! Helpers for the tests of analyses: random programs that are executed, and the stores of their traces.

#![allow(clippy::unwrap_used)]

mod program;
mod stored;

pub use program::{Execution, Operation, Reason, Work, operation};
pub use stored::Stored;

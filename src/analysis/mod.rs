//! Analyses that are independent of stores, on top of what [`foldtrace_matching`] finds in events.

pub mod logical;
mod matrix;
pub mod occurrences;
mod pairs;
pub mod skeleton;
pub mod topology;

pub use foldtrace_matching::{
    Call, Caller, Calls, Census, Collective, Collectives, Communicators, Exchange, Lane, Link,
    Links, Matching, Member, Message, Messages, Moment, Run, Side, Traffic, Volumes, Wire, Wires,
};
pub use matrix::Matrix;
pub use pairs::{Measure, Pair, Pairs};

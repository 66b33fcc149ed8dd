//! Analyses of the ordered DAG of a program's call trees: how long its nodes take, how often they occur, and what has
//! changed between two DAGs.
//!
//! `foldtrace_calltree` builds the DAG; [`times`], [`durations`] and [`stacks`] read the times of its nodes from the
//! store. [`DagText`], [`DagJson`], [`dag_dot`], [`dag_svg`] and [`write_stacks`] format it, [`Difference`] shows how
//! two DAGs differ, and [`table`] reports how much smaller the DAG is than the call trees.

mod alike;
#[cfg(feature = "command")]
pub mod command;
mod difference;
mod dot;
mod durations;
mod folded;
mod json;
mod stacks;
mod svg;
mod table;
mod text;
mod times;
mod view;

pub use difference::Difference;
pub use dot::dag_dot;
pub use durations::{Durations, Histogram, Occurrence, durations, occurred};
pub use folded::write_stacks;
pub use json::DagJson;
pub use stacks::{Stack, Weight, stacks};
pub use svg::dag_svg;
pub use table::{Counts, Folded, Table, table};
pub use text::DagText;
pub use times::{Times, times};
pub use view::{Extent, Shares, View};

//! The critical path of a parallel program: the activities that determine how long a run takes, because every process that
//! waits is waiting for one of them.
//!
//! [`find()`] looks for the wait states of a store, follows them back from the end, and reports each [`Segment`] of the path
//! to a [`Sink`]. [`Critical`] has the path by region, process and iteration; [`critical_json`] and [`SegmentTable`] write
//! them. The page `analyses/critical/README.md` defines each number.

#[cfg(feature = "command")]
pub mod command;
mod find;
mod json;
mod labels;
mod lane;
mod path;
mod rows;
mod sums;
mod table;

pub use find::find;
pub use json::{CriticalJson, critical_json};
pub use labels::CriticalLabels;
pub use path::{Segment, Sink};
pub use sums::{Critical, LoopTime, ProcessTime, RegionTime, TimedIteration};
pub use table::{SEGMENTS, SegmentTable};

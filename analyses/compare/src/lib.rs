//! Compares runs of a parallel program: on two machines, in two versions or at two sizes.
//!
//! [`Runs::measure`] aligns the loops and call paths of stores by their content and measures them; [`compare()`] tests
//! which of them differ between two runs, and orders the [`Finding`]s by their effect on the time of the run.

mod assess;
#[cfg(feature = "command")]
pub mod command;
mod compare;
mod comparing;
mod facts;
mod finding;
mod groups;
mod html;
mod ids;
mod json;
mod labels;
mod measure;
mod outline;
mod parts;
mod plan;
mod series;
mod statistics;
mod tally;
mod tested;
mod text;
mod tokens;
mod walk;

pub use compare::{Comparison, compare};
pub use comparing::Options;
pub use finding::{Change, Finding, Quantity};
pub use html::compare_html;
pub use json::{CompareJson, FindingJson, compare_json};
pub use measure::Runs;
pub use text::{Described, summary};

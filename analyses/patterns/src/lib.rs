//! Patterns of events: where events repeat, how long that takes, and what is out of line.
//!
//! After Trahay et al., Selecting points of interest in traces using patterns of events. [`find`] finds the patterns of
//! each location by itself, on all cores. A second reading of the store has how long they take ([`summary`]), a third
//! one compares each occurrence with the others ([`filter`], [`points`]). [`Filtered`] is the trace of what is kept;
//! [`picture`] shows the patterns on a page, [`patterns_json`] and [`filter_json`] for programs.

mod alphabet;
#[cfg(feature = "command")]
pub mod command;
mod filtered;
mod find;
mod json;
pub mod occurrences;
pub mod picture;
mod placed;
mod summary;

pub use alphabet::{Alphabet, Equality, Letters};
pub use filtered::Filtered;
pub use find::{Filter, Found, filter, find};
pub use json::{FilterJson, PatternsJson, PointJson, filter_json, patterns_json};
pub use placed::{PlacedCause, PlacedPoint, Spent, points};
pub use summary::{LocationSummary, Main, Part, PatternSummary, Summary, summary, text};

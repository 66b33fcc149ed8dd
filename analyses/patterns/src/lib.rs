//! Finds patterns of events: where events repeat, how long that takes, and which occurrences are unusual.
//!
//! The method follows Trahay et al., Selecting points of interest in traces using patterns of events. [`find`] finds
//! the patterns of each location separately, on all cores. A second pass over the store measures how long they take
//! ([`summary`]), and a third one compares each occurrence with the others ([`filter`], [`points`]). [`Filtered`] is
//! the trace of the events that are kept. [`picture`] shows the patterns on a page, and [`patterns_json`] and
//! [`filter_json`] write them for programs.

mod alphabet;
#[cfg(feature = "command")]
pub mod command;
mod contents;
mod filtered;
mod find;
mod json;
mod merged;
pub mod occurrences;
pub mod picture;
mod placed;
mod summary;

pub use alphabet::{Alphabet, Equality, LetterReader, Letters};
pub use contents::{Content, contents};
pub use filtered::Filtered;
pub use find::{Filter, LocationPatterns, filter, find};
pub use json::{CauseJson, FilterJson, PatternsJson, PointJson, filter_json, patterns_json};
pub use merged::{MergedPattern, MergedPatterns};
pub use placed::{PlacedCause, PlacedPoint, Spent, points};
pub use summary::{LocationSummary, Main, Part, PatternSummary, Summary, summary, text};

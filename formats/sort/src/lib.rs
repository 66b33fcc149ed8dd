//! Sorts the events of traces whose files have them in any order, by track and time.
//!
//! A reader encodes each event as a row ([`encode`]) and adds it to a [`Sorter`], which keeps a limited number of bytes
//! in memory and the rest in a temporary file. [`SortedTrace`] is the open trace: each location is a stream, which
//! merges the rows of one track, so several threads can read different locations at the same time.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod rows;
mod sorter;
mod trace;

pub use rows::{Communication, RowKind, encode};
pub use sorter::{RowTime, SortedRows, Sorter, TrackRows};
pub use trace::{Operation, SortedTrace, StreamSource, UnmatchedEnd, scratch_error};

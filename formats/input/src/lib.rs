//! Provides readers of trace formats with bytes and lines.
//!
//! Formats do not depend on each other. This crate has the parts that several readers share: [`Bytes`] of a file or a
//! pipe, decompressed if necessary; [`entries_in`] a folder, sorted by the numbers in their names; [`Lines`] of one file
//! or several files in sequence; [`LineReader`], which turns a [`LineParser`] into an open trace; and [`SingleReader`]
//! for formats of any kind that mix the events of all locations in a single stream.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod bytes;
mod folder;
mod known;
mod line_stream;
mod lines;
mod natural;
mod single;

pub use bytes::{Bytes, decompressed_head, read_error};
pub use folder::entries_in;
pub use known::Known;
pub use line_stream::{Dialect, Fault, LineParser, LineReader, LineStream, show};
pub use lines::{LONGEST_LINE, Line, Lines, NoLine, check_lines};
pub use natural::natural_order;
pub use single::{SingleReader, SingleStream};

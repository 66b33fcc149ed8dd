//! Where readers of formats get their bytes and lines from.
//!
//! Formats do not know each other; what several of them need for reading is here: [`Bytes`] of a
//! file or a pipe, decompressed if they are compressed; [`Lines`] of files one after another;
//! [`LineReader`], which makes an open trace of a [`LineParser`]; and [`SingleReader`] for formats
//! that mix locations in a single stream, however they are written.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod bytes;
mod known;
mod line_stream;
mod lines;
mod natural;
mod single;

pub use bytes::{Bytes, decompressed_head, read_error};
pub use known::Known;
pub use line_stream::{Dialect, Fault, LineParser, LineReader, LineStream, show};
pub use lines::{LONGEST_LINE, Line, Lines, NoLine, check_lines};
pub use natural::natural_order;
pub use single::{SingleReader, SingleStream};

//! Cutting a trace: a range of time, some locations, the calls of some regions, some kinds of
//! events.
//!
//! A [`Cut`] is a reader around another reader, so that it works for every input and every output.
//! What is left out is not read where the format allows that: streams of other locations are never
//! opened, nothing is read behind the range, and a reader that can find a time begins there (see
//! [`TraceReader::open_stream_in`](foldtrace_trace::TraceReader::open_stream_in)).
//!
//! A result is a valid trace. Of each location it has one run of consecutive events: from the first
//! one at or after the beginning of the range up to the first one at or after its end. Calls that
//! are open where the range begins are entered there, those that are open where it ends are left
//! there; no other event is made up. `schemas/cut.md` says it in full.

mod definitions;
mod filter;
mod keep;
mod pattern;
mod reader;
mod stream;
mod time;

pub use filter::{Filter, Kinds, parse_ranks};
pub use pattern::Pattern;
pub use reader::Cut;
pub use time::TimeSpan;

//! Cuts a trace to a range of time, some locations, the calls of some regions, or some kinds of events.
//!
//! A [`Cut`] is a reader that wraps another reader, so that it works for every input and every output. Data that is
//! left out is not read if the format allows that: streams of other locations are never opened, nothing after the
//! range is read, and a reader that can find a time begins there (see
//! [`TraceReader::open_stream_in`](foldtrace_trace::TraceReader::open_stream_in)).
//!
//! A cut is a valid trace. The events of each location come from one run of consecutive events: from the first
//! event at or after the beginning of the range up to the first event at or after its end. Calls that are open where
//! the range begins are entered there, and calls that are open where it ends are left there; no other events are
//! added. `schemas/cut.md` specifies the details.

mod definitions;
mod filter;
mod keep;
mod pattern;
mod reader;
mod source;
mod stream;
mod tally;
mod time;

pub use filter::{Filter, Kinds, parse_ranks};
pub use pattern::Pattern;
pub use reader::Cut;
pub use time::TimeSpan;

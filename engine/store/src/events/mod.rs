//! Reads events: streams of them, single ones, and times.

mod extras;
mod lookup;
mod open_parts;
mod part_tables;
mod quantities;
mod rows;
mod seek;
mod source;
mod stream;

pub use lookup::{Event, EventLookup};
pub(crate) use quantities::PlainColumns;
pub(crate) use rows::{EventTables, RowReader};
pub(crate) use seek::TimeSeek;
pub(crate) use source::EventSource;
pub use stream::LocationStream;

//! Writes parts: the events of some locations, with their loop models.

mod event_table;
mod ingest;
mod layout;
mod quantities;
mod side;
mod spill;
mod writer;

pub use ingest::Ingest;
pub use layout::Layout;
pub use writer::{PartEnd, PartWriter};

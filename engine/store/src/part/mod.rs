//! Writes parts: the events of some locations, with their loop models.

mod event_table;
mod ingest;
mod layout;
mod memory;
mod quantities;
mod side;
mod spill;
mod writer;

pub use ingest::Ingest;
pub use layout::Layout;
pub(crate) use memory::MemoryPool;
pub(crate) use writer::TopologyBuffers;
pub use writer::{PartEnd, PartWriter};

//! Writes parts: the events of some locations, with their loop models.

mod event_table;
mod ingest;
mod layout;
mod memory;
mod model_writer;
mod pieces;
mod quantities;
mod side;
mod spill;
mod used_rows;
mod writer;

pub use ingest::Ingest;
pub use layout::Layout;
pub(crate) use memory::MemoryPool;
pub use pieces::ProblemsOfPieces;
pub(crate) use pieces::{FollowedLocation, follow_pieces};
pub(crate) use writer::TopologyBuffers;
pub use writer::{PartEnd, PartWriter};

//! Reads archives in safe Rust.
//!
//! An [`Archive`] is one handle of the library. It may move between threads but is used by one thread at a time; to
//! read in parallel, open one handle per thread. An [`EventReader`] owns such a handle and reads the events of a
//! single location.

mod archive;
mod definitions;
pub(crate) mod errors;
mod events;
mod handle;
mod markers;
mod reader;
mod snapshots;
mod strings;
mod thumbnails;
mod value;

pub use archive::{Anchor, Archive};
pub use definitions::{DefinitionCode, DefinitionVisitor, LocalVisitor};
pub use errors::LibraryError;
pub use events::{Attributes, EventCode, EventVisitor};
pub use markers::MarkerVisitor;
pub use reader::EventReader;
pub use snapshots::{SnapshotCode, SnapshotVisitor};
pub use thumbnails::Thumbnail;
pub use value::UNDEFINED;

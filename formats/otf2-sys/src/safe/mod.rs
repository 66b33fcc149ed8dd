//! Reading of archives in safe Rust.
//!
//! An [`Archive`] is one handle of the library. It may move between threads but is used by one at a
//! time; to read side by side, open one handle a thread. An [`EventReader`] owns its archive and
//! reads the events of a single location.

mod archive;
mod definitions;
pub(crate) mod errors;
mod events;
mod markers;
mod reader;
mod snapshots;
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

//! The folder of a store: its manifest, and its files, whose bytes are verified when they are read.

#[cfg(feature = "objects")]
mod bundle;
mod checked;
mod entry;
mod handle;
mod hashes;
mod listing;
mod local;
mod manifest;
mod open;
#[cfg(feature = "objects")]
mod remote;
mod stored;
mod tree;
mod unlisted;

#[cfg(feature = "objects")]
pub(crate) use bundle::{BUNDLE, bundled};
pub(crate) use checked::CheckedFile;
pub use entry::FileEntry;
pub(crate) use handle::FolderHandle;
#[cfg(not(feature = "objects"))]
pub(crate) use handle::without_objects;
pub(crate) use hashes::write_chaining_values;
#[cfg(feature = "objects")]
pub(crate) use listing::list_files;
pub(crate) use listing::{HashedFile, hash_files};
pub use manifest::{Counts, Form, Manifest, Source, VERSION};
pub(crate) use manifest::{is_within, legible_entries, listed_files};
pub(crate) use open::{StoreFolder, replaced};
pub(crate) use tree::TreeHash;
pub(crate) use unlisted::unlisted_files;

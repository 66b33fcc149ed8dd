//! The folder of a store: its manifest, and its files, whose bytes are verified when they are read.

mod checked;
mod handle;
mod hashes;
mod listing;
mod manifest;
mod open;
mod tree;
mod unlisted;

pub(crate) use checked::CheckedFile;
pub(crate) use handle::FolderHandle;
pub(crate) use hashes::write_chaining_values;
pub(crate) use listing::{HashedFile, hash_files};
pub use manifest::{Counts, FileEntry, Form, Manifest, Source, VERSION};
pub(crate) use manifest::{is_within, legible_entries, listed_files};
pub(crate) use open::{StoreFolder, replaced};
pub(crate) use tree::TreeHash;
pub(crate) use unlisted::unlisted_files;

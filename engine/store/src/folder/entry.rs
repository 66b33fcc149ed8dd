//! The entry of a file in the manifest.

use serde::{Deserialize, Serialize};

/// A file of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct FileEntry {
    /// The path within the store, with `/` as separator.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(pattern = "^[^/.][^/]*(/[^/.][^/]*)*$"))
    )]
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The BLAKE3 hash of the file, 256 bits, in hexadecimal.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub blake3: String,
}

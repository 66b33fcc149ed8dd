//! The types of the records of markers and thumbnails.

/// Type of the record that defines a kind of markers.
pub(crate) const MARKER_CATEGORY: u8 = 5;
/// Type of the record of a marker.
pub(crate) const MARKER: u8 = 6;
/// Type of the first record of a thumbnail.
pub(crate) const THUMBNAIL: u8 = 10;
/// Type of the record of a sample of a thumbnail.
pub(crate) const THUMBNAIL_SAMPLE: u8 = 11;
/// Size of a chunk of a thumbnail in every archive, in bytes.
pub(crate) const THUMBNAIL_CHUNK: u64 = 1024 * 1024;

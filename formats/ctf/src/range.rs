//! Ranges of integers.

/// A range of integers, with both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub low: i128,
    pub high: i128,
}

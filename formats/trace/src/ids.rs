//! Newtypes for numbers that must not be confused with each other.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The value of an operand that the source left undefined: all bits set, as in OTF2.
///
/// Readers map the undefined value of a narrower source type to this one; tables store it as null.
pub const UNDEFINED: u64 = u64::MAX;

macro_rules! newtype {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$inner> for $name {
            fn from(value: $inner) -> Self {
                Self(value)
            }
        }
    };
}

newtype! {
    /// The id of a location: one sequential stream of events, such as a thread or a GPU stream. The id is the
    /// source's own.
    LocationId(u64)
}
newtype! {
    /// The 0-based index of an event in its location. Location and position identify an event permanently.
    Position(u64)
}
newtype! {
    /// A point in time, in the ticks of the source's clock.
    Timestamp(u64)
}

/// The id of a distinct topological identity: a row of a [`SymbolTable`](crate::SymbolTable), and a tag if the symbols
/// of that row differ in their tags. Ids are ordered by row, then by tag.
// One number, so that ids are compared and hashed at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(u64);

impl SymbolId {
    /// Returns the id of the symbol in a row of a table.
    #[must_use]
    #[inline]
    pub const fn new(row: u32) -> Self {
        Self((row as u64) << 32)
    }

    /// Returns the id of the symbol with a tag, in the row of this id.
    #[must_use]
    #[inline]
    pub const fn with_tag(self, tag: u32) -> Self {
        Self(self.0 >> 32 << 32 | tag as u64)
    }

    /// Returns the id of the symbol's row.
    #[must_use]
    #[inline]
    pub const fn without_tag(self) -> Self {
        self.with_tag(0)
    }

    /// Returns the row of the symbol in its table, as an index into columns that are parallel to the table.
    #[must_use]
    #[inline]
    pub const fn row(self) -> usize {
        self.row_number() as usize
    }

    /// Returns the number of the row.
    #[must_use]
    #[inline]
    pub const fn row_number(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Returns the tag; 0 if the symbol is the only one of its row.
    #[must_use]
    #[inline]
    pub const fn tag(self) -> u32 {
        self.0 as u32
    }

    /// Returns the id in another table, in which `row` is the id of this id's row.
    #[must_use]
    #[inline]
    pub const fn in_row(self, row: Self) -> Self {
        Self(row.0 | self.tag() as u64)
    }
}

/// A number that is small for ids without a tag.
impl From<SymbolId> for u64 {
    #[inline]
    fn from(id: SymbolId) -> Self {
        id.0.rotate_left(32)
    }
}

impl From<u64> for SymbolId {
    #[inline]
    fn from(number: u64) -> Self {
        Self(number.rotate_left(32))
    }
}

/// Writes the number of the row, followed by the tag if it is not 0.
impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tag() == 0 {
            return self.row_number().fmt(f);
        }
        write!(f, "{} with tag {}", self.row_number(), self.tag())
    }
}

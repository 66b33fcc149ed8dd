//! Newtypes for numbers that must not be confused with each other.

use std::fmt;

/// The value of an operand that the source left undefined: all bits set, as in OTF2.
///
/// Readers map the undefined value of a narrower source type to this one; tables store it as null.
pub const UNDEFINED: u64 = u64::MAX;

macro_rules! newtype {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
newtype! {
    /// The id of a distinct topological identity: an index into a [`SymbolTable`](crate::SymbolTable).
    SymbolId(u32)
}

impl SymbolId {
    /// Returns the id as an index into columns that are parallel to a symbol table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

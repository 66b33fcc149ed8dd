//! What a store replaces at its target.

/// What a store replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Replaced {
    /// Nothing: there is an error if something is at its target.
    Nothing,
    /// The objects of an upload that is not finished.
    Unfinished,
    /// Also a store.
    Store,
}

impl From<bool> for Replaced {
    /// Replaces also a store if `replace` is set, otherwise nothing.
    fn from(replace: bool) -> Self {
        if replace { Self::Store } else { Self::Nothing }
    }
}

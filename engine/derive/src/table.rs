//! The derived tables that programs read as rows.

use std::path::Path;

use foldtrace_store::columns::TableColumns;
use foldtrace_store::{Derived, DerivedRows, Portion, StoreReader, derived_rows_in};
use foldtrace_trace::TraceError;

use crate::calls::CALLS;
use crate::collectives::{COLLECTIVES_TABLE, MEMBERS_TABLE};
use crate::iterations::ITERATIONS;
use crate::messages::MESSAGES;
use crate::timeline::TIMELINE;

/// A derived table that programs read as rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A row for each call.
    Calls,
    /// A row for each message.
    Messages,
    /// A row for each collective operation.
    Collectives,
    /// A row for each member of a collective operation.
    Members,
    /// A row for each iteration of a loop.
    Iterations,
    /// A row for what a location does in a bucket of time, by region.
    Timeline,
}

impl Table {
    /// Returns the tables that are derived together with this one.
    #[must_use]
    pub const fn derived(self) -> Derived {
        match self {
            Self::Calls => Derived::Calls,
            Self::Messages => Derived::Messages,
            Self::Collectives | Self::Members => Derived::Collectives,
            Self::Iterations => Derived::Iterations,
            Self::Timeline => Derived::Timeline,
        }
    }

    /// Returns the columns, whose times are in ticks.
    #[must_use]
    pub const fn columns(self) -> &'static TableColumns {
        match self {
            Self::Calls => &CALLS,
            Self::Messages => &MESSAGES,
            Self::Collectives => &COLLECTIVES_TABLE,
            Self::Members => &MEMBERS_TABLE,
            Self::Iterations => &ITERATIONS,
            Self::Timeline => &TIMELINE,
        }
    }

    const fn path(self) -> &'static str {
        match self {
            Self::Members => Derived::MEMBERS,
            _ => self.derived().path(),
        }
    }

    /// Returns a portion of the rows of the table in a store; `None` if it was not derived.
    ///
    /// # Errors
    /// Returns an error if the table is damaged.
    pub fn rows(
        self,
        store: &StoreReader,
        portion: Portion,
    ) -> Result<Option<DerivedRows>, TraceError> {
        store.derived_rows(self.path(), self.columns(), portion)
    }

    /// Returns a portion of the rows of the table in a folder of its own; `None` if it was not derived there.
    ///
    /// # Errors
    /// Returns an error if the table cannot be read.
    pub fn rows_in(
        self,
        folder: &Path,
        portion: Portion,
    ) -> Result<Option<DerivedRows>, TraceError> {
        derived_rows_in(folder, self.path(), self.columns(), portion)
    }
}

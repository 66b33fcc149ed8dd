//! The derived tables of a store: their names and the paths of their files.

use crate::folder::FileEntry;
use crate::models::DagTable;
use crate::paths::part_table;

/// A derived table, together with the tables that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Derived {
    /// Calls: `derived/calls/`.
    Calls,
    /// Messages: `derived/messages.parquet`.
    Messages,
    /// Collective operations and their members.
    Collectives,
    /// The ordered DAG of all call trees: `models/dag_*.parquet`.
    Dag,
    /// Iterations of loops: `derived/iterations/`.
    Iterations,
    /// Levels of detail: `derived/timeline.parquet`.
    Timeline,
    /// Corrected clocks: `derived/clocks.parquet` and their knots.
    Clock,
}

impl Derived {
    /// All derived tables.
    pub const ALL: [Self; 7] = [
        Self::Calls,
        Self::Messages,
        Self::Collectives,
        Self::Dag,
        Self::Iterations,
        Self::Timeline,
        Self::Clock,
    ];

    /// The path of the table of members of collective operations.
    pub const MEMBERS: &str = "derived/collective_members.parquet";

    /// The name of that table in its footer.
    pub const MEMBERS_NAME: &str = "collective_members";

    /// The name of the table of corrected clocks in its footer.
    pub const CLOCKS_NAME: &str = "clocks";

    /// The path of the table of knots of corrected clocks.
    pub const KNOTS: &str = "derived/clock_knots.parquet";

    /// The name of that table in its footer.
    pub const KNOTS_NAME: &str = "clock_knots";

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Messages => "messages",
            Self::Collectives => "collectives",
            Self::Dag => "dag",
            Self::Iterations => "iterations",
            Self::Timeline => "timeline",
            Self::Clock => "clock",
        }
    }

    /// Returns the table with a name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Returns the path of the table in the store.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Calls => "derived/calls",
            Self::Messages => "derived/messages.parquet",
            Self::Collectives => "derived/collectives.parquet",
            Self::Dag => DagTable::Nodes.path(),
            Self::Iterations => "derived/iterations",
            Self::Timeline => "derived/timeline.parquet",
            Self::Clock => "derived/clocks.parquet",
        }
    }

    /// Returns the path of part `number` of the table, which has a file per part.
    #[must_use]
    pub fn part_path(self, number: u32) -> String {
        part_table(self.path(), number)
    }

    /// Returns whether a file of the store belongs to this table.
    pub(crate) fn has_file(self, path: &str) -> bool {
        match self {
            Self::Calls => path.starts_with("derived/calls/"),
            Self::Messages | Self::Timeline => path == self.path(),
            Self::Collectives => path == self.path() || path == Self::MEMBERS,
            Self::Dag => DagTable::ALL.iter().any(|table| path == table.path()),
            Self::Iterations => path.starts_with("derived/iterations/"),
            Self::Clock => path == self.path() || path == Self::KNOTS,
        }
    }

    /// Returns whether the table with this name in its footer is this table or belongs to it.
    pub(crate) fn has_table(self, name: &str) -> bool {
        match self {
            Self::Calls | Self::Messages | Self::Iterations | Self::Timeline => name == self.name(),
            Self::Collectives => [self.name(), Self::MEMBERS_NAME].contains(&name),
            Self::Dag => DagTable::ALL.iter().any(|table| table.name() == name),
            Self::Clock => [Self::CLOCKS_NAME, Self::KNOTS_NAME].contains(&name),
        }
    }

    /// Returns whether a diagnostic with this key was reported while deriving this table.
    pub(crate) fn has_key(self, key: &str) -> bool {
        let table = key.split_once('.').map(|(table, _)| table);
        table == Some(self.name())
    }
}

impl FileEntry {
    /// Returns whether the file belongs to a derived table, which can be derived again from the others.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        Derived::ALL.iter().any(|table| table.has_file(&self.path))
    }
}

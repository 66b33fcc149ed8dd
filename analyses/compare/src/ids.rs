//! The names and call paths that all compared runs share.

use foldhash::fast::FixedState;
use foldtrace_mpi::mpi_name;
use indexmap::{IndexMap, IndexSet};

/// The maximum number of call paths of a run. Calls on further paths are part of their callers.
const MOST_PATHS: usize = 1 << 16;

/// A name of a routine or function, the same in all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// A call path: functions from the outermost open call to the innermost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u32);

impl PathId {
    /// The path outside of all calls.
    pub const OUTSIDE: Self = Self(0);
}

/// A loop that is compared, or the whole program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The whole program, outside of all loops.
    pub const PROGRAM: Self = Self(0);
}

/// The names of routines and functions in all runs.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary(IndexSet<String, FixedState>);

impl Vocabulary {
    /// Returns the id of a name. Routines of MPI have the same id in any spelling.
    pub fn add(&mut self, name: &str) -> NameId {
        let name = mpi_name(name).unwrap_or_else(|| name.to_owned());
        NameId(self.0.insert_full(name).0 as u32)
    }

    /// Returns a name.
    #[must_use]
    pub fn name(&self, id: NameId) -> &str {
        self.0.get_index(id.0 as usize).map_or("", |name| name)
    }
}

/// Call paths. The path outside of all calls has the id 0.
#[derive(Clone, Debug, Default)]
pub struct Paths(IndexMap<(PathId, NameId), (), FixedState>);

impl Paths {
    /// Returns the path of a call of `name` from `caller`. A function that calls itself directly has one path for all
    /// levels.
    pub fn child(&mut self, caller: PathId, name: NameId) -> PathId {
        if self.last(caller) == Some(name) {
            return caller;
        }
        if self.0.len() >= MOST_PATHS && !self.0.contains_key(&(caller, name)) {
            return caller;
        }
        let (index, _) = self.0.insert_full((caller, name), ());
        PathId(index as u32 + 1)
    }

    /// Returns the caller's path and the innermost function; `None` outside of all calls.
    #[must_use]
    pub fn parts(&self, path: PathId) -> Option<(PathId, NameId)> {
        let index = path.0.checked_sub(1)?;
        self.0.get_index(index as usize).map(|(parts, ())| *parts)
    }

    /// Returns the innermost function of a path.
    #[must_use]
    pub fn last(&self, path: PathId) -> Option<NameId> {
        self.parts(path).map(|(_, name)| name)
    }

    /// Returns the functions of a path, outermost first.
    #[must_use]
    pub fn names(&self, mut path: PathId) -> Vec<NameId> {
        let mut names = Vec::new();
        while let Some((caller, name)) = self.parts(path) {
            names.push(name);
            path = caller;
        }
        names.reverse();
        names
    }

    /// Adds the paths of `other`, and returns the id of each of them, by its id in `other`.
    pub fn add_all(&mut self, other: &Self) -> Vec<PathId> {
        let mut ids = vec![PathId::OUTSIDE];
        for &(caller, name) in other.0.keys() {
            let caller = ids.get(caller.0 as usize).copied().unwrap_or_default();
            ids.push(self.child(caller, name));
        }
        ids
    }
}

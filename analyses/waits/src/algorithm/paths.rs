//! Call paths: the regions from the outermost open call to the innermost.

use foldhash::fast::FixedState;
use foldtrace_matching::RegionIndex;
use indexmap::IndexSet;

/// The maximum number of call paths. Calls on further paths are part of their caller.
const MOST_PATHS: usize = 1 << 18;

/// The index of a call path; 0 is the path outside of all calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathIndex(pub u32);

/// A call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallPath {
    /// The path of the caller.
    pub caller: PathIndex,
    /// The innermost region; `None` outside of all calls.
    pub region: Option<RegionIndex>,
}

/// The call paths of all locations.
#[derive(Clone, Debug)]
pub(super) struct Paths(IndexSet<CallPath, FixedState>);

impl Default for Paths {
    fn default() -> Self {
        let outside = CallPath {
            caller: PathIndex(0),
            region: None,
        };
        Self([outside].into_iter().collect())
    }
}

impl Paths {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the path of a call of `region` by `caller`. A region that calls itself has one path for all levels.
    pub fn called(&mut self, caller: PathIndex, region: RegionIndex) -> PathIndex {
        if self.0[caller.0 as usize].region == Some(region) {
            return caller;
        }
        let path = CallPath {
            caller,
            region: Some(region),
        };
        if self.0.len() >= MOST_PATHS && !self.0.contains(&path) {
            return caller;
        }
        PathIndex(self.0.insert_full(path).0 as u32)
    }

    pub fn into_all(self) -> Vec<CallPath> {
        self.0.into_iter().collect()
    }
}

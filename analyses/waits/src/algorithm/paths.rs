//! Call paths: the regions from the outermost open call to the innermost.

use std::cmp::Ordering;
use std::iter;

use foldhash::fast::FixedState;
use foldtrace_matching::RegionIndex;
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

/// The maximum number of call paths. Calls on further paths are part of their caller.
const MOST_PATHS: usize = 1 << 18;

/// The index of a call path; 0 is the path outside of all calls.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct PathIndex(pub u32);

/// A call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

    /// Compares two paths by their regions, from the innermost to the outermost: their order does not depend on their indices.
    pub fn compare(&self, one: PathIndex, other: PathIndex) -> Ordering {
        let regions = |path: PathIndex| {
            let inner = Some(self.0[path.0 as usize]);
            let paths = iter::successors(inner, |path| {
                path.region.map(|_| self.0[path.caller.0 as usize])
            });
            paths.map(|path| path.region)
        };
        regions(one).cmp(regions(other))
    }

    /// Adds the paths of a stage. Returns the index here of each of them.
    pub fn unite(&mut self, stage: &[CallPath]) -> Vec<PathIndex> {
        let mut indices: Vec<PathIndex> = Vec::with_capacity(stage.len());
        for path in stage {
            let index = path.region.map_or_else(PathIndex::default, |region| {
                self.called(indices[path.caller.0 as usize], region)
            });
            indices.push(index);
        }
        indices
    }

    pub fn into_all(self) -> Vec<CallPath> {
        self.0.into_iter().collect()
    }
}

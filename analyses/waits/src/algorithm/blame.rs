//! The causes of wait states.

use super::iterations::Iteration;
use super::paths::PathIndex;

/// The maximum number of causes of a wait state that are kept apart.
const MOST_CAUSES: usize = 4;

/// The work that makes others wait: by a location, on a call path, in an iteration of its outermost loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Work {
    pub lane: u32,
    pub path: PathIndex,
    pub iteration: Option<Iteration>,
}

/// The causes of a wait state, each with its share, the greatest first. What is missing from 1 has other causes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Blame([Option<(Work, f32)>; MOST_CAUSES]);

impl Blame {
    /// Returns the greatest of some causes, which are sorted by their ticks, in descending order.
    pub fn greatest(causes: impl Iterator<Item = (Work, f64)> + Clone) -> Self {
        let all: f64 = causes.clone().map(|(_, ticks)| ticks).sum();
        let mut blame = Self::default();
        for (slot, (work, ticks)) in blame.0.iter_mut().zip(causes) {
            *slot = Some((work, (ticks / all) as f32));
        }
        blame
    }

    /// Returns a single cause.
    pub fn only(work: Work) -> Self {
        Self::greatest(std::iter::once((work, 1.0)))
    }

    /// Returns the causes with their shares, the greatest first.
    pub fn causes(&self) -> impl Iterator<Item = (Work, f32)> {
        self.0.iter().flatten().copied()
    }
}

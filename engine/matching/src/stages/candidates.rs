//! Collective operations in which all locations take part, and what is under way during each of them.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use foldhash::fast::FixedState;

use super::walk::Passage;

/// The maximum number of operations of a sequence that are candidates. Of more, only every n-th one is.
const MOST: u64 = 1 << 20;

/// An operation. Its values are sums over the locations that have passed it without an open request.
#[derive(Debug, Default)]
struct Candidate {
    locations: AtomicUsize,
    /// What is under way; 0 if nothing is.
    balance: AtomicU64,
    /// The number of events before it.
    events: AtomicU64,
}

/// The operations of a sequence: all of them, or every n-th one.
#[derive(Debug)]
struct Track {
    every: u64,
    candidates: Vec<Candidate>,
}

/// The candidates of all sequences in which all locations take part.
#[derive(Debug)]
pub(super) struct Candidates(Vec<Track>);

/// The operations between stages, by sequence and number.
#[derive(Debug, Default)]
pub(super) struct Chosen(HashSet<(usize, u64), FixedState>);

impl Candidates {
    /// Creates the candidates of sequences with these numbers of operations.
    pub fn new(operations: impl Iterator<Item = u64>) -> Self {
        let tracks = operations.map(|operations| {
            let every = operations.div_ceil(MOST).max(1);
            let candidates = (0..operations.div_ceil(every)).map(|_| Candidate::default());
            Track {
                every,
                candidates: candidates.collect(),
            }
        });
        Self(tracks.collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|track| track.candidates.is_empty())
    }

    /// Notes that a location passes an operation.
    pub fn note(&self, passage: &Passage) {
        let candidate = self.0.get(passage.sequence).and_then(|track| {
            let is_candidate = passage.number.is_multiple_of(track.every);
            let number = is_candidate.then_some(passage.number / track.every)?;
            track.candidates.get(number as usize)
        });
        if let Some(candidate) = candidate {
            candidate.locations.fetch_add(1, Ordering::Relaxed);
            candidate
                .balance
                .fetch_add(passage.balance, Ordering::Relaxed);
            let before = passage.positions.start.0;
            candidate.events.fetch_add(before, Ordering::Relaxed);
        }
    }

    /// Chooses the operations between stages. Each stage has at least `least` of `all` events, and each operation was passed by all
    /// `locations`.
    pub fn choose(self, locations: usize, all: u64, least: u64) -> Chosen {
        let mut passed: Vec<(u64, (usize, u64))> = Vec::new();
        for (sequence, track) in self.0.into_iter().enumerate() {
            for (number, candidate) in (0..).zip(track.candidates) {
                let balance = candidate.balance.into_inner();
                if candidate.locations.into_inner() == locations && balance == 0 {
                    let events = candidate.events.into_inner();
                    passed.push((events, (sequence, number * track.every)));
                }
            }
        }
        passed.sort_unstable();
        let mut begin = 0;
        let chosen = passed.into_iter().filter(|&(events, _)| {
            let is_chosen = events - begin >= least && all - events >= least;
            if is_chosen {
                begin = events;
            }
            is_chosen
        });
        Chosen(chosen.map(|(_, operation)| operation).collect())
    }
}

impl Chosen {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a location passes an operation between stages.
    pub fn contains(&self, passage: &Passage) -> bool {
        self.0.contains(&(passage.sequence, passage.number))
    }
}

//! The alignment of two runs by their loops: times in one run, and those in the other run at which it is equally far.

use std::collections::HashMap;

use serde::Serialize;

use crate::clock::PageClock;
use crate::overview::MeasuredLoop;

/// The least similarity of loops that are aligned, from 0 to 1.
const LEAST_SIMILARITY: f64 = 0.5;

/// A loop of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LoopSketch {
    /// The events of an iteration as text.
    events: Vec<String>,
    /// The share of the time of all processes.
    share: f64,
    /// The times at which its iterations begin, or groups of them.
    begins: Vec<f64>,
    end: f64,
}

impl LoopSketch {
    /// Returns sketches of loops, in order of time. Loops without events are left out.
    pub fn of_loops(loops: &[MeasuredLoop], clock: PageClock) -> Vec<Self> {
        let sketch = |one: &MeasuredLoop| {
            let (_, last) = one.times.span()?;
            let entries = one.times.entries.iter();
            Some(Self {
                events: one.events.clone(),
                share: one.share,
                begins: entries.map(|entry| clock.time(entry.first)).collect(),
                end: clock.time(last),
            })
        };
        let mut sketches: Vec<Self> = loops.iter().filter_map(sketch).collect();
        sketches.sort_by(|a, b| a.begin().total_cmp(&b.begin()));
        sketches
    }

    fn begin(&self) -> f64 {
        self.begins.first().copied().unwrap_or_default()
    }

    /// Returns how many of the events of two loops are the same, from 0 to 1.
    fn similarity(&self, other: &Self) -> f64 {
        let mut counts: HashMap<&str, i64> = HashMap::new();
        self.events
            .iter()
            .for_each(|event| *counts.entry(event).or_default() += 1);
        let mut common = 0;
        for event in &other.events {
            let left = counts.entry(event).or_default();
            *left -= 1;
            common += i64::from(*left >= 0);
        }
        let all = (self.events.len() + other.events.len()) as i64 - common;
        if all == 0 {
            0.0
        } else {
            common as f64 / all as f64
        }
    }
}

/// Ascending times in a run, and those in another run that belong to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Alignment {
    pub from: Vec<f64>,
    pub to: Vec<f64>,
}

impl Alignment {
    /// Aligns two runs of these lengths by their loops, which are in order of time.
    pub fn new(runs: [&[LoopSketch]; 2], spans: [f64; 2]) -> Self {
        let mut alignment = Self::default();
        alignment.push(0.0, 0.0);
        for (one, other) in pairs(runs) {
            if one.begins.len() == other.begins.len() {
                let begins = one.begins.iter().zip(&other.begins);
                begins.for_each(|(&from, &to)| alignment.push(from, to));
            } else {
                alignment.push(one.begin(), other.begin());
            }
            alignment.push(one.end, other.end);
        }
        alignment.push(spans[0], spans[1]);
        alignment
    }

    /// Adds a pair of times, unless it is not later in both runs.
    fn push(&mut self, from: f64, to: f64) {
        let is_later = |times: &[f64], time: f64| times.last().is_none_or(|&last| last < time);
        if is_later(&self.from, from) && is_later(&self.to, to) {
            self.from.push(from);
            self.to.push(to);
        }
    }
}

/// Returns the pairs of loops that are aligned: in the same order in both runs, with the greatest sum of similarities, each
/// multiplied by the lesser share of time.
fn pairs([ones, others]: [&[LoopSketch]; 2]) -> Vec<(&LoopSketch, &LoopSketch)> {
    // The best sum for the loops after each pair of positions.
    let mut best = vec![vec![0.0; others.len() + 1]; ones.len() + 1];
    let value = |one: &LoopSketch, other: &LoopSketch| {
        let similarity = one.similarity(other);
        if similarity < LEAST_SIMILARITY {
            f64::NEG_INFINITY
        } else {
            similarity * one.share.min(other.share)
        }
    };
    let values: Vec<Vec<f64>> = ones
        .iter()
        .map(|one| others.iter().map(|other| value(one, other)).collect())
        .collect();
    for i in (0..ones.len()).rev() {
        for j in (0..others.len()).rev() {
            let both = values[i][j] + best[i + 1][j + 1];
            best[i][j] = f64::max(both, f64::max(best[i + 1][j], best[i][j + 1]));
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < ones.len() && j < others.len() {
        if best[i][j] == best[i + 1][j] {
            i += 1;
        } else if best[i][j] == best[i][j + 1] {
            j += 1;
        } else {
            pairs.push((&ones[i], &others[j]));
            (i, j) = (i + 1, j + 1);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn sketch(events: &[&str], share: f64, times: Range<u32>, iterations: u32) -> LoopSketch {
        let length = f64::from(times.end - times.start) / f64::from(iterations);
        LoopSketch {
            events: events.iter().map(|&event| event.to_owned()).collect(),
            share,
            begins: (0..iterations)
                .map(|iteration| f64::from(times.start) + f64::from(iteration) * length)
                .collect(),
            end: f64::from(times.end),
        }
    }

    #[test]
    fn iterations_of_the_same_loops_belong_together() {
        let (solve, check) = (["send", "recv", "recv"], ["sync MPI_Allreduce"]);
        let one = [
            sketch(&solve, 0.8, 10..90, 4),
            sketch(&check, 0.1, 90..100, 2),
        ];
        let other = [
            sketch(&solve, 0.7, 20..220, 4),
            sketch(&check, 0.2, 230..260, 3),
        ];
        let alignment = Alignment::new([&one, &other], [110.0, 300.0]);
        // The second loops have different numbers of iterations.
        assert_eq!(
            alignment.from,
            [0.0, 10.0, 30.0, 50.0, 70.0, 90.0, 100.0, 110.0]
        );
        assert_eq!(
            alignment.to,
            [0.0, 20.0, 70.0, 120.0, 170.0, 220.0, 260.0, 300.0]
        );
    }

    #[test]
    fn other_loops_are_not_aligned() {
        let one = [
            sketch(&["send"], 0.5, 0..50, 5),
            sketch(&["recv"], 0.5, 50..100, 5),
        ];
        let other = [
            sketch(&["recv"], 0.9, 0..90, 5),
            sketch(&["put", "get"], 0.1, 90..100, 5),
        ];
        let pairs = pairs([&one, &other]);
        assert_eq!(pairs, [(&one[1], &other[0])]);
        let none = Alignment::new([&[], &other], [100.0, 50.0]);
        assert_eq!((none.from, none.to), (vec![0.0, 100.0], vec![0.0, 50.0]));
    }
}

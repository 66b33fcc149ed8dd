//! Tests of small locations whose times are known.

use foldtrace_fold::patterns::Finder;
use foldtrace_trace::Timestamp;
use foldtrace_view::histogram::Window;
use proptest::prelude::*;

use super::*;

const ENTER: u32 = b'e' as u32;
const LEAVE: u32 = b'l' as u32;

/// A location: events as letters, each with the ticks before it. `e` enters a call that communicates, `l`
/// leaves it.
struct Location {
    patterns: Patterns,
    roles: Vec<Role>,
    times: Vec<Timestamp>,
}

impl Location {
    fn new(events: &[(char, u64)]) -> Self {
        let mut finder = Finder::default();
        let (mut now, mut times) = (1000, Vec::new());
        for &(letter, ticks) in events {
            finder.push(&[Letter(u32::from(letter))]);
            now += ticks;
            times.push(Timestamp(now));
        }
        let mut roles = vec![Role::Other; 256];
        roles[ENTER as usize] = Role::Enter { communicates: true };
        roles[LEAVE as usize] = Role::Leave;
        Self {
            patterns: finder.finish(),
            roles,
            times,
        }
    }

    fn observe<O: Observer>(&self, observer: O) -> O {
        let mut pass = Pass::new(&self.patterns, &self.roles, observer);
        // Events come in portions, as from a store.
        self.times.chunks(7).for_each(|times| pass.take(times));
        pass.finish()
    }

    fn tally(&self) -> Tally {
        self.observe(Tallying::new(&self.patterns)).into_tally()
    }

    fn kept(&self, window: Window) -> Kept {
        let peaks = Peaks::new(&self.tally(), window);
        self.observe(Selecting::new(&peaks)).into_kept()
    }

    fn points(&self) -> Points {
        self.observe(Finding::new(&self.tally(), 0.1, 10))
            .into_points()
    }
}

/// Returns iterations of computing, then waiting in a call, from the ticks of both.
fn iterations(each: &[(u64, u64)]) -> Vec<(char, u64)> {
    let mut events = vec![('x', 0)];
    for &(computing, waiting) in each {
        events.extend([('e', computing), ('r', waiting), ('l', 1)]);
    }
    events.push(('y', 50));
    events
}

#[test]
fn an_iteration_has_the_time_before_it() {
    let location = Location::new(&iterations(&[(100, 10), (100, 10), (100, 30), (400, 10)]));
    assert_eq!(location.patterns.len(), 1);
    let tally = location.tally();
    let durations = &tally.patterns[0];
    assert_eq!(durations.whole.count(), 4);
    assert_eq!(
        (durations.whole.least(), durations.whole.greatest()),
        (11, 31)
    );
    // It is unknown what the time before the first iteration belongs to.
    assert_eq!(durations.before.count(), 3);
    assert_eq!(durations.before.sum(), 600);
    assert_eq!(durations.between.sum(), 600);
    assert_eq!(durations.computing.sum(), 600);
    assert_eq!(durations.communicating.sum(), 10 + 10 + 30 + 10 + 4);
    assert_eq!(tally.ticks, 700 + 60 + 4 + 50);
}

#[test]
fn inner_patterns_are_excluded_from_exclusive_time() {
    // Three iterations of: a, then a loop of two b c, then d.
    let once = [('a', 5), ('b', 1), ('c', 2), ('b', 3), ('c', 2), ('d', 4)];
    let location = Location::new(&once.repeat(3));
    let outer = location.patterns.main();
    assert_eq!(outer.map(|item| item.count), Some(3));
    let tally = location.tally();
    let by_length = |length| {
        let mut ids = location.patterns.ids();
        let id = ids
            .find(|&id| location.patterns.length(id) == length)
            .unwrap();
        (id, &tally.patterns[id.index()])
    };
    let (outer, durations) = by_length(6);
    assert_eq!(durations.whole.sum(), 3 * 12);
    // The times before and after the loop; the time between its iterations belongs to these.
    assert_eq!(durations.exclusive.sum(), 3 * (1 + 4));
    let (_, inner) = by_length(2);
    assert_eq!(inner.whole.sum(), 6 * 2);
    assert_eq!(inner.before.sum(), 3 * 3);
    let loops = &tally.loops[location.patterns.first_item(outer) + 1];
    assert_eq!((loops.count(), loops.sum()), (3, 3 * 7));
}

/// Section IV: one of several similar occurrences is kept, and all that are unusual.
#[test]
fn one_occurrence_per_peak_and_all_outliers_are_kept() {
    let mut each = vec![(100, 10); 20];
    each[7] = (100, 90);
    each[12] = (1000, 10);
    let location = Location::new(&iterations(&each));
    let kept = location.kept(Window::default());
    let of = |iteration: u64| 1 + 3 * iteration..4 + 3 * iteration;
    let all = 3 * 20 + 2;
    assert_eq!(kept.ranges, [0..4, of(7), of(12), all - 1..all]);
    assert_eq!(kept.events(), 2 + 3 * 3);
    let peaks: Vec<u64> = kept
        .representatives
        .iter()
        .map(|one| one.position)
        .collect();
    assert_eq!(peaks, [1]);
}

#[test]
fn long_computation_is_distinguished_from_waiting() {
    let mut each = vec![(100, 10); 20];
    each[7] = (100, 90);
    each[12] = (1000, 10);
    let points = Location::new(&iterations(&each)).points();
    let [computing] = points.computing.as_slice() else {
        panic!("{points:?}");
    };
    assert_eq!(
        (computing.occurrence, computing.ticks, computing.usual),
        (12, 1000, 100)
    );
    let cause = computing.cause.unwrap();
    assert_eq!(
        (cause.position, cause.ticks, cause.usual),
        (1 + 3 * 12, 1000, 100)
    );
    let [waiting] = points.communicating.as_slice() else {
        panic!("{points:?}");
    };
    assert_eq!((waiting.occurrence, waiting.excess), (7, 80));
    assert_eq!(waiting.cause.unwrap().position, 2 + 3 * 7);
}

/// The parts of an iteration that is kept are selected in the same way.
#[test]
fn the_unusual_part_of_an_iteration_is_found() {
    let mut events = Vec::new();
    for iteration in 0..10 {
        events.push(('s', 5));
        for inner in 0..50 {
            let slow = iteration == 4 && inner == 30;
            events.extend([('a', 2), ('b', if slow { 5000 } else { 3 })]);
        }
        events.push(('d', 5));
    }
    let location = Location::new(&events);
    let kept = location.kept(Window::default());
    let slow = 4 * 102 + 1 + 2 * 30;
    assert!(kept.contains(slow) && kept.contains(slow + 1));
    assert!(kept.contains(4 * 102), "the iteration around it");
    assert!(!kept.contains(slow + 2), "another one in it");
    assert!(kept.events() < 16, "{kept:?}");
}

#[test]
fn further_positions_are_kept() {
    let kept = Kept {
        ranges: vec![3..5, 8..9],
        ..Kept::default()
    };
    let kept = kept.with(&[0, 4, 5, 7, 20]);
    assert_eq!(kept.ranges, [0..1, 3..6, 7..9, 20..21]);
}

fn locations() -> impl Strategy<Value = Vec<(char, u64)>> {
    let event = (prop::sample::select(vec!['a', 'b', 'e', 'l']), 0..500_u64);
    let piece = (prop::collection::vec(event, 1..5), 1..20_usize);
    prop::collection::vec(piece, 1..6).prop_map(|pieces| {
        let mut events = Vec::new();
        for (piece, times) in pieces {
            (0..times).for_each(|_| events.extend(&piece));
        }
        events
    })
}

proptest! {
    /// All time belongs to the innermost occurrence around it, or to none.
    #[test]
    fn no_time_is_counted_twice(events in locations()) {
        let location = Location::new(&events);
        let tally = location.tally();
        let own = |durations: &Durations| durations.computing.sum() + durations.communicating.sum();
        let all: u128 = tally.patterns.iter().map(own).sum();
        prop_assert!(all <= u128::from(tally.ticks));
        for (pattern, durations) in location.patterns.ids().zip(&tally.patterns) {
            let whole = durations.exclusive.sum() + durations.before.sum();
            prop_assert_eq!(own(durations), whole);
            prop_assert!(durations.exclusive.sum() <= durations.whole.sum());
            prop_assert!(durations.whole.count() >= 2, "{:?}", pattern);
        }
    }

    /// Every peak is represented or nothing similar was kept, and no unusual occurrence is left out.
    #[test]
    fn outliers_of_outermost_patterns_are_kept(events in locations(), support in 2..5_u64) {
        let location = Location::new(&events);
        let window = Window { width: 0.1, support };
        let peaks = Peaks::new(&location.tally(), window);
        let kept = location.kept(window);
        struct Outermost<'a> { peaks: &'a Peaks, kept: &'a Kept, depth: usize, position: u64, begin: u64, wrong: bool }
        impl Observer for Outermost<'_> {
            fn begin(&mut self, _: PatternId) {
                if self.depth == 0 { self.begin = self.position; }
                self.depth += 1;
            }
            fn event(&mut self, _: Letter, _: ElapsedTime) {
                // Events outside of patterns are kept.
                self.wrong |= self.depth == 0 && !self.kept.contains(self.position);
                self.position += 1;
            }
            fn end_loop(&mut self, _: usize, _: u64) {}
            fn end(&mut self, pattern: PatternId, ticks: Ticks) {
                self.depth -= 1;
                if self.depth == 0 && self.peaks.find(pattern, &ticks).is_none() {
                    self.wrong |= !(self.begin..self.position).any(|position| self.kept.contains(position));
                }
            }
        }
        let all = Outermost { peaks: &peaks, kept: &kept, depth: 0, position: 0, begin: 0, wrong: false };
        prop_assert!(!location.observe(all).wrong);
        prop_assert!(kept.ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
    }
}

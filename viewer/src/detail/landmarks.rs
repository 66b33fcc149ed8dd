//! Positions at which the open calls of each location are known, so that those at any other position are found by reading only
//! the symbols in between.

use std::collections::HashMap;

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, OpenCalls, Position, SymbolId, TraceError};
use rayon::prelude::*;

/// The least number of events from a landmark to the next one.
const EVERY: u64 = 1 << 14;

/// The greatest number of open calls that the landmarks of a location keep.
const MOST_CALLS: usize = 1 << 16;

/// The calls that are open before the event at a position: the symbols and positions of the events that entered them, the
/// outermost call first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Landmark {
    position: u64,
    calls: Vec<(SymbolId, Position)>,
}

/// The landmarks of all locations.
#[derive(Debug, Default)]
pub(super) struct Landmarks(HashMap<LocationId, Vec<Landmark>>);

impl Landmarks {
    /// Reads the symbols of all events.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn find(store: &StoreReader, progress: &Progress) -> Result<Self, TraceError> {
        Self::find_every(store, EVERY, MOST_CALLS, progress)
    }

    /// Reads the symbols of all events, for landmarks with at least `every` events in between, which keep at most `most` open
    /// calls of a location.
    fn find_every(
        store: &StoreReader,
        every: u64,
        most: usize,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let locations: Vec<LocationId> = store.locations().collect();
        let landmarks = locations.into_par_iter().map(|location| {
            let landmarks = of_location(store, location, every, most, progress)?;
            Ok((location, landmarks))
        });
        landmarks.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the calls of a location that are open before its event at a position, with the positions of the events that
    /// entered them.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn open_calls(
        &self,
        store: &StoreReader,
        location: LocationId,
        at: Position,
    ) -> Result<OpenCalls<Position>, TraceError> {
        let landmarks = self.0.get(&location).map_or(&[][..], Vec::as_slice);
        let before = landmarks.partition_point(|landmark| landmark.position <= at.0);
        let mut open = OpenCalls::default();
        let mut from = 0;
        if let Some(landmark) = before.checked_sub(1).map(|index| &landmarks[index]) {
            from = landmark.position;
            for &(symbol, position) in &landmark.calls {
                open.enter(symbol, store.symbols(), position);
            }
        }
        let mut symbols = Vec::new();
        let mut stream = store.events_in(location, Position(from)..at);
        loop {
            stream.next_symbols(&mut symbols)?;
            if symbols.is_empty() {
                return Ok(open);
            }
            for &symbol in &symbols {
                open.take_with(symbol, store.symbols(), |_| Position(from));
                from += 1;
            }
        }
    }
}

/// Returns the landmarks of a location. They are rarer if many calls are open.
fn of_location(
    store: &StoreReader,
    location: LocationId,
    mut every: u64,
    most: usize,
    progress: &Progress,
) -> Result<Vec<Landmark>, TraceError> {
    let mut landmarks: Vec<Landmark> = Vec::new();
    let mut kept = 0;
    let mut open = OpenCalls::default();
    let mut position = 0;
    let mut symbols = Vec::new();
    let mut stream = store.events(location, Position(0));
    loop {
        progress.check()?;
        stream.next_symbols(&mut symbols)?;
        if symbols.is_empty() {
            return Ok(landmarks);
        }
        progress.count(symbols.len());
        for &symbol in &symbols {
            if position > 0 && position % every == 0 {
                let calls: Vec<_> = open.calls().map(|(symbol, &at)| (symbol, at)).collect();
                kept += calls.len() + 1;
                landmarks.push(Landmark { position, calls });
                while kept > most && landmarks.len() > 1 {
                    every *= 2;
                    landmarks.retain(|landmark| landmark.position % every == 0);
                    kept = landmarks
                        .iter()
                        .map(|landmark| landmark.calls.len() + 1)
                        .sum();
                }
            }
            open.take_with(symbol, store.symbols(), |_| Position(position));
            position += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_analysis_testing::Stored;

    use super::*;

    #[test]
    fn open_calls_are_those_that_all_events_before_leave_open() {
        // Calls nest deeper and deeper, some are left out of order, and some are never left.
        let mut text = String::new();
        for step in 0..200_u64 {
            let (action, region) = match step % 7 {
                0..=3 => ("enter", step % 5),
                4 => ("leave", (step / 7) % 5),
                _ => ("leave", step % 5),
            };
            text += &format!(
                "0 local {action} f{region} time={step}\n1 local {action} g time={step}\n"
            );
        }
        let stored = Stored::new(text);
        let store: &StoreReader = &stored;
        let progress = Progress::default();
        for (every, most) in [(1, 1_000), (4, 1_000), (4, 30), (1 << 14, 1_000)] {
            let landmarks = Landmarks::find_every(store, every, most, &progress).unwrap();
            for location in store.locations() {
                let own = &landmarks.0[&location];
                let kept: usize = own.iter().map(|landmark| landmark.calls.len() + 1).sum();
                assert!(kept <= most || own.len() == 1, "{every}, {most}");
                for at in (0..=200).map(Position) {
                    let found = landmarks.open_calls(store, location, at).unwrap();
                    let expected = store.open_calls(location, at).unwrap();
                    assert!(found.entered().eq(expected.entered()), "{every}, {at:?}");
                    for (_, &position) in found.calls() {
                        assert!(position < at);
                    }
                }
            }
        }
    }
}

//! Compares skipping with reading everything.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;

use foldtrace_trace::{OpenCalls, Position, SymbolTable, TimeRange, TraceReader};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{Symbol, Timestamp};
use crate::generated::{
    LocationTrace, Read, ReportedError, archive, damage, file, file_part, read, two_locations,
};
use crate::reader::Reader;

/// Returns the expected result for a range, from reading everything: the open calls, and the rest.
fn expected(reader: &Reader, index: usize, range: TimeRange) -> (Vec<Symbol>, Read) {
    let mut read = read(&mut *reader.open_stream(index).unwrap());
    let events = &read.events;
    let first = |begin: usize, time: Timestamp| {
        let found = events[begin..]
            .iter()
            .position(|(_, event)| event.time >= time.0);
        found.map(|index| begin + index)
    };
    let begin = range
        .from
        .map_or(Some(0), |from| first(0, from))
        .unwrap_or(events.len());
    let last = range.to.and_then(|to| first(begin, to));

    let (mut symbols, mut calls) = (SymbolTable::default(), OpenCalls::default());
    for (_, event) in &events[..begin] {
        calls.take(symbols.intern(event.symbol), &symbols);
    }
    let open = calls.entered().map(|id| symbols.symbol(id)).collect();

    // Diagnostics at the end belong to no event.
    let is_at_end = |p: Option<Position>| p.is_none_or(|p| p.0 >= events.len() as u64);
    read.warnings.retain(|&(position, _)| match position {
        position if is_at_end(position) => last.is_none(),
        Some(position) => {
            let index = position.0 as usize;
            index >= begin && last.is_none_or(|last| index <= last)
        }
        None => true,
    });
    if let Some(last) = last {
        read.events.truncate(last + 1);
        read.errors.retain(|error| !is_after(error, last as u64));
    }
    read.events.drain(..begin);
    (open, read)
}

/// Returns whether an error comes after the event at `position`.
fn is_after((_, _, place): &ReportedError, position: u64) -> bool {
    place.position.is_some_and(|place| place.0 > position)
}

/// Returns the result for a range, from skipping: the open calls, and the rest.
fn skipped(reader: &Reader, index: usize, range: TimeRange) -> (Vec<Symbol>, Read) {
    let mut begun = reader.open_stream_in(index, range).unwrap();
    let table = begun.stream.symbols();
    let open = begun.open.iter().map(|&id| table.symbol(id)).collect();
    (open, read(&mut *begun.stream))
}

fn range() -> impl Strategy<Value = TimeRange> {
    let side = || prop::option::weighted(0.8, (0..130_u64).prop_map(Timestamp));
    (side(), side()).prop_map(|(from, to)| TimeRange { from, to })
}

proptest! {
    #[test]
    fn skipping_gives_what_reading_everything_gives(all in two_locations(), range in range()) {
        let (_folder, reader) = archive(&all);
        for index in 0..all.len() {
            prop_assert_eq!(skipped(&reader, index, range), expected(&reader, index, range));
        }
    }

    #[test]
    fn a_file_that_ends_early_ends_at_the_same_place(all in two_locations(), range in range(), at in any::<Index>()) {
        let (_folder, reader) = archive(&all);
        let path = reader.archive.paths.events(0);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..at.index(whole.len())]).unwrap();
        prop_assert_eq!(skipped(&reader, 0, range), expected(&reader, 0, range));
    }

    /// Checks that only damage in skipped fields is missed, and that everything else is the same as when reading.
    #[test]
    fn damage_is_reported_where_it_matters(
        all in two_locations(), range in range(), changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4)
    ) {
        let (_folder, reader) = archive(&all);
        let path = reader.archive.paths.events(0);
        damage(&path, changes);
        let (expected, actual) = (expected(&reader, 0, range), skipped(&reader, 0, range));
        if expected.1.errors.is_empty() {
            prop_assert_eq!(&actual, &expected);
        }
        prop_assert_eq!(&actual.0, &expected.0);
        prop_assert_eq!(&actual.1.events, &expected.1.events);
        // Skipping does not decode attributes, so damage in them may be missed or reported at
        // another byte: only kinds and positions are compared.
        let is_known = |(kind, _, place): &ReportedError| {
            let mut all = expected.1.errors.iter();
            all.any(|(other, _, at)| (*other, at.position) == (*kind, place.position))
        };
        // Reading reports the events lost by missed damage at the damage; skipping reports them at the end.
        let are_missing_at_end = |(_, message, _): &ReportedError| {
            message.contains("declare more events") && !expected.1.errors.is_empty()
        };
        for error in &actual.1.errors {
            prop_assert!(is_known(error) || are_missing_at_end(error), "{:?}", error);
        }
    }

    #[test]
    fn time_stamps_and_attributes_may_be_in_earlier_chunks(
        parts in prop::collection::vec(file_part(), 0..60), range in range()
    ) {
        let (_folder, reader) = archive(&[LocationTrace { events: Vec::new(), regions: Vec::new(), offsets: Vec::new() }]);
        let path = reader.archive.paths.events(0);
        fs::write(&path, file(&parts)).unwrap();
        prop_assert_eq!(skipped(&reader, 0, range), expected(&reader, 0, range));
    }
}

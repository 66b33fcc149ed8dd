//! Compares reading in pieces with reading everything.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;

use foldtrace_trace::{
    Diagnostics, LocationChecks, Position, ReadOptions, SymbolTable, TraceReader,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::generated::{
    CHUNK, LocationTrace, Read, archive, damage, file, file_part, read, two_locations, warnings,
};
use crate::reader::Reader;

/// Divides the streams of an archive into pieces of at least `bytes` bytes.
fn divide(reader: &mut Reader, bytes: u64) {
    let options = ReadOptions {
        piece_bytes: bytes,
        ..ReadOptions::default()
    };
    let lengths = reader.archive.head.streams.iter_mut();
    for (stream, location) in lengths.zip(&reader.archive.locations) {
        let path = reader.archive.paths.events(location.id);
        stream.bytes = fs::metadata(path).unwrap().len();
    }
    reader.archive.borders = reader.archive.find_borders(options);
}

/// Reads all pieces of a stream, and checks their events together, `together` at once.
fn read_pieces(reader: &Reader, index: usize, together: usize) -> Read {
    let pieces = reader.pieces(index).len();
    let mut whole = Read::default();
    for piece in 0..pieces {
        let read = read(&mut *reader.open_piece(index, piece).unwrap());
        whole.events.extend(read.events);
        whole.warnings.extend(read.warnings);
        whole.errors.extend(read.errors);
        whole.bytes += read.bytes;
    }
    let mut check = reader.archive.checks.begin(&reader.place_of(index));
    let (mut symbols, mut diagnostics) = (SymbolTable::default(), Diagnostics::default());
    let events = whole.events.iter();
    let events = events.map(|(_, event)| symbols.intern(event.symbol));
    let events: Vec<_> = events.collect();
    for (first, events) in (0..).step_by(together).zip(events.chunks(together)) {
        check.check(Position(first), events, &symbols, &mut diagnostics);
    }
    check.finish(&mut diagnostics);
    whole.warnings.extend(warnings(&diagnostics));
    whole.warnings.sort();
    whole
}

/// Returns whether an error says that times go back where a piece ends.
fn is_about_clocks(read: &Read) -> bool {
    let mut errors = read.errors.iter();
    errors.any(|(_, message, _)| message.ends_with("times go back over a measured clock offset"))
}

proptest! {
    #[test]
    fn pieces_give_what_the_whole_gives(
        all in two_locations(), chunks in 1..5_u64, together in 1..40_usize
    ) {
        let (_folder, mut reader) = archive(&all);
        divide(&mut reader, chunks * CHUNK);
        for (index, location) in all.iter().enumerate() {
            if reader.pieces(index).is_empty() {
                continue;
            }
            let whole = read(&mut *reader.open_stream(index).unwrap());
            let pieces = read_pieces(&reader, index, together);
            if is_about_clocks(&pieces) {
                prop_assert!(location.offsets.len() > 2);
                let goes_back = |(_, message): &(_, String)| message.contains("the time goes back");
                prop_assert!(whole.warnings.iter().any(goes_back));
            } else {
                prop_assert_eq!(pieces, whole);
            }
        }
    }

    #[test]
    fn odd_files_are_read_in_pieces_or_refused(
        parts in prop::collection::vec(file_part(), 0..200), together in 1..40_usize
    ) {
        let nothing = LocationTrace { events: Vec::new(), regions: Vec::new(), offsets: Vec::new() };
        let (_folder, mut reader) = archive(&[nothing]);
        fs::write(reader.archive.paths.events(0), file(&parts)).unwrap();
        divide(&mut reader, CHUNK);
        if !reader.pieces(0).is_empty() {
            let whole = read(&mut *reader.open_stream(0).unwrap());
            let pieces = read_pieces(&reader, 0, together);
            if pieces.errors.is_empty() {
                prop_assert_eq!(pieces, whole);
            }
        }
    }

    #[test]
    fn damage_is_an_error_in_pieces_if_it_is_one_in_the_whole(
        all in two_locations(), changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4)
    ) {
        let (_folder, mut reader) = archive(&all);
        let path = reader.archive.paths.events(0);
        damage(&path, changes);
        divide(&mut reader, CHUNK);
        if !reader.pieces(0).is_empty() {
            let whole = read(&mut *reader.open_stream(0).unwrap());
            let pieces = read_pieces(&reader, 0, 7);
            if pieces.errors.is_empty() {
                prop_assert_eq!(&whole.errors, &[]);
                prop_assert_eq!(&pieces.events, &whole.events);
            }
        }
    }
}

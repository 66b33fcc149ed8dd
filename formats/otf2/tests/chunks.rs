//! Reads archives of many chunks, both intact and cut off.

use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventStream, LocationId, Step, TraceError, TraceReader,
};
use otf2_sys::samples::{LONG, every_record};
use tempfile::TempDir;

use crate::common::{library, open};

const CHUNK: u64 = 256 * 1024;

/// Returns an archive and the file of one of its locations. The records of that location have varying lengths, so
/// that chunks end in all possible ways.
fn many_chunks() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let anchor = every_record(&folder.path().join("archive")).unwrap();
    let file = anchor.with_extension("").join(format!("{LONG}.evt"));
    (folder, anchor, file)
}

/// Opens the stream of the long location.
fn long(reader: &dyn TraceReader) -> Box<dyn EventStream + '_> {
    let is_long = |stream: &foldtrace_trace::StreamInfo| stream.location == Some(LocationId(LONG));
    let index = reader.streams().iter().position(is_long).unwrap();
    reader.open_stream(index).unwrap()
}

/// Returns the number of events of the long location and the error that ended them.
fn count(anchor: &Path) -> (u64, Option<TraceError>) {
    let reader = open(anchor, false).unwrap();
    let mut stream = long(reader.as_ref());
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    let mut events = 0;
    loop {
        let step = stream.next_batch(&mut batch, &mut diagnostics);
        events += batch.len() as u64;
        match step {
            Ok(Step::Batch) => {}
            Ok(Step::End) => return (events, None),
            Err(error) => return (events, Some(error)),
        }
    }
}

#[test]
fn all_events_of_all_chunks_are_read() {
    let (_folder, anchor, file) = many_chunks();
    assert!(fs::metadata(file).unwrap().len() > 4 * CHUNK);
    let (events, error) = count(&anchor);
    assert!(error.is_none(), "{error:?}");
    let expected = library::read_content(&anchor).unwrap().events[&LONG].len();
    assert_eq!(events, expected as u64);
    assert!(events > 10_000);
}

#[test]
fn a_cut_never_brings_back_events_of_an_earlier_chunk() {
    let (_folder, anchor, file) = many_chunks();
    let whole = fs::read(&file).unwrap();
    let (all, _) = count(&anchor);
    let mut before = 0;
    for cut in [
        10,
        CHUNK / 2,
        CHUNK,
        CHUNK + 5,
        2 * CHUNK - 1,
        2 * CHUNK,
        3 * CHUNK + 777,
    ] {
        fs::write(&file, &whole[..cut as usize]).unwrap();
        let (events, error) = count(&anchor);
        let error = error.unwrap();
        assert_eq!(error.kind, ErrorKind::Truncated, "{cut}");
        assert!(error.place.byte.unwrap() <= cut, "{cut}");
        assert!(before <= events && events < all, "{cut}");
        before = events;
    }
    assert!(before > 0);
}

/// Returns times and kinds of all events of the long location, including events after damage, with the
/// errors and the diagnostics.
fn salvage(anchor: &Path) -> (Vec<(u64, String)>, Vec<TraceError>, Diagnostics) {
    let reader = open(anchor, true).unwrap();
    let mut stream = long(reader.as_ref());
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    let (mut events, mut errors) = (Vec::new(), Vec::new());
    loop {
        let step = stream.next_batch(&mut batch, &mut diagnostics);
        assert_eq!(batch.first.0, events.len() as u64, "positions have no gap");
        let symbols = stream.symbols();
        let kind = |symbol| symbols.kind(symbol).name().to_owned();
        let read = batch.symbols.iter().zip(&batch.times);
        events.extend(read.map(|(&symbol, time)| (time.0, kind(symbol))));
        match step {
            Ok(Step::Batch) => {}
            Ok(Step::End) => return (events, errors, diagnostics),
            Err(error) => errors.push(error),
        }
    }
}

#[test]
fn reading_goes_on_in_the_chunk_after_a_damaged_one() {
    let (_folder, anchor, file) = many_chunks();
    let whole = fs::read(&file).unwrap();
    let (all, errors, _) = salvage(&anchor);
    assert!(errors.is_empty());
    // The header of a chunk, and the first record of one.
    for damaged in [CHUNK, CHUNK + 18] {
        let mut bytes = whole.clone();
        bytes[damaged as usize..][..300].fill(0xff);
        fs::write(&file, bytes).unwrap();
        let (kept, errors, diagnostics) = salvage(&anchor);
        let error = &errors[0];
        assert_eq!(error.kind, ErrorKind::Malformed);
        assert!(error.place.byte.unwrap() < damaged + 300);
        let before = error.place.position.unwrap().0 as usize;
        assert_eq!(kept[..before], all[..before]);
        // Of more than four chunks, at least the third and all later ones are kept.
        let lost = all.len() - kept.len();
        assert!(lost > 0 && lost < all.len() / 2, "{lost}");
        let after = all.len() / 2;
        assert_eq!(kept[after - lost..], all[after..]);
        let cases = diagnostics
            .groups()
            .find(|(key, _)| *key == "otf2.lost_events");
        assert_eq!(
            cases.unwrap().1.cases[0].message,
            format!(
                "{} of {} events are kept, {lost} are lost",
                kept.len(),
                all.len()
            )
        );
    }
}

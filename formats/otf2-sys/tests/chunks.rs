//! Archives of many chunks, whole and cut off, read by the crate built on this one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::undocumented_unsafe_blocks
)]

mod common;

use std::fs;
use std::path::Path;

use common::{ok, read, write};
use foldtrace_otf2::Otf2;
use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, Format, Input, ReadOptions, Step, TraceError,
};
use otf2_sys::bindings::*;
use tempfile::TempDir;

const CHUNK: u64 = 256 * 1024;
const EVENTS: u64 = 60_000;

/// Records of ever different lengths, so that chunks end in all ways.
fn many_chunks() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let events = |writer| {
        let mut random = 1u64;
        for time in 0..EVENTS {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let number = random >> (random >> 59);
            let none = std::ptr::null_mut();
            ok(match random >> 62 {
                0 => unsafe { OTF2_EvtWriter_Enter(writer, none, time, number as u32) },
                1 => unsafe { OTF2_EvtWriter_MpiSend(writer, none, time, 1, 0, 5, number) },
                2 => unsafe { OTF2_EvtWriter_MpiIsendComplete(writer, none, time / 2 * 2, number) },
                _ => unsafe {
                    let attributes = OTF2_AttributeList_New();
                    for attribute in 0..number % 90 {
                        ok(OTF2_AttributeList_AddUint64(
                            attributes,
                            attribute as u32,
                            number,
                        ));
                    }
                    let code = OTF2_EvtWriter_MpiRecv(writer, attributes, time, 1, 0, 5, number);
                    ok(OTF2_AttributeList_Delete(attributes));
                    code
                },
            });
        }
    };
    write(folder.path(), 0, events, |_| {});
    folder
}

/// Number of events and what ended them.
fn count(folder: &Path) -> (u64, Option<TraceError>) {
    let reader = Otf2
        .open(Input::Path(folder.to_owned()), &ReadOptions::default())
        .unwrap();
    let mut stream = reader.open_stream(0).unwrap();
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
fn all_events_of_all_chunks_are_there() {
    let folder = many_chunks();
    let bytes = fs::metadata(folder.path().join("test/0.evt"))
        .unwrap()
        .len();
    assert!(bytes > 4 * CHUNK);
    assert_eq!(
        read(&folder.path().join("test.otf2"), 0).len() as u64,
        EVENTS
    );
    let (events, error) = count(folder.path());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, EVENTS);
}

#[test]
fn a_cut_never_brings_back_events_of_an_earlier_chunk() {
    let folder = many_chunks();
    let file = folder.path().join("test/0.evt");
    let whole = fs::read(&file).unwrap();
    let mut before = 0;
    // At the end of a chunk the library would read the chunk before it again, for ever.
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
        let (events, error) = count(folder.path());
        let error = error.unwrap();
        assert_eq!(error.kind, ErrorKind::Truncated, "{cut}");
        assert!(error.place.byte.unwrap() <= cut, "{cut}");
        assert!(before <= events && events < EVENTS, "{cut}");
        before = events;
    }
    assert!(before > 0);
}

//! Reads a recorded archive, both intact and damaged in every way in which files get damaged.

use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_otf2::Otf2;
use foldtrace_trace::{
    DefinitionKind, Diagnostics, ErrorKind, EventBatch, EventKind, Format, Input, LocationId,
    Output, PathKind, Place, Position, Probe, Quantity, ReadOptions, Remedy, Severity, Step,
    TraceError, TraceReader,
};
use tempfile::TempDir;

fn ring() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/otf2/good/ring-2/input")
}

/// Returns a copy of the archive that a test may damage.
fn copy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("eztrace_log")).unwrap();
    for entry in fs::read_dir(ring())
        .unwrap()
        .chain(fs::read_dir(ring().join("eztrace_log")).unwrap())
    {
        let from = entry.unwrap().path();
        if from.is_file() {
            fs::copy(
                &from,
                folder.path().join(from.strip_prefix(ring()).unwrap()),
            )
            .unwrap();
        }
    }
    folder
}

fn open(path: &Path, salvage: bool) -> Result<Box<dyn TraceReader>, TraceError> {
    Otf2.open(Input::Path(path.to_owned()), &ReadOptions::whole(salvage))
}

fn open_error(path: &Path) -> TraceError {
    open(path, false)
        .err()
        .expect("the archive must be refused")
}

/// Returns the number of events of each stream, including events after damage, and its first error.
fn read(reader: &dyn TraceReader) -> (Vec<(u64, Option<TraceError>)>, Diagnostics) {
    let mut diagnostics = reader.diagnostics().clone();
    let mut all = Vec::new();
    for index in 0..reader.streams().len() {
        let mut stream = match reader.open_stream(index) {
            Ok(stream) => stream,
            Err(error) => {
                all.push((0, Some(error)));
                continue;
            }
        };
        let (mut batch, mut events, mut error) = (EventBatch::default(), 0, None);
        loop {
            let step = stream.next_batch(&mut batch, &mut diagnostics);
            events += batch.len() as u64;
            match step {
                Ok(Step::Batch) => assert!(!batch.is_empty()),
                Ok(Step::End) => break,
                Err(first) => error = error.or(Some(first)),
            }
        }
        assert!(batch.is_empty());
        assert_eq!(stream.bytes_read(), reader.streams()[index].bytes);
        all.push((events, error));
    }
    (all, diagnostics)
}

#[test]
fn an_archive_is_recognised_by_its_content() {
    let folder = copy();
    let anchor = folder.path().join("eztrace_log.otf2");
    let head = fs::read(&anchor).unwrap();
    let file = |head| Probe {
        path: Path::new("x"),
        kind: PathKind::File,
        head,
    };
    assert!(Otf2.sniff(&file(&head)));
    assert!(!Otf2.sniff(&file(b"OTF2")));
    let path = folder.path();
    let probe = Probe {
        path,
        kind: PathKind::Folder,
        head: &[],
    };
    assert!(Otf2.sniff(&probe));
    fs::copy(&anchor, path.join("second.otf2")).unwrap();
    assert!(
        Otf2.sniff(&probe),
        "so that opening reports the two anchors"
    );
    let error = open_error(path);
    assert_eq!(error.kind, ErrorKind::Foreign);
    assert_eq!(
        error.to_string(),
        format!("{} contains 2 *.otf2 files", path.display())
    );
    fs::remove_file(path.join("second.otf2")).unwrap();
    fs::write(&anchor, "not an anchor").unwrap();
    assert!(!Otf2.sniff(&probe));
}

#[test]
fn a_recorded_archive_is_read_completely() {
    for path in [ring(), ring().join("eztrace_log.otf2")] {
        let reader = open(&path, false).unwrap();
        let ids: Vec<_> = reader
            .streams()
            .iter()
            .map(|s| s.location.unwrap().0)
            .collect();
        assert_eq!(ids, [0, 1_073_741_823]);
        assert_eq!(reader.definitions().clock().ticks_per_second, 1_000_000_000);
        let properties: Vec<_> = reader
            .definitions()
            .records(DefinitionKind::TraceProperty)
            .map(|record| record.text().to_owned())
            .collect();
        assert_eq!(properties[0], "otf2_version=3.0.2");
        let (streams, diagnostics) = read(reader.as_ref());
        assert!(
            streams
                .iter()
                .all(|(events, error)| *events == 44 && error.is_none())
        );
        let counts: Vec<_> = diagnostics
            .groups()
            .map(|(key, group)| (key, group.count))
            .collect();
        assert_eq!(
            counts,
            [
                ("otf2.duplicate_definition", 1),
                ("otf2.out_of_order_definition", 3),
                ("otf2.event_count", 2),
                ("otf2.eztrace_finalize", 1),
            ]
        );
        assert_eq!(diagnostics.worst(), Some(Severity::Note));
    }
}

#[test]
fn events_have_their_operands_times_and_quantities() {
    let reader = open(&ring(), false).unwrap();
    let mut stream = reader.open_stream(1).unwrap();
    let mut batch = EventBatch::default();
    stream
        .next_batch(&mut batch, &mut Diagnostics::default())
        .unwrap();
    assert_eq!(
        (batch.location, batch.first),
        (LocationId(1_073_741_823), Position(0))
    );
    let symbols = stream.symbols();
    let receive = batch
        .iter(symbols)
        .find(|event| symbols.kind(event.symbol) == EventKind::MpiRecv)
        .unwrap();
    assert_eq!(receive.position, Position(7));
    assert_eq!(receive.time.0, 19_632_196);
    assert_eq!(symbols.symbol(receive.symbol).operands, [0, 0, 1, 0]);
    assert_eq!(receive.quantities[Quantity::Bytes as usize], 512);
}

#[test]
fn every_cut_of_an_event_file_is_an_error_and_keeps_the_events_before_it() {
    let folder = copy();
    let file = folder.path().join("eztrace_log/0.evt");
    let whole = fs::read(&file).unwrap();
    let mut before = 0;
    // Without its last byte, the byte after the end-of-file mark, the file is still complete.
    for length in 0..whole.len() - 1 {
        fs::write(&file, &whole[..length]).unwrap();
        let (streams, _) = read(open(folder.path(), false).unwrap().as_ref());
        let (events, error) = &streams[0];
        let error = error.as_ref().unwrap();
        assert_eq!(error.kind, ErrorKind::Truncated, "{length}");
        assert_eq!(error.place.file.as_deref(), Some(file.as_path()));
        assert_eq!(error.place.location, Some(LocationId(0)));
        // An event that is cut off is kept if the type of its record was read.
        let position = error.place.position.unwrap().0;
        assert!((position..=position + 1).contains(events), "{length}");
        assert!(error.place.byte.unwrap() <= length as u64);
        assert!(*events >= before && *events <= 44, "{length}");
        before = *events;
        assert_eq!(streams[1].0, 44, "the other location is intact");
    }
    assert_eq!(before, 44);
}

#[test]
fn the_error_for_a_cut_record_has_a_place_and_a_hint() {
    let folder = copy();
    let file = folder.path().join("eztrace_log/0.evt");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..300]).unwrap();
    let (streams, _) = read(open(folder.path(), false).unwrap().as_ref());
    let (events, error) = &streams[0];
    let error = error.as_ref().unwrap();
    assert_eq!(*events, 20);
    assert_eq!(
        error.to_string(),
        "the events are damaged after 20 complete events"
    );
    assert_eq!(
        *error.place,
        Place::file(&file)
            .byte(299)
            .event(LocationId(0), Position(20))
    );
    assert_eq!(error.hint.as_deref(), Some("the file may be truncated"));
    assert_eq!(error.remedy, Some(Remedy::Salvage));
}

#[test]
fn an_empty_file_of_events_is_truncated() {
    let folder = copy();
    let file = folder.path().join("eztrace_log/0.evt");
    fs::write(&file, "").unwrap();
    let (streams, _) = read(open(folder.path(), false).unwrap().as_ref());
    let error = streams[0].1.as_ref().unwrap();
    assert_eq!((streams[0].0, error.kind), (0, ErrorKind::Truncated));
    assert_eq!(error.to_string(), "the file of events is empty");
    assert_eq!(
        *error.place,
        Place::file(&file).byte(0).event(LocationId(0), Position(0))
    );
}

#[test]
fn a_changed_byte_never_crashes_the_library() {
    let folder = copy();
    let file = folder.path().join("eztrace_log/0.evt");
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() {
        for value in [0, 2, 9, 0x7f, 0xfe, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            fs::write(&file, &bytes).unwrap();
            let (streams, _) = read(open(folder.path(), false).unwrap().as_ref());
            // Each event has at least two bytes.
            assert!(streams[0].0 * 2 <= whole.len() as u64, "{at}");
            if let Some(error) = &streams[0].1 {
                assert!(
                    matches!(error.kind, ErrorKind::Truncated | ErrorKind::Malformed),
                    "{at}"
                );
                assert!(error.place.byte.is_some(), "{at}");
            }
        }
    }
}

#[test]
fn a_number_of_impossible_size_is_malformed() {
    let folder = copy();
    let file = folder.path().join("eztrace_log/0.evt");
    let mut bytes = fs::read(&file).unwrap();
    // The operand of the first enter: type 12, then the size of its region.
    let enter = bytes.iter().skip(18).position(|&byte| byte == 12).unwrap() + 18;
    bytes[enter + 1] = 77;
    fs::write(&file, &bytes).unwrap();
    let (streams, _) = read(open(folder.path(), false).unwrap().as_ref());
    let error = streams[0].1.as_ref().unwrap();
    assert_eq!((streams[0].0, error.kind), (1, ErrorKind::Malformed));
    assert_eq!(
        error.to_string(),
        "the events are damaged after 1 complete event: a number is longer than 8 bytes"
    );
}

#[test]
fn a_missing_event_file_is_an_error_when_its_stream_is_opened() {
    let folder = copy();
    let file = folder.path().join("eztrace_log/0.evt");
    fs::remove_file(&file).unwrap();
    let reader = open(folder.path(), false).unwrap();
    let error = reader.open_stream(0).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Unreadable);
    assert_eq!(error.to_string(), format!("cannot read {}", file.display()));
    assert_eq!(*error.place, Place::file(&file).location(LocationId(0)));
    assert!(reader.open_stream(1).is_ok());
    assert_eq!(
        reader.open_stream(2).err().unwrap().kind,
        ErrorKind::Internal
    );
}

#[test]
fn a_folder_in_place_of_a_file_is_unreadable() {
    let folder = copy();
    let file = folder.path().join("eztrace_log/0.evt");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let reader = open(folder.path(), false).unwrap();
    let error = reader.open_stream(0).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Unreadable);
    assert_eq!(
        error.to_string(),
        format!("{} is not a file", file.display())
    );
}

#[test]
fn a_missing_file_of_local_definitions_is_a_warning() {
    let folder = copy();
    fs::remove_file(folder.path().join("eztrace_log/0.def")).unwrap();
    let (streams, diagnostics) = read(open(folder.path(), false).unwrap().as_ref());
    assert!(
        streams
            .iter()
            .all(|(events, error)| *events == 44 && error.is_none())
    );
    assert_eq!(diagnostics.count("otf2.missing_definitions"), 1);
    assert_eq!(diagnostics.worst(), Some(Severity::Warning));
}

#[test]
fn damaged_local_definitions_are_read_only_with_salvage() {
    let folder = copy();
    let file = folder.path().join("eztrace_log/0.def");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..11]).unwrap();
    let error = open_error(folder.path());
    assert_eq!(error.kind, ErrorKind::Truncated);
    assert_eq!(
        *error.place,
        Place::file(&file).byte(0).location(LocationId(0))
    );
    let (streams, diagnostics) = read(open(folder.path(), true).unwrap().as_ref());
    assert_eq!(streams[0].0, 44);
    assert_eq!(diagnostics.worst(), Some(Severity::Loss));
}

#[test]
fn missing_global_definitions_are_an_error() {
    let folder = copy();
    let file = folder.path().join("eztrace_log.def");
    fs::remove_file(&file).unwrap();
    let error = open_error(folder.path());
    assert_eq!(error.kind, ErrorKind::Unreadable);
    assert_eq!(error.to_string(), format!("cannot read {}", file.display()));
    assert!(error.hint.unwrap().contains("a folder of the same name"));
}

#[test]
fn cut_global_definitions_are_truncated_and_can_be_salvaged() {
    let folder = copy();
    let file = folder.path().join("eztrace_log.def");
    let whole = fs::read(&file).unwrap();
    for length in 0..whole.len() - 2 {
        fs::write(&file, &whole[..length]).unwrap();
        match open(folder.path(), false) {
            // Only marks are missing.
            Ok(_) => assert!(length >= whole.len() - 2),
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::Truncated, "{length}");
                assert_eq!(error.place.file.as_deref(), Some(file.as_path()));
                assert!(error.place.byte.unwrap() <= length as u64);
            }
        }
    }
    fs::write(&file, &whole[..whole.len() - 3]).unwrap();
    let reader = open(folder.path(), true).unwrap();
    assert_eq!(reader.diagnostics().count("otf2.damaged_definitions"), 1);
    assert_eq!(reader.diagnostics().worst(), Some(Severity::Loss));
    assert_eq!(reader.streams().len(), 2);
}

#[test]
fn a_damaged_anchor_is_an_error() {
    let folder = copy();
    let file = folder.path().join("eztrace_log.otf2");
    let whole = fs::read(&file).unwrap();
    for length in 6..whole.len() - 2 {
        fs::write(&file, &whole[..length]).unwrap();
        let error = open_error(folder.path());
        assert_eq!(error.kind, ErrorKind::Malformed, "{length}");
        let message = format!("the anchor {} is damaged: ", file.display());
        assert!(error.to_string().starts_with(&message), "{error}");
    }
    fs::write(&file, [0x5a; 72]).unwrap();
    let error = open_error(&file);
    assert_eq!(error.kind, ErrorKind::Foreign);
    let error = open_error(&folder.path().join("nothing.otf2"));
    assert_eq!(error.kind, ErrorKind::Unreadable);
}

#[test]
fn streams_are_refused_as_input_and_output() {
    let error = Otf2.create(Output::Stdout).err().unwrap();
    assert_eq!(
        (error.kind, error.to_string().as_str()),
        (
            ErrorKind::Usage,
            "an OTF2 archive consists of many files and cannot be written to standard output"
        )
    );
    assert!(error.hint.is_some());
    let name = PathBuf::from("-");
    let head = b"\x03BOTF2".to_vec();
    let pipe = Probe {
        path: &name,
        kind: PathKind::Stream,
        head: &head,
    };
    assert!(Otf2.sniff(&pipe), "so that opening reports why it fails");
    let input = Input::Stream {
        name,
        head,
        reader: Box::new(std::io::empty()),
    };
    let error = Otf2.open(input, &ReadOptions::default()).err().unwrap();
    assert_eq!(
        (error.kind, error.to_string().as_str()),
        (
            ErrorKind::Usage,
            "an OTF2 archive consists of many files and cannot be read from a pipe"
        )
    );
    assert!(Otf2.descriptor().writes);
}

#[test]
fn streams_are_read_in_parallel() {
    let reader = open(&ring(), false).unwrap();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let reader = &reader;
                scope.spawn(move || {
                    for round in 0..20 {
                        let mut stream = reader.open_stream((number + round) % 2).unwrap();
                        let mut batch = EventBatch::default();
                        let mut diagnostics = Diagnostics::default();
                        let step = stream.next_batch(&mut batch, &mut diagnostics).unwrap();
                        assert_eq!((step, batch.len()), (Step::Batch, 44));
                    }
                })
            })
            .collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    });
}

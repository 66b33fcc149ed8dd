//! Large locations are read in pieces: the store has the same content as if they were read as a whole, and several tasks
//! write the same store as one.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests may panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_convert::{ConvertOptions, ShardTask, join, to_shard, to_store};
use foldtrace_fold::Construct;
use foldtrace_otf2::Otf2;
use foldtrace_store::{FoldFormat, Form, Layout, Origin, ShardId, Source, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_testing::{files, read};
use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, EventBatch, EventKind, Format, Input, LocationId,
    Output, Place, Position, Quantity, ReadOptions, Registry, Symbol, SymbolTable, Timestamp,
    TraceReader, UNDEFINED,
};
use otf2_sys::samples::every_record;

static FORMATS: Registry = Registry::new(&[&Otf2]);

/// The smallest chunk of an archive.
const CHUNK: u64 = 1 << 18;

fn origin() -> Origin {
    Origin::trace(Source {
        format: "otf2".to_owned(),
        name: "run".to_owned(),
    })
}

fn open(anchor: &Path, piece_bytes: u64) -> Box<dyn TraceReader> {
    let options = ReadOptions {
        piece_bytes,
        ..ReadOptions::default()
    };
    Otf2.open(Input::Path(anchor.to_owned()), &options).unwrap()
}

/// The regions of an archive; the last one is used, but not defined.
const REGIONS: [(u64, &str); 4] = [(0, "main"), (1, "MPI_Send"), (2, "step"), (3, "MPI_Recv")];

fn definitions() -> Definitions {
    let mut definitions = Definitions::default();
    for (id, name) in REGIONS {
        definitions.push(DefinitionKind::String, &[id], &[], name);
        if id != 3 {
            let fields = [id, id, id, UNDEFINED, 0, 0, 0, UNDEFINED, 0, 0];
            definitions.push(DefinitionKind::Region, &fields, &[], "");
        }
    }
    for location in [1, 3, 5] {
        definitions.push(DefinitionKind::Location, &[location, 0, 1, 0, 0], &[], "");
    }
    definitions
}

/// Writes an archive with a location whose events fill several chunks, between two small ones. Calls are open from one
/// chunk to another, left too early, or never entered; some sends have no message, and messages have `tags` tags.
fn archive(folder: &Path, tags: u64) -> PathBuf {
    let path = folder.join("run.otf2");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Otf2.create(output).unwrap();
    writer.definitions(&definitions()).unwrap();
    for (location, turns) in [(1, 10), (3, 100_000), (5, 10)] {
        let (mut batch, mut symbols) = (EventBatch::default(), SymbolTable::default());
        batch.reset(LocationId(location), Position(0));
        let mut time = 0;
        let mut push = |kind, operands: &[u64]| {
            time += 3;
            let bytes: &[_] = if kind == EventKind::MpiSend {
                &[(Quantity::Bytes, time % 7)]
            } else {
                &[]
            };
            let symbol = symbols.intern(Symbol::new(kind, operands));
            batch.push(symbol, Timestamp(time), bytes);
        };
        push(EventKind::Enter, &[0]);
        for turn in 0..turns {
            if turn % 1000 == 0 {
                push(EventKind::Enter, &[2]);
            }
            push(EventKind::Enter, &[1]);
            if turn % 17_000 != 16_999 {
                push(EventKind::MpiSend, &[turn % 5, 0, turn % tags]);
            }
            push(EventKind::Leave, &[1]);
            if turn % 9_000 == 8_999 {
                push(EventKind::Leave, &[2]);
                push(EventKind::Leave, &[3]);
            }
        }
        push(EventKind::Leave, &[0]);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    path
}

/// Appends constructs to `text`, with their symbols instead of ids.
fn describe(constructs: &[Construct], symbols: &SymbolTable, text: &mut String) {
    for construct in constructs {
        match construct {
            Construct::Event(event) => {
                let symbol = symbols.symbol(event.symbol);
                writeln!(text, "{symbol:?} {:?}", event.steps).unwrap();
            }
            Construct::Loop(l) => {
                writeln!(text, "{:?} {{", l.count).unwrap();
                describe(&l.body, symbols, text);
                text.push_str("}\n");
            }
        }
    }
}

/// Returns the models of a store.
fn models(store: &Path) -> String {
    let store = StoreReader::open(store).unwrap();
    let mut text = String::new();
    for stored in store.models().unwrap() {
        let stored = stored.unwrap();
        writeln!(text, "{}: {} events", stored.location, stored.model.events).unwrap();
        describe(&stored.model.constructs, store.symbols(), &mut text);
    }
    text
}

/// Converts an archive to a store in one task, with large locations in pieces of at least `piece_bytes`.
fn convert(anchor: &Path, store: &Path, piece_bytes: u64, options: &ConvertOptions) -> Diagnostics {
    fs::create_dir_all(store.parent().unwrap()).unwrap();
    let (reader, progress) = (open(anchor, piece_bytes), Progress::default());
    let (_, diagnostics) = to_store(&*reader, &origin(), store, options, &progress).unwrap();
    diagnostics
}

/// Converts an archive to a store by several tasks.
fn convert_by_tasks(
    anchor: &Path,
    store: &Path,
    piece_bytes: u64,
    tasks: u32,
    options: &ConvertOptions,
) -> Diagnostics {
    fs::create_dir_all(store.parent().unwrap()).unwrap();
    let progress = Progress::default();
    let mut kept: Option<Vec<u8>> = None;
    for number in 0..tasks {
        let read_options = ReadOptions {
            piece_bytes,
            ..ReadOptions::default()
        };
        let reader = match &kept {
            Some(kept) => {
                let reader = Otf2.open_kept(anchor, &read_options, kept).unwrap();
                reader.unwrap()
            }
            None => open(anchor, piece_bytes),
        };
        kept = reader.keep();
        let task = ShardTask {
            id: ShardId::new(number, tasks).unwrap(),
            selection: "",
        };
        to_shard(&*reader, &origin(), store, task, options, &progress).unwrap();
    }
    let (_, diagnostics) = join(store, &FORMATS, &ConvertOptions::default(), &progress).unwrap();
    diagnostics
}

/// Checks that two folders have the same files.
fn assert_same(one: &Path, other: &Path) {
    assert_eq!(files(one), files(other));
    for name in files(one) {
        let same = fs::read(one.join(&name)).unwrap() == fs::read(other.join(&name)).unwrap();
        assert!(same, "{}", name.display());
    }
}

/// Converts a store to another one.
fn convert_store(from: &Path, to: &Path, options: &ConvertOptions) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let store = StoreReader::open(from).unwrap();
    let origin = Origin::store(&store).unwrap();
    to_store(&store, &origin, to, options, &Progress::default()).unwrap();
}

/// Returns the number of parts of a store.
fn parts(store: &Path) -> usize {
    fs::read_dir(store.join("topology")).unwrap().count()
}

fn check(anchor: &Path, folder: &Path, options: &ConvertOptions) {
    let store = |name: &str| folder.join(name).join("run.fold");
    let (whole, pieces) = (store("whole"), store("pieces"));
    let of_whole = convert(anchor, &whole, 0, options);
    let of_pieces = convert(anchor, &pieces, CHUNK, options);
    assert!(parts(&pieces) > parts(&whole) + 1);
    assert_eq!(of_pieces, of_whole);
    if options.max_body > 0 {
        assert_eq!(models(&pieces), models(&whole));
    }
    let [of_whole, of_pieces] = [&whole, &pieces].map(|path| {
        let read = read(&FoldFormat, path, false).unwrap();
        assert!(read.errors.is_empty());
        (read.definitions, read.events, read.diagnostics)
    });
    assert!(of_pieces == of_whole);
    for tasks in [1, 3, 7] {
        let joined = store(&format!("{tasks} tasks"));
        convert_by_tasks(anchor, &joined, CHUNK, tasks, options);
        assert_same(&joined, &pieces);
    }
}

#[test]
fn a_store_of_pieces_has_the_content_of_a_store_of_whole_locations() {
    let archived = ConvertOptions {
        layout: Layout::default().with_form(Form::Archive),
        ..ConvertOptions::default()
    };
    let unfolded = ConvertOptions {
        max_body: 0,
        ..ConvertOptions::default()
    };
    let mut small = ConvertOptions::default();
    small.layout.row_group_rows = 10_000;
    for (tags, options) in [
        (3, &ConvertOptions::default()),
        (3, &archived),
        (1 << 20, &ConvertOptions::default()),
        (1 << 20, &small),
        (2_000, &unfolded),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let anchor = archive(folder.path(), tags);
        check(&anchor, folder.path(), options);
    }
}

/// The pieces of a location in a store are its parts.
#[test]
fn a_store_that_is_archived_and_restored_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let archived = ConvertOptions {
        layout: Layout::default().with_form(Form::Archive),
        ..ConvertOptions::default()
    };
    let store = |name: &str| folder.path().join(name).join("run.fold");
    for tags in [3, 1 << 20] {
        let around = folder.path().join(tags.to_string());
        fs::create_dir(&around).unwrap();
        let (anchor, name) = (archive(&around, tags), |name| {
            store(&format!("{tags}/{name}"))
        });
        let [plain, small, again] = ["plain", "small", "again"].map(name);
        convert(&anchor, &plain, CHUNK, &ConvertOptions::default());
        convert_store(&plain, &small, &archived);
        assert_eq!(parts(&small), parts(&plain));
        convert_store(&small, &again, &ConvertOptions::default());
        assert_same(&again, &plain);
    }
}

#[test]
fn every_record_may_be_in_a_piece() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = every_record(&folder.path().join("archive")).unwrap();
    check(&anchor, folder.path(), &ConvertOptions::default());
}

/// The problems at borders of pieces are found, and those of the whole location are found once.
#[test]
fn problems_of_a_location_in_pieces_are_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = archive(folder.path(), 3);
    let store = folder.path().join("run.fold");
    let found = convert(&anchor, &store, CHUNK, &ConvertOptions::default());
    let places = |key: &str| {
        let mut groups = found.groups();
        let cases = groups.find(|(found, _)| *found == key).unwrap().1;
        let places = cases.cases.iter().map(|case| &case.place);
        let of_large = places.filter(|place| place.location == Some(LocationId(3)));
        let is_complete = |place: &&Place| {
            let file = place.file.as_ref().unwrap();
            file.ends_with("3.evt") && place.position.is_some()
        };
        let of_large: Vec<_> = of_large.collect();
        assert!(of_large.iter().all(is_complete));
        (cases.count, of_large.len())
    };
    // The region and the communicator.
    assert_eq!(places("otf2.undefined_id").1, 2);
    // A leave in each 9,000 turns has no enter, and 'main' is left before its steps.
    assert_eq!(places("otf2.misnested_region").1, 11 + 1);
    assert_eq!(places("otf2.call_without_message"), (5, 1));
    assert_eq!(places("otf2.unclosed_region").1, 1);
}

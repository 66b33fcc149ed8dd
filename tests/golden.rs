//! Stores that were written once and are kept: `tests/data/stores/vN` has some of version N, and every
//! version from then on reads them.
//!
//! What is written today has the layout of the kept stores of the same version. If it is to be another
//! one, the version is raised, see `CONTRIBUTING.md`; `FOLDTRACE_BLESS=1` in the environment writes the
//! stores of the present version anew.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use arrow::util::display::array_value_to_string;
use foldtrace::convert::{self, ConvertOptions, Progress};
use foldtrace::formats;
use foldtrace::memory::Plan;
use foldtrace::store::{Form, Layout, Manifest, Origin, Source, VERSION, verify};
use foldtrace_trace::ReadOptions;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::common::{Folder, STORE_COMMANDS, files};

/// The kept stores, each with its source; paths are relative to the package, where tests run, because
/// diagnostics have them.
const SOURCES: [(&str, &str, Form); 6] = [
    ("everything", EVERYTHING, Form::Plain),
    ("everything-archive", EVERYTHING, Form::Archive),
    ("ring-4", "examples/ring-4", Form::Plain),
    ("ring-4-archive", "examples/ring-4", Form::Archive),
    ("tags", TAGS, Form::Plain),
    ("tags-archive", TAGS, Form::Archive),
];

const EVERYTHING: &str = "tests/data/stores/everything.trace";

/// A trace with more than 1,024 tags, which are in a column of the store. Kept from version 3 on.
const TAGS: &str = "tests/data/stores/tags.trace";

/// Few, so that small stores have several row groups.
const ROWS: usize = 50;

fn kept(version: u32) -> PathBuf {
    Path::new("tests/data/stores").join(format!("v{version}"))
}

fn write(name: &str, source: &str, form: Form, folder: &Path) {
    let stop = AtomicBool::new(false).into();
    let opened = formats::open(Path::new(source), None, &ReadOptions::default(), &stop).unwrap();
    let options = ConvertOptions {
        replace: true,
        layout: Layout::default().with_form(form),
        memory: Some(Plan {
            workers: 2,
            rows: ROWS,
            bytes: 16 << 20,
        }),
        // Each process has a part.
        part_bytes: 0,
        ..ConvertOptions::default()
    };
    let target = folder.join(name).with_extension("fold");
    let origin = Origin::trace(Source {
        format: opened.format.name.to_owned(),
        name: Path::new(source)
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned(),
    });
    let progress = Progress::default();
    convert::to_store(&*opened.reader, &origin, &target, &options, &progress).unwrap();
}

/// What is written today, in a folder of its own; the kept ones are written anew if that is asked for.
static TODAY: LazyLock<Folder> = LazyLock::new(|| {
    let today = Folder::new();
    for (name, source, form) in SOURCES {
        write(name, source, form, today.root());
        if std::env::var_os("FOLDTRACE_BLESS").is_some() {
            fs::create_dir_all(kept(VERSION)).unwrap();
            write(name, source, form, &kept(VERSION));
        }
    }
    today
});

/// All stores of all versions: path, source, and the same as it is written today.
fn stores() -> impl Iterator<Item = (PathBuf, &'static str, PathBuf)> {
    let today = TODAY.root();
    (1..=VERSION).flat_map(move |version| {
        SOURCES.into_iter().filter_map(move |(name, source, _)| {
            let name = Path::new(name).with_extension("fold");
            let store = kept(version).join(&name);
            // A later version may keep more stores than this one did.
            let is_kept = store.exists() || version == VERSION;
            is_kept.then(|| (store, source, today.join(name)))
        })
    })
}

/// What a trace holds: all definitions and events.
fn text(trace: &Path) -> String {
    let trace = fs::canonicalize(trace).unwrap();
    let arguments = [
        "convert".as_ref(),
        trace.as_os_str(),
        "-".as_ref(),
        "--to=text".as_ref(),
    ];
    Folder::new().run(arguments).exits(0).stdout
}

/// The rows of a table as texts, the columns of `like` only: a later version may have more.
fn rows(store: &Path, table: &str, like: &Path) -> Vec<Vec<String>> {
    let open = |store: &Path| {
        let file = File::open(store.join(table)).unwrap();
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap()
    };
    let columns = open(like).schema().clone();
    let mut rows = Vec::new();
    for batch in open(store).build().unwrap() {
        let batch = batch.unwrap();
        rows.extend((0..batch.num_rows()).map(|row| {
            let column = |name| batch.column_by_name(name).unwrap();
            let fields = columns.fields().iter();
            fields
                .map(|field| array_value_to_string(column(field.name()), row).unwrap())
                .collect::<Vec<_>>()
        }));
    }
    rows
}

#[test]
fn stores_of_all_versions_are_read() {
    for (store, source, today) in stores() {
        assert_eq!(verify(&store).unwrap().findings, [], "{store:?}");
        assert!(text(&store) == text(Path::new(source)), "{store:?}");

        let (kept, now) = (
            Manifest::read(&store).unwrap(),
            Manifest::read(&today).unwrap(),
        );
        assert_eq!(kept.source, now.source, "{store:?}");
        assert_eq!(kept.counts, now.counts, "{store:?}");
        assert_eq!(kept.clock(), now.clock(), "{store:?}");
        assert_eq!(kept.max_body, now.max_body, "{store:?}");

        let version_1 = &self::kept(1);
        let loops = |store: &Path| {
            let store = fs::canonicalize(store).unwrap();
            Folder::new()
                .run(["loops".as_ref(), store.as_os_str()])
                .exits(0)
                .stdout
        };
        assert_eq!(loops(&store), loops(&today), "{store:?}");
        for table in ["diagnostics", "definitions/ranks", "symbols"] {
            let table = format!("{table}.parquet");
            let mut kept = rows(&store, &table, &store);
            assert!(
                !kept.is_empty() || table.starts_with("diagnostics"),
                "{store:?} {table}"
            );
            let mut now = rows(&today, &table, &store);
            if store.starts_with(version_1) && table.starts_with("symbols") {
                without_names_of_metrics(&mut kept);
                without_names_of_metrics(&mut now);
            }
            if store.starts_with(version_1) && table.starts_with("diagnostics") {
                without_words(&mut kept);
                without_words(&mut now);
            }
            assert_eq!(kept, now, "{store:?} {table}");
        }
    }
}

/// A store keeps the messages and hints of the program that wrote it. Today's program words some of those of version 1
/// differently.
fn without_words(diagnostics: &mut [Vec<String>]) {
    const MESSAGE: usize = 2;
    const HINT: usize = 3;
    for row in diagnostics {
        row[MESSAGE].clear();
        // Whether there is a hint is still compared.
        if !row[HINT].is_empty() {
            "some hint".clone_into(&mut row[HINT]);
        }
    }
}

/// Symbols of metrics have had names since version 2.
fn without_names_of_metrics(symbols: &mut [Vec<String>]) {
    const KIND: usize = 2;
    const NAME: usize = 3;
    let metrics = symbols.iter_mut().filter(|row| row[KIND] == "metric");
    metrics.for_each(|row| row[NAME].clear());
}

/// The text is what is written of it, so that nothing of it is left out in both comparisons.
#[test]
fn everything_is_everything() {
    let source = Path::new(EVERYTHING);
    let written = fs::read_to_string(source).unwrap();
    assert!(written == text(source));
    let diagnostics = rows(
        &TODAY.path("everything.fold"),
        "diagnostics.parquet",
        &TODAY.path("everything.fold"),
    );
    assert!(!diagnostics.is_empty());
}

/// Its times are as far apart as 64 bits allow, so their sums exceed them.
#[test]
fn analyses_of_everything_come_to_an_end() {
    let folder = Folder::new();
    let store = kept(VERSION).join("everything.fold");
    let store = fs::canonicalize(store).unwrap();
    let reading = STORE_COMMANDS
        .iter()
        .filter(|command| **command != "derive");
    for command in reading.chain(&["waits", "critical", "efficiency", "report"]) {
        let ran = folder.say(&format!("{command} {}", store.display()));
        let is_usual = [Some(0), Some(2), Some(3)].contains(&ran.code);
        assert!(is_usual, "{command}: {:?}\n{}", ran.code, ran.stderr);
    }
}

/// All keys of a JSON value with the type of what they hold; keys that are data are left out.
fn keys(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let path = format!("{path}.{key}");
                let is_data = [".counts.kinds", ".counts.diagnostics"].contains(&&*path);
                match is_data {
                    true => found.push(path),
                    false => keys(value, &path, found),
                }
            }
        }
        Value::Array(items) => keys(&items[0], &format!("{path}[]"), found),
        Value::String(_) => found.push(format!("{path}: text")),
        Value::Number(_) => found.push(format!("{path}: number")),
        other => found.push(format!("{path}: {other}")),
    }
}

/// Columns and types of a table, as Arrow and as Parquet, and what its footer tells.
fn table_layout(path: &Path) -> Vec<String> {
    let table = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let mut layout: Vec<String> = table
        .schema()
        .fields()
        .iter()
        .map(|field| format!("{field:?}"))
        .collect();
    let file = table.metadata().file_metadata();
    for column in file.schema_descr().columns() {
        layout.push(format!(
            "{} {} {:?}",
            column.path(),
            column.physical_type(),
            column.logical_type_ref()
        ));
    }
    let first = table.metadata().row_groups().first();
    layout.push(format!(
        "sorted by {:?}",
        first.map(|group| group.sorting_columns())
    ));
    let pairs = file.key_value_metadata().into_iter().flatten();
    layout.extend(pairs.map(|pair| pair.key.clone()));
    layout
}

/// What a program depends on that reads the store: files, and what they are made of.
fn layout(store: &Path) -> BTreeMap<PathBuf, Vec<String>> {
    let files = files(store).into_iter().map(|name| {
        let path = store.join(&name);
        let mut layout = Vec::new();
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("parquet") => layout = table_layout(&path),
            Some("json") => {
                let json = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
                keys(&json, "", &mut layout);
            }
            _ => {}
        }
        (name, layout)
    });
    files.collect()
}

#[test]
fn the_layout_is_that_of_its_version() {
    for (store, _, today) in stores().filter(|(store, ..)| store.starts_with(kept(VERSION))) {
        assert!(
            store.exists(),
            "{store:?} is missing: FOLDTRACE_BLESS=1 writes it"
        );
        let (kept, now) = (layout(&store), layout(&today));
        let differ: Vec<_> = kept
            .keys()
            .chain(now.keys())
            .filter(|file| kept.get(*file) != now.get(*file))
            .map(|file| format!("{file:?}: {:#?}, now {:#?}", kept.get(file), now.get(file)))
            .collect();
        assert!(
            differ.is_empty(),
            "{store:?}: another layout needs another version (CONTRIBUTING.md, 'Change what is on \
             disk'), or before the version was ever released FOLDTRACE_BLESS=1:\n{}",
            differ.join("\n")
        );
    }
}

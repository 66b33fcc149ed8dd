//! Fuzzes the reader of stores with changed values, rows and columns. Each group of eight bytes of the input is the
//! seed of one change of a table.

#![no_main]

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use foldtrace::convert::{ConvertOptions, to_store};
use foldtrace::formats;
use foldtrace::read::Progress;
use foldtrace::store::{Derived, Origin};
use foldtrace_fuzz::seal::seal;
use foldtrace_fuzz::stores::read;
use foldtrace_fuzz::tables::change;
use foldtrace_trace::ReadOptions;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const EVERYTHING: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/stores/everything.trace"
);

/// A folder in memory that contains an intact store and later its changed copy, and the names of the store's tables.
struct Work {
    folder: TempDir,
    tables: Vec<PathBuf>,
}

thread_local! {
    static WORK: Work = Work::new();
}

impl Work {
    fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let (options, stop) = (ReadOptions::default(), Default::default());
        let opened = formats::open(Path::new(EVERYTHING), None, &options, &stop).unwrap();
        let options = ConvertOptions {
            derive: Derived::ALL.to_vec(),
            ..ConvertOptions::default()
        };
        let (target, progress) = (folder.path().join("intact"), Progress::default());
        to_store(
            &*opened.reader,
            &Origin::default(),
            &target,
            &options,
            &progress,
        )
        .unwrap();
        let mut tables = Vec::new();
        copy(
            &target,
            Path::new(""),
            &folder.path().join("x.fold"),
            &mut tables,
        );
        tables.retain(|file| file.extension().is_some_and(|ending| ending == "parquet"));
        tables.sort();
        Self { folder, tables }
    }
}

/// Copies the files of a store to another folder, and adds their names to `files`.
fn copy(store: &Path, within: &Path, to: &Path, files: &mut Vec<PathBuf>) {
    fs::create_dir_all(to.join(within)).unwrap();
    for entry in fs::read_dir(store.join(within)).unwrap() {
        let entry = entry.unwrap();
        let name = within.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(store, &name, to, files);
        } else {
            fs::copy(entry.path(), to.join(&name)).unwrap();
            files.push(name);
        }
    }
}

fuzz_target!(|data: &[u8]| WORK.with(|work| {
    let store = work.folder.path().join("x.fold");
    fs::remove_dir_all(&store).unwrap();
    copy(
        &work.folder.path().join("intact"),
        Path::new(""),
        &store,
        &mut Vec::new(),
    );
    for seed in data.as_chunks().0.iter().take(4) {
        let mut random = Rng::with_seed(u64::from_le_bytes(*seed));
        let table = &work.tables[random.usize(..work.tables.len())];
        change(&store.join(table), &mut random);
    }
    seal(&store, |_| {});
    read(&store);
}));

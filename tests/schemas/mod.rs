//! Holds what the command writes against what `schemas/` publishes.

mod documents;
mod generated;
mod store;
mod vocabulary;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use foldtrace_trace::DefinitionKind;
use tempfile::TempDir;

use crate::common::pages::root;

/// What the command prints.
fn foldtrace<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_foldtrace"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn convert(input: &Path, store: &Path) {
    foldtrace([Path::new("convert"), input, store, Path::new("--quiet")]);
}

fn archive(input: &Path, store: &Path) {
    let [convert, archive, quiet] = ["convert", "--archive", "--quiet"].map(Path::new);
    foldtrace([convert, input, store, archive, quiet]);
}

/// Stores of two examples, one with derived tables, of a trace that has a definition of every kind,
/// metrics and attributes, and an archive.
fn stores() -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let everything = folder.path().join("everything.trace");
    fs::write(&everything, everything_once()).unwrap();
    let tags = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stores/tags.trace");
    let inputs = [example("farm-5"), example("ring-4"), everything, tags];
    let stores = inputs.iter().map(|input| {
        let name = Path::new(input.file_name().unwrap()).with_extension("fold");
        let store = folder.path().join(name);
        convert(input, &store);
        store
    });
    let mut stores: Vec<_> = stores.collect();
    let small = folder.path().join("archive.fold");
    archive(&inputs[0], &small);
    stores.push(small);
    let patterns = folder.path().join("any.pattern");
    fs::write(&patterns, "pattern any\n  *\n").unwrap();
    let [derive, quiet, pattern] = ["derive", "--quiet", "--pattern"].map(Path::new);
    foldtrace([derive, &stores[0], quiet, pattern, &patterns]);
    foldtrace([derive, &stores[0], quiet, Path::new("clock")]);
    foldtrace([derive, &stores[3], quiet]);
    (folder, stores)
}

fn everything_once() -> String {
    let mut text = String::new();
    for kind in DefinitionKind::ALL {
        text.push_str(&format!("#: {kind}", kind = kind.name()));
        for field in kind.fields() {
            text.push_str(&format!(" {}=0", field.name));
        }
        if let Some(list) = kind.list() {
            text.push_str(&format!(" {list}=0-1"));
        }
        if kind.has_text() {
            text.push_str(" \"a text\"");
        }
        text.push('\n');
    }
    text.push_str("0 local metric metric=0 value.0=uint64:5 value.1=int8:5 value.2=double:5\n");
    text.push_str("0 local enter region=0 attribute.0=string:0\n");
    text
}

/// Paths of all files of a store.
fn files(store: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![store.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(store).unwrap();
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found
}

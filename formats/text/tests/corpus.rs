//! Checks that each trace of the corpus, `tests/data/text` at the root, is unchanged after writing and reading it:
//! all events and definitions. The test of the whole corpus checks the result of reading.

use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_testing::{Read, fill, read};
use foldtrace_text::TextFormat;
use foldtrace_trace::{
    AttributeColumns, ErrorKind, EventBatch, Format, MetricColumns, Output, Position, SymbolTable,
};

/// Returns the inputs of the good or the bad cases.
fn inputs(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data/text")
        .join(kind);
    let cases = fs::read_dir(folder).unwrap();
    let inputs: Vec<_> = cases
        .flat_map(|case| fs::read_dir(case.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("expected.txt"))
        .collect();
    assert!(!inputs.is_empty());
    inputs
}

/// Writes a trace, one location after another, and reads it again.
#[track_caller]
fn assert_comes_back(read: &Read) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.trace");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = TextFormat.create(output).unwrap();
    writer.definitions(&read.definitions).unwrap();
    let mut symbols = SymbolTable::default();
    for (&location, events) in &read.events {
        let mut batch = EventBatch::default();
        batch.reset(location, Position(0));
        (batch.metrics, batch.attributes) = (MetricColumns::default(), AttributeColumns::default());
        fill(&mut batch, events, &mut symbols);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    let again = foldtrace_testing::read(&TextFormat, &path, false).unwrap();
    assert_eq!(again.events, read.events);
    assert_eq!(again.definitions, read.definitions);
}

#[test]
fn good_traces_come_back() {
    for input in inputs("good") {
        let read = read(&TextFormat, &input, false).unwrap();
        assert!(read.errors.is_empty(), "{}: {read:#?}", input.display());
        assert_comes_back(&read);
    }
}

/// A damaged line is an error, and reading continues after it; with salvaging, it is a diagnostic.
#[test]
fn salvaged_parts_of_bad_traces_come_back() {
    for input in inputs("bad") {
        let errors = match read(&TextFormat, &input, false) {
            Ok(read) => read.errors,
            Err(error) => vec![error],
        };
        let line_errors = [ErrorKind::Malformed, ErrorKind::Truncated];
        assert!(!errors.is_empty(), "{} has no errors", input.display());
        assert!(errors.iter().all(|error| line_errors.contains(&error.kind)));
        let kept = read(&TextFormat, &input, true).unwrap();
        assert!(kept.errors.is_empty(), "{}", input.display());
        assert!(kept.diagnostics.count("text.bad_line") >= errors.len() as u64);
        assert_comes_back(&kept);
    }
}

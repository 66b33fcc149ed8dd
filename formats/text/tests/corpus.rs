//! Every trace of the corpus reads as its `expected.txt` says; see `tests/data/text/README.md` at the root.
//!
//! With `FOLDTRACE_BLESS=1` in the environment, the expectations are written anew.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_testing::{Read, read};
use foldtrace_text::TextFormat;
use foldtrace_trace::{
    AttributeColumns, EventBatch, Format, MetricColumns, Output, Position, SymbolTable, Timestamp,
};

fn cases(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data/text")
        .join(kind);
    let mut cases: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

fn input(case: &Path) -> PathBuf {
    ["input.trace", "input"]
        .iter()
        .map(|name| case.join(name))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("{} has no input", case.display()))
}

fn check(case: &Path, found: &str) {
    for entry in fs::read_dir(case).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(
            ["input.trace", "input", "expected.txt"]
                .iter()
                .any(|known| name == *known),
            "{} holds {name:?}, which no test reads",
            case.display()
        );
    }
    let path = case.join("expected.txt");
    if std::env::var_os("FOLDTRACE_BLESS").is_some() {
        fs::write(&path, found).unwrap();
    }
    let expected = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} has no expectation: {error}", case.display()));
    assert_eq!(found, expected, "{}", case.display());
}

/// The trace as the writer says it, a location after the other.
fn written(read: &Read) -> String {
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
        for (index, event) in (0..).zip(events) {
            let kind = event.symbol.kind;
            let quantities: Vec<_> = kind
                .quantities()
                .iter()
                .map(|&q| (q, event.quantities[q as usize]))
                .collect();
            batch.push(
                symbols.intern(event.symbol),
                Timestamp(event.time),
                &quantities,
            );
            for &(member, value_type, bits) in &event.metrics {
                batch.metrics.push(index, member, value_type, bits);
            }
            for &(id, value_type, bits) in &event.attributes {
                batch.attributes.push(index, id, value_type, bits);
            }
        }
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    let again = foldtrace_testing::read(&TextFormat, &path, false).unwrap();
    assert_eq!(again.events, read.events);
    assert_eq!(again.definitions, read.definitions);
    let text = fs::read_to_string(&path).unwrap();
    text.lines()
        .skip(1)
        .fold(String::new(), |all, line| all + line + "\n")
}

fn diagnostics(read: &Read, case: &Path) -> String {
    let mut text = String::new();
    for (key, group) in read.diagnostics.groups() {
        for diagnostic in &group.cases {
            let (severity, place) = (diagnostic.severity.name(), diagnostic.place.to_string());
            writeln!(text, "{severity} {key}: {}", relative(&place, case)).unwrap();
            writeln!(text, "  {}", diagnostic.message).unwrap();
        }
    }
    text
}

fn relative(text: &str, case: &Path) -> String {
    text.replace(&format!("{}/", case.display()), "")
}

#[test]
fn good_traces_read_as_expected() {
    for case in cases("good") {
        let read = read(&TextFormat, &input(&case), false).unwrap();
        assert!(
            read.errors.is_empty(),
            "{}: {:?}",
            case.display(),
            read.errors
        );
        check(&case, &(diagnostics(&read, &case) + &written(&read)));
    }
}

#[test]
fn bad_traces_fail_as_expected_and_are_salvaged() {
    for case in cases("bad") {
        let mut found = String::new();
        let errors = match read(&TextFormat, &input(&case), false) {
            Ok(read) => read.errors,
            Err(error) => vec![error],
        };
        assert!(!errors.is_empty(), "{} is not bad", case.display());
        for error in errors {
            writeln!(
                found,
                "{:?}: {}",
                error.kind,
                relative(&error.place.to_string(), &case)
            )
            .unwrap();
            writeln!(found, "  {error}").unwrap();
            if let Some(hint) = error.hint {
                writeln!(found, "  hint: {hint}").unwrap();
            }
        }
        let kept = read(&TextFormat, &input(&case), true).unwrap();
        assert!(kept.errors.is_empty(), "{}", case.display());
        writeln!(
            found,
            "\nsalvaged:\n{}{}",
            diagnostics(&kept, &case),
            written(&kept)
        )
        .unwrap();
        check(&case, &found);
    }
}

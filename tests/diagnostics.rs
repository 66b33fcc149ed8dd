//! Holds the keys of diagnostics that sources have against `schemas/diagnostics.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::pages::{first, listed, page, root, table};

/// All keys of diagnostics in a source, with the severity where it stands beside the key.
fn keys(source: &str, prefixes: &[String]) -> Vec<(String, Option<String>)> {
    let literal = |rest: &str| {
        let key = rest.strip_prefix('"')?.split('"').next()?;
        let (prefix, problem) = key.split_once('.')?;
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
        };
        (is_word(prefix) && is_word(problem)).then(|| key.to_owned())
    };
    const SEVERITY: &str = "Severity::";
    let beside = source.match_indices(SEVERITY).filter_map(|(at, _)| {
        let rest = &source[at + SEVERITY.len()..];
        let (severity, rest) = rest.split_once(',')?;
        if !severity.chars().all(char::is_alphabetic) {
            return None;
        }
        let key = literal(rest.trim_start())?;
        Some((key, Some(severity.to_ascii_lowercase())))
    });
    const LEFT_OUT: &str = "diagnostics(";
    let left_out = source.match_indices(LEFT_OUT).flat_map(|(at, _)| {
        let mut keys = source[at + LEFT_OUT.len()..].split(',');
        ["loss", "note"].map(|severity| {
            let key = literal(keys.next()?.trim_start())?;
            Some((key, Some(severity.to_owned())))
        })
    });
    let left_out = left_out.flatten();
    let known = |key: &String| prefixes.iter().any(|p| key.split('.').next() == Some(p));
    let alone = source
        .match_indices('"')
        .filter_map(|(at, _)| literal(&source[at..]))
        .filter(known)
        .map(|key| (key, None));
    beside.chain(left_out).chain(alone).collect()
}

fn rust_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn diagnostics_md_lists_all_keys() {
    let mut sources = Vec::new();
    rust_sources(&root().join("src"), &mut sources);
    let mut prefixes = vec!["salvage".to_owned()];
    for rooms in ["analyses", "engine", "formats"] {
        for entry in fs::read_dir(root().join(rooms)).unwrap() {
            let folder = entry.unwrap();
            rust_sources(&folder.path().join("src"), &mut sources);
            if rooms == "formats" {
                prefixes.push(folder.file_name().into_string().unwrap());
            }
        }
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in sources {
        for (key, severity) in keys(&fs::read_to_string(path).unwrap(), &prefixes) {
            found.entry(key).or_default().extend(severity);
        }
    }
    let found: Vec<_> = found
        .into_iter()
        .map(|(key, severities)| [key, listed(&severities.into_iter().collect::<Vec<_>>())])
        .collect();
    let published: Vec<[String; 2]> = first(table(&page("diagnostics.md"), &["key", "severity"]));
    assert_eq!(found, published);
}

#[test]
fn keys_are_found_in_sources() {
    let source = "Diagnostic::new(Severity::Loss,\n  \"new.bad_line\", m); report(\"text.odd\"); \"a.trace\" \"text.Bad\"";
    let found = keys(source, &["text".to_owned()]);
    let expected = [("new.bad_line", Some("loss")), ("text.odd", None)];
    let expected = expected.map(|(key, severity)| (key.to_owned(), severity.map(str::to_owned)));
    assert_eq!(found, expected);
}

//! Compares which crate knows which with the tables of `ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use toml::{Table, Value};

/// What a crate knows, by the names of folders: always, and for its subcommand alone.
#[derive(Debug, Default, PartialEq, Eq)]
struct Known {
    always: BTreeSet<String>,
    for_command: BTreeSet<String>,
}

/// Returns what the crate in `folder` knows by its `Cargo.toml`.
fn by_manifest(folder: &Path) -> Known {
    let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let manifest: Table = text.parse().unwrap();
    let mut known = Known::default();
    let dependencies = manifest.get("dependencies").and_then(Value::as_table);
    let dependencies = dependencies.into_iter().flatten();
    for (name, dependency) in dependencies {
        let Some(name) = name.strip_prefix("foldtrace-") else {
            continue;
        };
        let is_optional = dependency
            .get("optional")
            .is_some_and(|o| o.as_bool() == Some(true));
        let side = if is_optional {
            &mut known.for_command
        } else {
            &mut known.always
        };
        side.insert(name.to_owned());
    }
    known
}

/// Returns what all crates know by the tables of `ARCHITECTURE.md`: `a, b (c)`.
fn by_page() -> BTreeMap<String, Known> {
    let page = fs::read_to_string("ARCHITECTURE.md").unwrap();
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix("| `")?.split(" | ").collect();
        let [name, _, known] = cells[..] else {
            return None;
        };
        let names = |text: &str| {
            let names = text.split(',').map(str::trim);
            let names = names.filter(|name| !name.is_empty() && *name != "–");
            names.map(str::to_owned).collect()
        };
        let known = known.trim_end_matches('|').trim();
        let (always, for_command) = known.split_once(" (").unwrap_or((known, ""));
        let known = Known {
            always: names(always),
            for_command: names(for_command.trim_end_matches(')')),
        };
        Some((name.trim_end_matches('`').to_owned(), known))
    });
    rows.collect()
}

#[test]
fn the_page_has_all_crates_and_what_they_know() {
    let manifest: Table = fs::read_to_string("Cargo.toml").unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    let folders = members.iter().map(|member| member.as_str().unwrap());
    let by_manifest: BTreeMap<_, _> = folders
        .map(|folder| (folder.to_owned(), by_manifest(folder.as_ref())))
        .collect();
    let by_page = by_page();
    for (folder, known) in &by_manifest {
        assert_eq!(by_page.get(folder), Some(known), "{folder}");
    }
    let is_crate = |name: &&String| {
        let is_folder = name.contains('/') && !name.starts_with("src");
        is_folder || by_manifest.contains_key(*name)
    };
    let rooms = by_page.keys().filter(is_crate);
    assert!(rooms.eq(by_manifest.keys()));
}

/// Returns the packages that a crate needs with the given features, for users rather than for tests.
fn needed(arguments: &[&str]) -> String {
    packages(&[&["--edges", "normal"], arguments].concat())
}

/// Returns what `cargo tree` lists.
fn packages(arguments: &[&str]) -> String {
    let cargo = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix", "none"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{cargo:?}");
    String::from_utf8(cargo.stdout).unwrap()
}

#[test]
fn parts_are_used_without_what_they_do_not_need() {
    let has = |packages: &str, name: &str| {
        let mut names = packages.lines().map(|line| line.split(' ').next().unwrap());
        names.any(|package| package == name)
    };
    let otf2 = needed(&["--package", "foldtrace-otf2"]);
    for heavy in ["arrow", "parquet", "clap"] {
        assert!(!has(&otf2, heavy), "{otf2}");
    }
    let features = ["--no-default-features", "--features", "otf2,store"];
    let facade = needed(&[["--package", "foldtrace"].as_slice(), &features].concat());
    for needless in [
        "clap",
        "foldtrace-command",
        "foldtrace-paje",
        "foldtrace-dag",
    ] {
        assert!(!has(&facade, needless), "{facade}");
    }
    assert!(
        has(&facade, "foldtrace-otf2") && has(&facade, "parquet"),
        "{facade}"
    );
}

/// A package with other features is another one. The first round compares packages for programs, the second one also those for build
/// scripts and macros.
#[test]
fn other_tests_use_what_is_built_for_these() {
    let built = |arguments: &[&str], edges: &str| -> BTreeSet<String> {
        let options = ["--format", "{p} with {f}", "--edges", edges];
        let told = packages(&[&options, arguments].concat());
        let lines = told.lines().map(|line| line.trim_end_matches(" (*)"));
        lines.map(str::to_owned).collect()
    };
    for (edges, of_tests) in [("normal", "normal,dev"), ("normal,build", "all")] {
        let tests = built(&["--workspace"], of_tests);
        let command = "--package foldtrace --package foldtrace-test-features --features schema";
        let extension = "--package foldtrace-python --features schema";
        for others in [command, extension] {
            let others = built(&Vec::from_iter(others.split(' ')), edges);
            let again = others.difference(&tests);
            let again: Vec<_> = again
                .filter(|built| !built.starts_with("foldtrace-python "))
                .collect();
            assert!(again.is_empty(), "add to tests/features: {again:#?}");
        }
    }
}

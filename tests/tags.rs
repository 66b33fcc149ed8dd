//! Traces with more tags than symbols have rows for: each event has its tag in a column of its own.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::common::Folder;
use crate::common::seal::seal;

/// The number of messages, each with a tag of its own.
const MESSAGES: u64 = 5000;

/// A trace in which rank 0 sends `MESSAGES` messages to rank 1. `tag` returns the tag of a message.
fn trace(tag: impl Fn(u64) -> u64) -> String {
    let mut text = String::new();
    for message in 0..MESSAGES {
        let (tag, time) = (tag(message), 100 * message);
        let _ = writeln!(text, "0 send 1 {tag} time={time} bytes=8");
        let _ = writeln!(text, "0 recv 1 {tag} time={} bytes=8", time + 40);
    }
    text
}

/// Tags that count messages.
fn counted() -> String {
    trace(|message| message)
}

/// Tags without order; the largest one needs 32 bits, and OTF2 has it, too.
fn scattered() -> String {
    trace(|message| {
        if message == 7 {
            u64::from(u32::MAX - 1)
        } else {
            message * 7919 % 100_003
        }
    })
}

/// A folder with a trace, `run.trace`, and a store of it, `run.fold`.
fn folder(trace: &str) -> Folder {
    let folder = Folder::new();
    folder.write("run.trace", trace);
    folder.say("convert run.trace run.fold").exits(0);
    folder
}

impl Folder {
    /// The events of a trace as text, without its definitions.
    fn events(&self, trace: &str) -> Vec<String> {
        let text = self
            .say(&format!("convert {trace} - --to text"))
            .exits(0)
            .stdout;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    }

    fn manifest(&self, store: &str) -> Value {
        let text = std::fs::read(self.path(store).join("manifest.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

#[test]
fn stores_keep_any_tags_with_few_symbols() {
    for trace in [counted(), scattered()] {
        let folder = folder(&trace);
        let expected = folder.events("run.trace");
        assert_eq!(expected.len() as u64, 2 * MESSAGES);
        folder
            .say("convert run.trace archive.fold --archive")
            .exits(0);
        folder.say("convert run.fold copy.fold").exits(0);
        folder.say("convert archive.fold restored.fold").exits(0);
        for store in ["run.fold", "archive.fold", "copy.fold", "restored.fold"] {
            assert!(folder.events(store) == expected, "{store}");
            let manifest = folder.manifest(store);
            assert_eq!(manifest["has_tags"], true, "{store}");
            assert_eq!(manifest["counts"]["symbols"], 2, "{store}");
            folder.say(&format!("verify {store}")).exits(0);
        }
    }
}

#[test]
fn stores_without_many_tags_have_no_column_for_them() {
    let folder = folder("0 send 1 3\n0 recv 1 3\n");
    assert_eq!(folder.manifest("run.fold")["has_tags"], false);
    assert_eq!(folder.events("run.fold"), folder.events("run.trace"));
}

#[test]
fn other_formats_keep_any_tags() {
    for trace in [counted(), scattered()] {
        let folder = folder(&trace);
        let expected = folder.events("run.fold");
        for (format, name) in [
            ("otf2", "copy.otf2"),
            ("paje", "copy.paje"),
            ("chrome", "copy.json"),
            ("mtf", "copy.mtf"),
        ] {
            folder
                .say(&format!("convert run.fold {name} --to {format}"))
                .exits(0);
            assert!(folder.events(name) == expected, "{format}");
        }
        let csv = folder.say("convert run.fold - --to csv").exits(0).stdout;
        let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let tag = head.iter().position(|column| *column == "tag").unwrap();
        let tags: BTreeSet<_> = lines.map(|line| line[tag].to_owned()).collect();
        assert_eq!(tags.len() as u64, MESSAGES);
    }
}

#[test]
fn counted_tags_are_one_loop() {
    let folder = folder(&counted());
    let loops = folder.say("loops run.fold --location 0").exits(0).stdout;
    assert!(loops.contains("for i0 = 0 to 4999\n"), "{loops}");
    assert!(loops.contains("0 send 1 i0\n"), "{loops}");
    let replayed = folder.say("replay run.fold").exits(0).stdout;
    assert_eq!(replayed.lines().count() as u64, 2 * MESSAGES);
    assert!(replayed.contains("\t0 send 1 4321\n"), "{replayed}");
}

/// No stream has many tags, but all streams together do.
#[test]
fn tags_of_all_streams_count() {
    let mut text = String::new();
    for (rank, tag) in (0..4).flat_map(|rank| (0..400).map(move |tag| (rank, tag))) {
        let (other, tag) = (rank ^ 1, 1000 * rank + tag);
        let _ = writeln!(text, "{rank} send {other} {tag}\n{rank} recv {other} {tag}");
    }
    let folder = folder(&text);
    let expected = folder.events("run.fold");
    assert_eq!(folder.manifest("run.fold")["has_tags"], true);
    folder.say("convert run.fold run.otf2").exits(0);
    folder.say("convert run.otf2 again.fold --archive").exits(0);
    assert_eq!(folder.manifest("again.fold")["has_tags"], true);
    assert!(folder.events("again.fold") == expected);
    folder.say("verify again.fold").exits(0);
}

#[test]
fn analyses_match_messages_by_any_tags() {
    for trace in [counted(), scattered()] {
        let folder = folder(&trace);
        let matrix = folder.say("matrix run.fold --json").exits(0).json();
        assert_eq!(matrix["messages"], MESSAGES, "{matrix}");
        folder.say("derive run.fold").exits(0);
        folder.say("verify run.fold").exits(0);
        let derived = folder.say("info run.fold --json").exits(0).json();
        assert_eq!(derived["diagnostics"], serde_json::json!({}), "{derived}");
        for analysis in [
            "dag",
            "steps",
            "patterns",
            "topology",
            "logical",
            "loops --global",
        ] {
            let (command, options) = analysis.split_once(' ').unwrap_or((analysis, ""));
            folder
                .say(&format!("{command} run.fold {options}"))
                .exits(0);
        }
    }
}

#[test]
fn a_manifest_that_denies_tags_is_refused() {
    let folder = folder(&counted());
    let store = folder.path("run.fold");
    seal(&store, |manifest| manifest["has_tags"] = false.into());
    for command in ["info", "print", "loops", "verify"] {
        let ran = folder.say(&format!("{command} run.fold"));
        assert_ne!(ran.code, Some(0), "{ran:?}");
        let said = ran.stderr + &ran.stdout;
        assert!(said.contains("disagree about tags"), "{command}: {said}");
    }
}

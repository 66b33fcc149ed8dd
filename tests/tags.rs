//! Traces with more tags than symbols have rows for: each event has its tag in a column of its own.

use std::collections::{BTreeSet, HashMap};
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

/// Four processes send messages in a ring, with tags that count iterations, and meet after five of them.
fn ring(iterations: u64) -> String {
    let mut text = String::new();
    for iteration in 0..iterations {
        let (tag, time) = (10 + iteration, 100 * iteration);
        for rank in 0..4 {
            let next = (rank + 1) % 4;
            let _ = writeln!(text, "{rank} send {next} {tag} time={time} bytes=8");
        }
        for rank in 0..4 {
            let (next, time) = ((rank + 1) % 4, time + 10);
            let _ = writeln!(text, "{rank} recv {next} {tag} time={time} bytes=8");
        }
        if iteration % 5 == 4 {
            for rank in 0..4 {
                let _ = writeln!(text, "{rank} sync MPI_Barrier 0-3 time={}", time + 20);
            }
        }
    }
    text
}

#[test]
fn tags_that_count_iterations_need_one_loop() {
    // 200 tags have symbols of their own; 5,000 do not.
    for iterations in [200, 5000] {
        let folder = folder(&ring(iterations));
        let shared = folder.say("loops run.fold --global --spmd").exits(0).stdout;
        let model: Vec<&str> = shared.lines().filter(|l| !l.starts_with("//")).collect();
        let expected = [
            format!("for i0 = 0 to {} // processes 0-3", iterations / 5 - 1),
            "  for i1 = 0 to 4 // processes 0-3".to_owned(),
            "    for p in 0-3".to_owned(),
            "      p send p+1 mod 4 10+i1+5*i0".to_owned(),
            "      p-1 mod 4 recv p 10+i1+5*i0".to_owned(),
            "    done".to_owned(),
            "  done".to_owned(),
            "  0-3 sync MPI_Barrier 0-3".to_owned(),
            "done".to_owned(),
        ];
        assert_eq!(model, expected);
        assert!(shared.contains("nothing dangling"), "{shared}");
        folder.say("verify --models run.fold").exits(0);
        folder.say("loops run.fold --main").exits(0);
        let sent = folder.say("matrix run.fold --construct 1.1 --bytes --json");
        assert_eq!(sent.exits(0).json()["bytes"], 4 * 8 * iterations);
        for format in ["svg", "html"] {
            let picture = folder.say(&format!("loops run.fold --global --format {format}"));
            assert!(picture.exits(0).stdout.contains("10+i1+5*i0"), "{format}");
        }
    }
}

#[test]
fn replayed_tags_count_iterations() {
    for iterations in [200, 5000] {
        let folder = folder(&ring(iterations));
        let json = folder.say("loops run.fold --global --json").exits(0).stdout;
        folder.write("model.json", json);
        for model in ["run.fold", "model.json"] {
            let replayed = folder.say(&format!("replay --global {model}")).exits(0);
            let lines = replayed.stdout.lines();
            let mut lines: Vec<&str> = lines.filter_map(|l| Some(l.split_once('\t')?.1)).collect();
            let text = ring(iterations);
            let messages = text.lines().filter_map(|l| Some(l.split_once(" time")?.0));
            let mut expected: Vec<&str> = messages.collect();
            lines.sort_unstable();
            expected.sort_unstable();
            assert!(lines == expected, "{model}");
        }
    }
}

/// Tags that are received in another order than they are sent need a channel each.
#[test]
fn tags_in_another_order_match_one_by_one() {
    let mut text = String::new();
    for tag in 0..50 {
        let _ = writeln!(text, "0 send 1 {tag}\n0 recv 1 {}", 49 - tag);
    }
    let folder = folder(&text);
    let json = folder.say("loops run.fold --global --json").exits(0).json();
    let channels = json[0]["channels"].as_array().unwrap();
    let tags: BTreeSet<_> = channels.iter().filter_map(|c| c["tag"].as_u64()).collect();
    assert_eq!(tags.len(), 50);
    let replayed = folder.say("replay --global run.fold").exits(0).stdout;
    let received = replayed.find("0 recv 1 49").unwrap();
    assert!(replayed.find("0 send 1 49").unwrap() < received);
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

/// The pairs of positions of sends and receives, matched by their tags.
fn pairs_by_tag(events: &[String]) -> BTreeSet<(u64, u64)> {
    let mut pairs = BTreeSet::new();
    let mut ends: HashMap<(&str, &str), [Vec<u64>; 2]> = HashMap::new();
    let mut positions: HashMap<&str, u64> = HashMap::new();
    for line in events {
        let words: Vec<&str> = line.split(' ').collect();
        let (side, rank) = match words[1] {
            "send" => (0, words[0]),
            _ => (1, words[2]),
        };
        let position = positions.entry(rank).or_default();
        ends.entry((words[0], words[3])).or_default()[side].push(*position);
        *position += 1;
    }
    for [sends, receives] in ends.into_values() {
        pairs.extend(sends.into_iter().zip(receives));
    }
    pairs
}

/// Tags that are received in another order than they are sent, some of them twice.
fn overtaken() -> String {
    let mut text = String::new();
    let tag = |message: u64| message * 7919 % 4001;
    for message in 0..MESSAGES {
        let _ = writeln!(text, "0 send 1 {}", tag(message));
    }
    for block in 0..MESSAGES / 100 {
        for message in (0..100).rev() {
            let _ = writeln!(text, "0 recv 1 {}", tag(100 * block + message));
        }
    }
    text
}

#[test]
fn messages_of_a_dag_are_matched_by_their_tags() {
    let cut = |trace: String| {
        trace
            .lines()
            .take(8000)
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let unmatched = counted().replace("recv", "send");
    let traces = [counted(), scattered(), overtaken(), cut(overtaken())];
    for trace in traces.into_iter().chain([unmatched]) {
        let folder = folder(&trace);
        let dag = folder.say("dag run.fold --json").exits(0).json();
        // A root and a leaf for each process.
        assert!(dag["nodes"].as_array().unwrap().len() <= 4);
        let mut pairs = BTreeSet::new();
        for link in dag["messages"].as_array().unwrap() {
            for run in link["runs"].as_array().unwrap() {
                let number = |name: &str| run[name].as_u64().unwrap();
                for message in 0..number("messages") {
                    let send = number("send") + message * number("send_step");
                    let receive = number("receive") + message * number("receive_step");
                    pairs.insert((send, receive));
                }
            }
        }
        assert!(pairs == pairs_by_tag(&folder.events("run.fold")));
        folder.say("derive run.fold dag").exits(0);
        folder.say("verify run.fold").exits(0);
        assert!(folder.say("dag run.fold --json").exits(0).json() == dag);
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

//! The topologies of programs that are known, under any numbering of their ranks.
//!
//! SMPI simulates `examples/patterns.c`, whose modes say who communicates with whom; the recorded examples have
//! fewer processes.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

mod common;

use std::fs;

use common::{Folder, example};
use serde_json::{Value, json};

const RANKS: usize = 16;

/// A program of `patterns.c` that was simulated, as a text.
fn simulated(folder: &Folder, mode: &str) -> String {
    let mut compiler = folder.command("smpicc");
    let compiler = compiler.args(["-DSIMULATED", "-O2", "-o", "patterns"]);
    let compiled = compiler.arg(example("patterns.c")).status();
    let compiled = compiled.expect("smpicc is of the package libsimgrid-dev");
    assert!(compiled.success());
    folder.machine(RANKS);
    let output = folder
        .command("smpirun")
        .args(["-np", &RANKS.to_string(), "-platform", "machine.xml"])
        .args(["-hostfile", "hosts", "-trace", "-trace-file", "run.paje"])
        .arg("--cfg=smpi/simulate-computation:no")
        .arg("--cfg=smpi/host-speed:1Gf")
        .args(["./patterns", mode, "5"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    folder.say("convert -q run.paje run.trace --force").exits(0);
    fs::read_to_string(folder.path("run.trace")).unwrap()
}

/// The same events of ranks with other numbers, without definitions.
fn renumbered(trace: &str, numbers: &[usize]) -> String {
    let number = |word: &str| numbers[word.parse::<usize>().unwrap()].to_string();
    let lines = trace.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.map(|line| {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        words[0] = number(&words[0]);
        if matches!(&*words[1], "send" | "recv") {
            words[2] = number(&words[2]);
        }
        words.join(" ") + "\n"
    });
    lines.collect()
}

fn topology(folder: &Folder, arguments: &str) -> Value {
    let ran = folder.say(&format!("topology -q --json {arguments}"));
    ran.exits(0).json()
}

/// What a trace is, as text.
fn of_trace(folder: &Folder, trace: &str) -> Value {
    folder.write("any.trace", trace);
    folder.say("convert -q any.trace any.fold --force").exits(0);
    topology(folder, "any.fold")
}

/// Everybody has an edge to where the topology says, and nobody has another one.
fn check_nodes(found: &Value) {
    let nodes = found["nodes"].as_array().unwrap();
    let mut places: Vec<u64> = nodes
        .iter()
        .map(|it| it["node"].as_u64().unwrap())
        .collect();
    places.sort_unstable();
    assert!(
        places
            .iter()
            .copied()
            .eq(0..found["processes"].as_u64().unwrap())
    );
}

#[track_caller]
fn is(found: &Value, name: &str) {
    assert_eq!(found["topology"], name, "{found:#}");
    let isomorphic = &found["candidates"]["isomorphic"];
    assert!(isomorphic.as_array().unwrap().contains(&json!(name)));
    check_nodes(found);
}

/// A program is the same whatever its ranks are called.
fn is_recognised(mode: &str, name: &str) {
    let folder = Folder::new();
    let trace = simulated(&folder, mode);
    is(&of_trace(&folder, &trace), name);
    let mut random = fastrand::Rng::with_seed(16);
    for _ in 0..3 {
        let mut numbers: Vec<usize> = (0..RANKS).collect();
        random.shuffle(&mut numbers);
        is(&of_trace(&folder, &renumbered(&trace, &numbers)), name);
    }
}

#[test]
fn a_ring_is_recognised() {
    is_recognised("ring", "16 ring");
}

#[test]
fn a_stencil_is_recognised() {
    is_recognised("stencil", "4x4 grid");
}

#[test]
fn a_torus_is_recognised() {
    // A closed 4x4 mesh is a hypercube, whose first name that is.
    is_recognised("torus", "2x2x2x2 grid");
}

#[test]
fn a_wave_is_recognised() {
    is_recognised("wave", "4x4 grid");
}

#[test]
fn a_tree_is_recognised() {
    is_recognised("tree", "16 4-ary merge tree");
}

/// A trace of messages: from whom to whom, with which tag, how often.
fn messages(all: impl IntoIterator<Item = (usize, usize, usize, usize)>) -> String {
    let lines = all.into_iter().flat_map(|(from, to, tag, times)| {
        let both = format!("{from} send {to} {tag}\n{from} recv {to} {tag}\n");
        std::iter::repeat_n(both, times)
    });
    lines.collect()
}

/// Neighbours in lines of `length` processes that are `step` apart from each other.
fn lines(
    length: usize,
    step: usize,
    tag: usize,
    is_ring: bool,
) -> Vec<(usize, usize, usize, usize)> {
    let mut all = Vec::new();
    for line in 0..length {
        let first = if step == 1 { length * line } else { line };
        let rank = |index: usize| first + step * (index % length);
        let edges = if is_ring { length } else { length - 1 };
        for index in 0..edges {
            all.push((rank(index), rank(index + 1), tag, 20));
            all.push((rank(index + 1), rank(index), tag, 20));
        }
    }
    all
}

fn part<'a>(found: &'a Value, key: &str, value: &Value) -> &'a Value {
    let parts = found["parts"].as_array().unwrap();
    let mut named = parts.iter().filter(|part| part[key] == *value);
    named.next().unwrap_or_else(|| panic!("{found:#}"))
}

#[test]
fn patterns_of_single_tags_are_found_where_the_whole_is_none() {
    let folder = Folder::new();
    let trace = messages([lines(5, 1, 1, true), lines(5, 5, 2, false)].concat());
    let found = of_trace(&folder, &trace);
    assert_eq!(found["topology"], Value::Null, "{found:#}");
    assert!(!found["closest"]["why"].as_array().unwrap().is_empty());
    for (tag, name) in [(1, "5 x 5 ring"), (2, "5 x 5 line")] {
        let part = part(&found, "tag", &json!(tag));
        assert_eq!(part["topology"], name);
        assert_eq!(part["components"], 5);
        assert_eq!(part["dims"], json!([5]));
        assert_eq!(part["nodes"].as_array().unwrap().len(), 25);
    }
    // Where they are asked for, all of them are told.
    let tags = topology(&folder, "any.fold --by tag");
    assert_eq!(tags["parts"].as_array().unwrap().len(), 2);
    // The two patterns are two loops for each process.
    let loops = topology(&folder, "any.fold --by construct");
    assert!(!loops["parts"].as_array().unwrap().is_empty());
}

#[test]
fn processes_without_messages_are_idle() {
    let folder = Folder::new();
    let trace = messages(lines(5, 1, 1, true)[..8].iter().copied());
    let found = of_trace(&folder, &(trace + "6 local nothing\n"));
    assert_eq!(found["topology"], "5 line");
    assert_eq!(
        (&found["processes"], &found["idle"]),
        (&json!(7), &json!([5, 6]))
    );
}

#[test]
fn little_traffic_is_filtered_and_told() {
    let folder = Folder::new();
    let mut all = lines(5, 1, 1, false);
    all.truncate(8);
    all.push((0, 3, 9, 1));
    let found = of_trace(&folder, &messages(all));
    assert_eq!(found["topology"], "5 line");
    assert_eq!(found["filtered"]["pairs"][0]["ranks"], json!([0, 3]));
    let outside = &found["traffic_outside"];
    assert_eq!(
        outside["counts"],
        json!({"pairs": 1, "messages": 1, "bytes": null})
    );
    assert_eq!(outside["messages"], 1.0 / 161.0);
    assert_eq!(
        found["otherwise"],
        json!({"threshold": 0.0, "topology": null})
    );
    // Whoever wants all of it gets an answer, too, and is told of which threshold.
    let all = topology(&folder, "any.fold --threshold 0%");
    assert_eq!(all["topology"], "5 line");
    assert_eq!(all["filtered"]["threshold"], 0.05);
    assert_eq!(all["otherwise"]["threshold"], 0.0);
}

#[test]
fn receives_tell_where_no_sends_are_recorded() {
    let folder = Folder::new();
    let trace = messages(lines(5, 1, 1, true)[..10].iter().copied());
    let mut receives = String::new();
    for line in trace.lines().filter(|line| line.contains("recv")) {
        receives += &format!("{line}\n");
    }
    let found = of_trace(&folder, &receives);
    assert_eq!(found["topology"], "5 ring");
    assert_eq!(found["traffic"]["messages"], 200);
}

#[test]
fn messages_to_oneself_are_no_edges() {
    let folder = Folder::new();
    let found = of_trace(&folder, &messages([(0, 1, 1, 2), (1, 1, 1, 3)]));
    assert_eq!(found["edges"].as_array().unwrap().len(), 1);
    assert_eq!(found["traffic"]["to_self"]["messages"], 3);
    assert_eq!(found["one_way"], true);
}

#[test]
fn without_messages_there_is_no_topology() {
    let folder = Folder::new();
    for trace in [
        "0 local a\n1 local a\n2 local a\n",
        "0 local alone\n",
        "0 send 0 1\n0 recv 0 1\n",
    ] {
        let found = of_trace(&folder, trace);
        assert_eq!(found["topology"], Value::Null);
        assert_eq!(found["edges"], json!([]));
        let said = folder.say("topology any.fold").exits(0).stdout;
        assert!(said.contains("no messages between processes"), "{said}");
        folder.say("topology any.fold --format svg").exits(0);
    }
    folder.write("none.trace", "");
    folder
        .say("convert none.trace none.fold --from text")
        .exits(0);
    let said = folder.say("topology none.fold").exits(0).stdout;
    assert_eq!(
        said,
        "none.fold: no messages between processes; 0 processes\n"
    );
}

#[test]
fn a_pattern_that_is_none_is_told_with_its_place() {
    let folder = Folder::with_store("ring-4");
    folder.write("wrong.toml", "name = \"mine\"\nsizes = nothing\n");
    let ran = folder
        .say("topology ring-4.fold --pattern wrong.toml")
        .exits(4);
    assert!(
        ran.stderr.contains("wrong.toml") && ran.stderr.contains("line 2"),
        "{ran:?}"
    );
    folder
        .say("topology ring-4.fold --pattern missing.toml")
        .exits(4);
    folder.say("topology ring-4.fold --threshold much").exits(2);
}

#[test]
fn the_recorded_examples_are_what_they_are_called() {
    for (name, topology) in [
        ("stencil-9", "3x3 grid"),
        ("tree-4", "4 star"),
        ("farm-5", "5 star"),
        ("wave-4", "2x2 grid"),
    ] {
        let folder = Folder::with_store(name);
        let said = folder
            .say(&format!("topology {name}.fold --ranks"))
            .exits(0);
        assert!(said.stdout.contains(topology), "{said:?}");
    }
    let folder = Folder::with_store("stencil-9");
    let said = folder.say("topology stencil-9.fold --ranks").exits(0);
    insta::assert_snapshot!(said.stdout);
}

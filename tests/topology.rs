//! The topologies of programs that are known, under any numbering of their ranks.
//!
//! SMPI simulates `examples/patterns.c`, whose modes say who communicates with whom; the recorded examples have
//! fewer processes.

use std::fs;

use serde_json::{Value, json};

use crate::common::browser::is_well_formed;
use crate::common::simulated::{RANKS, renumbered, simulated};
use crate::common::{Folder, example};

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
    has(found, name);
}

/// The program has a topology, maybe under another name, too.
#[track_caller]
fn has(found: &Value, name: &str) {
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

/// On coarse grids processes drop out, and the others exchange a little with processes further away. However
/// small the finest grid is, the torus is found.
#[test]
fn a_multigrid_is_a_torus() {
    let folder = Folder::new();
    for (processes, finest, name) in [
        (8, 4, "2x2x2 grid"),
        (16, 5, "4x2x2 torus"),
        (32, 5, "4x4x2 torus"),
        (64, 5, "4x4x4 torus"),
        (128, 5, "8x4x4 torus"),
        (128, 6, "8x4x4 torus"),
    ] {
        has(
            &of_trace(&folder, &crate::common::nas::mg(processes, finest, 1)),
            name,
        );
    }
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
fn collective_operations_have_no_topology() {
    let folder = Folder::new();
    of_trace(&folder, "0 sync MPI_Barrier *\n1 sync MPI_Barrier *\n");
    let said = folder.say("topology any.fold").exits(0).stdout;
    assert_eq!(
        said,
        "any.fold: no messages between processes, only 2 calls of collective operations; 2 processes\n"
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

/// A torus of 5 x 5 processes with one exchange across it, as text.
fn torus() -> String {
    let mut all = Vec::new();
    for rank in 0..25 {
        let (row, column) = (rank / 5, rank % 5);
        for to in [5 * row + (column + 1) % 5, (rank + 5) % 25] {
            all.extend([(rank, to, 1, 30), (to, rank, 1, 30)]);
        }
    }
    all.push((6, 18, 2, 1));
    messages(all)
}

/// `FOLDTRACE_BLESS=1` writes the picture of the gallery anew.
#[test]
fn the_torus_of_the_gallery_is_as_drawn() {
    let folder = Folder::new();
    is(&of_trace(&folder, &torus()), "5x5 torus");
    fs::rename(folder.path("any.fold"), folder.path("torus-25.fold")).unwrap();
    let svg = folder
        .say("topology torus-25.fold --format svg")
        .exits(0)
        .stdout;
    let path = example("gallery/torus-25.svg");
    if std::env::var_os("FOLDTRACE_BLESS").is_some() {
        fs::write(&path, &svg).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), svg);
    is_well_formed(&path);
}

#[test]
fn pictures_of_any_topology_are_well_formed() {
    let grid = lines(5, 5, 1, false).into_iter();
    let grid: Vec<_> = grid.chain(lines(5, 1, 1, false)).collect();
    let odd = grid
        .iter()
        .copied()
        .filter(|&(from, to, ..)| from + to != 13);
    let cases = [
        messages((1..9).map(|rank| (0, rank, 1, rank))),
        messages((0..5).flat_map(|a| (0..5).map(move |b| (a, b, 1, 1)))),
        messages(odd.chain([(0, 18, 1, 20)])),
        messages(lines(5, 1, 1, true)),
        messages(grid),
    ];
    let folder = Folder::new();
    for trace in cases {
        of_trace(&folder, &trace);
        let svg = folder.say("topology any.fold --format svg").exits(0).stdout;
        folder.write("any.svg", &svg);
        is_well_formed(&folder.path("any.svg"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

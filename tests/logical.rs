//! One program that stands for all processes, under any numbering of their ranks.

use serde_json::Value;

use crate::common::simulated::{RANKS, renumbered, simulated};
use crate::common::{EXAMPLES, Folder};

fn logical(folder: &Folder, arguments: &str) -> Value {
    let ran = folder.say(&format!("logical -q --json {arguments}"));
    ran.exits(0).json()
}

fn of_trace(folder: &Folder, trace: &str) -> Value {
    folder.write("any.trace", trace);
    folder.say("convert -q any.trace any.fold --force").exits(0);
    logical(folder, "any.fold")
}

fn names(calls: &[Value], which: &str, names: &mut Vec<String>) {
    for call in calls {
        match &call["loop"]["body"] {
            Value::Array(body) => self::names(body, which, names),
            _ => names.extend(call[which].as_str().map(str::to_owned)),
        }
    }
}

/// The sorts of directions in which a program sends, each once, in order.
fn sends(program: &Value) -> Vec<String> {
    let mut found = Vec::new();
    names(program["program"].as_array().unwrap(), "send", &mut found);
    // Of several children, it is enough that they are.
    for name in &mut found {
        name.truncate(name.find(' ').unwrap_or(name.len()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// One program stands for all ranks, and is the same but for the names of directions, whatever ranks are called.
fn is_one_program(mode: &str, topology: &str, directions: usize) {
    let folder = Folder::new();
    let trace = simulated(&folder, mode);
    let found = of_trace(&folder, &trace);
    assert_eq!(found["topology"], topology, "{found:#}");
    assert_eq!(found["accuracy"], 1.0, "{found:#}");
    assert_eq!(sends(&found).len(), directions, "{found:#}");
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..3 {
        let mut numbers: Vec<usize> = (0..RANKS).collect();
        random.shuffle(&mut numbers);
        let other = of_trace(&folder, &renumbered(&trace, &numbers));
        for same in ["topology", "accuracy", "records", "calls", "reproduced"] {
            assert_eq!(other[same], found[same], "{same} under {numbers:?}");
        }
        assert_eq!(sends(&other).len(), directions);
    }
}

#[test]
fn a_stencil_is_one_program() {
    is_one_program("stencil", "4x4 grid", 4);
}

/// A closed 4x4 mesh is a hypercube, but in no hypercube does everybody send in the same two directions.
#[test]
fn a_torus_sends_in_two_directions() {
    is_one_program("torus", "4x4 torus", 2);
}

#[test]
fn a_wave_is_one_program() {
    is_one_program("wave", "4x4 grid", 4);
}

#[test]
fn a_tree_is_one_program_of_leaves_and_inner_nodes() {
    is_one_program("tree", "16 4-ary merge tree", 2);
}

/// Every second rank receives first: calls are restricted to these ranks.
#[test]
fn a_ring_whose_ranks_take_turns_is_one_program() {
    let folder = Folder::new();
    let trace = simulated(&folder, "ring");
    let found = of_trace(&folder, &trace);
    assert_eq!(found["topology"], "16 ring");
    assert_eq!(found["accuracy"], 1.0, "{found:#}");
}

/// The tags of a multi-partition code depend on the process; its program has the same few lines whatever the number of
/// processes is.
#[test]
fn a_multi_partition_code_is_one_program() {
    let folder = Folder::new();
    for side in [2, 3, 4, 5] {
        let found = of_trace(&folder, &crate::common::nas::bt(side, 8));
        assert_eq!(found["accuracy"], 1.0, "{side}: {found:#}");
        assert_eq!(found["reproduced"], found["calls"]);
        assert!(found["terms"].as_u64().unwrap() < 40, "{side}: {found:#}");
        let text = folder.say("logical -q any.fold").exits(0).stdout;
        assert!(text.contains("tag 2000\n"), "{text}");
        // On two by two processes, the ways forward and back are the same.
        let range = if side == 2 {
            "tags 2000 to 3003"
        } else {
            "tags 3000 to 30"
        };
        assert!(text.contains(range), "{text}");
    }
}

/// The corners of a stencil have few bytes and as many messages as its sides: they are neighbours, too.
#[test]
fn neighbours_with_few_bytes_count_if_they_have_many_messages() {
    let folder = Folder::new();
    let mut trace = String::new();
    let at = |x: i32, y: i32| (0..4).contains(&x) && (0..4).contains(&y);
    for rank in 0..16 {
        let (x, y) = (rank % 4, rank / 4);
        for verb in ["isend", "irecv"] {
            for (dx, dy) in [
                (1, 0),
                (-1, 0),
                (0, 1),
                (0, -1),
                (1, 1),
                (1, -1),
                (-1, 1),
                (-1, -1),
            ] {
                let other = rank + 4 * dy + dx;
                let bytes = if dx * dy == 0 { 1000 } else { 1 };
                trace += &match verb {
                    _ if !at(x + dx, y + dy) => String::new(),
                    "isend" => format!("{rank} isend {other} 1 bytes={bytes}\n"),
                    _ => format!("{other} irecv {rank} 1 bytes={bytes}\n"),
                };
            }
        }
    }
    let found = of_trace(&folder, &trace);
    assert_eq!(found["topology"], "4x4 open 8-p stencil");
    assert_eq!(found["accuracy"], 1.0, "{found:#}");
}

/// Programs that leave out much say so.
#[test]
fn an_incomplete_program_is_reported() {
    let folder = Folder::new();
    // A ring, and many small messages across it.
    let mut trace = String::new();
    for rank in 0..7 {
        for (other, bytes) in [((rank + 1) % 7, 10_000), ((rank * rank + 3) % 7, 1)] {
            trace += &format!("{rank} send {other} 1 bytes={bytes}\n{rank} recv {other} 1\n");
        }
    }
    folder.write("any.trace", trace);
    folder.say("convert -q any.trace any.fold").exits(0);
    let ran = folder.say("logical any.fold").exits(0);
    assert!(ran.stderr.contains("logical.incomplete"), "{ran:#?}");
    let why = "reproduces 57.1 % of the calls: 42.9 % have a peer that is not a neighbour";
    assert!(ran.stderr.contains(why), "{ran:#?}");
}

/// A multigrid is a torus on its fine levels; the coarse ones are outside of it.
#[test]
fn a_multigrid_is_one_program() {
    let folder = Folder::new();
    let found = of_trace(&folder, &crate::common::nas::mg(32, 4, 2));
    assert_eq!(found["missing"], 0, "{found:#}");
    assert_eq!(found["added"], 0, "{found:#}");
}

/// What is said of all processes is what is said of each, and all numbers agree.
#[test]
fn accounts_add_up() {
    for example in EXAMPLES {
        let folder = Folder::with_store(example);
        let found = logical(&folder, &format!("{example}.fold"));
        let number = |key: &str| found[key].as_u64().unwrap();
        let outside = found["outside"]["calls"].as_u64().unwrap();
        assert_eq!(
            number("calls"),
            number("reproduced") + number("missing") + outside
        );
        let all = (number("calls") + number("added")) as f64;
        let accuracy = found["accuracy"].as_f64().unwrap();
        assert!((accuracy - number("reproduced") as f64 / all).abs() < 1e-9);
        assert!(accuracy > 0.9, "{example}: {accuracy}");
        assert!(number("terms") <= number("records"));
        let nodes = found["nodes"].as_array().unwrap();
        assert_eq!(nodes.len() as u64, number("processes"));
    }
}

/// A trace of the program is one of a location, with the calls of the program.
#[test]
fn the_program_is_written_as_a_trace() {
    let folder = Folder::with_store("stencil-9");
    let store = "stencil-9.fold";
    let records = logical(&folder, store)["records"].as_u64().unwrap();
    folder
        .say(&format!("logical -q {store} logical.fold"))
        .exits(0);
    let info = folder.say("info logical.fold --json").exits(0).json();
    assert_eq!(info["locations"], 1);
    assert_eq!(info["events"].as_u64(), Some(3 * records));
    folder.say("verify -q logical.fold --models").exits(0);
    let text = folder.say("print logical.fold --count 9").exits(0).stdout;
    assert!(
        text.contains("send -x") && text.contains("MPI_Bcast"),
        "{text}"
    );
    folder
        .say(&format!("logical -q {store} logical.otf2"))
        .exits(0);
    let again = folder.say("info logical.otf2 --json").exits(0).json();
    assert_eq!(again["events"], info["events"]);
    // It is not replaced unless that is wanted.
    folder
        .say(&format!("logical -q {store} logical.otf2"))
        .exits(5);
}

/// Bytes and times of calls add up to those of the trace.
#[test]
fn calls_are_measured() {
    let folder = Folder::with_store("stencil-9");
    let store = "stencil-9.fold";
    let measured = logical(&folder, &format!("{store} --measure"));
    let matrix = folder.say(&format!("matrix -q {store} --bytes --json"));
    let matrix = matrix.exits(0).json();
    let mut sums = (0, 0);
    add(measured["program"].as_array().unwrap(), &mut sums);
    assert_eq!(Some(sums.0), matrix["messages"].as_u64());
    assert_eq!(Some(sums.1), matrix["bytes"].as_u64());
}

fn add(calls: &[Value], sums: &mut (u64, u64)) {
    for call in calls {
        match &call["loop"]["body"] {
            Value::Array(body) => add(body, sums),
            _ if call["send"].is_string() => {
                sums.0 += call["computing"]["count"].as_u64().unwrap();
                sums.1 += call["bytes"]["sum"].as_u64().unwrap();
            }
            _ => (),
        }
    }
}

#[test]
fn the_topology_can_be_chosen_among_those_that_it_has() {
    let folder = Folder::new();
    let trace = simulated(&folder, "torus");
    of_trace(&folder, &trace);
    let chosen = |name: &str| folder.run(["logical", "any.fold", "--json", "--topology", name]);
    let cube = chosen("2x2x2x2 grid").exits(0).json();
    assert_eq!(cube["topology"], "2x2x2x2 grid");
    let ran = chosen("4x4 grid").exits(2);
    assert!(
        ran.stderr
            .contains("the topologies of the program are 2x2x2x2 grid, 4x2x2 torus, 4x4 torus"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_has_no_topology_is_refused_with_a_hint() {
    let folder = Folder::new();
    // Ranks 0 to 4; a square with a tail.
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (0, 2)];
    let lines = edges.map(|(from, to)| format!("{from} send {to} 1\n{to} recv {from} 1\n"));
    folder.write("any.trace", lines.concat());
    folder.say("convert -q any.trace any.fold").exits(0);
    let ran = folder.say("logical any.fold").exits(2);
    assert!(
        ran.stderr
            .contains("the topology of the processes is unknown"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("--pattern FILE"), "{}", ran.stderr);
    let pattern = "name = \"a square with a tail\"\nnodes = 5\n\
                   edges = [[0, 1], [1, 2], [2, 3], [3, 0], [3, 4], [0, 2]]\n";
    folder.write("my.toml", pattern);
    let found = logical(&folder, "any.fold --pattern my.toml");
    assert_eq!(found["topology"], "5 a square with a tail");
}

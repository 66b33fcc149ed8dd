//! The model of a whole program: merged, written, replayed, predicted, and what follows from it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use foldtrace::program::global::ReplayedProgram;
use foldtrace_trace::ErrorKind;
use insta::assert_snapshot;
use serde_json::Value;

use crate::common::pages::{check, check_strictly, schema};
use crate::common::{EXAMPLES, Folder};

/// Loops of six iterations and a flat end, between two processes; and one message that is never received.
const PAIR: &str = "\
0 send 1 5
0 send 1 5
0 send 1 5
0 send 1 5
0 send 1 5
0 sync MPI_Barrier 0-1
0 send 1 6
0 recv 1 5
0 recv 1 5
0 recv 1 5
0 recv 1 5
0 recv 1 5
1 sync MPI_Barrier 0-1
";

fn pair() -> Folder {
    let folder = Folder::new();
    folder.write("pair.trace", PAIR);
    folder.say("convert pair.trace pair.fold -q").exits(0);
    folder
}

/// What happens in a store, by process: `LABEL` and lines without positions.
fn events(folder: &Folder, store: &str, comm: bool) -> BTreeMap<String, Vec<String>> {
    let info = folder
        .say(&format!("loops {store} --format json --events comm"))
        .exits(0)
        .json();
    let mut all = BTreeMap::new();
    for location in info.as_array().unwrap() {
        let label = location["label"].as_str().unwrap().to_owned();
        let print = folder
            .say(&format!("print {store} --topology -l {label}"))
            .exits(0);
        let lines = print
            .stdout
            .lines()
            .map(|line| line.split_once('\t').unwrap().1);
        // The selection, as the design has it: sends, receives, ends of collective operations.
        let is_comm = |line: &&str| !comm || !line.contains(" local ");
        all.insert(label, lines.filter(is_comm).map(str::to_owned).collect());
    }
    all.retain(|_, lines: &mut Vec<String>| !lines.is_empty());
    all
}

/// Lines of a replay with whose they are.
type Order = Vec<(String, String)>;

/// A replay by process; and the lines in their order.
fn replayed(text: &str) -> (BTreeMap<String, Vec<String>>, Order) {
    let (mut all, mut order) = (BTreeMap::<_, Vec<String>>::new(), Vec::new());
    for line in text.lines() {
        let (place, words) = line.split_once('\t').unwrap();
        let (label, position) = place.rsplit_once(':').unwrap();
        let own = all.entry(label.to_owned()).or_default();
        assert_eq!(own.len().to_string(), position, "{line}");
        own.push(words.to_owned());
        order.push((label.to_owned(), words.to_owned()));
    }
    (all, order)
}

/// No message is received before it was sent: an independent reading of the lines.
fn check_order(order: &[(String, String)]) {
    let mut on_the_way: HashMap<(String, String, String), i64> = HashMap::new();
    for (_, words) in order {
        let parts: Vec<&str> = words.split(' ').collect();
        let [from, verb, to, tag, ..] = parts[..] else {
            continue;
        };
        let channel = (from.to_owned(), to.to_owned(), tag.to_owned());
        match verb {
            "send" | "isend" => *on_the_way.entry(channel).or_default() += 1,
            "recv" | "irecv" => {
                let messages = on_the_way.entry(channel).or_default();
                *messages -= 1;
                assert!(*messages >= 0, "received before it was sent: {words}");
            }
            _ => (),
        }
    }
}

#[test]
fn the_model_gives_every_event_of_every_process_back() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let store = format!("{name}.fold");
        folder.say(&format!("verify --models {store}")).exits(0);
        for selection in ["comm", "all"] {
            let expected = events(&folder, &store, selection == "comm");
            let from_store = folder.say(&format!("replay {store} --global --events {selection}"));
            let (own, order) = replayed(&from_store.exits(0).stdout);
            assert_eq!(own, expected, "{name} {selection}");
            check_order(&order);
            let json = format!("loops {store} --global --format json --events {selection}");
            folder.write("model.json", folder.say(&json).exits(0).stdout);
            let alone = folder.say("replay --global model.json").exits(0).stdout;
            let (own, order) = replayed(&alone);
            assert_eq!(own, expected, "{name} {selection} from the model alone");
            check_order(&order);
        }
    }
}

#[test]
fn models_too_large_to_merge_are_refused() {
    let folder = Folder::with_store("stencil-9");
    for command in [
        "loops stencil-9.fold --global",
        "loops stencil-9.fold --main",
        "matrix stencil-9.fold --construct 1",
        "extract stencil-9.fold --construct 1",
        "replay stencil-9.fold --global",
        "topology stencil-9.fold --by construct",
        "verify stencil-9.fold --models",
    ] {
        let refused = folder.say(&format!("{command} --max-terms 5")).exits(2);
        let said = refused.stderr;
        assert!(
            said.contains("more than 5 events and loops"),
            "{command}: {said}"
        );
        assert!(
            said.contains("--max-terms allows more"),
            "{command}: {said}"
        );
        folder.say(&format!("{command} --max-terms 5000")).exits(0);
    }
    // A triangle with a tail is no known topology, so foldtrace tries loops, too.
    let mut text = String::new();
    for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)] {
        text += &format!("{from} send {to} 7\n{from} recv {to} 7\n");
    }
    folder.write("odd.trace", text);
    let noted = folder.say("topology odd.trace --max-terms 5").exits(0);
    assert!(noted.stderr.contains("topology.constructs"), "{noted:?}");
}

#[test]
fn models_of_programs_are_as_published() {
    let (_, program) = schema("program.schema.json");
    let (_, matrix) = schema("matrix.schema.json");
    let mut seen = String::new();
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        for events in ["all", "comm"] {
            let json = format!("loops {name}.fold --global --format json --events {events}");
            let ran = folder.say(&json).exits(0);
            check(&program, &ran.json());
            seen.push_str(&ran.stdout);
        }
        let json = folder.say(&format!("matrix {name}.fold --json"));
        check_strictly(&matrix, &json.exits(0).json());
        let json = folder.say(&format!("matrix {name}.fold --json --bytes"));
        check(&matrix, &json.exits(0).json());
    }
    let folder = pair();
    let ran = folder
        .say("loops pair.fold --global --format json")
        .exits(0);
    check(&program, &ran.json());
    seen.push_str(&ran.stdout);
    for part in [
        "loop",
        "collective",
        "event",
        "dangling",
        "synchronises",
        "i0",
    ] {
        assert!(seen.contains(part), "no example has {part}");
    }
}

/// Every construct has a number; each event of a process has one position, and all have one.
#[test]
fn positions_of_constructs_cover_each_process_once() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let json = folder
            .say(&format!("loops {name}.fold --global --format json"))
            .json();
        let program = &json[0];
        let processes = program["processes"].as_array().unwrap();
        for (number, process) in processes.iter().enumerate() {
            let mut positions = Vec::new();
            walk(
                &program["model"],
                number as u64,
                &mut Vec::new(),
                &mut positions,
            );
            positions.sort_unstable();
            let count = process["events"].as_u64().unwrap();
            assert_eq!(
                positions,
                (0..count).collect::<Vec<_>>(),
                "{name} {process}"
            );
        }
    }
}

/// The positions that the events of a model have in a process, loop by loop.
fn walk(nodes: &Value, process: u64, indices: &mut Vec<u64>, positions: &mut Vec<u64>) {
    for node in nodes.as_array().unwrap() {
        let processes = node["processes"].as_array().unwrap();
        let Some(own) = processes.iter().position(|p| p.as_u64() == Some(process)) else {
            continue;
        };
        if let Some(inner) = node.get("loop") {
            for index in 0..inner["count"].as_u64().unwrap() {
                indices.push(index);
                walk(&inner["body"], process, indices, positions);
                indices.pop();
            }
        } else {
            positions.push(at(&node["position"][own], indices));
        }
    }
}

/// A position at some indices: a number, or a sum such as `3+2*i0+i1`.
fn at(position: &Value, indices: &[u64]) -> u64 {
    if let Some(number) = position.as_u64() {
        return number;
    }
    let terms = position.as_str().unwrap().split('+').map(|term| {
        let mut factors = term
            .split('*')
            .map(|factor| match factor.strip_prefix('i') {
                Some(depth) => indices[depth.parse::<usize>().unwrap()],
                None => factor.parse().unwrap(),
            });
        factors.by_ref().product::<u64>()
    });
    terms.sum()
}

/// Sums that exceed 64 bits are the greatest number, and a note says so.
#[test]
fn sums_of_bytes_that_exceed_64_bits_are_noted() {
    let folder = Folder::new();
    let message = "0 send 1 1 bytes=18446744073709551614\n1 recv 0 1\n";
    folder.write("many.trace", message.repeat(2));
    folder.say("convert -q many.trace many.fold").exits(0);
    for command in ["matrix --bytes", "topology"] {
        let ran = folder.say(&format!("{command} many.fold")).exits(0);
        assert!(
            ran.stdout.contains("18,446,744,073,709,551,615 bytes"),
            "{ran:#?}"
        );
        assert!(ran.stderr.contains("exceed 64 bits"), "{ran:#?}");
    }
}

#[test]
fn the_matrix_counts_every_message() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let store = format!("{name}.fold");
        let mut expected: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
        for line in folder.say(&format!("print {store}")).stdout.lines() {
            let words: Vec<&str> = line.split([' ', '\t']).collect();
            let Some(verb) = words
                .iter()
                .position(|word| ["send", "isend"].contains(word))
            else {
                continue;
            };
            let rank = |index: usize| words[index].parse().unwrap();
            let bytes = words.iter().find_map(|word| word.strip_prefix("bytes="));
            let pair = expected
                .entry((rank(verb - 1), rank(verb + 1)))
                .or_default();
            pair.0 += 1;
            pair.1 += bytes.map_or(0, |bytes| bytes.parse().unwrap());
        }
        let csv = folder
            .say(&format!("matrix {store} --bytes --format csv"))
            .exits(0)
            .stdout;
        let rows = csv.lines().skip(1).map(|row| {
            let cells: Vec<u64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
            ((cells[0], cells[1]), (cells[2], cells[3]))
        });
        assert_eq!(rows.collect::<BTreeMap<_, _>>(), expected, "{name}");
    }
}

/// Matrices of all constructs of a program together are that of the program.
#[test]
fn matrices_of_constructs_add_up() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let whole = folder
            .say(&format!("matrix {name}.fold --bytes --json"))
            .exits(0)
            .json();
        let model = folder
            .say(&format!("loops {name}.fold --global --format json"))
            .json();
        let constructs = model[0]["model"].as_array().unwrap();
        let mut sums = (0, 0);
        for construct in constructs {
            let number = construct["construct"].as_str().unwrap();
            let part = format!("matrix {name}.fold --bytes --json --construct {number}");
            let part = folder.say(&part).exits(0).json();
            sums.0 += part["messages"].as_u64().unwrap();
            sums.1 += part["bytes"].as_u64().unwrap();
        }
        let all = |key: &str| whole[key].as_u64().unwrap();
        assert_eq!(sums, (all("messages"), all("bytes")), "{name}");
    }
}

#[test]
fn texts_of_small_programs() {
    let folder = pair();
    assert_snapshot!(
        "pair",
        folder
            .say("loops pair.fold --global --positions")
            .exits(0)
            .stdout
    );
    assert_snapshot!(
        "pair_dangling",
        folder.say("loops pair.fold --global").exits(0).report()
    );
    let forced = folder.say("replay pair.fold --global").exits(0);
    assert_eq!(forced.stderr, "");
    for name in ["vcycle-4", "ring-4", "stencil-9"] {
        let folder = Folder::with_store(name);
        let text = folder
            .say(&format!("loops {name}.fold --global --positions"))
            .exits(0)
            .stdout;
        assert_snapshot!(format!("{name}_global"), text);
        let text = folder
            .say(&format!("loops {name}.fold --global --spmd"))
            .exits(0)
            .stdout;
        assert_snapshot!(format!("{name}_spmd"), text);
        let text = folder.say(&format!("matrix {name}.fold")).exits(0).stdout;
        assert_snapshot!(format!("{name}_matrix"), text);
    }
}

#[test]
fn a_receive_without_a_send_goes_on_at_last() {
    let folder = Folder::new();
    folder.write("bad.trace", "0 recv 1 5\n1 send 0 6\n");
    folder.say("convert bad.trace bad.fold -q").exits(0);
    let ran = folder.say("replay bad.fold --global").exits(0);
    assert_eq!(ran.stdout.lines().count(), 2);
    assert_snapshot!(ran.report());
}

#[test]
fn what_is_no_construct() {
    let folder = pair();
    let mut said = String::new();
    for number in ["0", "99", "1.9", "2.1", "x", "", "1..1"] {
        let ran = folder
            .run(["matrix", "pair.fold", "--construct", number])
            .exits(2);
        said.push_str(&ran.report());
    }
    assert_snapshot!(said);
}

#[test]
fn options_that_make_no_sense() {
    let folder = pair();
    let mut said = String::new();
    for options in [
        "loops pair.fold --spmd",
        "loops pair.fold --global --spmd --positions",
        "loops pair.fold --global --spmd --format json",
        "loops pair.fold --format svg",
        "replay pair.fold --global --location 0",
        "predict pair.fold --json --begin 3",
        "predict pair.fold --count 0",
        "matrix pair.fold --json --format csv",
    ] {
        said.push_str(&folder.say(options).exits(2).report());
    }
    assert_snapshot!(said);
}

#[test]
fn what_is_no_model_of_a_program() {
    let folder = pair();
    let mut said = String::new();
    folder.write("none.json", "[]");
    folder.write("other.json", "{\"location\": 1}");
    folder.write(
        "local.json",
        folder.say("loops pair.fold --format json").exits(0).stdout,
    );
    let model = folder
        .say("loops pair.fold --global --format json")
        .exits(0)
        .stdout;
    folder.write(
        "count.json",
        model.replace("\"count\": 5", "\"count\": \"many\""),
    );
    folder.write(
        "process.json",
        model.replace(
            "\"processes\": [\n          0",
            "\"processes\": [\n          7",
        ),
    );
    folder.write("cut.json", &model[..model.len() / 2]);
    for name in ["none", "other", "local", "count", "process", "cut"] {
        let ran = folder.say(&format!("replay --global {name}.json")).exits(4);
        assert_eq!(ran.stdout, "", "{name}");
        said.push_str(&ran.report());
    }
    assert_snapshot!(said);
}

/// Whatever becomes of a model on the way, reading it ends with a model or an error.
#[test]
fn damaged_models_of_programs_are_errors() {
    let folder = pair();
    let model = folder
        .say("loops pair.fold --global --format json")
        .exits(0)
        .stdout;
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..3_000 {
        let mut bytes = model.clone().into_bytes();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..bytes.len());
            match random.u8(0..3) {
                0 => bytes[at] = random.u8(b' '..b'~'),
                1 => bytes[at] = random.u8(b'0'..=b'9'),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let path = Path::new("model.json");
        if let Err(error) = ReplayedProgram::read(path, &bytes) {
            assert_eq!(error.kind, ErrorKind::Malformed);
        }
    }
}

#[test]
fn predictions_are_counted() {
    let folder = Folder::with_store("vcycle-4");
    let lines = folder
        .say("predict vcycle-4.fold --json -n 4")
        .exits(0)
        .json();
    let (_, published) = schema("predict.schema.json");
    check(&published, &lines);
    let mut all = HashSet::new();
    for line in lines.as_array().unwrap() {
        let [events, announced, right] =
            ["events", "announced", "right"].map(|key| line[key].as_u64().unwrap());
        assert!(right <= announced && announced <= events, "{line}");
        assert!(10 * right > 5 * events, "half of a regular program: {line}");
        all.insert(line["label"].as_str().unwrap().to_owned());
    }
    assert_eq!(all.len(), 4);
    assert_snapshot!(
        folder
            .say("predict vcycle-4.fold --events comm -n 8")
            .exits(0)
            .stdout
    );
    let ahead = folder
        .say("predict vcycle-4.fold --events comm -l 0 --begin 30 -n 6")
        .exits(0);
    assert_snapshot!(ahead.stdout);
}

/// A heat map is XML with a cell for each pair.
#[test]
fn heat_maps_have_a_cell_a_pair() {
    let folder = Folder::with_store("stencil-9");
    let svg = folder
        .say("matrix stencil-9.fold --format svg")
        .exits(0)
        .stdout;
    let pairs = folder.say("matrix stencil-9.fold --json").json()["pairs"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(svg.matches("<title>").count(), pairs);
    folder.write("map.svg", svg);
    let lint = folder
        .command("xmllint")
        .args(["--noout", "map.svg"])
        .status()
        .unwrap();
    assert!(lint.success());
}

/// `--main` lists the loops with most time, and its numbers are those that other commands take.
#[test]
fn the_main_loops_are_listed_with_their_numbers() {
    let folder = Folder::with_store("wave-4");
    let text = folder.say("loops wave-4.fold --main").exits(0).stdout;
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains("construct"))
        .skip(1)
        .collect();
    assert_eq!(rows.len(), 3, "{text}");
    let json = folder
        .say("loops wave-4.fold --main --format json")
        .exits(0)
        .json();
    let loops = json.as_array().unwrap();
    assert_eq!(loops.len(), 3);
    // Ten waves forth and back, each a loop of its own.
    assert_eq!(loops[0]["iterations"], 10);
    assert_eq!(loops[0]["instances"], 1);
    for inner in &loops[1..] {
        assert_eq!(inner["iterations"], 8);
        assert_eq!(inner["instances"], 10);
    }
    let shares: Vec<f64> = loops
        .iter()
        .map(|one| one["share"].as_f64().unwrap())
        .collect();
    assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    assert!(
        shares.iter().all(|share| (0.0..=100.0).contains(share)),
        "{shares:?}"
    );
    assert!(shares[1] + shares[2] <= shares[0] + 1e-9, "{shares:?}");
    for (row, one) in rows.iter().zip(loops) {
        let number = one["construct"].as_str().unwrap();
        assert_eq!(row.split_whitespace().next(), Some(number));
        folder
            .say(&format!("matrix wave-4.fold -c {number}"))
            .exits(0);
        folder
            .say(&format!("extract wave-4.fold -c {number}"))
            .exits(0);
    }
    let one = folder.say("loops wave-4.fold --main=1").exits(0).stdout;
    assert!(one.contains(" and 2 more (--main=3)"), "{one}");
    folder.say("loops wave-4.fold --main --format svg").exits(2);
    folder.say("loops wave-4.fold --main --spmd").exits(2);
}

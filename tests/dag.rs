//! The ordered DAG on the command line: of a program whose calls are known, and against the tables of
//! calls and messages, which are found in another way.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int64Type;
use foldtrace_columns::numbers;
use insta::assert_snapshot;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use crate::common::{EXAMPLES, Folder, files};

fn open(path: &Path) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    reader.build().unwrap().map(Result::unwrap).collect()
}

/// The numbers in a column; `None` where it has none.
fn column(batch: &RecordBatch, name: &str) -> Vec<Option<u64>> {
    let column = batch.column_by_name(name).unwrap();
    numbers(column).unwrap().iter().collect()
}

/// (location, position, events, duration) of each call of the table of calls that nests, by name.
fn calls(folder: &Folder, store: &str) -> BTreeMap<String, BTreeSet<[u64; 4]>> {
    folder.say(&format!("derive -q {store} calls")).exits(0);
    let table = folder.path(store).join("derived/calls");
    let mut calls: BTreeMap<String, BTreeSet<[u64; 4]>> = BTreeMap::new();
    for batch in files(&table)
        .iter()
        .flat_map(|file| open(&table.join(file)))
    {
        let [location, begin, end] =
            ["location", "begin_position", "end_position"].map(|name| column(&batch, name));
        let duration = batch.column_by_name("duration").unwrap();
        let duration = duration.as_primitive::<Int64Type>();
        let misnested = batch.column_by_name("misnested").unwrap().as_boolean();
        let names = batch.column_by_name("name").unwrap();
        let names = arrow::compute::cast(names, &arrow::datatypes::DataType::Utf8).unwrap();
        for row in 0..batch.num_rows() {
            if let (Some(begin), Some(end), false) = (begin[row], end[row], misnested.value(row)) {
                let name = names.as_string::<i32>().value(row).to_owned();
                let ticks = duration.value(row) as u64;
                let call = [location[row].unwrap(), begin, end - begin + 1, ticks];
                calls.entry(name).or_default().insert(call);
            }
        }
    }
    calls
}

fn dag(folder: &Folder, store: &str) -> Value {
    let command = format!("dag -q {store} --format json --without recursion");
    folder.say(&command).exits(0).json()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn the_tree_of_a_process() {
    let folder = Folder::with_store("vcycle-4");
    let ran = folder
        .say("dag vcycle-4.fold --location 1 --depth 12")
        .exits(0);
    assert_snapshot!("tree", ran.stdout);
    assert_snapshot!("tree_notes", ran.report());
    let ran = folder.say("dag -q vcycle-4.fold --location 1 --threshold 5% --depth 3");
    assert_snapshot!("tree_above_5_percent", ran.exits(0).stdout);
}

#[test]
fn table_one_is_as_counted_by_hand() {
    let folder = Folder::with_store("vcycle-4");
    let table = |options: &str| {
        let command = format!("dag -q vcycle-4.fold --compaction --json {options}");
        folder.say(&command).exits(0).json()
    };
    // Counted by hand in examples/vcycle-4/README.md.
    let all = table("");
    assert_eq!(
        all["before"],
        json!({"nodes": 8871, "edges": 8867, "messages": 624})
    );
    assert_eq!(
        all["after"],
        json!({"nodes": 64, "edges": 146, "messages": 6})
    );
    assert!(all["compaction"].as_f64().unwrap() > 78.0);
    assert!(all["folded"]["compaction"].as_f64() >= all["compaction"].as_f64());
    let one = table("--location 1");
    assert_eq!(one["before"]["nodes"], 2426);
    assert_eq!(
        (&one["after"]["nodes"], &one["after"]["edges"]),
        (&json!(37), &json!(52))
    );
    let flat = table("--location 1 --without recursion");
    assert_eq!(
        (&flat["after"]["nodes"], &flat["after"]["edges"]),
        (&json!(40), &json!(70))
    );

    // Each rule makes it smaller, and none changes what it is made of.
    let after = |table: &Value| {
        let counts = ["nodes", "edges", "messages"].map(|name| number(&table["after"][name]));
        counts.iter().sum::<u64>()
    };
    for rule in ["repeats", "sharing", "recursion", "messages"] {
        let without = table(&format!("--without {rule}"));
        assert_eq!(without["before"], all["before"], "{rule}");
        assert!(after(&without) > after(&all), "{rule}");
    }
    let none = "--without repeats --without sharing --without recursion --without messages";
    let none = table(none);
    assert_eq!(none["after"], all["before"]);
    assert_eq!(none["compaction"], 0.0);
    let ran = folder.say("dag -q vcycle-4.fold --compaction").exits(0);
    assert_snapshot!("table", ran.stdout);
}

#[test]
fn examples_are_as_compact_as_those_of_the_paper() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let table = folder
            .say(&format!("dag -q {name}.fold --compaction --json"))
            .exits(0)
            .json();
        let [paper, folded] = [&table["compaction"], &table["folded"]["compaction"]]
            .map(|compaction| compaction.as_f64().unwrap());
        assert!(paper > 49.0, "{name}: {paper}");
        assert!(folded > 79.0 && folded >= paper, "{name}: {folded}");
    }
}

#[test]
fn nodes_are_the_calls_of_the_table() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let store = format!("{name}.fold");
        let calls = calls(&folder, &store);
        let dag = dag(&folder, &store);
        let mut found: BTreeMap<String, BTreeSet<[u64; 4]>> = BTreeMap::new();
        let nodes = dag["nodes"].as_array().unwrap();
        for node in nodes.iter().filter(|node| node["kind"] == "call") {
            let command = format!("dag -q {store} --without recursion --occurrences --json --node");
            let ran = folder.say(&format!("{command} {}", node["node"])).exits(0);
            let lines = ran.stdout.lines();
            let lines: Vec<Value> = lines
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            assert_eq!(lines.len() as u64, number(&node["occurrences"]));
            let of_name = found
                .entry(node["name"].as_str().unwrap().to_owned())
                .or_default();
            for line in &lines {
                assert_eq!(line["events"], node["events"]);
                let fields = ["location", "position", "events", "duration"];
                assert!(of_name.insert(fields.map(|field| number(&line[field]))));
            }
            let ran = folder
                .say(&format!("{command} {} --stats", node["node"]))
                .exits(0);
            let (stats, durations) = (
                ran.json(),
                lines.iter().map(|line| number(&line["duration"])),
            );
            // The clocks of examples tick in nanoseconds.
            assert_eq!(number(&stats["count"]), lines.len() as u64);
            assert_eq!(number(&stats["total"]), durations.clone().sum::<u64>());
            assert_eq!(stats["min"], durations.clone().min().unwrap());
            assert_eq!(stats["max"], durations.clone().max().unwrap());
            let mut sorted: Vec<u64> = durations.collect();
            sorted.sort();
            let median = sorted[(sorted.len() - 1) / 2] as f64;
            let given = number(&stats["median"]) as f64;
            assert!(
                (given - median).abs() <= median / 500.0 + 1.0,
                "{given} for {median}"
            );
            let ranges = stats["histogram"].as_array().unwrap();
            let all: u64 = ranges.iter().map(|range| number(&range["count"])).sum();
            assert_eq!(all, lines.len() as u64);
        }
        // What is left out of order ends where it is left in the table, and is open in the DAG.
        let mut calls = calls;
        let open = nodes.iter().filter(|node| node["kind"] == "open_call");
        let open: BTreeSet<&str> = open.map(|node| node["name"].as_str().unwrap()).collect();
        for name in open {
            calls.remove(name);
            found.remove(name);
        }
        assert_eq!(found, calls, "{name}");
    }
}

#[test]
fn messages_are_those_of_the_table() {
    for name in ["ring-4", "wave-4", "tree-4", "farm-5", "vcycle-4"] {
        let folder = Folder::with_store(name);
        let store = format!("{name}.fold");
        folder.say(&format!("derive -q {store} messages")).exits(0);
        let mut expected = BTreeSet::new();
        for batch in open(&folder.path(&store).join("derived/messages.parquet")) {
            let columns = [
                "send_location",
                "send_position",
                "receive_location",
                "receive_position",
            ];
            let columns = columns.map(|name| column(&batch, name));
            expected.extend(
                (0..batch.num_rows())
                    .map(|row| [0, 1, 2, 3].map(|column: usize| columns[column][row].unwrap())),
            );
        }
        let dag = dag(&folder, &store);
        let mut found = BTreeSet::new();
        let mut callers = BTreeSet::new();
        for message in dag["messages"].as_array().unwrap() {
            let [sender, receiver] = [&message["sender"], &message["receiver"]];
            assert!(callers.insert((sender.to_string(), receiver.to_string())));
            let before = found.len();
            for run in message["runs"].as_array().unwrap() {
                let [send, send_step, receive, receive_step] =
                    ["send", "send_step", "receive", "receive_step"].map(|name| number(&run[name]));
                for n in 0..number(&run["messages"]) {
                    let at = [send + n * send_step, receive + n * receive_step];
                    let [from, to] = [&sender["location"], &receiver["location"]].map(number);
                    assert!(found.insert([from, at[0], to, at[1]]));
                }
            }
            assert_eq!((found.len() - before) as u64, number(&message["messages"]));
        }
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn pictures_and_stacks_are_what_others_read() {
    let folder = Folder::with_store("vcycle-4");
    let dot = folder
        .say("dag -q vcycle-4.fold --format dot --depth 20")
        .exits(0)
        .stdout;
    let mut graphviz = folder.command("dot");
    let graphviz = graphviz
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut graphviz = graphviz.spawn().unwrap();
    graphviz
        .stdin
        .take()
        .unwrap()
        .write_all(dot.as_bytes())
        .unwrap();
    let drawn = graphviz.wait_with_output().unwrap();
    assert!(drawn.status.success());
    let drawn = String::from_utf8(drawn.stdout).unwrap();
    assert_eq!(drawn.matches("class=\"node\"").count(), 64);

    let svg = folder
        .say("dag -q vcycle-4.fold --format svg --depth 20")
        .exits(0)
        .stdout;
    folder.write("dag.svg", &svg);
    let mut lint = folder.command("xmllint");
    assert!(
        lint.args(["--noout", "dag.svg"])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(svg.matches("<g>").count(), 64);

    let stacks = folder
        .say("dag -q vcycle-4.fold --format folded")
        .exits(0)
        .stdout;
    let mut options = inferno::flamegraph::Options::default();
    let mut flames = Vec::new();
    inferno::flamegraph::from_lines(&mut options, stacks.lines(), &mut flames).unwrap();
    let flames = String::from_utf8(flames).unwrap();
    assert!(flames.contains("<title>coarse_solve ("), "{flames}");
    // What has no calls within it weighs what it took, on whichever stacks it is.
    let calls = calls(&folder, "vcycle-4.fold");
    for name in [
        "relax",
        "solve_point",
        "MPI_Send",
        "MPI_Recv",
        "MPI_Allreduce",
    ] {
        let tops = stacks.lines().filter_map(|line| {
            let (names, weight) = line.rsplit_once(' ').unwrap();
            let is_top = names.rsplit(';').next() == Some(name);
            is_top.then(|| weight.parse::<u64>().unwrap())
        });
        let took = calls[name].iter().map(|call| call[3]);
        assert_eq!(tops.sum::<u64>(), took.sum::<u64>(), "{name}");
    }
    let ran = folder
        .say("dag -q vcycle-4.fold --format folded --weight calls")
        .exits(0);
    let splits = ran.stdout.lines().filter(|line| line.contains(";split "));
    let splits: u64 = splits
        .map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap())
        .sum();
    assert_eq!(splits, 880, "220 calls on each of 4 ranks");
}

/// A process that calls `inner` so many times in each of so many calls of `outer`.
fn program(inner: usize, outer: usize) -> String {
    let mut text = String::new();
    let mut time = 0;
    let mut line = |what: &str| {
        time += 10;
        writeln!(text, "0 local {what} time={time}").unwrap();
    };
    for _ in 0..outer {
        line("enter outer");
        for _ in 0..inner {
            line("enter inner");
            line("leave inner");
        }
        line("leave outer");
    }
    text
}

#[test]
fn what_two_stores_have_in_common() {
    let folder = Folder::new();
    for (name, inner, outer) in [("a", 2, 5), ("b", 3, 5), ("c", 2, 7)] {
        folder.write(&format!("{name}.trace"), program(inner, outer));
        folder
            .say(&format!("convert -q {name}.trace {name}.fold"))
            .exits(0);
    }
    let ran = folder.say("dag a.fold b.fold --diff").exits(0);
    assert_snapshot!("diff_of_inner_calls", ran.stdout);
    let ran = folder.say("dag a.fold c.fold --diff").exits(0);
    assert_snapshot!("diff_of_outer_calls", ran.stdout);
    let same = folder
        .say("dag a.fold a.fold --diff --json")
        .exits(0)
        .json();
    assert_eq!(same["common"].as_array().unwrap().len(), 3);
    for list in ["changed", "only_first", "only_second"] {
        assert_eq!(same[list], json!([]), "{list}");
    }
}

#[test]
fn patterns_are_found() {
    let folder = Folder::with_store("vcycle-4");
    folder.write(
        "steps.pattern",
        "# four of the calls at the end of a step\npattern norm\n  residual_norm\n    exchange\n    MPI_All*\n\
         pattern relaxed\n  relax {2}\npattern step\n  vcycle +\n  residual_norm\npattern never\n  nothing\n",
    );
    let ran = folder
        .say("dag -q vcycle-4.fold --pattern steps.pattern")
        .exits(0);
    assert_snapshot!("patterns", ran.stdout);
    let found = folder
        .say("dag -q vcycle-4.fold --pattern steps.pattern --json")
        .exits(0)
        .json();
    let counts: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|p| number(&p["count"]))
        .collect();
    // 4 steps on each of 4 ranks; 200 times smooth on each, with relax three times.
    assert_eq!(counts, [16, 800, 16, 0]);
    let ran = folder
        .say("dag -q vcycle-4.fold --pattern steps.pattern --occurrences")
        .exits(0);
    assert_eq!(ran.stdout.lines().count(), 1 + 16 + 800 + 16);
    // Each occurrence begins with the call that the pattern begins with.
    for line in ran.stdout.lines().skip(1).step_by(37) {
        let fields: Vec<_> = line.split('\t').collect();
        let [pattern, location, position, events] = fields[..] else {
            panic!("{line}")
        };
        let at = format!(
            "print vcycle-4.fold --location {location} --begin {position} --count {events}"
        );
        let printed = folder.say(&at).exits(0).stdout;
        let first = match pattern {
            "norm" => "enter residual_norm",
            "relaxed" => "enter relax",
            _ => "enter vcycle",
        };
        assert!(
            printed.lines().next().unwrap().contains(first),
            "{line}: {printed}"
        );
        assert!(
            printed.lines().last().unwrap().contains("leave"),
            "{line}: {printed}"
        );
        if pattern == "relaxed" {
            assert_eq!(events, "4");
        }
    }
}

#[test]
fn the_tables_are_the_dag() {
    let folder = Folder::with_store("vcycle-4");
    folder.write("norm.pattern", "pattern norm\n  residual_norm\n");
    let show = || {
        ["", "--json", "--format json", "--format dot"].map(|options| {
            let ran = folder.say(&format!("dag -q vcycle-4.fold {options}"));
            ran.exits(0).stdout
        })
    };
    let grown = show();
    let ran = folder
        .say("derive vcycle-4.fold dag --pattern norm.pattern")
        .exits(0);
    assert!(ran.stderr.contains("64 nodes"), "{ran:?}");
    folder.say("verify vcycle-4.fold").exits(0);
    assert!(show() == grown, "the tables give what growing gives");
    let rows = |table: &str| {
        let path = folder.path(format!("vcycle-4.fold/models/dag_{table}.parquet"));
        open(&path).iter().map(RecordBatch::num_rows).sum::<usize>()
    };
    assert_eq!((rows("nodes"), rows("edges"), rows("roots")), (64, 146, 4));
    assert_eq!((rows("messages"), rows("patterns")), (6, 1));
    let counts = open(&folder.path("vcycle-4.fold/models/dag_patterns.parquet"));
    assert_eq!(column(&counts[0], "count"), [Some(16)]);
    let ran = folder.say("derive -q vcycle-4.fold dag").exits(0);
    assert_eq!(ran.stderr, "");
    assert!(
        !folder
            .path("vcycle-4.fold/models/dag_patterns.parquet")
            .exists()
    );
}

#[test]
fn what_cannot_be_shown() {
    let folder = Folder::with_store("ring-4");
    folder.write("bad.pattern", "  call\n");
    let report = |arguments: &str, code| {
        folder
            .say(&format!("dag -q {arguments}"))
            .exits(code)
            .report()
    };
    let ran = folder
        .say("dag -q ring-4.fold --node 33 --occurrences --json")
        .exits(0);
    let all: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (number(&all["position"]), number(&all["events"])),
        (0, 134),
        "a root"
    );
    assert_snapshot!("no_store", report("missing.fold", 4));
    assert_snapshot!(
        "no_node",
        report("ring-4.fold --node 1000 --occurrences", 2)
    );
    assert_snapshot!("no_location", report("ring-4.fold --location 9", 2));
    assert_snapshot!("no_other_store", report("ring-4.fold --diff", 2));
    assert_snapshot!(
        "no_pattern_file",
        report("ring-4.fold --pattern missing.pattern", 4)
    );
    assert_snapshot!("no_pattern", report("ring-4.fold --pattern bad.pattern", 4));
    let ran = folder
        .say("derive -q ring-4.fold calls --pattern bad.pattern")
        .exits(4);
    assert_snapshot!("no_pattern_to_derive", ran.report());
    folder.write("nothing.trace", "# nothing has happened yet\n");
    folder
        .say("convert -q nothing.trace nothing.fold --from text")
        .exits(0);
    for options in [
        "",
        "--compaction",
        "--format json",
        "--format svg",
        "--format dot",
        "--format folded",
    ] {
        folder
            .say(&format!("dag -q nothing.fold {options}"))
            .exits(0);
    }
}

/// A store whose tables of the DAG were damaged is an error, whatever byte it is, and never a crash.
#[test]
fn damaged_tables() {
    let folder = Folder::with_store("ring-4");
    folder.say("derive -q ring-4.fold dag").exits(0);
    let path = |table: &str| folder.path(format!("ring-4.fold/models/dag_{table}.parquet"));

    // An edge that leads to its own parent.
    let whole = fs::read(path("edges")).unwrap();
    let batch = open(&path("edges")).remove(0);
    let mut columns = batch.columns().to_vec();
    columns[2] = columns[0].clone();
    let circular = RecordBatch::try_new(batch.schema(), columns).unwrap();
    let file = File::create(path("edges")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&circular).unwrap();
    writer.close().unwrap();
    assert_snapshot!(
        "circular",
        folder.say("dag -q ring-4.fold").exits(4).report()
    );
    fs::write(path("edges"), whole).unwrap();

    let mut random = fastrand::Rng::with_seed(6);
    for table in ["nodes", "edges", "roots", "symbols"] {
        let whole = fs::read(path(table)).unwrap();
        for _ in 0..40 {
            let mut damaged = whole.clone();
            damaged[random.usize(..whole.len())] ^= 1 << random.u32(..8);
            fs::write(path(table), damaged).unwrap();
            let ran = folder.say("dag -q ring-4.fold --json");
            assert!(matches!(ran.code, Some(0 | 4)), "{ran:?}");
        }
        fs::write(path(table), whole).unwrap();
    }
    folder.say("verify ring-4.fold").exits(0);
}

/// Metric events stand beside each enter and leave; two locations have nothing else.
const METRICS: &str = "\
#: string id=0 \"main\"
#: string id=1 \"cycles\"
#: region id=0 name=0
#: metric_member id=0 name=1 value_type=4 base=1 exponent=0
#: metric_class id=0 members=0
0 local metric metric=0 time=0 value.0=uint64:5
0 local enter main time=0
0 send 1 7 time=40
0 local metric metric=0 time=100 value.0=uint64:9
0 local leave main time=100
1 local enter main time=0
0 recv 1 7 time=50
1 local leave main time=100
0.1 local metric metric=0 time=0 value.0=uint64:1
0.1 local metric metric=0 time=900 value.0=uint64:2
0.2 local metric metric=0 time=0 value.0=uint64:1
0.2 local metric metric=0 time=900 value.0=uint64:2
";

fn metrics() -> Folder {
    let folder = Folder::new();
    folder.write("run.trace", METRICS);
    folder.say("convert run.trace run.fold").exits(0);
    folder
}

#[test]
fn metric_events_are_left_out_unless_asked_for() {
    let folder = metrics();
    let tree = folder.say("dag run.fold").exits(0).stdout;
    let calls = tree.lines().filter(|line| line.ends_with(" main")).count();
    assert_eq!(calls, 2, "{tree}");
    assert!(!tree.contains("metric cycles"), "{tree}");
    assert!(tree.contains(" 50.0 %"), "{tree}");
    assert!(
        tree.contains("6 metric events not shown: --metrics\n"),
        "{tree}"
    );
    assert!(
        tree.contains("2 locations with metric events only"),
        "{tree}"
    );
    for format in ["dot", "svg"] {
        let picture = folder
            .say(&format!("dag run.fold --format {format}"))
            .exits(0)
            .stdout;
        assert!(
            picture.contains("main") && !picture.contains("metric"),
            "{picture}"
        );
    }
    let tree = folder.say("dag run.fold --metrics").exits(0).stdout;
    assert!(tree.contains("metric cycles"), "{tree}");
    assert!(!tree.contains("not shown"), "{tree}");
    // The model itself has everything.
    let json = folder.say("dag run.fold --format json").exits(0).stdout;
    assert!(json.contains("metric cycles"), "{json}");
}

#[test]
fn locations_with_metric_events_only_do_not_dilute_predictions() {
    let folder = metrics();
    let text = folder.say("predict run.fold").exits(0).stdout;
    let left_out = " 2 locations with metric events only left out\n";
    assert!(text.ends_with(left_out), "{text}");
    let report = folder.say("predict run.fold --json").exits(0).json();
    let lines = report.as_array().unwrap().iter();
    let events = lines.filter(|line| line["has_only_metrics"] == false);
    let events: u64 = events.map(|line| line["events"].as_u64().unwrap()).sum();
    let all = text
        .lines()
        .find(|line| line.trim_start().starts_with("all"));
    let in_all = all.unwrap().split_whitespace().nth(1);
    assert_eq!(in_all, Some(&*events.to_string()), "{text}");
}

/// In a picture with many nodes, equal processes are drawn once, whatever their peers and the numbers of their messages.
#[test]
fn a_large_picture_has_equal_processes_once() {
    let folder = Folder::new();
    let mut trace = String::new();
    for rank in 0..60 {
        writeln!(trace, "{rank} local enter main time=0").unwrap();
        let [to, from] = [(rank + 1) % 60, (rank + 59) % 60];
        for _ in 0..=rank % 3 {
            writeln!(trace, "{rank} local enter MPI_Send time=1").unwrap();
            writeln!(trace, "{rank} send {to} {rank} time=2").unwrap();
            writeln!(trace, "{rank} local leave MPI_Send time=3").unwrap();
        }
        for _ in 0..=from % 3 {
            writeln!(trace, "{rank} local enter MPI_Recv time=4").unwrap();
            writeln!(trace, "{from} recv {rank} {from} time=5").unwrap();
            writeln!(trace, "{rank} local leave MPI_Recv time=6").unwrap();
        }
        writeln!(trace, "{rank} local leave main time=10").unwrap();
    }
    trace += "60 local enter main time=0\n60 local leave main time=10\n";
    folder.write("ring.trace", trace);
    let picture = folder.say("dag -q ring.trace --format svg").exits(0).stdout;
    let names = picture.split("<text class=\"name\"").skip(1);
    let names = names.map(|text| text.split(['>', '<']).nth(1).unwrap());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    let expected = [
        "MPI_Recv",
        "MPI_Send",
        "location 60",
        "locations 0-59",
        "main",
        "main",
        "mpi_recv",
        "mpi_send",
    ];
    assert_eq!(names, expected);
    // 20 processes send one message, 20 two, and 20 three.
    for text in ["60 nodes ×120", ">×1 to 3<", "calls of a region"] {
        assert!(picture.contains(text), "{text}");
    }
    // As a graph, each node is drawn.
    let graph = folder.say("dag -q ring.trace --format dot").exits(0).stdout;
    assert!(graph.matches("[label=\"MPI_Send").count() == 60, "{graph}");
}

#[test]
fn only_folded_stacks_have_weights() {
    let folder = metrics();
    let ran = folder.say("dag run.fold --weight calls").exits(2);
    assert!(ran.stderr.contains("--format folded"), "{ran:#?}");
}

#[test]
fn locations_with_metric_events_only_do_not_dilute_patterns() {
    let folder = metrics();
    let text = folder.say("patterns run.fold").exits(0).stdout;
    assert!(
        text.contains("\n 2 locations with metric events only left out\n"),
        "{text}"
    );
    let all = text
        .lines()
        .find(|line| line.trim_start().starts_with("all"));
    assert_eq!(
        all.and_then(|line| line.split_whitespace().nth(1)),
        Some("8"),
        "{text}"
    );
    let json = folder.say("patterns run.fold --json").exits(0).json();
    let locations = json["locations"].as_array().unwrap().iter();
    let only = locations.filter(|location| location["has_only_metrics"] == true);
    assert_eq!(only.count(), 2);
}

#[test]
fn print_names_metrics_in_a_comment() {
    let folder = metrics();
    let printed = folder
        .say("print run.fold --location 0.0 --count 1")
        .exits(0)
        .stdout;
    let expected = "0\t0 local metric metric=0 time=0 value.0=uint64:5 # cycles=5\n";
    assert_eq!(printed, expected);
    assert_eq!(
        folder.say("print run.fold --at 0.0:0").exits(0).stdout,
        expected
    );
    // A line without its position is still a line of a text trace.
    let line = expected.split_once('\t').unwrap().1;
    let definitions: String = METRICS
        .lines()
        .filter(|l| l.starts_with('#'))
        .map(|l| format!("{l}\n"))
        .collect();
    folder.write("again.trace", definitions + line);
    let again = folder.say("print again.trace").exits(0).stdout;
    assert!(again.ends_with("value.0=uint64:5 # cycles=5\n"), "{again}");
}

#[test]
fn occurrences_of_nothing_are_a_usage_error() {
    let folder = metrics();
    for options in [
        "--occurrences",
        "--occurrences --compaction",
        "--occurrences --format svg",
    ] {
        let ran = folder.say(&format!("dag run.fold {options}")).exits(2);
        assert!(ran.stderr.contains("--node"), "{ran:?}");
    }
    folder.say("dag run.fold --occurrences --node 0").exits(0);
}

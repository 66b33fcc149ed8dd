//! Many locations, little memory, few open files.

#[path = "../examples/interleaved/program.rs"]
mod program;
#[path = "../examples/interleaved/syntax.rs"]
#[allow(dead_code)]
mod syntax;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, ErrorKind};
use std::process::{Command, Stdio};

use crate::common::{Folder, Ran};
use program::Program;
use syntax::{Syntax, Text};

/// Locations, and how often each sends to the next.
const LOCATIONS: u64 = 2_000;
const ROUNDS: u64 = 4;

fn ring() -> String {
    let mut text = String::new();
    for round in 0..ROUNDS {
        for rank in 0..LOCATIONS {
            let (next, time) = ((rank + 1) % LOCATIONS, round * 1000);
            writeln!(text, "{rank} send {next} 1 time={time} bytes=8").unwrap();
            writeln!(text, "{next} recv {rank} 1 time={} bytes=8", time + 9).unwrap();
        }
    }
    text
}

/// Archives have two files a location, stores at most 256 parts; neither is open all the time.
#[test]
fn thousands_of_locations_need_few_files_and_little_memory() {
    let folder = Folder::new();
    folder.write("ring.trace", ring());
    let with_few_files = |arguments: &str| {
        let foldtrace = env!("CARGO_BIN_EXE_foldtrace");
        let command = format!("ulimit -n 64; exec {foldtrace} -q {arguments}");
        let status = Command::new("sh")
            .args(["-c", &command])
            .env("RAYON_NUM_THREADS", "8")
            .current_dir(folder.path(""))
            .status()
            .unwrap();
        assert!(status.success(), "{command}");
    };
    for (from, to) in [
        ("ring.trace", "ring.otf2"),
        ("ring.otf2", "ring.fold"),
        ("ring.fold", "again/traces.otf2"),
    ] {
        with_few_files(&format!("convert {from} {to} --memory 16M"));
        let info = folder.say(&format!("info --json {to}")).exits(0).json();
        assert_eq!(info["events"], 2 * LOCATIONS * ROUNDS, "{to}");
        assert_eq!(info["locations"], LOCATIONS, "{to}");
    }
    with_few_files("derive ring.fold messages");
    folder.say("verify ring.fold").exits(0);
}

/// The bytes of a program of 250 locations in global time order, through a pipe, with a limit to the
/// memory that a process may write to. A hundred bytes an event would be twice as much.
fn converts_in_little_memory(syntax: &mut impl Syntax, from: &str, irregular: bool) {
    let folder = Folder::new();
    let foldtrace = env!("CARGO_BIN_EXE_foldtrace");
    let command = format!("ulimit -d 60000; exec {foldtrace} -q convert - run.fold --from {from}");
    let mut child = Command::new("sh")
        .args(["-c", &command])
        .env("RAYON_NUM_THREADS", "2")
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let input = BufWriter::new(child.stdin.take().unwrap());
    let written = syntax::write(Program::new(250, irregular), syntax, 40_000_000, input);
    assert!(child.wait().unwrap().success(), "{from}, {irregular}");
    written.unwrap();
    folder.say("verify run.fold").exits(0);
}

#[test]
fn what_does_not_repeat_needs_no_memory_either() {
    converts_in_little_memory(&mut Text, "text", true);
}

#[test]
fn a_thousand_turns_need_as_little_as_one() {
    converts_in_little_memory(&mut Text, "text", false);
}

/// Messages with tags of their own: each event is a symbol. The symbols take 10 MB, the rows of their table, with a
/// column for each operand, ten times as much; those of a merged model even more.
#[test]
fn a_tag_for_each_message_needs_little_memory() {
    const MESSAGES: u64 = 100_000;
    let folder = Folder::new();
    let mut text = String::new();
    for tag in 0..MESSAGES {
        let (sender, receiver) = (tag % 16, (tag + 1) % 16);
        writeln!(text, "{sender} send {receiver} {tag}").unwrap();
        writeln!(text, "{receiver} recv {sender} {tag}").unwrap();
    }
    folder
        .feed("convert - tags.fold --from text", text)
        .exits(0);
    let foldtrace = env!("CARGO_BIN_EXE_foldtrace");
    let within = |arguments: &str| {
        let command = format!("ulimit -d 54000; exec {foldtrace} {arguments}");
        let mut shell = folder.command("sh");
        let output = shell.args(["-c", &command]).env("RAYON_NUM_THREADS", "2");
        Ran::from(output.output().unwrap()).exits(0).json()
    };
    assert_eq!(within("info tags.fold --json")["symbols"], 2 * 16);
    assert_eq!(within("matrix tags.fold --json")["messages"], MESSAGES);
}

/// Each of 256 locations has regions of its own. The parts of the new store, one a location, share the table of symbols
/// of the old one; with a table each, they would take 500 MB.
#[test]
fn a_store_of_a_store_needs_the_table_of_symbols_once() {
    let folder = Folder::new();
    let mut text = String::new();
    for rank in 0..256 {
        for region in 0..60 {
            writeln!(text, "{rank} local enter region_{rank}_{region}").unwrap();
            writeln!(text, "{rank} local leave region_{rank}_{region}").unwrap();
        }
    }
    folder.feed("convert - old.fold --from text", text).exits(0);
    let foldtrace = env!("CARGO_BIN_EXE_foldtrace");
    let command = format!("ulimit -d 120000; exec {foldtrace} convert old.fold new.fold");
    let mut shell = folder.command("sh");
    let output = shell.args(["-c", &command]).env("RAYON_NUM_THREADS", "2");
    Ran::from(output.output().unwrap()).exits(0);
    for file in ["symbols.parquet", "models/loops.parquet"] {
        let [old, new] = ["old.fold", "new.fold"].map(|store| folder.path(store).join(file));
        assert!(fs::read(old).unwrap() == fs::read(new).unwrap(), "{file}");
    }
}

/// `… | foldtrace convert - - --to text | head`: the pipe has no end, and is closed at the far one.
#[test]
fn a_pipe_may_be_endless() {
    let foldtrace = env!("CARGO_BIN_EXE_foldtrace");
    let script = format!(
        "set -o pipefail; ulimit -d 60000
        {foldtrace} -q convert - - --from text --to text | grep send | head -50000 | wc -l"
    );
    let mut child = Command::new("bash")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = BufWriter::new(child.stdin.take().unwrap());
    let written = syntax::write(Program::new(100, true), &mut Text, u64::MAX, input);
    assert_eq!(written.unwrap_err().kind(), ErrorKind::BrokenPipe);
    let output = child.wait_with_output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|s| String::from_utf8(s).unwrap());
    assert_eq!((stdout.trim(), &*stderr), ("50000", ""));
}

#[test]
fn a_bound_that_is_too_low_says_how_much_is_needed() {
    let folder = Folder::with("ring-4");
    let ran = folder.say("convert ring-4 out.fold --memory 1k").exits(2);
    insta::assert_snapshot!(ran.report());
    folder.say("convert ring-4 out.fold --memory much").exits(2);
    assert_eq!(folder.names(), ["ring-4"]);
    folder.say("convert ring-4 out.fold --memory 16M").exits(0);
    folder.say("verify out.fold").exits(0);
}

/// A ring in which each location has symbols and a string of its own. Of a large store, only what a location needs is
/// read: damage to other symbols is not noticed.
#[test]
fn one_of_many_locations_needs_a_few_rows() {
    const LOCATIONS: u64 = 70_000;
    let events = |rank: u64| {
        let next = (rank + 1) % LOCATIONS;
        [
            format!("{rank} local enter work time=1"),
            format!("{rank} local phase_{rank} string={} time=2", rank + 1),
            format!("{rank} send {next} 1 time=3 bytes={rank}"),
            format!("{rank} local leave work time=5"),
        ]
    };
    // Ids of strings are in the output only.
    let input =
        |rank| events(rank).map(|event| event.replace(&format!(" string={}", rank + 1), ""));
    let mut text = (0..LOCATIONS)
        .flat_map(input)
        .collect::<Vec<_>>()
        .join("\n");
    text.push_str("\n69000 sync MPI_Barrier * time=6\n");
    let folder = Folder::new();
    folder
        .feed("convert - ring.fold --from text", text)
        .exits(0);
    let check = |rank: u64| {
        let lines = events(rank).into_iter().enumerate();
        let lines: Vec<_> = lines
            .map(|(at, event)| format!("{at}\t{event}\n"))
            .collect();
        let at = folder.say(&format!("print ring.fold --at {rank}:2 --at {rank}.0:1"));
        assert_eq!(at.exits(0).stdout, [lines[2].as_str(), &lines[1]].concat());
        let all = folder.say(&format!("print ring.fold --location {rank}"));
        assert_eq!(all.exits(0).stdout, lines.concat());
        let model = folder.say(&format!("loops ring.fold --location {rank}"));
        assert!(model.exits(0).stdout.contains(&format!("phase_{rank}")));
        let json = folder.say(&format!("profile ring.fold --location {rank} --json"));
        let profile = json.exits(0).json();
        assert_eq!(profile["regions"][0]["name"], "work");
        assert_eq!(profile["processes"], LOCATIONS);
    };
    [0, 65_535, 69_998].into_iter().for_each(check);
    let sync = folder.say("print ring.fold --at 69000:4").exits(0).stdout;
    assert_eq!(sync, "4\t69000 sync MPI_Barrier 0-69999 time=6\n");
    let missing = folder.say("print ring.fold --at 70000:0");
    assert!(missing.exits(2).report().contains("0 to 69999"));

    let path = folder.path("ring.fold").join("symbols.parquet");
    let mut bytes = fs::read(&path).unwrap();
    bytes[70_000..70_100].fill(0);
    fs::write(&path, bytes).unwrap();
    check(69_998);
    folder.say("print ring.fold").exits(4);
}

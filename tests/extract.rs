//! Extraction: the rows are those of a scan of the whole store that replays the model, whatever is asked for.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use foldtrace::extract::{At, Attribute, Get, Instances, Request};
use foldtrace::fold::Selection;
use insta::assert_snapshot;

use crate::common::scan::{Bench, Truth, constructs, expected, get, scanned};
use crate::common::{EXAMPLES, Folder, Ran};

const SELECTIONS: [Selection; 2] = [Selection::All, Selection::Communication];

const ALL: &str = "position,time,bytes,bytes_received,request,value,offset";

/// Extracts all constructs of both models of a store, in every way.
fn check_store(bench: &Bench) {
    for selection in SELECTIONS {
        let program = &bench.program(selection);
        let truth = Truth::of(bench, program);
        let check = |gets: Vec<Get>, attributes: &str, has_runs: bool| {
            let mut request = Request {
                gets,
                ..Request::default()
            };
            request.add_attributes(&Attribute::parse_list(attributes).unwrap());
            let rows = bench.rows(program, &request);
            let expected = expected(bench, program, &truth, &request, has_runs);
            assert_eq!(rows.len() - 1, expected.len());
            for (row, expected) in rows[1..].iter().zip(&expected) {
                assert_eq!(row, expected, "{:?}", rows[0]);
            }
        };
        let constructs = constructs(program);
        let every = |at| {
            let gets = constructs
                .iter()
                .map(move |(n, _)| get(n, Instances::Construct, at));
            gets.collect::<Vec<_>>()
        };
        for at in [At::First, At::Last, At::After] {
            check(every(at), ALL, false);
        }
        let loops = || constructs.iter().filter(|(_, is_loop)| *is_loop);
        let has_runs = loops().next().is_some();
        check(every(At::Whole), "time,bytes,bytes_received", has_runs);
        if has_runs {
            let iterations = |at| loops().map(move |(n, _)| get(n, Instances::Iterations, at));
            check(iterations(At::Last).collect(), ALL, false);
            let all: Vec<Get> = iterations(At::Whole).chain(every(At::Whole)).collect();
            check(all, "bytes,time", true);
        }
    }
}

#[test]
fn every_construct_of_every_example() {
    for name in EXAMPLES {
        check_store(&Bench::new(
            Folder::with_store(name),
            &format!("{name}.fold"),
        ));
    }
}

#[test]
fn every_construct_of_archives() {
    for name in ["stencil-9", "farm-5"] {
        let folder = Folder::with(name);
        folder
            .say(&format!("convert -q --archive {name} archive.fold"))
            .exits(0);
        check_store(&Bench::new(folder, "archive.fold"));
    }
}

/// Row groups, blocks and pages are passed over here, which the examples are too short for.
#[test]
fn every_construct_of_a_long_trace() {
    let folder = Folder::new();
    let mut text = String::new();
    let mut time = 0;
    for round in 0..3 {
        for step in 0..30_000 {
            time += 3 + step % 7;
            text.push_str(&format!("0 local enter f time={time}\n"));
            text.push_str(&format!("0 send 0 1 time={time} bytes={}\n", step % 10));
            text.push_str(&format!("0 local leave f time={time}\n"));
        }
        time += round;
        text.push_str(&format!("0 send 0 2 time={time} bytes={round}\n"));
    }
    folder.write("long.trace", text);
    for options in ["", "--archive"] {
        let store = format!("long{options}.fold");
        let ran = folder.say(&format!("convert -q long.trace {store} {options}"));
        assert_eq!(ran.exits(0).stderr, "");
    }
    let bench = Bench::new(folder, "long.fold");
    let program = bench.program(Selection::Communication);
    let found = constructs(&program);
    let loops = found.iter().filter(|(_, is_loop)| *is_loop).count();
    assert_eq!((found.len(), loops), (4, 2), "{found:?}");
    check_store(&bench);
    let options: String = found.iter().map(|(n, _)| format!(" -c {n}")).collect();
    let options = format!("--attributes time,bytes{options}");
    let rows = |store| {
        let ran = bench.folder.say(&format!("extract {store} {options}"));
        ran.exits(0).stdout
    };
    assert_eq!(rows("long--archive.fold"), rows("long.fold"));
}

/// Each event of a process is an occurrence of exactly one event of the model.
#[test]
fn events_of_the_model_are_the_events_of_the_store() {
    for name in EXAMPLES {
        let bench = Bench::new(Folder::with_store(name), &format!("{name}.fold"));
        for selection in SELECTIONS {
            let program = bench.program(selection);
            let events = constructs(&program)
                .into_iter()
                .filter(|(_, is_loop)| !is_loop);
            let gets = events.map(|(n, _)| get(&n, Instances::Construct, At::Whole));
            let request = Request {
                gets: gets.collect(),
                attributes: vec![Attribute::Position],
                ..Request::default()
            };
            let rows = bench.rows(&program, &request);
            let at = rows[0].iter().position(|name| name == "position").unwrap();
            let mut found: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            for row in &rows[1..] {
                let positions = found.entry(row[2].parse().unwrap()).or_default();
                positions.push(row[at].parse().unwrap());
            }
            for location in bench.store.locations() {
                let mut positions = found.remove(&location.0).unwrap_or_default();
                positions.sort_unstable();
                let events = scanned(&bench.store, location, selection);
                let expected: Vec<u64> = events.iter().map(|e| e.position).collect();
                assert_eq!(positions, expected, "{name} {location}");
            }
        }
    }
}

/// The text of a model with lines added: before those that begin so, or after them.
fn with_lines(text: &str, added: &[(&str, &str, bool)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (at, line, is_after) in added {
        let is_there = |l: &String| l.trim_start().starts_with(at);
        let place = lines.iter().position(is_there).expect(at);
        lines.insert(place + usize::from(*is_after), (*line).to_owned());
    }
    lines.join("\n")
}

/// The first loop of the outermost level of a text, and its `done`.
fn first_loop(text: &str) -> (String, usize) {
    let line = text.lines().find(|line| line.starts_with("for ")).unwrap();
    let done = text.lines().position(|line| line == "done").unwrap();
    (line.to_owned(), done)
}

fn csv(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().map(cells).collect()
}

#[test]
fn annotations_say_the_same_as_options() {
    let folder = Folder::with_store("stencil-9");
    let store = "stencil-9.fold";
    for positions in ["", "--positions"] {
        let text = folder
            .say(&format!("loops {store} --global {positions}"))
            .exits(0)
            .stdout;
        let (line, done) = first_loop(&text);
        let number = line.split(['[', ']']).nth(1).unwrap().to_owned();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.insert(done + 1, "get \"after\" {0-1,4}.bytes,time <- // behind it");
        let before = lines.iter().position(|l| *l == line).unwrap();
        lines.insert(before, "get \"before\" {0,1,4}.time ->");
        folder.write("model", lines.join("\n"));
        let rows = csv(&folder
            .say(&format!("extract {store} --annotations model"))
            .exits(0)
            .stdout);
        let options =
            |at| format!("extract {store} -c {number} -p 0,1,4 -a time,bytes --part {at}");
        let first = csv(&folder.say(&options("first")).exits(0).stdout);
        let behind = csv(&folder.say(&options("after")).exits(0).stdout);
        let labelled = |rows: &[Vec<String>], label: &str| -> Vec<Vec<String>> {
            let label = |row: &Vec<String>| [&[label.to_owned()], &row[1..]].concat();
            rows[1..].iter().map(label).collect()
        };
        let expected = [labelled(&first, "before"), labelled(&behind, "after")].concat();
        assert_eq!(rows[1..], expected);
        lines.insert(done + 3, "print start,end");
        folder.write("model", lines.join("\n"));
        let rows = csv(&folder
            .say(&format!("extract {store} --annotations model"))
            .exits(0)
            .stdout);
        assert_eq!(
            rows[0].join(" "),
            "label process location start.position start.time start.bytes end.position end.time end.bytes"
        );
        for (row, (first, behind)) in rows[1..].iter().zip(first[1..].iter().zip(&behind[1..])) {
            assert_eq!(row[0], "\"before"); // before,after in quotes
            assert_eq!(row[2..], [&first[1..], &behind[3..]].concat());
        }
        assert_eq!(rows.len(), first.len());
    }
}

/// Constructs may be left out, as figure 8 does.
#[test]
fn annotations_of_a_shortened_text() {
    let folder = Folder::with_store("stencil-9");
    let text = folder.say("loops stencil-9.fold --global").exits(0).stdout;
    let (line, _) = first_loop(&text);
    let number = line.split(['[', ']']).nth(1).unwrap().to_owned();
    let short =
        format!("...\nget \"{number}\" {{*}}.time iterations whole ->\n{line}\n  ...\ndone\n...\n");
    folder.write("model", short);
    let rows = folder
        .say("extract stencil-9.fold --annotations model")
        .exits(0)
        .stdout;
    let options = format!("extract stencil-9.fold --iterations -c {number}");
    assert_eq!(rows, folder.say(&options).exits(0).stdout);
}

#[test]
fn annotations_that_do_not_fit() {
    let folder = Folder::with_store("ring-4");
    let text = folder.say("loops ring-4.fold --global").exits(0).stdout;
    let (line, _) = first_loop(&text);
    let first = text.lines().nth(1).unwrap();
    let last = text.lines().last().unwrap();
    let cases = [
        ("no annotation", text.clone()),
        (
            "another construct",
            text.replace(&*line, "for i0 = 0 to 99"),
        ),
        (
            "the end is missing",
            with_lines(&text, &[]).replace(&format!("\n{last}"), ""),
        ),
        ("too much", format!("{text}{first}\n")),
        (
            "nothing follows",
            format!("{text}get \"a\" {{0}}.time ->\n"),
        ),
        (
            "nothing before",
            with_lines(&text, &[(first, "get \"a\" {0}.time <-", false)]),
        ),
        (
            "no arrow",
            with_lines(&text, &[(first, "get \"a\" {0}.time", false)]),
        ),
        (
            "no label",
            with_lines(&text, &[(first, "get {0}.time ->", false)]),
        ),
        (
            "no processes",
            with_lines(&text, &[(first, "get \"a\" 0.time ->", false)]),
        ),
        (
            "an unknown attribute",
            with_lines(&text, &[(first, "get \"a\" {0}.colour ->", false)]),
        ),
        (
            "an unknown process",
            with_lines(&text, &[(first, "get \"a\" {9}.time ->", false)]),
        ),
        (
            "an unknown label",
            with_lines(&text, &[(first, "print a,b", false)]),
        ),
        (
            "what does not occur together",
            with_lines(
                &text,
                &[
                    (first, "get \"b\" {0,1,2,3}.time <-", true),
                    (&line, "get \"c\" {0}.time iterations ->", false),
                    (&line, "print start,end", false),
                ],
            ),
        ),
    ];
    let mut reports = String::new();
    for (what, text) in cases {
        folder.write("model", text);
        let ran = folder.say("extract ring-4.fold --annotations model");
        assert_eq!(ran.stdout, "", "{what}");
        reports.push_str(&format!("{what}: {}\n", ran.report()));
    }
    assert_snapshot!(reports);
}

#[test]
fn options_that_make_no_sense() {
    let folder = Folder::with_store("ring-4");
    folder
        .say("convert -q ring-4.fold archive.fold --archive")
        .exits(0);
    let program =
        Bench::new(Folder::with_store("ring-4"), "ring-4.fold").program(Selection::Communication);
    let all = constructs(&program);
    let event = all.iter().find(|(_, is_loop)| !is_loop).unwrap().0.clone();
    let of_a_loop = all.iter().find(|(_, is_loop)| *is_loop).unwrap().0.clone();
    let mut reports = String::new();
    for arguments in [
        "extract ring-4.fold".to_owned(),
        "extract ring-4.fold -c 999".to_owned(),
        format!("extract ring-4.fold -c {of_a_loop}.999"),
        format!("extract ring-4.fold -c {event}.1"),
        "extract ring-4.fold -c one".to_owned(),
        "extract ring-4.fold -c 0".to_owned(),
        format!("extract ring-4.fold -c {event} --iterations"),
        format!("extract ring-4.fold -c {event} -p 17"),
        format!("extract ring-4.fold -c {of_a_loop}.1 -p 0-3"),
        format!("extract ring-4.fold -c {event} -a time,colour"),
        format!("extract ring-4.fold -c {of_a_loop} -a request"),
        format!("extract ring-4.fold -c {event} -o rows.xls"),
        format!("extract archive.fold -c {event} --format sql"),
    ] {
        let ran = folder.say(&arguments).exits(2);
        assert_eq!(ran.stdout, "", "{arguments}");
        let report = ran.report();
        reports.push_str(&format!(
            "$ foldtrace {arguments}\n{}\n",
            report.split_once('\n').unwrap().1
        ));
    }
    assert_snapshot!(reports);
    assert_eq!(folder.names(), ["archive.fold", "ring-4.fold"]);
}

/// What a program in C has around the text: each output is a line.
const C: &str = r#"
#include <stdio.h>
#define TIME "time"
#define BYTES "bytes"
#define POSITION "position"
#define output_start(label, ...) printf("%s\n", label)
static void output_val(long process, long position, const char *what) {
    printf("%ld %ld %s\n", process, position, what);
}
static void output_end(void) { printf("end\n"); }
int main(void) {
    long i0, i1, i2; (void)i0; (void)i1; (void)i2;
"#;

#[test]
fn the_loops_of_figure_8_run_as_c() {
    let bench = Bench::new(Folder::with_store("stencil-9"), "stencil-9.fold");
    let folder = &bench.folder;
    for events in ["comm", "all"] {
        let selection = Selection::from_name(events).unwrap();
        let program = bench.program(selection);
        let constructs = constructs(&program);
        // With one attribute each value is a row; all of the positions that C prints count selected events.
        let options: String = constructs
            .iter()
            .take(60)
            .map(|(n, _)| format!(" -c {n}"))
            .collect();
        let options = format!("extract stencil-9.fold{options} --events {events} --part first");
        let text = folder.say(&format!("{options} --format c")).exits(0).stdout;
        let source = format!("{C}{text}    return 0;\n}}\n");
        folder.write("scan.c", source);
        let mut compiler = folder.command("cc");
        compiler.args(["-std=c2x", "-Wall", "-Werror", "-o", "scan", "scan.c"]);
        Ran::from(compiler.output().unwrap()).exits(0);
        let ran = Ran::from(folder.command(folder.path("scan")).output().unwrap()).exits(0);
        // C goes through processes within an occurrence, the table the other way round.
        let mut found: BTreeMap<(String, u64), Vec<u64>> = BTreeMap::new();
        let mut label = String::new();
        for line in ran.stdout.lines().filter(|line| *line != "end") {
            let mut words = line.split(' ');
            let first = words.next().unwrap();
            match (words.next(), words.next()) {
                (Some(position), Some("time")) => {
                    let key = (label.clone(), first.parse().unwrap());
                    found
                        .entry(key)
                        .or_default()
                        .push(position.parse().unwrap());
                }
                _ => label = line.to_owned(),
            }
        }
        let rows = csv(&folder.say(&options).exits(0).stdout);
        let at = rows[0].iter().position(|name| name == "position").unwrap();
        let mut expected: BTreeMap<(String, u64), Vec<u64>> = BTreeMap::new();
        for row in &rows[1..] {
            let key = (row[0].clone(), row[1].parse().unwrap());
            expected
                .entry(key)
                .or_default()
                .push(row[at].parse().unwrap());
        }
        // Positions of the store from those of the model.
        for ((label, rank), ordinals) in &mut found {
            let location = bench.store.names().process(*rank).unwrap().locations[0];
            let events = scanned(&bench.store, location, selection);
            for ordinal in ordinals {
                *ordinal = events[*ordinal as usize].position;
            }
            assert!(expected.contains_key(&(label.clone(), *rank)));
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn emitted_programs() {
    let folder = Folder::with_store("ring-4");
    let text = folder.say("loops ring-4.fold --global").exits(0).stdout;
    let (line, done) = first_loop(&text);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(done + 1, "get \"after\" {0,1}.time <-");
    let before = lines.iter().position(|l| *l == line).unwrap();
    lines.insert(before + 2, "  get \"inner\" {*}.time,bytes ->");
    lines.insert(before, "get \"before\" {0,1}.time ->");
    folder.write("model", lines.join("\n"));
    for language in ["c", "sql", "python"] {
        let options = format!("extract ring-4.fold --annotations model --format {language}");
        let text = folder.say(&options).exits(0).stdout;
        // What is the same in all programs is not pinned.
        let own = match language {
            "python" => text.split_once("def main():").unwrap().1,
            _ => &text,
        };
        assert_snapshot!(format!("emitted_{language}"), own);
    }
}

#[test]
fn a_table_appears_when_it_is_complete_and_replaces_nothing() {
    let folder = Folder::with_store("ring-4");
    folder.write("rows.csv", "all my work");
    let extract = "extract ring-4.fold -c 1 -o rows.csv";
    let ran = folder.say(extract).exits(5);
    assert!(ran.stderr.contains("it already exists"), "{ran:?}");
    assert_eq!(fs::read(folder.path("rows.csv")).unwrap(), b"all my work");
    folder.say(&format!("{extract} --force")).exits(0);
    let rows = fs::read_to_string(folder.path("rows.csv")).unwrap();
    assert_eq!(rows, folder.say("extract ring-4.fold -c 1").exits(0).stdout);
    for name in ["rows.parquet", "rows.arrow"] {
        let extract = format!("extract ring-4.fold -c 1 -o {name}");
        folder.say(&extract).exits(0);
        assert!(Path::new(&folder.path(name)).exists());
    }
    let names = ["ring-4.fold", "rows.arrow", "rows.csv", "rows.parquet"];
    assert_eq!(folder.names(), names);
}

//! Broken inputs: what the user reads, which exit code a script gets, and what stays behind.
//!
//! Without `--salvage` nothing does; with it, what is whole of the input.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::common;
use crate::common::damage::STORE;
use crate::common::{Folder, STORE_COMMANDS};

/// The events of a location of `ring-4`, rank 1.
const EVENTS: &str = "ring-4/eztrace_log/536870911.evt";
/// All events of `ring-4`, and those of each of its locations.
const ALL: u64 = 536;
const EACH: u64 = 134;

#[test]
fn missing() {
    assert_snapshot!(Folder::new().refuses_altogether("nothing.otf2"));
}

#[test]
fn a_folder_without_a_trace() {
    let folder = Folder::new();
    fs::create_dir(folder.path("photos")).unwrap();
    folder.write("photos/one.png", "x");
    assert_snapshot!(folder.refuses_altogether("photos"));
}

#[test]
fn an_empty_folder() {
    let folder = Folder::new();
    fs::create_dir(folder.path("runs")).unwrap();
    assert_snapshot!(folder.refuses_altogether("runs"));
}

#[test]
fn a_folder_of_traces() {
    let folder = Folder::new();
    fs::create_dir(folder.path("runs")).unwrap();
    for name in ["ring-4", "wave-4"] {
        common::copy(&common::example(name), &folder.path("runs").join(name));
    }
    folder.write("runs/notes.txt", "these are my runs\n");
    folder.write(
        "runs/run10.json",
        r#"[{"ph":"B","name":"a","pid":0,"tid":0,"ts":1}]"#,
    );
    assert_snapshot!(folder.refuses_altogether("runs"));
    fs::remove_file(folder.path("runs/run10.json")).unwrap();
    fs::remove_dir_all(folder.path("runs/wave-4")).unwrap();
    assert_snapshot!("a_folder_of_one_trace", folder.refuses_altogether("runs"));
}

/// What could be of several formats is read, and the user learns how.
#[test]
fn a_format_that_is_a_guess_is_named() {
    let folder = Folder::new();
    let note = |name: &str, text: &str| {
        folder.write(name, text);
        let stderr = folder.say(&format!("info {name}")).exits(0).stderr;
        assert_eq!(folder.say(&format!("-q info {name}")).exits(0).stderr, "");
        stderr
    };
    let guess = |name: &str, format: &str| {
        format!("note: {name} is read as '{format}', which is a guess; --from names its format\n")
    };
    assert_eq!(note("a.txt", "0 send 1\n"), guess("a.txt", "ti"));
    assert_eq!(note("b.txt", "0 send 1 17\n"), guess("b.txt", "text"));
    assert_eq!(note("c.txt", "[]"), guess("c.txt", "chrome"));
    let print = folder.say("print b.txt").exits(0).stderr;
    assert_eq!(print, guess("b.txt", "text"));
    for (name, text) in [
        ("b.trace", "0 send 1 17\n"),
        ("d.txt", "0 send 1 17\n1 recv 0 17 bytes=8\n"),
        ("a.ti", "0 send 1\n"),
        ("e.txt", "0 init\n0 send 1\n"),
        ("f.txt", r#"{"traceEvents":[]}"#),
    ] {
        assert_eq!(note(name, text), "", "{name}");
    }
}

#[test]
fn an_empty_file() {
    let folder = Folder::new();
    folder.write("run.trace", "");
    assert_snapshot!(folder.refuses_altogether("run.trace"));
}

#[test]
fn an_image() {
    let folder = Folder::new();
    folder.write("run.otf2", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01");
    assert_snapshot!(folder.refuses_altogether("run.otf2"));
}

#[test]
fn an_image_by_the_name_of_a_format() {
    let folder = Folder::new();
    folder.write("run.otf2", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01");
    assert_snapshot!(folder.refuses_altogether("run.otf2 --from otf2"));
}

#[test]
fn an_image_as_text() {
    let folder = Folder::new();
    folder.write("run.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01");
    assert_snapshot!(folder.refuses("run.png --from text"));
}

#[test]
fn json() {
    let folder = Folder::new();
    folder.write("run.json", "{\"events\": [\n]}\n");
    assert_snapshot!(folder.refuses_altogether("run.json"));
}

#[test]
fn a_file_by_the_name_of_the_store() {
    let folder = Folder::new();
    folder.write("run.trace", "0 send 1 17\n");
    assert_snapshot!(folder.refuses_altogether("run.trace --from fold"));
}

#[test]
fn an_unreadable_file() {
    let folder = Folder::new();
    folder.write("run.trace", "0 send 1 17\n");
    fs::set_permissions(folder.path("run.trace"), Permissions::from_mode(0o000)).unwrap();
    for salvage in ["", "--salvage"] {
        let ran = folder.say_unprivileged(&format!("convert run.trace {STORE} {salvage}"));
        assert_eq!(folder.names(), ["run.trace"]);
        assert_snapshot!("an_unreadable_file", ran.exits(4).report());
    }
}

#[test]
fn an_unreadable_folder() {
    let folder = Folder::with("ring-4");
    fs::set_permissions(folder.path("ring-4"), Permissions::from_mode(0o000)).unwrap();
    let ran = folder.say_unprivileged(&format!("convert ring-4 {STORE}"));
    fs::set_permissions(folder.path("ring-4"), Permissions::from_mode(0o700)).unwrap();
    assert_eq!(folder.names(), ["ring-4"]);
    let report = ran.exits(4).report();
    assert!(report.contains("cannot read ring-4\n"), "{report}");
    assert!(report.contains("Permission denied"), "{report}");
}

#[test]
fn unreadable_events() {
    let folder = Folder::with("ring-4");
    fs::set_permissions(folder.path(EVENTS), Permissions::from_mode(0o000)).unwrap();
    let ran = folder.say_unprivileged(&format!("convert ring-4 {STORE}"));
    assert_eq!(folder.names(), ["ring-4"]);
    assert_snapshot!(ran.exits(4).report());

    let ran = folder.say_unprivileged(&format!("convert ring-4 {STORE} --salvage"));
    assert_snapshot!(
        "unreadable_events_salvaged",
        folder.keeps(ran.exits(3), ALL - EACH)
    );
}

#[test]
fn garbage_in_place_of_an_anchor() {
    let folder = Folder::with("ring-4");
    folder.write("ring-4/eztrace_log.otf2", [0xa5; 72]);
    assert_snapshot!(folder.refuses_altogether("ring-4/eztrace_log.otf2"));
}

#[test]
fn garbage_behind_the_head_of_an_anchor() {
    let folder = Folder::with("ring-4");
    let anchor = "ring-4/eztrace_log.otf2";
    let mut bytes = fs::read(folder.path(anchor)).unwrap();
    bytes[7..].fill(0xa5);
    folder.write(anchor, bytes);
    assert_snapshot!(folder.refuses_altogether("ring-4"));
}

#[test]
fn a_cut_anchor() {
    let folder = Folder::with("ring-4");
    folder.truncate("ring-4/eztrace_log.otf2", 40);
    assert_snapshot!(folder.refuses_altogether("ring-4"));
}

#[test]
fn two_anchors() {
    let folder = Folder::with("ring-4");
    let (one, two) = ("ring-4/eztrace_log.otf2", "ring-4/other.otf2");
    fs::copy(folder.path(one), folder.path(two)).unwrap();
    assert_snapshot!(folder.refuses_altogether("ring-4 --from otf2"));
    let unnamed = folder.refuses("ring-4");
    assert!(
        unnamed.contains("hint: give the path of one anchor"),
        "{unnamed}"
    );
}

#[test]
fn events_cut_within_a_record() {
    let folder = Folder::with("ring-4");
    folder.truncate(EVENTS, 1000);
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "events_cut_within_a_record_salvaged",
        folder.salvages("ring-4", ALL - EACH + 61)
    );
}

/// Wherever the file ends, the events before that are kept, in order and from the first one on.
#[test]
fn events_cut_anywhere() {
    let whole = Folder::with_store("ring-4");
    let print = |folder: &Folder, store: &str| {
        let ran = folder.say(&format!("print {store} --location 1"));
        ran.exits(0).stdout
    };
    let expected = print(&whole, "ring-4.fold");
    let folder = Folder::with("ring-4");
    let bytes = fs::read(folder.path(EVENTS)).unwrap();
    let mut kept = Vec::new();
    for length in (0..bytes.len() - 2).step_by(97) {
        folder.write(EVENTS, &bytes[..length]);
        folder.refuses("ring-4");
        folder
            .say(&format!("convert ring-4 {STORE} --salvage"))
            .exits(3);
        folder.say(&format!("verify {STORE}")).exits(0);
        let part = print(&folder, STORE);
        assert!(expected.starts_with(&part), "{length}: {part}");
        kept.push(part.lines().count());
        fs::remove_dir_all(folder.path(STORE)).unwrap();
    }
    assert!(kept.is_sorted(), "{kept:?}");
    assert_eq!(kept.first(), Some(&0));
    assert!(*kept.last().unwrap() > 120, "{kept:?}");
}

#[test]
fn an_empty_file_of_events() {
    let folder = Folder::with("ring-4");
    folder.write(EVENTS, "");
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "an_empty_file_of_events_salvaged",
        folder.salvages("ring-4", ALL - EACH)
    );
}

#[test]
fn a_missing_file_of_events() {
    let folder = Folder::with("ring-4");
    fs::remove_file(folder.path(EVENTS)).unwrap();
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "a_missing_file_of_events_salvaged",
        folder.salvages("ring-4", ALL - EACH)
    );
}

#[test]
fn a_folder_in_place_of_a_file_of_events() {
    let folder = Folder::with("ring-4");
    fs::remove_file(folder.path(EVENTS)).unwrap();
    fs::create_dir(folder.path(EVENTS)).unwrap();
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "a_folder_in_place_of_a_file_of_events_salvaged",
        folder.salvages("ring-4", ALL - EACH)
    );
}

#[test]
fn garbage_among_the_events() {
    let folder = Folder::with("ring-4");
    let mut bytes = fs::read(folder.path(EVENTS)).unwrap();
    bytes[1000..1200].fill(0x00);
    folder.write(EVENTS, bytes);
    assert_snapshot!(folder.refuses("ring-4"));
    let ran = folder.say(&format!("convert ring-4 {STORE} --salvage"));
    folder.say(&format!("verify {STORE}")).exits(0);
    assert_snapshot!("garbage_among_the_events_salvaged", ran.exits(3).report());
}

#[test]
fn missing_global_definitions() {
    let folder = Folder::with("ring-4");
    fs::remove_file(folder.path("ring-4/eztrace_log.def")).unwrap();
    assert_snapshot!(folder.refuses_altogether("ring-4"));
}

#[test]
fn cut_global_definitions() {
    let folder = Folder::with("ring-4");
    folder.truncate("ring-4/eztrace_log.def", 1000);
    assert_snapshot!(folder.refuses("ring-4"));
    let ran = folder.say(&format!("convert ring-4 {STORE} --salvage"));
    folder.say(&format!("verify {STORE}")).exits(0);
    assert_snapshot!("cut_global_definitions_salvaged", ran.exits(3).report());
}

#[test]
fn a_missing_file_of_local_definitions() {
    let folder = Folder::with("ring-4");
    fs::remove_file(folder.path("ring-4/eztrace_log/0.def")).unwrap();
    let ran = folder.say(&format!("convert ring-4 {STORE}")).exits(0);
    assert_snapshot!(folder.keeps(ran, ALL));
}

/// A file of events with a header and an end, and nothing between them.
#[test]
fn an_archive_with_a_location_without_events() {
    let folder = Folder::with("ring-4");
    fs::copy(folder.path("ring-4/eztrace_log/0.def"), folder.path(EVENTS)).unwrap();
    let ran = folder.say(&format!("convert ring-4 {STORE}")).exits(0);
    assert_snapshot!(folder.keeps(ran, ALL - EACH));
    let replayed = folder.say(&format!("replay {STORE} --location 1")).exits(0);
    assert_eq!(replayed.stdout, "");
}

const BAD_LINE: &str = "0 local enter main time=0\n0 send 1 17 time=\n0 local leave main time=9\n";

#[test]
fn a_malformed_line_on_standard_input() {
    let folder = Folder::new();
    let ran = folder
        .feed(&format!("convert - {STORE}"), BAD_LINE)
        .exits(4);
    assert!(folder.names().is_empty());
    assert_snapshot!(ran.report());

    let ran = folder.feed(&format!("convert - {STORE} --salvage"), BAD_LINE);
    assert_snapshot!(
        "a_malformed_line_on_standard_input_salvaged",
        folder.keeps(ran.exits(3), 2)
    );
}

#[test]
fn a_malformed_line_in_a_file() {
    let folder = Folder::new();
    folder.write("run.trace", BAD_LINE);
    assert_snapshot!(folder.refuses("run.trace"));
    assert_snapshot!(
        "a_malformed_line_in_a_file_salvaged",
        folder.salvages("run.trace", 2)
    );
}

#[test]
fn many_malformed_lines_are_counted_and_listed_if_asked_for() {
    let folder = Folder::new();
    let lines: String = (0..5)
        .map(|i| format!("0 send 1 {i}\n0 sned 1 {i}\n"))
        .collect();
    folder.write("run.trace", lines);
    let ran = folder.say(&format!("convert run.trace {STORE} --salvage -v"));
    assert_snapshot!(folder.keeps(ran.exits(3), 5));
    let info = folder.say(&format!("info --json {STORE}")).json();
    assert_eq!(info["diagnostics"]["text.bad_line"], 5);
}

#[test]
fn losses_are_told_even_to_the_quiet() {
    let folder = Folder::new();
    folder.write("run.trace", BAD_LINE);
    let ran = folder.say(&format!("convert run.trace {STORE} --salvage --quiet"));
    assert_snapshot!(folder.keeps(ran.exits(3), 2));
}

#[test]
fn text_that_ends_within_a_line() {
    let folder = Folder::new();
    folder.write("run.trace", "0 local enter main time=0\n0 send 1");
    assert_snapshot!(folder.refuses("run.trace"));
    assert_snapshot!(
        "text_that_ends_within_a_line_salvaged",
        folder.salvages("run.trace", 1)
    );
}

#[test]
fn a_last_line_without_an_end_that_is_whole() {
    let folder = Folder::new();
    folder.write("run.trace", "0 send 1 17\n0 send 1 18");
    let ran = folder.say(&format!("convert run.trace {STORE}")).exits(0);
    assert_snapshot!(folder.keeps(ran, 2));
}

#[test]
fn time_that_goes_backwards() {
    let folder = Folder::new();
    folder.write("run.trace", "0 send 1 1 time=20\n0 send 1 1 time=10\n");
    let ran = folder.say(&format!("convert run.trace {STORE}")).exits(0);
    assert_snapshot!(folder.keeps(ran, 2));
}

#[test]
fn a_trace_without_events() {
    let folder = Folder::new();
    folder.write("run.trace", "# nothing has happened yet\n");
    let ran = folder.say(&format!("convert run.trace {STORE}")).exits(0);
    assert_snapshot!(folder.keeps(ran, 0));
    for command in ["print", "replay", "loops"] {
        assert_eq!(
            folder.say(&format!("{command} {STORE}")).exits(0).stdout,
            ""
        );
    }
    let model = folder.say(&format!("loops {STORE} --format json"));
    assert_eq!(model.exits(0).stdout.trim(), "[]");
}

#[test]
fn a_location_without_events() {
    let folder = Folder::new();
    let text = "\
#: string id=0 \"idle\"
#: location_group id=0 type=1
#: location_group id=1 type=1
#: location id=0 type=1 location_group=0
#: location id=7 name=0 type=1 location_group=1
0 local enter main
";
    folder.write("run.trace", text);
    let ran = folder.say(&format!("convert run.trace {STORE}")).exits(0);
    assert_snapshot!(folder.keeps(ran, 1));
    let info = folder.say(&format!("info --json {STORE}")).json();
    assert_eq!(info["locations"], 2);
    for command in ["print", "replay"] {
        let ran = folder.say(&format!("{command} {STORE} --location 1"));
        assert_eq!(ran.exits(0).stdout, "");
    }
    let loops = folder.say(&format!("loops {STORE} --location 1")).exits(0);
    assert_eq!(
        loops.stdout,
        "// location 1 (idle): 0 events, 0 terms, 0 loops\n"
    );
}

#[test]
fn a_process_that_never_ends() {
    let folder = Folder::new();
    folder.write("run.trace", "0 local enter main\n0 local enter loop\n");
    let ran = folder.say(&format!("convert run.trace {STORE}")).exits(0);
    assert_snapshot!(folder.keeps(ran, 2));
}

/// Other commands that read traces meet the same faults.
#[test]
fn info_and_print_refuse_what_convert_refuses() {
    let folder = Folder::with("ring-4");
    folder.truncate(EVENTS, 1000);
    let error = folder.refuses("ring-4");
    for command in ["info", "print"] {
        let ran = folder.say(&format!("{command} ring-4")).exits(4);
        assert_eq!(ran.report(), error);
    }
    let salvaged = folder.say("info --json --salvage ring-4").exits(3).json();
    assert_eq!(salvaged["events"], ALL - EACH + 61);
    assert_eq!(salvaged["diagnostics"]["salvage.lost"], 1);
}

#[test]
fn a_store_without_one_of_its_tables() {
    let folder = Folder::with_parts();
    fs::remove_file(folder.path("ring-4.fold/topology/part-00002.parquet")).unwrap();
    let ran = folder.say("print ring-4.fold").exits(4);
    assert_snapshot!(ran.report());
    assert_eq!(folder.refuses("ring-4.fold"), ran.report());
}

#[test]
fn a_damaged_table_of_a_store() {
    let folder = Folder::with_parts();
    folder.truncate("ring-4.fold/quantity/part-00001.parquet", 1000);
    let ran = folder.say("print ring-4.fold").exits(4);
    assert_snapshot!(ran.report());
}

/// What is damaged loses its location, and no other.
#[test]
fn what_is_whole_of_a_store_is_salvaged() {
    for table in ["topology", "quantity"] {
        let folder = Folder::with_parts();
        folder.truncate(&format!("ring-4.fold/{table}/part-00001.parquet"), 500);
        assert_snapshot!(
            format!("a_damaged_table_of_{table}_salvaged"),
            folder.salvages("ring-4.fold", ALL - EACH)
        );
    }
}

#[test]
fn a_damaged_manifest() {
    let folder = Folder::with_store("ring-4");
    folder.truncate("ring-4.fold/manifest.json", 1000);
    for command in STORE_COMMANDS {
        let ran = folder.say(&format!("{command} ring-4.fold")).exits(4);
        if command == "verify" {
            // The damage is its result, and no error.
            assert_snapshot!("a_damaged_manifest_verified", ran.stdout);
        } else {
            assert_snapshot!("a_damaged_manifest", ran.report());
        }
    }
}

#[test]
fn a_model_that_is_none() {
    let folder = Folder::new();
    folder.write("model.json", "[{\"location\": 0}]");
    assert_snapshot!(folder.say("replay model.json").exits(4).report());
}

#[test]
fn a_model_with_a_loop_without_end() {
    let folder = Folder::new();
    let model = r#"[{"location": 0, "label": "0", "selection": "all", "events": 1, "terms": 1,
        "loops": 1, "model": [{"loop": {"body": []}, "position": 0, "length": 1}]}]"#;
    folder.write("model.json", model);
    assert_snapshot!(folder.say("replay model.json").exits(4).report());
}

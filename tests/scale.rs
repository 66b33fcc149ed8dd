//! Many locations, little memory, few open files.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fmt::Write as _;
use std::process::Command;

use common::Folder;

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

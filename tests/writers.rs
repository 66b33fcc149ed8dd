//! Several writers of one store: one of them writes, the others are told so, and no lock outlives its
//! writer.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::common::{Folder, Ran};

/// Longer than any of this may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// A conversion of standard input to `run.fold` that has begun to write and waits for more.
fn waiting(folder: &Folder, options: &[&str]) -> Child {
    let mut child = folder
        .foldtrace(
            ["convert", "-", "run.fold", "--quiet"]
                .iter()
                .chain(options),
        )
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than is looked at to recognise the format.
    let lines = "0 send 1 17\n".repeat(20_000);
    let mut input = child.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    child.stdin = Some(input);
    let start = Instant::now();
    let hidden = folder.path(".run.fold.partial");
    while !fs::read_dir(&hidden).is_ok_and(|hidden| hidden.count() == 2) {
        assert!(start.elapsed() < PATIENCE, "{:?}", folder.names());
        thread::sleep(Duration::from_millis(1));
    }
    child
}

fn end(mut child: Child) -> Ran {
    drop(child.stdin.take());
    child.wait_with_output().unwrap().into()
}

fn events(folder: &Folder) -> u64 {
    folder.say("verify run.fold").exits(0);
    let info = folder.say("info --json run.fold").exits(0).json();
    info["events"].as_u64().unwrap()
}

#[test]
fn the_second_of_two_writers_is_refused() {
    let folder = Folder::new();
    let first = waiting(&folder, &[]);
    for force in ["", "--force"] {
        let ran = folder.feed(&format!("convert - run.fold {force}"), "0 send 1 18\n");
        assert_snapshot!(
            "the_second_of_two_writers_is_refused",
            ran.exits(5).report()
        );
    }
    // A target beside it is another one.
    folder
        .feed("convert - other.fold", "0 send 1 18\n")
        .exits(0);
    end(first).exits(0);
    assert_eq!(events(&folder), 20_000);
    assert_eq!(folder.names(), ["other.fold", "run.fold"]);
}

#[test]
fn the_second_of_two_who_replace_is_refused() {
    let folder = Folder::new();
    folder.feed("convert - run.fold", "0 send 1 18\n").exits(0);
    let first = waiting(&folder, &["--force"]);
    let ran = folder.feed("convert - run.fold --force", "0 send 1 19\n");
    let report = ran.exits(5).report();
    assert!(report.contains("is being written by another"), "{report}");
    assert_eq!(events(&folder), 1);
    end(first).exits(0);
    assert_eq!(events(&folder), 20_000);
    assert_eq!(folder.names(), ["run.fold"]);
}

#[test]
fn a_link_to_the_store_names_the_same_target() {
    let folder = Folder::new();
    folder.feed("convert - run.fold", "0 send 1 18\n").exits(0);
    std::os::unix::fs::symlink("run.fold", folder.path("link.fold")).unwrap();
    let first = waiting(&folder, &["--force"]);
    let ran = folder.feed("convert - link.fold --force", "0 send 1 19\n");
    assert!(ran.exits(5).stderr.contains("run.fold is being written"));
    end(first).exits(0);
    assert_eq!(events(&folder), 20_000);
}

#[test]
fn a_lock_dies_with_its_writer() {
    let folder = Folder::new();
    let mut first = waiting(&folder, &[]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(folder.names(), [".run.fold.partial"]);
    folder.feed("convert - run.fold", "0 send 1 18\n").exits(0);
    assert_eq!(events(&folder), 1);
    assert_eq!(folder.names(), ["run.fold"]);
}

#[test]
fn of_many_at_once_each_writes_a_whole_store_or_is_refused() {
    let folder = Folder::with("ring-4");
    for force in [&[][..], &["--force"]] {
        let arguments = ["convert", "ring-4", "run.fold", "--quiet"];
        for _ in 0..5 {
            let start = |_| {
                let mut command = folder.foldtrace(arguments.iter().chain(force));
                command.stderr(Stdio::piped()).spawn().unwrap()
            };
            let children: Vec<_> = (0..6).map(start).collect();
            let ends = children.into_iter().map(end);
            let refused: Vec<_> = ends.filter(|ran| ran.code != Some(0)).collect();
            assert!(refused.len() < 6, "{refused:?}");
            for ran in refused {
                let report = ran.exits(5).report();
                let why = [
                    "is being written by another program",
                    "run.fold: it already exists",
                ];
                assert!(why.iter().any(|why| report.contains(why)), "{report}");
            }
            assert_eq!(events(&folder), 536);
            assert_eq!(folder.names(), ["ring-4", "run.fold"]);
            if force.is_empty() {
                fs::remove_dir_all(folder.path("run.fold")).unwrap();
            }
        }
    }
}

//! Analyses of traces that are no stores: they are read through a temporary store.

use std::fs;

use insta::assert_snapshot;

use crate::common::{Folder, Ran};

/// An analysis of the input `run`, in the formats whose output says all that was found.
const ANALYSES: [&str; 14] = [
    "dag run",
    "dag run --json",
    "extract run -c 1 --format csv",
    "filter run --json",
    "logical run",
    "loops run",
    "loops run --global",
    "loops run --main",
    "matrix run",
    "patterns run",
    "predict run",
    "skeleton run",
    "steps run --json",
    "topology run --json",
];

/// Runs a command whose temporary files are in the folder `temporary`.
fn say(folder: &Folder, arguments: &str) -> Ran {
    let mut command = folder.foldtrace(arguments.split_whitespace());
    let output = command.env("TMPDIR", folder.path("temporary")).output();
    output.unwrap().into()
}

/// A folder with a folder for temporary files.
fn folder() -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.path("temporary")).unwrap();
    folder
}

#[test]
fn an_analysis_of_a_trace_is_that_of_its_store() {
    for example in ["stencil-9", "vcycle-4"] {
        let [of_trace, of_store] = [folder(), folder()];
        let input = foldtrace_testing::example(example);
        foldtrace_testing::copy(&input, &of_trace.path("run"));
        foldtrace_testing::copy(&input, &of_store.path("trace"));
        of_store.say("convert trace run --to fold").exits(0);
        for analysis in ANALYSES {
            let [from_trace, from_store] =
                [&of_trace, &of_store].map(|folder| say(folder, analysis));
            assert_eq!(from_trace.code, from_store.code, "{analysis}");
            assert_eq!(from_trace.stdout, from_store.stdout, "{analysis}");
            assert_eq!(from_store.stderr.matches("temporary store").count(), 0);
            assert_eq!(from_trace.stderr.matches("temporary store").count(), 1);
            let left = fs::read_dir(of_trace.path("temporary")).unwrap().count();
            assert_eq!(left, 0, "{analysis} left its store");
        }
    }
}

#[test]
fn the_differences_of_two_traces() {
    let folder = folder();
    for (example, name) in [("stencil-9", "before"), ("ring-4", "after")] {
        foldtrace_testing::copy(&foldtrace_testing::example(example), &folder.path(name));
        folder.say(&format!("convert {name} {name}.fold")).exits(0);
    }
    let of_stores = say(&folder, "dag before.fold after.fold --diff").exits(0);
    let of_traces = say(&folder, "dag before after --diff").exits(0);
    assert_eq!(of_traces.stdout, of_stores.stdout);
}

#[test]
fn a_trace_on_standard_input() {
    let folder = folder();
    let text = "0 send 1 5\n1 recv 0 5\n".repeat(40);
    folder.write("run.trace", &text);
    let expected = say(&folder, "loops run.trace").exits(0);
    let ran = folder.feed("loops - --from text", &text).exits(0);
    assert_eq!(ran.stdout, expected.stdout);
    assert_snapshot!(ran.stdout);
}

#[test]
fn the_losses_of_a_damaged_trace() {
    let folder = folder();
    folder.write("run.trace", "0 send 1 5\n0 send x 5\n1 recv 0 5\n");
    let refused = say(&folder, "loops run.trace").exits(4);
    assert_snapshot!("refused", refused.report());
    let salvaged = say(&folder, "loops run.trace --salvage").exits(3);
    assert_snapshot!("salvaged", salvaged.report());
    assert_snapshot!("loops_of_what_is_left", salvaged.stdout);
    folder.write("intact.trace", "0 send 1 5\n1 recv 0 5\n");
    for both in ["run.trace intact.trace", "intact.trace run.trace"] {
        say(&folder, &format!("dag {both} --diff --salvage")).exits(3);
    }
}

#[test]
fn the_intact_parts_of_a_damaged_store() {
    let folder = Folder::with_parts();
    fs::create_dir(folder.path("temporary")).unwrap();
    let part = folder.path("ring-4.fold/quantity/part-00001.parquet");
    let mut bytes = fs::read(&part).unwrap();
    bytes[8] ^= 0xff;
    fs::write(&part, bytes).unwrap();
    say(&folder, "steps ring-4.fold").exits(4);
    let ran = say(&folder, "steps ring-4.fold --salvage").exits(3);
    assert!(ran.stdout.contains("step"), "{ran:?}");
}

#[test]
fn no_room_for_a_temporary_store() {
    let folder = Folder::new();
    folder.write("run.trace", "0 send 1 5\n1 recv 0 5\n");
    let ran = say(&folder, "loops run.trace").exits(5);
    let hint = "TMPDIR names another folder for temporary files";
    assert!(ran.stderr.contains(hint), "{ran:?}");
}

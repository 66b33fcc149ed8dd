//! Critical paths of programs, as the command shows them.

use std::fs::File;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::common::Folder;
use crate::common::simulated::{RANKS, simulate};

/// The rank of `patterns.c` that computes five times as long in every seventh iteration.
const SLOW: usize = RANKS / 2;

fn sum(rows: &Value) -> f64 {
    let times = rows.as_array().unwrap().iter();
    times.map(|row| row["time"].as_f64().unwrap()).sum()
}

#[test]
fn the_path_of_all_examples_is_as_long_as_the_run() {
    for name in ["ring-4", "wave-4", "stencil-9", "vcycle-4"] {
        let folder = Folder::with_store(name);
        let span = folder.say(&format!("info {name}.fold --json")).exits(0);
        let recorded = span.json()["duration"].as_f64().unwrap();
        let say = |options: &str| {
            let command = format!("critical {name}.fold --json {options}");
            folder.say(&command).exits(0).json()
        };
        for path in [say(""), say("--clock none")] {
            let length = path["length"].as_f64().unwrap();
            for rows in ["regions", "processes"] {
                let sum = sum(&path[rows]);
                assert!(
                    (sum / length - 1.0).abs() < 1e-9,
                    "{name}: {sum} of {length}"
                );
            }
        }
        let length = say("--clock none")["length"].as_f64().unwrap();
        assert!(
            (length - recorded).abs() <= 1.0,
            "{name}: {length} instead of {recorded}"
        );
    }
}

#[test]
fn the_slow_rank_of_a_ring_is_on_the_path_in_its_slow_iterations() {
    let folder = Folder::new();
    let options = ["-trace", "-trace-file", "run.paje"];
    simulate(&folder, RANKS, &options, &["ring", "30"]);
    folder.say("convert -q run.paje run.fold").exits(0);
    let path = folder.say("critical run.fold --json").exits(0).json();
    let processes = path["processes"].as_array().unwrap();
    let time = |row: &Value| row["time"].as_f64().unwrap();
    let longest = processes.iter().max_by(|a, b| time(a).total_cmp(&time(b)));
    assert_eq!(longest.unwrap()["location"], SLOW);
    let loops = path["loops"].as_array().unwrap();
    let main = loops.iter().max_by(|a, b| time(a).total_cmp(&time(b)));
    let longest = main.unwrap()["longest"].as_array().unwrap().iter().take(4);
    let mut longest: Vec<u64> = longest
        .map(|it| it["iteration"].as_u64().unwrap())
        .collect();
    longest.sort_unstable();
    assert_eq!(longest, [2, 9, 16, 23]);
}

#[test]
fn text_of_a_critical_path() {
    let folder = Folder::with_store("stencil-9");
    insta::assert_snapshot!(folder.say("critical stencil-9.fold").exits(0).stdout);
}

#[test]
fn the_table_has_the_segments_of_the_path() {
    let folder = Folder::with_store("stencil-9");
    let say = "critical stencil-9.fold --json --table path.parquet";
    let path = folder.say(say).exits(0).json();
    let file = File::open(folder.path("path.parquet")).unwrap();
    let table = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let rows = table.metadata().file_metadata().num_rows();
    assert_eq!(rows, path["segments"].as_i64().unwrap());
}

#[test]
fn a_trace_without_events_has_no_path() {
    let folder = Folder::new();
    folder.write("empty.trace", "# nothing\n");
    let ran = folder.say("critical empty.trace").exits(2);
    assert!(ran.stderr.contains("no events"), "{}", ran.stderr);
}

//! Wait states of programs, as the command shows them.

use serde_json::Value;

use crate::common::Folder;
use crate::common::simulated::{RANKS, simulate};

/// The rank of `patterns.c` that computes five times as long in every seventh iteration.
const SLOW: usize = RANKS / 2;

/// Simulates a program of `patterns.c`, and returns its wait states as JSON.
fn waits_of(mode: &str, iterations: &str) -> Value {
    let folder = Folder::new();
    let options = ["-trace", "-trace-file", "run.paje"];
    simulate(&folder, RANKS, &options, &[mode, iterations]);
    folder.say("convert -q run.paje run.fold").exits(0);
    folder.say("waits run.fold --json").exits(0).json()
}

#[test]
fn the_slow_rank_of_a_ring_and_its_iterations_are_the_cause() {
    let waits = waits_of("ring", "30");
    let cause = &waits["causes"][0];
    assert_eq!(cause["location"], SLOW);
    assert_eq!(cause["call_path"], serde_json::json!([]), "outside of MPI");
    assert!(cause["share"].as_f64().unwrap() > 0.8, "{cause}");
    // The loop begins with the second iteration: these are 3, 10, 17 and 24.
    let iterations = cause["iterations"].as_array().unwrap().iter().take(4);
    let mut iterations: Vec<u64> = iterations
        .map(|it| it["iteration"].as_u64().unwrap())
        .collect();
    iterations.sort_unstable();
    assert_eq!(iterations, [2, 9, 16, 23]);
}

#[test]
fn the_delays_of_a_stencil_reach_all_other_ranks() {
    // The tenth iteration would end with a collective operation, of which SMPI records only the call.
    let waits = waits_of("stencil", "9");
    let cause = &waits["causes"][0];
    assert_eq!(cause["location"], SLOW);
    assert!(cause["share"].as_f64().unwrap() > 0.8, "{cause}");
    // In one iteration, the slow rank computes for 400 µs more than all others. Calls that take longer in some ranks have
    // their part in the causes.
    let delays = 400e3 * (RANKS - 1) as f64;
    let caused = cause["total"].as_f64().unwrap();
    assert!(
        (caused / delays - 1.0).abs() < 0.02,
        "{caused} instead of {delays}"
    );
}

#[test]
fn text_and_table_of_wait_states() {
    let folder = Folder::with_store("stencil-9");
    let text = folder
        .say("waits stencil-9.fold --table waits.parquet")
        .exits(0);
    assert!(
        text.stdout
            .starts_with("clocks are corrected (controlled): "),
        "{}",
        text.stdout
    );
    assert!(text.stdout.contains("spent waiting for other processes"));
    assert!(folder.path("waits.parquet").exists());
    let again = folder
        .say("waits stencil-9.fold --table waits.parquet")
        .exits(5);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
}

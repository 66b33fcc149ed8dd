//! Efficiencies of programs, as the command shows them.

use std::fmt::Write as _;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::Folder;

/// Returns a number of a JSON object.
fn number(object: &Value, key: &str) -> f64 {
    object[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {object}"))
}

/// Checks that parallel efficiency is the product of its factors, and follows from the times.
fn check_factors(object: &Value) {
    let [parallel, balance, serialisation, transfer] =
        ["parallel", "load_balance", "serialisation", "transfer"].map(|key| number(object, key));
    assert!(
        (parallel - balance * serialisation * transfer).abs() < 1e-15,
        "{object}"
    );
    let mean = number(object, "useful") / number(object, "processes");
    assert!(
        (parallel - mean / number(object, "runtime")).abs() < 1e-9,
        "{object}"
    );
    assert!((0.0..=1.0).contains(&parallel), "{object}");
}

/// A program of processes that compute `work` ticks each and then meet in a barrier, after 10 ticks, three times; they
/// count `instructions` instructions in each computation, and a cycle per tick.
fn barriers(work: &[u64], instructions: u64) -> String {
    let mut text = "\
#: string id=1 \"PAPI_TOT_INS\"
#: string id=2 \"PAPI_TOT_CYC\"
#: metric_member id=1 name=1 mode=0 base=1 exponent=0 value_type=4
#: metric_member id=2 name=2 mode=0 base=1 exponent=0 value_type=4
#: metric_class id=1 members=1,2
"
    .to_owned();
    let slowest = work.iter().max().copied().unwrap_or_default();
    for (rank, work) in work.iter().enumerate() {
        let (mut now, mut counted) = (0, 0);
        let mut event = |now: u64, counted: u64, event: &str| {
            let values = format!("value.0=uint64:{counted} value.1=uint64:{now}");
            writeln!(text, "{rank} local metric metric=1 {values} time={now}").unwrap();
            writeln!(text, "{rank} {event} time={now}").unwrap();
        };
        event(now, counted, "local enter main");
        for _ in 0..3 {
            let end = now + slowest + 10;
            now += work;
            counted += instructions;
            event(now, counted, "local enter MPI_Barrier");
            event(now, counted, "local mpi_collective_begin");
            now = end;
            event(now, counted, "sync MPI_Barrier 0-1");
            event(now, counted, "local leave MPI_Barrier");
        }
        event(now, counted, "local leave main");
    }
    text
}

#[test]
fn efficiencies_of_a_stencil() {
    let folder = Folder::with_store("stencil-9");
    let text = folder
        .say("efficiency stencil-9.fold --table iterations.parquet")
        .exits(0);
    assert_snapshot!("stencil_9", text.stdout);
    assert!(folder.path("iterations.parquet").exists());
    let again = folder
        .say("efficiency stencil-9.fold --table iterations.parquet")
        .exits(5);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    let json = folder
        .say("efficiency stencil-9.fold --json")
        .exits(0)
        .json();
    check_factors(&json);
    for phase in json["phases"].as_array().unwrap() {
        check_factors(phase);
        phase["slowest"]
            .as_array()
            .unwrap()
            .iter()
            .for_each(check_factors);
    }
    assert!(json["scaling"].is_null());
}

#[test]
fn two_scales_of_a_program_with_counters() {
    let folder = Folder::new();
    folder.write("small.trace", barriers(&[600, 600], 900));
    folder.write("large.trace", barriers(&[400, 200], 450));
    let json = folder
        .say("efficiency -q small.trace large.trace --json")
        .exits(0)
        .json();
    let [small, large] = &json.as_array().unwrap()[..] else {
        panic!("{json}")
    };
    check_factors(small);
    check_factors(large);
    let is = |object: &Value, key: &str, expected: f64| {
        let found = number(object, key);
        assert!(
            (found - expected).abs() < 1e-9,
            "{key}: {found} instead of {expected}"
        );
    };
    is(small, "parallel", 1800.0 / 1830.0);
    is(small, "serialisation", 1.0);
    is(large, "load_balance", 0.75);
    is(large, "transfer", 1200.0 / 1230.0);
    let scaling = &large["scaling"];
    is(scaling, "speedup", 1830.0 / 1230.0);
    is(scaling, "computation", 2.0);
    is(scaling, "instructions", 2.0);
    is(scaling, "global", 2.0 * 900.0 / 1230.0);
    // 1.5 instructions per cycle in both.
    is(scaling, "instructions_per_cycle", 1.0);
    let text = folder.say("efficiency -q small.trace large.trace").exits(0);
    assert_snapshot!("two_scales", text.stdout);
    let one = folder.say("efficiency -q large.trace").exits(0);
    assert_snapshot!("large", one.stdout);
}

#[test]
fn a_program_without_mpi_has_no_efficiencies() {
    let folder = Folder::new();
    folder.write(
        "serial.trace",
        "0 local enter main time=0\n0 local leave main time=9\n",
    );
    let ran = folder.say("efficiency -q serial.trace").exits(2);
    assert_snapshot!(ran.stderr, @"error: no process of the trace calls MPI, so it has no efficiencies");
}

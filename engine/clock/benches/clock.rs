//! Measures the correction of the clocks of real traces; the floor is libotf2 with callbacks that only count.
//!
//! Each time is the best of several runs on a store; the floor reads the archive that the store was made from,
//! one location after another.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::hint::black_box;

use foldtrace_bench::{best_wall, count, stored, traces};
use foldtrace_clock::{Correction, Method};
use foldtrace_stream::read::Progress;

const RUNS: usize = 5;

fn main() {
    println!("Time of correcting clocks\n");
    println!(
        "{:<24} {:>10} {:>10} {:>8} {:>8} {:>7} {:>10} {:>10} {:>8}",
        "trace", "method", "events", "before", "after", "knots", "time", "events/s", "floor"
    );
    for trace in traces() {
        let (_folder, store) = stored(&trace);
        let progress = Progress::default();
        let floor = best_wall(RUNS, || {
            black_box(count(&trace.anchor));
        });
        let events = store.manifest().counts.events;
        for method in [Method::Offset, Method::Controlled] {
            let run = || Correction::find(&store, method, &progress).unwrap();
            let correction = run();
            let report = correction.report();
            let time = best_wall(RUNS, || drop(black_box(run())));
            println!(
                "{:<24} {:>10} {events:>10} {:>8} {:>8} {:>7} {:>7.1} ms {:>8.2} M {:>7.2}x",
                trace.name,
                method.name(),
                report.violations_before.unwrap_or_default(),
                report.violations_after.unwrap_or_default(),
                correction.knots(),
                1e3 * time.as_secs_f64(),
                events as f64 / time.as_secs_f64() / 1e6,
                time.as_secs_f64() / floor.as_secs_f64(),
            );
        }
    }
}

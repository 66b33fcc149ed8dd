//! Measures finding logical steps of real traces (Isaacs et al.); the floor is libotf2 with callbacks that only
//! count.
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
use foldtrace_clock::Correction;
use foldtrace_steps::Options;
use foldtrace_steps::find;
use foldtrace_stream::read::Progress;

const RUNS: usize = 5;

fn main() {
    println!("Time of finding logical steps\n");
    println!(
        "{:<24} {:>10} {:>10} {:>10} {:>9} {:>10} {:>10} {:>8}",
        "trace", "events", "operations", "partitions", "steps", "time", "events/s", "floor"
    );
    for trace in traces() {
        let (_folder, store) = stored(&trace);
        let (options, progress) = (Options::default(), Progress::default());
        let correction = Correction::of_store(&store, None, &progress).unwrap();
        let run = || {
            find(&store, &correction, &options, &progress, &mut ())
                .unwrap()
                .0
        };
        let totals = run().totals;
        let time = best_wall(RUNS, || drop(black_box(run())));
        let floor = best_wall(RUNS, || {
            black_box(count(&trace.anchor));
        });
        let events = store.manifest().counts.events;
        println!(
            "{:<24} {events:>10} {:>10} {:>10} {:>9} {:>7.1} ms {:>8.2} M {:>7.2}x",
            trace.name,
            totals.operations,
            totals.partitions,
            totals.steps,
            1e3 * time.as_secs_f64(),
            events as f64 / time.as_secs_f64() / 1e6,
            time.as_secs_f64() / floor.as_secs_f64(),
        );
    }
}

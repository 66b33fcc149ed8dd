//! Measures building the logical program of real traces (Xu et al., section 4.3); the floor is libotf2 with callbacks
//! that only count.
//!
//! Each time is the best of several runs on a store, including the identification of the topology; the floor reads the
//! archive that the store was made from, one location after another. The paper reports accuracies of 95 to 100 %, but
//! no times.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::hint::black_box;

use foldtrace_bench::{best_wall, count, stored, traces};
use foldtrace_logical::{Options, find};
use foldtrace_stream::read::Progress;

const RUNS: usize = 5;

fn main() {
    println!("Time of building the logical program\n");
    println!(
        "{:<24} {:>10} {:>9} {:>9} {:>8} {:>10} {:>10} {:>10} {:>8}",
        "trace", "events", "calls", "records", "terms", "accuracy", "time", "events/s", "floor"
    );
    let (options, progress) = (Options::default(), Progress::default());
    for trace in traces() {
        let (_folder, store) = stored(&trace);
        let Ok(made) = find(&store, &options, &progress) else {
            println!("{:<24} without a topology", trace.name);
            continue;
        };
        let time = best_wall(RUNS, || {
            black_box(find(&store, &options, &progress).unwrap());
        });
        let floor = best_wall(RUNS, || {
            black_box(count(&trace.anchor));
        });
        let events = store.manifest().counts.events;
        println!(
            "{:<24} {events:>10} {:>9} {:>9} {:>8} {:>8.2} % {:>7.1} ms {:>8.2} M {:>7.2}x",
            trace.name,
            made.account.calls,
            made.account.records,
            made.account.terms,
            100.0 * made.account.accuracy(),
            1e3 * time.as_secs_f64(),
            events as f64 / time.as_secs_f64() / 1e6,
            time.as_secs_f64() / floor.as_secs_f64(),
        );
    }
}

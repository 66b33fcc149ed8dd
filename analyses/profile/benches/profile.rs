//! Measures profiles of real traces on one core; the floor is libotf2 with callbacks that only count.
//!
//! Each time is the best of several runs on a store; the floor reads the archive that the store was made from.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::hint::black_box;

use foldtrace_bench::{best_wall, count, stored, traces};
use foldtrace_profile::{Options, find};
use foldtrace_stream::read::Progress;
use foldtrace_trace::LocationId;

const RUNS: usize = 5;

fn main() {
    let one_core = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    println!("Time of profiles on one core (target: 30 M events/s)\n");
    println!(
        "{:<24} {:>10} {:>10} {:>10} {:>8} {:>10} {:>10} {:>8}",
        "trace", "events", "regions", "events/s", "floor", "paths", "events/s", "floor"
    );
    for trace in traces() {
        let (_folder, store) = stored(&trace);
        let locations: Vec<LocationId> = store.locations().collect();
        let events = store.manifest().counts.events;
        let floor = best_wall(RUNS, || {
            black_box(count(&trace.anchor));
        });
        print!("{:<24} {events:>10}", trace.name);
        for has_tree in [false, true] {
            let options = Options { has_tree };
            let time = one_core.install(|| {
                best_wall(RUNS, || {
                    black_box(find(&store, &locations, options, &Progress::default()).unwrap());
                })
            });
            print!(
                " {:>7.1} ms {:>8.1} M {:>7.2}x",
                1e3 * time.as_secs_f64(),
                events as f64 / time.as_secs_f64() / 1e6,
                time.as_secs_f64() / floor.as_secs_f64(),
            );
        }
        println!();
    }
}

//! Measures comparisons of real traces with themselves on one core; the floor is libotf2 with callbacks that only count.
//!
//! Each time is the best of several runs on a store, which is compared with itself; the floor reads the archive that the
//! store was made from, twice.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::hint::black_box;

use foldtrace_bench::{best_wall, count, stored, traces};
use foldtrace_compare::{Options, Runs, compare};
use foldtrace_stream::read::Progress;

const RUNS: usize = 3;

fn main() {
    let one_core = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    println!("Time of comparisons on one core\n");
    println!(
        "{:<24} {:>10} {:>10} {:>10} {:>8}",
        "trace", "events", "time", "events/s", "floor"
    );
    for trace in traces() {
        let (_folder, store) = stored(&trace);
        let events = 2 * store.manifest().counts.events;
        let floor = best_wall(RUNS, || {
            black_box(count(&trace.anchor));
            black_box(count(&trace.anchor));
        });
        let time = one_core.install(|| {
            best_wall(RUNS, || {
                let runs = Runs::measure(&[&store, &store], &Progress::default()).unwrap();
                black_box(compare(&runs, 1, &Options::default()));
            })
        });
        println!(
            "{:<24} {events:>10} {:>7.1} ms {:>8.1} M {:>7.2}x",
            trace.name,
            1e3 * time.as_secs_f64(),
            events as f64 / time.as_secs_f64() / 1e6,
            time.as_secs_f64() / floor.as_secs_f64(),
        );
    }
}

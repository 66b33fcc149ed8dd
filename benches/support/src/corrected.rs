//! Measures analyses that compare times of different processes, without and with the correction of clocks.

use foldtrace_clock::{Correction, Method};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;

use crate::{best_wall, count, stored, traces};

const RUNS: usize = 3;

/// Prints the time of an analysis of all [`traces`] on one core, in a table with a title. The floor is libotf2 with callbacks
/// that only count.
///
/// Each time is the best of several runs on a store; the floor reads the archive that the store was made from.
///
/// # Panics
/// If a trace cannot be read.
#[allow(clippy::print_stdout, reason = "a benchmark prints its result")]
pub fn measure_corrected(
    title: &str,
    analyse: impl Fn(&StoreReader, &Correction, &Progress) + Send + Sync,
) {
    let one_core = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    println!("Time of {title} on one core (target: 5 M events/s)\n");
    println!(
        "{:<24} {:>10} {:>10} {:>12} {:>8} {:>12}",
        "trace", "events", "time", "events/s", "floor", "with clocks"
    );
    for trace in traces() {
        let (_folder, store) = stored(&trace);
        let events = store.manifest().counts.events as f64;
        let progress = Progress::default();
        let floor = best_wall(RUNS, || {
            std::hint::black_box(count(&trace.anchor));
        });
        let correct = || Correction::find(&store, Method::Controlled, &progress).unwrap();
        one_core.install(|| {
            let correction = correct();
            let own = best_wall(RUNS, || analyse(&store, &correction, &progress));
            let clocks = best_wall(RUNS, || {
                std::hint::black_box(correct());
            });
            println!(
                "{:<24} {events:>10} {:>7.1} ms {:>10.1} M {:>7.2}x {:>9.1} ms",
                trace.name,
                1e3 * own.as_secs_f64(),
                events / own.as_secs_f64() / 1e6,
                own.as_secs_f64() / floor.as_secs_f64(),
                1e3 * (own + clocks).as_secs_f64(),
            );
        });
    }
}

//! Measures building a skeleton in C from the logical program of real traces (Xu et al., section 2); the floor is
//! libotf2 with callbacks that only count.
//!
//! Each time is the best of several runs. The logical program is built before; its own benchmark measures that.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::hint::black_box;

use foldtrace_bench::{best_wall, count, stored, traces};
use foldtrace_logical::{Options, find};
use foldtrace_skeleton::c::skeleton_c;
use foldtrace_skeleton::skeleton;
use foldtrace_stream::read::Progress;

const RUNS: usize = 5;

/// The time of the skeleton, as a share of the program's.
const SCALE: f64 = 0.1;

fn main() {
    println!("Time of building a skeleton that takes a tenth of the time of the program\n");
    println!(
        "{:<24} {:>10} {:>9} {:>9} {:>10} {:>8}",
        "trace", "events", "records", "lines", "time", "floor"
    );
    let options = Options {
        measured: true,
        is_portable: true,
        ..Options::default()
    };
    for trace in traces() {
        let (_folder, store) = stored(&trace);
        let made = find(&store, &options, &Progress::default());
        let built = made.and_then(|made| Ok((skeleton(&made.logical, SCALE)?, made)));
        let (skeleton_of_trace, made) = match built {
            Ok(built) => built,
            Err(error) => {
                println!("{:<24} {error}", trace.name);
                continue;
            }
        };
        let text = skeleton_c(&skeleton_of_trace, &trace.name);
        let time = best_wall(RUNS, || {
            let skeleton = skeleton(&made.logical, SCALE).unwrap();
            black_box(skeleton_c(&skeleton, &trace.name));
        });
        let floor = best_wall(RUNS, || {
            black_box(count(&trace.anchor));
        });
        println!(
            "{:<24} {:>10} {:>9} {:>9} {:>7.1} ms {:>7.2}x",
            trace.name,
            store.manifest().counts.events,
            made.account.records,
            text.lines().count(),
            1e3 * time.as_secs_f64(),
            time.as_secs_f64() / floor.as_secs_f64(),
        );
    }
}

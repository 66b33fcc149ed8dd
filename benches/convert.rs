//! Measures the cost of `foldtrace convert` relative to the floor: libotf2 with callbacks that only count.
//!
//! Both read the same archive, one directly after the other; the best of several runs counts. Every
//! conversion is a separate process, so its time includes the start-up and its peak memory can be measured.
//!
//! `FOLDTRACE_TRACES=FOLDER cargo bench --bench convert` runs on all archives below a folder.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod command;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use foldtrace_bench::tools::{Cost, run};
use foldtrace_bench::{Trace, best, children_peak, count, open, own_cpu, repeat, size, traces};
use foldtrace_otf2::Otf2;

use command::{conversion, foldtrace};

const RUNS: usize = 5;

fn main() {
    let target = tempfile::tempdir().unwrap();
    length_of_archives(target.path());
    length(target.path());
    println!(
        "convert of OTF2 archives to stores, CPU time against a reader that only counts (target: at most 3.5x);\n\
         back: CPU time of the store to an archive again, million events a second and core (target: 5)\n"
    );
    println!(
        "{:<24} {:>10} {:>12} {:>12} {:>7} {:>10} {:>10} {:>9} {:>12} {:>7}",
        "trace",
        "events",
        "floor ns/ev",
        "ours ns/ev",
        "ratio",
        "1 core",
        "all cores",
        "peak MB",
        "bytes/event",
        "back"
    );
    for trace in traces() {
        measure(&trace, target.path());
    }
}

fn measure(trace: &Trace, target: &Path) {
    let mut events = 0;
    let floor = best(RUNS, || {
        let start = own_cpu();
        events = count(&trace.anchor);
        own_cpu() - start
    });
    let store = target.join("bench.fold");
    let one = best(RUNS, || convert(&trace.anchor, &store, Some("1")).wall);
    let mut wall = Duration::MAX;
    let cpu = best(RUNS, || {
        let cost = convert(&trace.anchor, &store, None);
        wall = wall.min(cost.wall);
        cost.cpu
    });
    let archive = target.join("bench.otf2");
    let back = best(RUNS, || convert(&store, &archive, Some("1")).cpu);
    let each = |time: Duration| time.as_nanos() as f64 / events as f64;
    println!(
        "{:<24} {events:>10} {:>12.1} {:>12.1} {:>6.2}x {:>8.0}ms {:>8.0}ms {:>9.1} {:>12.2} {:>7.1}",
        trace.name,
        each(floor),
        each(cpu),
        cpu.as_secs_f64() / floor.as_secs_f64().max(1e-6),
        one.as_secs_f64() * 1e3,
        wall.as_secs_f64() * 1e3,
        children_peak() as f64 / 1e6,
        size(&store) as f64 / events as f64,
        1e3 / each(back),
    );
}

fn convert(input: &Path, store: &Path, threads: Option<&str>) -> Cost {
    let mut command = conversion(input, store);
    if let Some(threads) = threads {
        command.env("RAYON_NUM_THREADS", threads);
    }
    run(&mut command).unwrap()
}

/// Measures the peak memory by length of an archive: the largest archive, and ten times its length.
fn length_of_archives(target: &Path) {
    let size = |trace: &Trace| size(&trace.anchor.with_extension(""));
    let Some(trace) = traces().into_iter().max_by_key(size) else {
        return;
    };
    println!(
        "peak memory against length, {} repeated (target: at most 1.1x)",
        trace.name
    );
    let events = count(&trace.anchor);
    // Small archives are repeated until they fill a row group of each location.
    let short = (4_000_000 / events).max(1);
    let mut first = 0;
    for times in [short, 10 * short] {
        let archive = target.join("repeated.otf2");
        let events = repeat(&*open(&Otf2, &trace.anchor), times, &archive);
        convert(&archive, &target.join("repeated.fold"), None);
        let peak = children_peak();
        first = if first == 0 { peak } else { first };
        println!(
            "{events:>12} events {:>8.1} MB at most so far, {:.2}x",
            peak as f64 / 1e6,
            peak as f64 / first as f64
        );
    }
}

/// Measures the peak memory by length of a trace: a stencil of 64 processes as text, through a pipe,
/// then one that is twenty times as long.
fn length(target: &Path) {
    println!("peak memory against length, 64 interleaved processes as text through a pipe");
    for iterations in [2_000, 40_000] {
        let store = target.join(format!("length-{iterations}.fold"));
        let mut child = foldtrace()
            .args(["convert", "--quiet", "-"])
            .arg(&store)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = std::io::BufWriter::new(child.stdin.take().unwrap());
        let mut events = 0_u64;
        for i in 0..iterations {
            for rank in 0..64_u64 {
                let time = i * 1000 + (rank * 7919 + i * 31) % 400;
                writeln!(
                    pipe,
                    "{rank} send {} 1 time={time} bytes=800",
                    (rank + 1) % 64
                )
                .unwrap();
                writeln!(
                    pipe,
                    "{} recv {rank} 1 time={} bytes=800",
                    (rank + 63) % 64,
                    time + 300
                )
                .unwrap();
                events += 2;
            }
        }
        drop(pipe);
        assert!(child.wait().unwrap().success());
        println!(
            "{events:>12} events {:>8.1} MB at most so far",
            children_peak() as f64 / 1e6
        );
    }
}

//! Writes copies of a trace, consecutive in time, as an OTF2 archive: long traces for benchmarks.
//!
//! `cargo run --release -p foldtrace-bench --example repeat lu/eztrace_log.otf2 22 lu-22`
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use std::env;
use std::path::PathBuf;

use foldtrace_bench::{open, repeat};
use foldtrace_otf2::Otf2;

fn main() {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [trace, times, output] = &arguments[..] else {
        panic!("usage: repeat TRACE TIMES OUTPUT");
    };
    let times = times.to_string_lossy().parse().unwrap();
    let events = repeat(&*open(&Otf2, trace), times, output);
    println!("{events} events");
}

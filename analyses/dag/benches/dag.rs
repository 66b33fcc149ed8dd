//! Measures the ordered DAG: table 1 of Alawneh and Hamou-Lhadj for real traces, and the rate of growing it.
//!
//! The DAG of all locations is grown from a store, including the time to read symbols. The floor is libotf2
//! with callbacks that only count, on the archive that the store was made from. The paper's compaction rates
//! are 49 to 78 %; it does not report times.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use foldtrace_bench::{Trace, best, count, own_cpu, stored, traces};
use foldtrace_calltree::{grow, links};
use foldtrace_dag::table;
use foldtrace_fold::DEFAULT_MAX_BODY;
use foldtrace_fold::dag::{Children, Rules};
use foldtrace_stream::read::Progress;
use foldtrace_trace::LocationId;

const RUNS: usize = 5;

fn main() {
    println!("CPU time of growing the DAG (target: 10 million events a second and core)\n");
    println!(
        "{:<24} {:>10} {:>8} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8} {:>9}",
        "trace",
        "events",
        "Mev/s",
        "ns/event",
        "floor",
        "nodes",
        "edges",
        "messages",
        "paper's",
        "folded"
    );
    for trace in traces() {
        row(&trace);
    }
}

fn row(trace: &Trace) {
    let (_folder, store) = stored(trace);
    let progress = Progress::default();
    let locations: Vec<LocationId> = store.locations().collect();
    let rules = Rules::default();
    let events = store.manifest().counts.events;
    // Short traces are grown several times, so that the time is measurable.
    let times = 1_000_000_u64.div_ceil(events.max(1));
    let time = best(RUNS, || {
        let start = own_cpu();
        for _ in 0..times {
            std::hint::black_box(grow(&store, &locations, rules, &progress).unwrap());
        }
        own_cpu() - start
    });
    let nanoseconds = time.as_nanos() as f64 / (events * times) as f64;
    let floor = best(RUNS, || {
        let start = own_cpu();
        for _ in 0..times {
            assert_eq!(count(&trace.anchor), events);
        }
        own_cpu() - start
    });
    let grown = grow(&store, &locations, rules, &progress).unwrap();
    let links = links(&store, &grown, &progress).unwrap();
    let children = Children::folded(&grown.dag.graph, DEFAULT_MAX_BODY);
    let table = table(&grown.dag, &links, &children, rules);
    println!(
        "{:<24} {events:>10} {:>8.1} {nanoseconds:>9.1} {:>7.2}x {:>9} {:>9} {:>9} {:>6.2} % {:>7.2} %",
        trace.name,
        1e3 / nanoseconds,
        time.as_secs_f64() / floor.as_secs_f64(),
        table.after.nodes,
        table.after.edges,
        table.after.messages,
        table.compaction,
        table.folded.compaction,
    );
}

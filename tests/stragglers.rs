//! A process that is known to be slow, in time without noise: it has to come out on top, and nobody else.
//!
//! SMPI simulates `examples/patterns.c`. In iterations 3, 10, 17 and 24, rank 32 of 64 computes five times longer:
//! 500 µs, so 400 µs are new each time it does.

use std::fs::File;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::common::Folder;
use crate::common::simulated::simulate;

const RANKS: usize = 64;
const SLOW: u64 = 32;
const ITERATIONS: [usize; 4] = [3, 10, 17, 24];
const EXCESS: u64 = 400_000;

/// A program of `patterns.c` that was simulated, as a store.
struct Simulation {
    folder: Folder,
    /// The positions of the slow rank behind which the work of the next iteration is.
    ends: Vec<u64>,
}

impl Simulation {
    /// In the slow rank, an event that begins with these `words` is behind the work of each iteration.
    fn of(program: &str, words: &str) -> Self {
        let folder = Folder::new();
        let options = [
            "-trace",
            "-trace-file",
            "run.paje",
            "--cfg=tracing/precision:9",
        ];
        simulate(&folder, RANKS, &options, &[program, "30"]);
        folder.say("convert -q run.paje run.fold").exits(0);
        let printed = folder.say("print run.fold --location 32").exits(0).stdout;
        let lines = printed.lines().map(|line| line.split_once('\t').unwrap());
        let ends = lines.filter(|(_, event)| event.starts_with(words));
        let ends: Vec<u64> = ends.map(|(at, _)| at.parse().unwrap()).collect();
        assert_eq!(ends.len(), 30, "{program}: {words}");
        Self { folder, ends }
    }

    /// The iteration that an entry of a report is in, if it is of the slow rank.
    fn iteration(&self, entry: &Value) -> Option<usize> {
        let position = entry["position"].as_u64().unwrap();
        let is_slow = entry["location"] == SLOW;
        is_slow.then(|| self.ends.partition_point(|end| *end < position))
    }

    /// The iterations of entries, in order; all are of the slow rank.
    fn iterations(&self, entries: &[Value]) -> Vec<usize> {
        let iterations = entries.iter().map(|entry| {
            let own = self.iteration(entry);
            own.unwrap_or_else(|| panic!("another rank is before it: {entry:#}"))
        });
        let mut iterations: Vec<usize> = iterations.collect();
        iterations.sort_unstable();
        iterations
    }

    /// Where lateness begins between operations, the largest first, with a table beside it.
    fn origins(&self, options: &str) -> Vec<Value> {
        let command = format!("steps -q --json --top 50 --table steps.parquet run.fold {options}");
        let found = self.folder.say(&command).exits(0).json();
        assert_eq!(found["violations"], 0);
        found["origins"].as_array().unwrap().clone()
    }

    /// The most that any event of another rank is late for itself.
    fn largest_of_others(&self) -> u64 {
        let file = File::open(self.folder.path("steps.parquet")).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let mut largest = None;
        for batch in reader.build().unwrap().map(Result::unwrap) {
            let column = |name| -> Vec<u64> {
                let column = batch.column_by_name(name).unwrap();
                let column = foldtrace_columns::numbers(column).unwrap();
                column.values().to_vec()
            };
            let rows = column("location").into_iter();
            let rows = rows.zip(column("differential_lateness"));
            let others = rows.filter(|(location, _)| *location != SLOW);
            largest = largest.max(others.map(|(_, new)| new).max());
        }
        largest.unwrap()
    }

    /// What computed unusually long, the longest first.
    fn computing(&self, top: usize) -> Vec<Value> {
        let command = format!("filter -q --json --top {top} run.fold");
        let found = self.folder.say(&command).exits(0).json();
        found["computing"].as_array().unwrap().clone()
    }
}

fn new(origin: &Value) -> u64 {
    origin["differential_lateness"].as_u64().unwrap()
}

#[test]
fn the_slow_rank_of_a_stencil_comes_out_on_top() {
    let simulation = Simulation::of("stencil", "32 local enter PMPI_Waitall");
    let origins = simulation.origins("");
    let (first, rest) = origins.split_at(ITERATIONS.len());
    assert_eq!(simulation.iterations(first), ITERATIONS);
    for origin in first {
        assert!(new(origin).abs_diff(EXCESS) < EXCESS / 100, "{origin:#}");
        assert_eq!(origin["class"], "created");
        let late = origin["late_locations"].as_u64().unwrap();
        assert!(late > RANKS as u64 / 2, "it spreads to {late}");
    }
    // Nothing else begins between operations, and what is new in them is from messages.
    assert!(rest.is_empty(), "{rest:#?}");
    assert!(simulation.largest_of_others() < EXCESS / 10);
    assert_eq!(simulation.iterations(&simulation.computing(4)), ITERATIONS);
}

#[test]
fn the_slow_rank_of_a_tree_comes_out_on_top() {
    let simulation = Simulation::of("tree", "0 recv 32");
    let origins = simulation.origins("--leaps");
    // It works at the beginning, and once more on each of the two levels on which it gathers.
    let (first, rest) = origins.split_at(3 * ITERATIONS.len());
    let expected: Vec<usize> = ITERATIONS.iter().flat_map(|it| [*it; 3]).collect();
    assert_eq!(simulation.iterations(first), expected);
    assert!(first.iter().all(|origin| new(origin) >= EXCESS));
    // Others work 100 µs where the leaves beside them have nothing to do.
    assert!(rest.iter().all(|origin| new(origin) < EXCESS / 3));
    assert!(simulation.largest_of_others() < EXCESS / 3);
    let computing = simulation.computing(expected.len());
    assert_eq!(simulation.iterations(&computing), expected);
}

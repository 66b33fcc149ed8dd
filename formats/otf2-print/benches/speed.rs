//! Measures the speed of reading the output of otf2-print, from a given file or from a generated one.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark may fail, and prints"
)]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use foldtrace_otf2_print::Otf2Print;
use foldtrace_trace::{Diagnostics, EventBatch, Format, Input, ReadOptions, Step};

/// Writes a file of calls and messages, as otf2-print would print them.
fn generate(folder: &std::path::Path) -> PathBuf {
    let mut text = String::new();
    for number in 0..400_000_u64 {
        let (location, time) = (number % 16, 7_396_895_680_097_484 + number * 300);
        writeln!(
            text,
            "ENTER {location:>42} {time:>20}  Region: \"MPI_Send\" <193>"
        )
        .unwrap();
        writeln!(
            text,
            "MPI_SEND {location:>39} {:>20}  Receiver: {1} (\"Master thread\" <{1}>), Communicator: \"MPI_COMM_WORLD\" <1>, Tag: 10, Length: 16384",
            time + 10,
            (number + 1) % 16,
        )
        .unwrap();
        writeln!(
            text,
            "LEAVE {location:>42} {:>20}  Region: \"MPI_Send\" <193>",
            time + 20
        )
        .unwrap();
    }
    let path = folder.join("printed.txt");
    std::fs::write(&path, text).unwrap();
    path
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let named = std::env::args()
        .nth(1)
        .filter(|name| !name.starts_with('-'));
    let path = named.map_or_else(|| generate(folder.path()), PathBuf::from);
    let bytes = path.metadata().unwrap().len();
    let start = Instant::now();
    let reader = Otf2Print
        .open(Input::Path(path), &ReadOptions::default())
        .unwrap();
    let mut stream = reader.open_stream(0).unwrap();
    let (mut batch, mut events) = (EventBatch::default(), 0);
    let mut diagnostics = Diagnostics::default();
    while stream.next_batch(&mut batch, &mut diagnostics).unwrap() == Step::Batch {
        events += batch.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "otf2-print: {:.0} MB/s, {:.1} million events a second",
        bytes as f64 / seconds / 1e6,
        events as f64 / seconds / 1e6,
    );
}

//! Measures finding patterns of events (Trahay et al.); the floor is libotf2 with callbacks that only count.
//!
//! Inputs are a ping-pong of a million iterations, as in the paper's table I, and real traces, as in its tables
//! II and III. Detection is timed twice: on letters in memory, on one core; and including reading the store, on
//! all cores. The paper's implementation took 4.77 s for the ping-pong on one core, 2.5 million events per second.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

use foldtrace_bench::{Trace, best_wall, count, open, repeat, stored, traces};
use foldtrace_convert::{ConvertOptions, to_store};
use foldtrace_fold::patterns::{Finder, Letter};
use foldtrace_patterns::{Alphabet, Equality, LetterReader, filter, find};
use foldtrace_store::{FoldFormat, Origin, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_text::TextFormat;
use foldtrace_trace::{Diagnostics, EventBatch, EventStream, Position, Step};
use foldtrace_view::histogram::Window;

const RUNS: usize = 5;
const ITERATIONS: u64 = 1_000_000;
/// The number of iterations of the ping-pong that are written repeatedly.
const PIECE: u64 = 1000;

fn main() {
    println!("Time of finding patterns\n");
    println!(
        "{:<20} {:>10} {:>8} {:>7} {:>10} {:>10} {:>9} {:>12} {:>9} {:>7} {:>9} {:>10} {:>9}",
        "trace",
        "events",
        "patterns",
        "size",
        "iterations",
        "occupation",
        "one core",
        "events/s",
        "store",
        "floor",
        "kept",
        "reduction",
        "filter"
    );
    let folder = tempfile::tempdir().unwrap();
    let anchor = ping_pong(folder.path());
    row(&Trace {
        name: "ping-pong".to_owned(),
        anchor,
    });
    traces().iter().for_each(row);
}

fn row(trace: &Trace) {
    let (_folder, store) = stored(trace);
    let (progress, window) = (Progress::default(), Window::default());
    let alphabet = Alphabet::new(store.symbols(), store.names(), &Equality::default());
    let locations: Vec<_> = store.locations().collect();
    let found = find(&store, &locations, &alphabet, &progress).unwrap();
    let letters: Vec<Vec<Letter>> = found
        .iter()
        .map(|found| found.patterns.expand().collect())
        .collect();
    let detection = best_wall(RUNS, || {
        for letters in &letters {
            let mut finder = Finder::default();
            finder.push(letters);
            black_box(finder.finish());
        }
    });
    check(&store, &alphabet, &letters);
    let whole = best_wall(RUNS, || {
        black_box(find(&store, &locations, &alphabet, &progress).unwrap());
    });
    let filtering = best_wall(RUNS, || {
        black_box(filter(&store, &found, window, 10, &progress).unwrap());
    });
    let floor = best_wall(RUNS, || {
        black_box(count(&trace.anchor));
    });
    let filters = filter(&store, &found, window, 10, &progress).unwrap();
    let kept: u64 = filters.iter().map(|filter| filter.kept.events()).sum();
    let events: u64 = found.iter().map(|found| found.patterns.events).sum();
    let occupied: u64 = found.iter().map(|found| found.patterns.occupied()).sum();
    let patterns: usize = found.iter().map(|found| found.patterns.len()).sum();
    let main = found
        .iter()
        .filter_map(|found| {
            let item = found.patterns.main()?;
            Some((found.patterns.events_of(&item) / item.count, item.count))
        })
        .max();
    let (size, iterations) = main.unwrap_or_default();
    let percent = |part: u64| 100.0 * part as f64 / events.max(1) as f64;
    println!(
        "{:<20} {events:>10} {patterns:>8} {size:>7} {iterations:>10} {:>8.2} % {:>6.1} ms {:>10.1} M {:>6.1} ms {:>6.2}x {kept:>9} {:>8.2} % {:>6.0} ms",
        trace.name,
        percent(occupied),
        1e3 * detection.as_secs_f64(),
        events as f64 / detection.as_secs_f64() / 1e6,
        1e3 * whole.as_secs_f64(),
        whole.as_secs_f64() / floor.as_secs_f64(),
        percent(events - kept),
        1e3 * filtering.as_secs_f64(),
    );
}

/// Checks that the letters are those of the store.
fn check(store: &StoreReader, alphabet: &Alphabet, letters: &[Vec<Letter>]) {
    for (location, expected) in store.locations().zip(letters) {
        let mut events = store.events(location, Position(0));
        let (mut batch, mut read) = (EventBatch::default(), Vec::new());
        let mut reader = LetterReader::default();
        while events
            .next_batch(&mut batch, &mut Diagnostics::default())
            .unwrap()
            == Step::Batch
        {
            reader.read(&batch, store.symbols(), alphabet, &mut read);
        }
        assert!(read == *expected);
    }
}

/// Writes the ping-pong of the paper's section VI.B as an archive: six events per iteration and process.
fn ping_pong(folder: &Path) -> std::path::PathBuf {
    let mut text = String::new();
    let mut time = 0;
    for _ in 0..PIECE {
        for (from, to) in [(0, 1), (1, 0)] {
            let call = |rank: u64, name: &str, message: &str, time: &mut u64, text: &mut String| {
                *time += 100;
                writeln!(text, "{rank} local enter {name} time={time}").unwrap();
                *time += 400;
                writeln!(text, "{message} time={time} bytes=16").unwrap();
                *time += 30;
                writeln!(text, "{rank} local leave {name} time={time}").unwrap();
            };
            call(
                from,
                "MPI_Send",
                &format!("{from} send {to} 0"),
                &mut time,
                &mut text,
            );
            call(
                to,
                "MPI_Recv",
                &format!("{from} recv {to} 0"),
                &mut time,
                &mut text,
            );
        }
    }
    let [piece, store] = ["piece.txt", "piece.fold"].map(|name| folder.join(name));
    std::fs::write(&piece, text).unwrap();
    let (origin, options) = (Origin::default(), ConvertOptions::default());
    to_store(
        &*open(&TextFormat, &piece),
        &origin,
        &store,
        &options,
        &Progress::default(),
    )
    .unwrap();
    let anchor = folder.join("ping-pong/traces.otf2");
    let store = open(&FoldFormat, &store);
    let events = repeat(&*store, ITERATIONS / PIECE, &anchor);
    assert_eq!(events, 12 * ITERATIONS);
    anchor
}

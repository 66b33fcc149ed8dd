//! Measures folding: table I of Ketterlin et al. (RR-8562) for real traces, and the rate on all events.
//!
//! Symbols are read into memory first; the rate is that of folding alone, on one core. The paper's
//! implementation folded 0.08 to 1.3 million events per second.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use foldtrace_bench::{Trace, best, own_cpu, stored, traces};
use foldtrace_fold::{DEFAULT_MAX_BODY, Folder, Model, Selection, Shapes};
use foldtrace_program::local::{LoopsText, TextOptions};
use foldtrace_store::StoreReader;
use foldtrace_trace::{LocationId, Position, SymbolId};

const RUNS: usize = 5;

fn main() {
    println!(
        "table I: sends, receives and collectives of each location, folded (target: 10 million events a second)\n"
    );
    println!(
        "{:<24} {:>15} {:>9} {:>9} {:>9} {:>13} {:>13} {:>13}",
        "trace", "events", "Mev/s", "ns/event", "paper's", "terms", "text bytes", "gzip bytes"
    );
    let traces = traces();
    for trace in &traces {
        row(trace, Selection::Communication);
    }
    println!("\nthe same for all events\n");
    for trace in &traces {
        row(trace, Selection::All);
    }
}

fn row(trace: &Trace, selection: Selection) {
    let (_folder, store) = stored(trace);
    let streams: Vec<_> = store
        .locations()
        .map(|l| (l, symbols(&store, l, selection)))
        .collect();

    let mut shapes = Shapes::default();
    shapes.update(store.symbols());
    let fold = |events: &[SymbolId]| -> Model {
        let mut folder = Folder::new(DEFAULT_MAX_BODY);
        for batch in events.chunks(1 << 16) {
            folder.push(batch, store.symbols(), &shapes);
        }
        folder.finish(store.symbols(), &shapes)
    };
    let total: usize = streams.iter().map(|(_, events)| events.len()).sum();
    if total == 0 {
        println!("{:<24} {:>15}", trace.name, "none");
        return;
    }
    // Short traces are folded several times, so that the time is measurable.
    let times = 2_000_000_usize.div_ceil(total);
    let time = best(RUNS, || {
        let start = own_cpu();
        for _ in 0..times {
            for (_, events) in &streams {
                std::hint::black_box(fold(events));
            }
        }
        own_cpu() - start
    });
    let nanoseconds = time.as_nanos() as f64 / (total * times) as f64;

    let models: Vec<_> = streams
        .iter()
        .map(|(l, events)| (*l, fold(events)))
        .collect();
    let texts: Vec<String> = models
        .iter()
        .map(|(l, m)| {
            LoopsText::new(
                store.names(),
                store.symbols(),
                *l,
                m,
                TextOptions::default(),
            )
            .to_string()
        })
        .collect();
    let gzipped = texts.iter().map(|text| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap().len() as u64
    });
    println!(
        "{:<24} {:>15} {:>9.1} {nanoseconds:>9.1} {:>8.0}x {:>13} {:>13} {:>13}",
        trace.name,
        range(models.iter().map(|(_, model)| model.events)),
        1e3 / nanoseconds,
        1e3 / nanoseconds / 1.3,
        range(models.iter().map(|(_, model)| model.terms())),
        range(texts.iter().map(|text| text.len() as u64)),
        range(gzipped),
    );
}

fn symbols(store: &StoreReader, location: LocationId, selection: Selection) -> Vec<SymbolId> {
    let mut all = Vec::new();
    let mut stream = store.events(location, Position(0));
    let mut batch = Vec::new();
    loop {
        stream.next_symbols(&mut batch).unwrap();
        if batch.is_empty() {
            return all;
        }
        all.extend(
            batch
                .iter()
                .filter(|s| selection.contains(store.symbols().kind(**s))),
        );
    }
}

fn range(values: impl Iterator<Item = u64>) -> String {
    let values: Vec<_> = values.collect();
    match (values.iter().min(), values.iter().max()) {
        (Some(min), Some(max)) if min == max => min.to_string(),
        (Some(min), Some(max)) => format!("{min}-{max}"),
        _ => String::new(),
    }
}

//! Measures how fast Perfetto traces are written, in bytes of output and events per second.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use foldtrace_perfetto::Perfetto;
use foldtrace_trace::{
    EventBatch, EventKind, Format, LocationId, Minter, Output, Position, Quantity, Symbol,
    SymbolTable, Timestamp,
};

const EVENTS: u64 = 4_000_000;
const FULL: u64 = 8192;

fn main() {
    let mut minter = Minter::default();
    let locations: Vec<LocationId> = (0..16)
        .map(|rank| {
            let process = minter.process(&format!("rank {rank}"));
            minter.location("master", process)
        })
        .collect();
    let region = minter.region("MPI_Send");
    let world = minter.world(&locations);
    let mut symbols = SymbolTable::default();
    let enter = symbols.intern(Symbol::new(EventKind::Enter, &[region]));
    let leave = symbols.intern(Symbol::new(EventKind::Leave, &[region]));
    let sends: Vec<_> = (0..16)
        .map(|peer| symbols.intern(Symbol::new(EventKind::MpiSend, &[peer, world, 7])))
        .collect();

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Perfetto.create(output).unwrap();
    let mut batch = EventBatch::default();
    let start = Instant::now();
    writer.definitions(&minter.take()).unwrap();
    let mut written = 0;
    while written < EVENTS {
        let rank = (written / FULL) % 16;
        batch.reset(LocationId(rank), Position(written));
        for event in 0..FULL {
            let time = Timestamp(7_396_895_680_097_484 + (written + event) * 120);
            match event % 3 {
                0 => batch.push(enter, time, &[]),
                1 => batch.push(
                    sends[(event % 16) as usize],
                    time,
                    &[(Quantity::Bytes, 1024)],
                ),
                _ => batch.push(leave, time, &[]),
            }
        }
        writer.write(&batch, &symbols).unwrap();
        written += FULL;
    }
    writer.finish().unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let bytes = path.metadata().unwrap().len();
    println!(
        "perfetto: {:.0} MB/s, {:.1} million events a second",
        bytes as f64 / seconds / 1e6,
        written as f64 / seconds / 1e6,
    );
}

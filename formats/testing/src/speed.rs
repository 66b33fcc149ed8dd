//! Measures how fast formats are read and written, in CPU time, which does not depend on other load.

use std::path::Path;

use foldtrace_trace::{
    Diagnostics, EventBatch, EventKind, Format, Input, LocationId, Minter, Output, Position,
    Quantity, ReadOptions, Step, Symbol, SymbolTable, Timestamp,
};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// The number of processes of a ring.
pub const RANKS: u64 = 64;

/// Returns the CPU time of these processes so far, in seconds.
#[must_use]
pub fn seconds(processes: UsageWho) -> f64 {
    let in_seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let usage = getrusage(processes).unwrap();
    in_seconds(usage.user_time()) + in_seconds(usage.system_time())
}

/// Returns the seconds that writing a ring takes: in each of `turns` turns, a process sends to the next process, and receives
/// from the previous one.
#[must_use]
pub fn write_ring(format: &dyn Format, path: &Path, turns: u64) -> f64 {
    let start = seconds(UsageWho::RUSAGE_SELF);
    let mut minter = Minter::default();
    let location = |minter: &mut Minter| {
        let process = minter.process("");
        minter.location("", process)
    };
    let locations: Vec<LocationId> = (0..RANKS).map(|_| location(&mut minter)).collect();
    let world = minter.world(&locations);
    let regions = ["MPI_Isend", "MPI_Recv"].map(|name| minter.region(name));
    let mut symbols = SymbolTable::default();
    let mut intern = |kind, operands: &[u64]| symbols.intern(Symbol::new(kind, operands));
    let calls = regions.map(|region| {
        let enter = intern(EventKind::Enter, &[region]);
        (enter, intern(EventKind::Leave, &[region]))
    });
    let ends: Vec<_> = (0..RANKS)
        .map(|me| {
            let send = intern(EventKind::MpiSend, &[(me + 1) % RANKS, world, 17]);
            let receive = intern(EventKind::MpiRecv, &[(me + RANKS - 1) % RANKS, world, 17]);
            (send, receive)
        })
        .collect();
    let output = Output::Path {
        path: path.to_owned(),
        replace: true,
    };
    let mut writer = format.create(output).unwrap();
    writer.definitions(&minter.take()).unwrap();
    let mut batch = EventBatch::default();
    for turn in 0..turns {
        let me = (turn % RANKS) as usize;
        batch.reset(locations[me], Position(turn / RANKS * 6));
        let (send, receive) = ends[me];
        let time = |step: u64| Timestamp(turn * 20_000 + step * 120);
        batch.push(calls[0].0, time(0), &[]);
        batch.push(send, time(1), &[(Quantity::Bytes, 800)]);
        batch.push(calls[0].1, time(2), &[]);
        batch.push(calls[1].0, time(3), &[]);
        if turn > 0 {
            batch.push(receive, time(4), &[(Quantity::Bytes, 800)]);
        }
        batch.push(calls[1].1, time(5), &[]);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    seconds(UsageWho::RUSAGE_SELF) - start
}

/// Returns the seconds that reading a trace with a single stream takes.
#[must_use]
pub fn read_stream(format: &dyn Format, path: &Path) -> f64 {
    let start = seconds(UsageWho::RUSAGE_SELF);
    let input = Input::Path(path.to_owned());
    let reader = format.open(input, &ReadOptions::default()).unwrap();
    let mut stream = reader.open_stream(0).unwrap();
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    while stream.next_batch(&mut batch, &mut diagnostics).unwrap() != Step::End {}
    seconds(UsageWho::RUSAGE_SELF) - start
}

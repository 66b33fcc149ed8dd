//! Measures the CPU time of reading and writing traces, compared with `pj_dump` (package pajeng) on the same files.
//! Run with `cargo bench -p foldtrace-paje`.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use foldtrace_paje::Paje;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventKind, Format, Input, LocationId, Minter, Output, Position,
    Quantity, ReadOptions, Step, Symbol, SymbolTable, Timestamp,
};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

const RANKS: u64 = 64;
/// Number of turns in a large trace, and in a trace that is small enough for `pj_dump`.
const TURNS: [u64; 2] = [1_000_000, 50_000];

/// Returns the CPU time of these processes so far, in seconds. It does not depend on other load.
fn seconds(processes: UsageWho) -> f64 {
    let in_seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    getrusage(processes).map_or(0.0, |usage| {
        in_seconds(usage.user_time()) + in_seconds(usage.system_time())
    })
}

/// Returns a trace in SimGrid's form: in each turn, a process sends to the next process, and receives.
fn simgrid(turns: u64) -> String {
    const HEADER: &str = include_str!("simgrid-header.paje");
    let mut text = HEADER.to_owned();
    for rank in 0..RANKS {
        let _ = writeln!(text, "6 0.000000 {} 1 0 \"rank-{rank}\"", rank + 1);
    }
    for turn in 0..turns {
        let me = turn % RANKS + 1;
        let (left, right) = ((me + RANKS - 2) % RANKS + 1, me % RANKS + 1);
        let is_last = turn + 1 == turns;
        let time = format!("{}.{:06}", turn / 50_000, turn % 50_000 * 20);
        let _ = writeln!(text, "12 {time} 2 {me} 6");
        if !is_last {
            let _ = writeln!(text, "15 {time} 3 0 PTP {me} {me}_{right}_17_{turn}");
        }
        let _ = write!(
            text,
            "13 {time} 2 {me}\n12 {time} 2 {me} 7\n13 {time} 2 {me}\n"
        );
        if let Some(before) = turn.checked_sub(1) {
            let _ = writeln!(text, "16 {time} 3 0 PTP {me} {left}_{me}_17_{before}");
        }
    }
    text
}

/// Writes a similar trace with the writer of this crate.
fn write(turns: u64, path: &Path) -> Result<f64, Box<dyn Error>> {
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
    let mut writer = Paje.create(Output::Path {
        path: path.to_owned(),
        replace: true,
    })?;
    writer.definitions(&minter.take())?;
    let mut batch = EventBatch::default();
    for turn in 0..turns {
        let me = (turn % RANKS) as usize;
        batch.reset(locations[me], Position(turn / RANKS * 6));
        let (send, receive) = ends[me];
        let time = |n: u64| Timestamp(turn * 20_000 + n * 120);
        batch.push(calls[0].0, time(0), &[]);
        batch.push(send, time(1), &[(Quantity::Bytes, 800)]);
        batch.push(calls[0].1, time(2), &[]);
        batch.push(calls[1].0, time(3), &[]);
        if turn > 0 {
            batch.push(receive, time(4), &[(Quantity::Bytes, 800)]);
        }
        batch.push(calls[1].1, time(5), &[]);
        writer.write(&batch, &symbols)?;
    }
    writer.finish()?;
    Ok(seconds(UsageWho::RUSAGE_SELF) - start)
}

fn read(path: &Path) -> Result<f64, Box<dyn Error>> {
    let start = seconds(UsageWho::RUSAGE_SELF);
    let reader = Paje.open(Input::Path(path.to_owned()), &ReadOptions::default())?;
    let mut stream = reader.open_stream(0)?;
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    while stream.next_batch(&mut batch, &mut diagnostics)? != Step::End {}
    Ok(seconds(UsageWho::RUSAGE_SELF) - start)
}

/// Returns the seconds that `pj_dump` takes without printing anything, if it is installed.
fn pj_dump(path: &Path) -> Option<f64> {
    let start = seconds(UsageWho::RUSAGE_CHILDREN);
    let mut command = Command::new("pj_dump");
    let status = command
        .arg("--quiet")
        .arg(path)
        .stdout(Stdio::null())
        .status()
        .ok()?;
    status
        .success()
        .then(|| seconds(UsageWho::RUSAGE_CHILDREN) - start)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut out = std::io::stdout().lock();
    let path = folder.path().join("a.paje");
    let speed = |seconds: f64| -> Result<f64, Box<dyn Error>> {
        Ok(path.metadata()?.len() as f64 / 1e6 / seconds)
    };
    let [large, small] = TURNS;
    std::fs::write(&path, simgrid(large))?;
    let of_simgrid = speed(read(&path)?)?;
    let writing = speed(write(large, &path)?)?;
    let of_own = speed(read(&path)?)?;
    writeln!(
        out,
        "reads {of_simgrid:.0} MB/s of SimGrid's and {of_own:.0} MB/s of its own, writes {writing:.0} MB/s"
    )?;
    std::fs::write(&path, simgrid(small))?;
    match pj_dump(&path) {
        Some(seconds) => {
            let theirs = speed(seconds)?;
            let ratio = of_simgrid / theirs;
            writeln!(
                out,
                "pj_dump reads {theirs:.1} MB/s of SimGrid's: {ratio:.0} times slower"
            )?;
        }
        None => writeln!(out, "pj_dump (package pajeng) is not installed")?,
    }
    Ok(())
}

//! Measures the CPU time of reading and writing traces, compared with `awk`, which only splits each line into its fields. Run
//! with `cargo bench -p foldtrace-paraver`.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use foldtrace_paraver::Paraver;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventKind, Format, Input, LocationId, Minter, Output, Position,
    Quantity, ReadOptions, Step, Symbol, SymbolTable, Timestamp,
};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

const RANKS: u64 = 64;
const TURNS: u64 = 1_000_000;

const LABELS: &str = "\
EVENT_TYPE
9 50000001 MPI Point-to-point
VALUES
1 MPI_Send
2 MPI_Recv
0 Outside MPI
EVENT_TYPE
7 42000050 PAPI_TOT_INS
7 42000059 PAPI_TOT_CYC
";

/// Returns the CPU time of these processes so far, in seconds. It does not depend on other load.
fn seconds(processes: UsageWho) -> f64 {
    let in_seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    getrusage(processes).map_or(0.0, |usage| {
        in_seconds(usage.user_time()) + in_seconds(usage.system_time())
    })
}

/// Returns the tasks and threads of the header.
fn tasks() -> String {
    let tasks: Vec<_> = (0..RANKS).map(|_| "1:1").collect();
    format!("{RANKS}({})", tasks.join(","))
}

/// Returns a trace as Extrae writes it: in each turn, a process sends to the next process, and receives; calls have two
/// counters each, and states.
fn extrae() -> String {
    let mut text = format!(
        "#Paraver (28/11/2026 at 10:12):{}_ns:1({RANKS}):1:{}\n",
        TURNS * 20_000,
        tasks()
    );
    for turn in 0..TURNS {
        let (me, time) = (turn % RANKS + 1, turn * 20_000);
        let object = |task: u64| format!("{task}:1:{task}:1");
        let (own, next) = (object(me), object(me % RANKS + 1));
        let at = |step: u64| time + 120 * step;
        let counters =
            |step: u64| format!("42000050:{}:42000059:{}", 3_000 + step, turn * 7 % 9_000);
        let _ = writeln!(text, "2:{own}:{}:50000001:1:{}", at(0), counters(0));
        let _ = writeln!(text, "1:{own}:{}:{}:4", at(0), at(2));
        let received = at(0) + 20_000 + 480;
        let _ = writeln!(
            text,
            "3:{own}:{}:{}:{next}:{}:{received}:800:17",
            at(0),
            at(2),
            received - 120
        );
        let _ = writeln!(text, "2:{own}:{}:50000001:0:{}", at(2), counters(2));
        let _ = writeln!(text, "1:{own}:{}:{}:1", at(2), at(3));
        let _ = writeln!(text, "2:{own}:{}:50000001:2:{}", at(3), counters(3));
        let _ = writeln!(text, "1:{own}:{}:{}:3", at(3), at(5));
        let _ = writeln!(text, "2:{own}:{}:50000001:0:{}", at(5), counters(5));
    }
    text
}

/// Writes a similar trace with the writer of this crate.
fn write(path: &Path) -> Result<f64, Box<dyn Error>> {
    let start = seconds(UsageWho::RUSAGE_SELF);
    let mut minter = Minter::default();
    let location = |minter: &mut Minter| {
        let process = minter.process("");
        minter.location("", process)
    };
    let locations: Vec<LocationId> = (0..RANKS).map(|_| location(&mut minter)).collect();
    let world = minter.world(&locations);
    let regions = ["MPI_Send", "MPI_Recv"].map(|name| minter.region(name));
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
    let mut writer = Paraver.create(Output::Path {
        path: path.to_owned(),
        replace: true,
    })?;
    writer.definitions(&minter.take())?;
    let mut batch = EventBatch::default();
    for turn in 0..TURNS {
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
        writer.write(&batch, &symbols)?;
    }
    writer.finish()?;
    Ok(seconds(UsageWho::RUSAGE_SELF) - start)
}

fn read(path: &Path) -> Result<f64, Box<dyn Error>> {
    let start = seconds(UsageWho::RUSAGE_SELF);
    let reader = Paraver.open(Input::Path(path.to_owned()), &ReadOptions::default())?;
    let mut stream = reader.open_stream(0)?;
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    while stream.next_batch(&mut batch, &mut diagnostics)? != Step::End {}
    Ok(seconds(UsageWho::RUSAGE_SELF) - start)
}

/// Returns the seconds that `awk` takes to split each line into its fields.
fn awk(path: &Path) -> Result<f64, Box<dyn Error>> {
    let start = seconds(UsageWho::RUSAGE_CHILDREN);
    let status = Command::new("awk")
        .args(["-F:", "{ fields += NF } END { print fields }"])
        .stdin(File::open(path)?)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err("awk failed".into());
    }
    Ok(seconds(UsageWho::RUSAGE_CHILDREN) - start)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut out = std::io::stdout().lock();
    let path = folder.path().join("a.prv");
    let speed = |seconds: f64| -> Result<f64, Box<dyn Error>> {
        Ok(path.metadata()?.len() as f64 / 1e6 / seconds)
    };
    std::fs::write(&path, extrae())?;
    std::fs::write(path.with_extension("pcf"), LABELS)?;
    let of_extrae = speed(read(&path)?)?;
    let of_awk = speed(awk(&path)?)?;
    let ratio = of_extrae / of_awk;
    writeln!(
        out,
        "reads {of_extrae:.0} MB/s of a trace like Extrae's; awk splits {of_awk:.0} MB/s of it: {ratio:.1} times"
    )?;
    let writing = speed(write(&path)?)?;
    let of_own = speed(read(&path)?)?;
    writeln!(
        out,
        "writes {writing:.0} MB/s, and reads {of_own:.0} MB/s of that"
    )?;
    Ok(())
}

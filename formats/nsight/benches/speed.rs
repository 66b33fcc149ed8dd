//! Measures the CPU time of reading a database, compared with Python's `sqlite3`, which only fetches the same rows. Run with
//! `cargo bench -p foldtrace-nsight`; with `FOLDTRACE_DATABASE=FILE`, it reads that database and prints the memory as well.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use foldtrace_nsight::Nsight;
use foldtrace_testing::speed::{read_stream, seconds};
use nix::sys::resource::UsageWho;
use rusqlite::{Connection, params};

/// Number of turns; each has five rows.
const TURNS: i64 = 300_000;
const ROWS: f64 = 5.0 * TURNS as f64;
/// Number of threads.
const THREADS: i64 = 16;
const TABLES: [&str; 4] = [
    "NVTX_EVENTS",
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
];

const SCHEMA: &str = "
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
  staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
  copyKind INTEGER NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020'), (3, 'step'),
  (10, 'kernel0'), (11, 'kernel1'), (12, 'kernel2'), (13, 'kernel3');
";

/// Writes a database in which each turn is a range with two calls, a kernel and a copy. If `is_sorted` is `false`, the rows of each
/// thread are consecutive.
fn write(path: &Path, is_sorted: bool) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    {
        let mut range = transaction
            .prepare("INSERT INTO NVTX_EVENTS VALUES (?,?,59,NULL,NULL,NULL,NULL,?,NULL,3,NULL)")?;
        let mut call = transaction
            .prepare("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0,NULL)")?;
        let mut kernel = transaction.prepare("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,7,?,?,?,?,32,?,1,1,256,1,1,0,0)")?;
        let mut copy = transaction
            .prepare("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,0,1,8,?,?,?,1)")?;
        for turn in 0..TURNS {
            let (thread, turn) = if is_sorted {
                (turn % THREADS, turn)
            } else {
                let per_thread = TURNS / THREADS;
                (
                    turn / per_thread,
                    turn % per_thread * THREADS + turn / per_thread,
                )
            };
            let time = turn * 10_000;
            let process = 1_i64 << 48 | (1_000 + thread) << 24;
            let thread = process | (1_000 + thread);
            range.execute(params![time, time + 9_000, thread])?;
            call.execute(params![time + 100, time + 2_000, thread, 2 * turn, 1])?;
            call.execute(params![time + 3_000, time + 5_000, thread, 2 * turn + 1, 2])?;
            let name = 10 + turn % 4;
            kernel.execute(params![
                time + 1_500,
                time + 8_000,
                2 * turn,
                process,
                name,
                name,
                turn % 64
            ])?;
            copy.execute(params![
                time + 4_000,
                time + 8_500,
                2 * turn + 1,
                process,
                4_096
            ])?;
        }
    }
    transaction.commit()
}

/// Returns the seconds that Python takes to fetch all rows of all tables.
fn python(path: &Path) -> Result<f64, Box<dyn Error>> {
    let tables = TABLES.map(|table| format!("'{table}'")).join(", ");
    let program = format!(
        "import sqlite3, sys\nconnection = sqlite3.connect(sys.argv[1])\nfor table in [{tables}]:\n    \
         for row in connection.execute(f'SELECT * FROM {{table}}'):\n        pass\n"
    );
    let start = seconds(UsageWho::RUSAGE_CHILDREN);
    let mut command = Command::new("python3");
    let status = command
        .args(["-c", &program])
        .arg(path)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err("python3 failed".into());
    }
    Ok(seconds(UsageWho::RUSAGE_CHILDREN) - start)
}

/// Returns the largest memory that the process has had, in megabytes; 0 if the system does not tell.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1e3
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    if let Some(path) = std::env::var_os("FOLDTRACE_DATABASE") {
        let start = Instant::now();
        let seconds = read_stream(&Nsight, Path::new(&path));
        let (elapsed, memory) = (start.elapsed().as_secs_f64(), peak_memory());
        writeln!(
            out,
            "reads the database in {elapsed:.1} s, {seconds:.1} s of CPU time, with {memory:.0} MB"
        )?;
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    for (name, is_sorted) in [("in the order of time", true), ("in another order", false)] {
        let path = folder.path().join(format!("{is_sorted}.sqlite"));
        write(&path, is_sorted)?;
        let start = Instant::now();
        let own = ROWS / 1e6 / read_stream(&Nsight, &path);
        let elapsed = ROWS / 1e6 / start.elapsed().as_secs_f64();
        let other = ROWS / 1e6 / python(&path)?;
        let ratio = own / other;
        writeln!(
            out,
            "reads {elapsed:.2} million rows/s {name}, {own:.2} per second of CPU time; \
             Python's sqlite3 fetches {other:.2}: {ratio:.2} times"
        )?;
    }
    Ok(())
}

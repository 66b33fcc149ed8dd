//! Measures the CPU time of reading a database, compared with Python's `sqlite3`, which only fetches the same rows. Run with
//! `cargo bench -p foldtrace-rocpd`.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use foldtrace_rocpd::Rocpd;
use foldtrace_testing::speed::{read_stream, seconds};
use nix::sys::resource::UsageWho;
use rusqlite::{Connection, params};

/// Number of turns; each has four rows of calls and work, and as many of `rocpd_event`.
const TURNS: i64 = 200_000;
const ROWS: f64 = 8.0 * TURNS as f64;
/// Number of threads.
const THREADS: i64 = 16;

const SCHEMA: &str = "
CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE rocpd_event (id INTEGER PRIMARY KEY, category_id INT, stack_id INT, correlation_id INT, extdata TEXT);
CREATE TABLE rocpd_region (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, start BIGINT, end BIGINT, name_id INT, event_id INT);
CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, agent_id INT, kernel_id INT,
  dispatch_id INT, queue_id INT, stream_id INT, start BIGINT, end BIGINT, private_segment_size INT, group_segment_size INT,
  workgroup_size_x INT, workgroup_size_y INT, workgroup_size_z INT, grid_size_x INT, grid_size_y INT, grid_size_z INT,
  event_id INT);
CREATE TABLE rocpd_memory_copy (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, start BIGINT, end BIGINT, name_id INT,
  dst_agent_id INT, src_agent_id INT, size INT, stream_id INT, event_id INT);
INSERT INTO rocpd_string VALUES (1, 'HIP_RUNTIME_API'), (2, 'hipLaunchKernel'), (3, 'hipMemcpyAsync'), (4, 'HOST_TO_DEVICE');
";
const TABLES: [&str; 4] = [
    "rocpd_event",
    "rocpd_region",
    "rocpd_kernel_dispatch",
    "rocpd_memory_copy",
];

/// Writes a database in which each turn is two calls, a kernel and a copy.
fn write(path: &Path) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    {
        let mut event = transaction.prepare("INSERT INTO rocpd_event VALUES (?, 1, 0, ?, '{}')")?;
        let mut region =
            transaction.prepare("INSERT INTO rocpd_region VALUES (NULL, 1, 1, ?, ?, ?, ?, ?)")?;
        let mut kernel = transaction.prepare(
            "INSERT INTO rocpd_kernel_dispatch VALUES (NULL,1,1,?,2,5,?,3,1,?,?,0,0,256,1,1,1024,1,1,?)",
        )?;
        let mut copy = transaction
            .prepare("INSERT INTO rocpd_memory_copy VALUES (NULL,1,1,?,?,?,4,2,1,4096,1,?)")?;
        for turn in 0..TURNS {
            let (time, thread, id) = (turn * 10_000, turn % THREADS, 4 * turn);
            for number in 1..=4 {
                event.execute(params![id + number, id / 2 + number % 2])?;
            }
            region.execute(params![thread, time + 100, time + 2_000, 2, id + 1])?;
            region.execute(params![thread, time + 3_000, time + 5_000, 3, id + 2])?;
            kernel.execute(params![thread, turn, time + 1_500, time + 8_000, id + 3])?;
            copy.execute(params![thread, time + 4_000, time + 8_500, id + 4])?;
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

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.db");
    write(&path)?;
    let start = Instant::now();
    let own = ROWS / 1e6 / read_stream(&Rocpd, &path);
    let elapsed = ROWS / 1e6 / start.elapsed().as_secs_f64();
    let other = ROWS / 1e6 / python(&path)?;
    let ratio = own / other;
    writeln!(
        out,
        "reads {elapsed:.2} million rows/s, {own:.2} per second of CPU time; Python's sqlite3 fetches {other:.2}: {ratio:.2} times"
    )?;
    Ok(())
}

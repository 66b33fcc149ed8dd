//! Measures the CPU time of reading and writing traces, compared with `pj_dump` (package pajeng) on the same files.
//! Run with `cargo bench -p foldtrace-paje`.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use foldtrace_paje::Paje;
use foldtrace_testing::speed::{RANKS, read_stream, seconds, write_ring};
use nix::sys::resource::UsageWho;

/// Number of turns in a large trace, and in a trace that is small enough for `pj_dump`.
const TURNS: [u64; 2] = [1_000_000, 50_000];

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
    let of_simgrid = speed(read_stream(&Paje, &path))?;
    let writing = speed(write_ring(&Paje, &path, large))?;
    let of_own = speed(read_stream(&Paje, &path))?;
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

//! Measures the CPU time of reading and writing traces, compared with `awk`, which only splits each line into its fields. Run
//! with `cargo bench -p foldtrace-paraver`.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use foldtrace_paraver::Paraver;
use foldtrace_testing::speed::{RANKS, read_stream, seconds, write_ring};
use nix::sys::resource::UsageWho;

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
    let of_extrae = speed(read_stream(&Paraver, &path))?;
    let of_awk = speed(awk(&path)?)?;
    let ratio = of_extrae / of_awk;
    writeln!(
        out,
        "reads {of_extrae:.0} MB/s of a trace like Extrae's; awk splits {of_awk:.0} MB/s of it: {ratio:.1} times"
    )?;
    let writing = speed(write_ring(&Paraver, &path, TURNS))?;
    let of_own = speed(read_stream(&Paraver, &path))?;
    writeln!(
        out,
        "writes {writing:.0} MB/s, and reads {of_own:.0} MB/s of that"
    )?;
    Ok(())
}

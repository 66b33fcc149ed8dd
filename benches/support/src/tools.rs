//! Runs the programs that the benchmarks compare with, and measures their cost.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::children_cpu;

/// The cost of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// CPU time of all cores.
    pub cpu: Duration,
    /// Elapsed time.
    pub wall: Duration,
}

/// The reason why there is no cost: a program is not installed, or fails.
pub type NoCost = String;

/// Runs a program to its end and discards its output.
///
/// # Errors
/// If it is not installed or fails.
pub fn run(command: &mut Command) -> Result<Cost, NoCost> {
    let start = Start::now();
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let output = output.output().map_err(|error| missing(command, &error))?;
    let cost = start.cost();
    if output.status.success() {
        return Ok(cost);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(message.lines().last().unwrap_or("fails").to_owned())
}

/// Packs the files `names` of a folder with tar and `compressor`. Returns the cost and the size in bytes.
///
/// # Errors
/// If one of them is not installed.
///
/// # Panics
/// If one of them fails.
pub fn pack(
    folder: &Path,
    names: &[OsString],
    compressor: &mut Command,
) -> Result<(Cost, u64), NoCost> {
    let start = Start::now();
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(folder).arg("-c").args(names);
    let mut tar = tar
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| missing(&Command::new("tar"), &error))?;
    let packed = compressor
        .stdin(tar.stdout.take().unwrap())
        .stdout(Stdio::piped())
        .spawn();
    let mut packer = match packed {
        Ok(packer) => packer,
        Err(error) => {
            tar.kill().unwrap();
            tar.wait().unwrap();
            return Err(missing(compressor, &error));
        }
    };
    let bytes = io::copy(&mut packer.stdout.take().unwrap(), &mut io::sink()).unwrap();
    let whole = tar.wait().unwrap().success() && packer.wait().unwrap().success();
    assert!(whole, "{compressor:?}");
    Ok((start.cost(), bytes))
}

/// The values of both clocks at the start of a measurement.
struct Start(Duration, Instant);

impl Start {
    fn now() -> Self {
        Self(children_cpu(), Instant::now())
    }

    fn cost(&self) -> Cost {
        Cost {
            cpu: children_cpu() - self.0,
            wall: self.1.elapsed(),
        }
    }
}

fn missing(command: &Command, error: &io::Error) -> NoCost {
    let program = command.get_program().to_string_lossy();
    match error.kind() {
        io::ErrorKind::NotFound => format!("{program} is not installed"),
        _ => format!("{program}: {error}"),
    }
}

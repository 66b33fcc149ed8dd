//! Programs that the benches compare with: what a run of one costs, and which package has it.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::children_cpu;

/// What a run costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Time on all cores.
    pub cpu: Duration,
    /// Time that passed.
    pub wall: Duration,
}

/// Why there is no cost: a program that is not installed, or that fails.
pub type NoCost = String;

/// Runs a program to its end; what it prints goes nowhere.
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

/// Packs the files called `names` of a folder with tar and `compressor`; gives the bytes, too.
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

/// Both clocks when something began.
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

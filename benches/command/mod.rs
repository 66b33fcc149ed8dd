//! Provides the command foldtrace to the benchmarks that measure it.
#![allow(dead_code, reason = "not every benchmark uses everything")]

use std::path::Path;
use std::process::Command;

/// Returns the command foldtrace.
pub fn foldtrace() -> Command {
    Command::new(env!("CARGO_BIN_EXE_foldtrace"))
}

/// Returns a command that converts a trace.
pub fn conversion(from: &Path, to: &Path) -> Command {
    let mut command = foldtrace();
    command.args(["convert", "--quiet", "--force"]);
    command.arg(from).arg(to);
    command
}

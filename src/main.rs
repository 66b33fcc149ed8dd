//! The command `foldtrace`: arguments in, library calls, results out.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}

//! The command `foldtrace`: parses arguments, calls the library and prints results.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}

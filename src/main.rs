//! The command `foldtrace`; the library has everything that it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(foldtrace::cli::run(std::env::args_os()))
}

//! Programs of MPI, run with a temporary folder of their own each.
//!
//! Open MPI keeps a folder for the sessions of a user below the temporary one. Several `mpirun`s that find
//! none make it at the same time, and all but one fail: "mkdir … File exists".

use std::process::{Command, Output};

use crate::common::Folder;

/// Seconds after which a program is taken for deadlocked, on a busy machine.
const PATIENCE: &str = "300";

/// The variables by which Open MPI, from version 4 on, and other programs learn of a temporary folder.
const FOLDERS: [&str; 4] = [
    "TMPDIR",
    "OMPI_MCA_orte_tmpdir_base",
    "PRTE_MCA_prte_tmpdir_base",
    "PMIX_MCA_pmix_server_tmpdir",
];

/// Runs a command with a temporary folder of its own.
pub fn isolated(command: &mut Command) -> Output {
    // Its name is short, because sockets within it have to be.
    let own = tempfile::Builder::new().prefix("mpi-").tempdir().unwrap();
    for variable in FOLDERS {
        command.env(variable, own.path());
    }
    command.output().unwrap()
}

/// Runs `program`, a command line split at blanks, with this number of processes. A deadlock ends after
/// a time limit.
pub fn mpirun(folder: &Folder, processes: usize, program: &str) -> Output {
    let mut command = folder.command("timeout");
    let options = ["--oversubscribe", "--allow-run-as-root", "-np"];
    let command = command.args([PATIENCE, "mpirun"]).args(options);
    let command = command.arg(processes.to_string());
    isolated(
        command
            .args(program.split_whitespace())
            .env("SKELETON_RATE", "0"),
    )
}

//! Programs of `examples/patterns.c`, simulated by SMPI, and the same with ranks that have other numbers.

use std::fs;

use crate::common::mpi::isolated;
use crate::common::{Folder, example};

/// How many ranks a program is simulated on.
pub const RANKS: usize = 16;

/// A program of `patterns.c` in that mode, five iterations of it, as a text.
pub fn simulated(folder: &Folder, mode: &str) -> String {
    // Pajé traces of SMPI have peers of MPI_Sendrecv that are one too small.
    simulate(
        folder,
        RANKS,
        &["-trace-ti", "-trace-file", "run.ti"],
        &[mode, "5"],
    );
    folder.say("convert -q run.ti run.trace --force").exits(0);
    fs::read_to_string(folder.path("run.trace")).unwrap()
}

/// Simulates `patterns.c` with these arguments, where `options` say what is traced.
pub fn simulate(folder: &Folder, ranks: usize, options: &[&str], arguments: &[&str]) {
    let mut compiler = folder.command("smpicc");
    let compiler = compiler.args(["-DSIMULATED", "-O2", "-o", "patterns"]);
    let compiled = compiler.arg(example("patterns.c")).status();
    let compiled = compiled.expect("smpicc is of the package libsimgrid-dev");
    assert!(compiled.success());
    folder.machine(ranks);
    let mut command = folder.command("smpirun");
    let command = command
        .args(["-np", &ranks.to_string(), "-platform", "machine.xml"])
        .args(["-hostfile", "hosts"])
        .args(options)
        .arg("--cfg=smpi/simulate-computation:no")
        .arg("--cfg=smpi/host-speed:1Gf")
        .arg("./patterns")
        .args(arguments);
    let output = isolated(command);
    assert!(output.status.success(), "{output:?}");
}

/// The same events of ranks with other numbers, without definitions.
pub fn renumbered(trace: &str, numbers: &[usize]) -> String {
    let number = |word: &str| numbers[word.parse::<usize>().unwrap()].to_string();
    let lines = trace.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.map(|line| {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        words[0] = number(&words[0]);
        if matches!(&*words[1], "send" | "recv" | "isend" | "irecv") {
            words[2] = number(&words[2]);
        }
        words.join(" ") + "\n"
    });
    lines.collect()
}

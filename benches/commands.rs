//! Measures the time per event and the peak memory of every command, on traces that stress different parts.
//!
//! The traces are the largest OTF2 archive below `FOLDTRACE_TRACES` (by default `examples/`), the same archive repeated
//! ten times, and texts: a torus of 1,024 processes, random messages between 16 processes, and messages with a tag each,
//! which are received out of order. Each command runs in a process of its own. `COMMANDS=steps,dag` measures only these.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod command;
mod generated;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use foldtrace_bench::{count, open, repeat, size, traces};
use foldtrace_otf2::Otf2;
use wait4::Wait4;

use command::{conversion, foldtrace};

/// The name of each measurement, and its arguments: `IN` stands for the trace, `STORE` for its store, and `OUT` for a
/// path that does not exist.
const COMMANDS: [(&str, &str); 24] = [
    ("convert", "convert IN OUT.fold"),
    ("archive", "convert IN OUT.fold --archive"),
    ("info", "info STORE"),
    ("print", "print STORE"),
    ("verify", "verify STORE"),
    ("loops", "loops STORE"),
    ("loops --global", "loops STORE --global"),
    ("predict", "predict STORE --events comm"),
    ("replay", "replay STORE"),
    ("matrix", "matrix STORE"),
    ("profile", "profile STORE"),
    ("waits", "waits STORE"),
    ("critical", "critical STORE"),
    ("efficiency", "efficiency STORE"),
    ("dag", "dag STORE"),
    ("patterns", "patterns STORE"),
    ("filter", "filter STORE OUT.otf2"),
    ("steps", "steps STORE"),
    ("steps --leaps", "steps STORE --leaps"),
    ("topology", "topology STORE"),
    ("logical", "logical STORE"),
    ("skeleton", "skeleton STORE -o OUT.c"),
    ("extract", "extract STORE --construct 1 -o OUT.csv"),
    ("derive", "derive STORE"),
];

/// A trace to run the commands on.
struct Subject {
    name: &'static str,
    path: PathBuf,
    events: u64,
}

/// The cost of a command.
struct Cost {
    /// CPU time in seconds, of all cores.
    cpu: f64,
    /// Peak memory in bytes.
    peak: u64,
    is_success: bool,
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let chosen = std::env::var("COMMANDS").ok();
    let is_chosen = |name: &str| {
        let name = name.split(' ').next().unwrap();
        (chosen.as_deref()).is_none_or(|chosen| chosen.split(',').any(|it| it == name))
    };
    let subjects = subjects(folder.path());
    println!(
        "seconds of CPU time per million events, peak MB; 'exit' marks commands that gave up\n"
    );
    print!("{:<16}", "");
    for subject in &subjects {
        let events = subject.events as f64 / 1e6;
        print!(" {:>22}", format!("{} ({events:.1} M)", subject.name));
    }
    println!();
    let stores = subjects.iter().map(|subject| {
        let store = folder.path().join(format!("{}.fold", subject.name));
        assert!(
            conversion(&subject.path, &store)
                .status()
                .unwrap()
                .success()
        );
        store
    });
    let stores: Vec<PathBuf> = stores.collect();
    for (name, arguments) in COMMANDS.iter().filter(|(name, _)| is_chosen(name)) {
        print!("{name:<16}");
        for (subject, store) in subjects.iter().zip(&stores) {
            let cost = measure(arguments, &subject.path, store, folder.path());
            print!(
                " {:>9.3} {:>6.0} {:<5}",
                cost.cpu / (subject.events as f64 / 1e6),
                cost.peak as f64 / 1e6,
                if cost.is_success { "" } else { "exit" }
            );
        }
        println!();
    }
}

/// Writes the traces.
fn subjects(folder: &Path) -> Vec<Subject> {
    let archives = traces().into_iter();
    let largest = archives.max_by_key(|trace| size(&trace.anchor.with_extension("")));
    let archive = largest.expect("an archive").anchor;
    let repeated = folder.join("repeated.otf2");
    let events = repeat(&*open(&Otf2, &archive), 10, &repeated);
    let mut subjects = vec![
        Subject {
            name: "archive",
            events: count(&archive),
            path: archive,
        },
        Subject {
            name: "archive-x10",
            events,
            path: repeated,
        },
    ];
    for (name, write) in generated::TRACES {
        let path = folder.join(format!("{name}.trace"));
        let events = write(&path);
        subjects.push(Subject { name, path, events });
    }
    subjects
}

/// Runs a command, and removes its output.
fn measure(arguments: &str, input: &Path, store: &Path, folder: &Path) -> Cost {
    let output = tempfile::tempdir_in(folder).unwrap();
    let path = |word: &str| match word {
        "IN" => input.to_owned(),
        "STORE" => store.to_owned(),
        word => match word.strip_prefix("OUT") {
            Some(extension) => output.path().join(format!("output{extension}")),
            None => PathBuf::from(word),
        },
    };
    let child = foldtrace()
        .arg("--quiet")
        .args(arguments.split(' ').map(path))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let used = child.wait4().unwrap();
    let cpu = used.rusage.utime + used.rusage.stime;
    Cost {
        cpu: cpu.as_secs_f64(),
        peak: used.rusage.maxrss,
        is_success: used.status.success(),
    }
}

//! What the tests of the command share: running it, example traces, folders to work in.
//!
//! Commands run inside a temporary folder and name files relative to it, so that what they print is
//! the same everywhere.

pub mod browser;
pub mod damage;
pub mod followed;
pub mod mpi;
pub mod nas;
pub mod oracle;
pub mod pages;
pub mod parallel;
pub mod random;
pub mod scan;
pub mod seal;
pub mod simulated;
pub mod skeletons;
pub mod tables;

pub use foldtrace_testing::{copy, example, files};

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use foldtrace::store::VERSION;
use serde_json::Value;
use tempfile::TempDir;

/// The recorded archives.
pub const EXAMPLES: [&str; 6] = [
    "stencil-9",
    "ring-4",
    "wave-4",
    "farm-5",
    "tree-4",
    "vcycle-4",
];

/// Subcommands that read a store.
pub const STORE_COMMANDS: [&str; 17] = [
    "info",
    "print",
    "verify",
    "loops",
    "replay",
    "predict",
    "dag",
    "matrix",
    "derive",
    "extract -c 1",
    "skeleton",
    "steps",
    "patterns",
    "profile",
    "filter",
    "topology",
    "logical",
];

/// Checks that two stores have the same files.
pub fn assert_same(store: &Path, expected: &Path) {
    let names = files(store);
    assert_eq!(names, files(expected));
    for name in names {
        let [found, expected] = [store, expected].map(|store| fs::read(store.join(&name)).unwrap());
        assert!(found == expected, "{} differs", name.display());
    }
}

/// Notes beside the shards of a store that the store has what they contribute, as the task that joins them does.
pub fn note_joined(folder: &Folder, store: &str) {
    let manifest = fs::read(folder.path(format!("{store}/manifest.json"))).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let checksum = manifest["checksum"].as_str().unwrap();
    folder.write(&format!("{store}.shards/joined"), checksum);
}

/// The command under test.
pub const FOLDTRACE: &str = env!("CARGO_BIN_EXE_foldtrace");

/// What a run of the command left.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The same, if it ended with `code`.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Exit code and messages, as snapshots have them.
    pub fn report(&self) -> String {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        let lines: String = self.stderr.lines().map(|line| plain(line) + "\n").collect();
        format!("exit code {code}\n{lines}")
    }

    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A line without what may change from run to run.
fn plain(line: &str) -> String {
    let size = line.strip_suffix(" bytes per event");
    let line = match size.and_then(|line| line.rsplit_once(" in ")) {
        Some((line, _)) => format!("{line} in …"),
        None => line.to_owned(),
    };
    let line = line
        .split_once(" at path \"/")
        .map_or(&*line, |(line, _)| line);
    without_random(line)
}

/// Unfinished stores have random names: `.NAME.partial-xxxxxx`.
pub fn without_random(text: &str) -> String {
    let mut pieces = text.split(".partial-");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(".partial-…");
        plain.push_str(piece.trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
    }
    plain
}

/// A folder to work in; it goes away when dropped.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a copy of a recorded archive, under its name.
    pub fn with(name: &str) -> Self {
        let folder = Self::new();
        copy(&example(name), &folder.path(name));
        folder
    }

    /// With a store of a recorded archive, called `NAME.fold`.
    pub fn with_store(name: &str) -> Self {
        let folder = Self::new();
        let store = format!("{name}.fold");
        let input = example(name);
        folder
            .run([OsStr::new("convert"), input.as_ref(), store.as_ref()])
            .exits(0);
        folder
    }

    /// With a store of `ring-4` in which each process has a part, called `ring-4.fold`.
    pub fn with_parts() -> Self {
        let folder = Self::new();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data/stores")
            .join(format!("v{VERSION}/ring-4.fold"));
        let arguments = [OsStr::new("convert"), kept.as_ref(), "ring-4.fold".as_ref()];
        folder.run(arguments).exits(0);
        folder
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Writes a machine for SimGrid, `machine.xml` and `hosts`: a cluster with a host a rank.
    pub fn machine(&self, ranks: usize) {
        let cluster = format!(
            "<?xml version='1.0'?>\n\
             <!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
             <platform version=\"4.1\">\n  \
             <cluster id=\"c\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" bw=\"1GBps\" \
             lat=\"1us\"/>\n</platform>\n",
            ranks - 1
        );
        self.write("machine.xml", cluster);
        let hosts: String = (0..ranks).map(|rank| format!("node-{rank}\n")).collect();
        self.write("hosts", hosts);
    }

    /// The names of everything in the folder, hidden things included, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A command that will run here.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.root()).env("COLUMNS", "100");
        command.env_remove("RAYON_NUM_THREADS");
        command
    }

    /// The command under test with arguments.
    pub fn foldtrace(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = self.command(FOLDTRACE);
        command.args(arguments);
        command
    }

    /// Runs it.
    pub fn run(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ran {
        self.foldtrace(arguments).output().unwrap().into()
    }

    /// Runs it with arguments that are divided by blanks.
    pub fn say(&self, arguments: &str) -> Ran {
        self.run(arguments.split_whitespace())
    }

    /// The same with a text on standard input.
    pub fn feed(&self, arguments: &str, input: impl AsRef<[u8]>) -> Ran {
        let mut child = self
            .foldtrace(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The command may stop reading at the first fault.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        child.wait_with_output().unwrap().into()
    }

    /// The same for someone whom permissions hold back, which root is not.
    pub fn say_unprivileged(&self, arguments: &str) -> Ran {
        let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
        let mut command = if is_root {
            let mut command = self.command("setpriv");
            command.args(["--bounding-set=-all", "--inh-caps=-all", FOLDTRACE]);
            command
        } else {
            self.command(FOLDTRACE)
        };
        command.args(arguments.split_whitespace());
        command.output().unwrap().into()
    }
}

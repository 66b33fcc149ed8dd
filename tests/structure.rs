//! Stores with other values, rows and columns in their tables, and with other files.
//!
//! - If hashes and manifest are right again, as if a faulty program had written the store, each command
//!   refuses or answers: no panic, no abort, no hang, no memory out of proportion.
//! - If they are not, each command refuses, or answers as it does of the store that was written.
//!
//! `FOLDTRACE_RUNS` sets how many stores are made, `FOLDTRACE_SEED` which, and `FOLDTRACE_BINARY` the
//! command that is run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fastrand::Rng;
use nix::sys::resource::{Resource, setrlimit};

use crate::common::seal::seal;
use crate::common::{EXAMPLES, FOLDTRACE, Folder, copy, files};

/// Commands that read a store, which is `x.fold`.
const COMMANDS: [&str; 31] = [
    "info --json x.fold",
    "print x.fold",
    "print x.fold --topology",
    "print x.fold --begin 5 --count 9",
    "print x.fold --at 0:3",
    "convert x.fold - --to text --time 1us..1s",
    "convert x.fold - --to text",
    "convert x.fold - --to text --salvage",
    "convert x.fold y.fold --archive --force -q",
    "loops x.fold",
    "loops x.fold --positions",
    "loops x.fold --global",
    "loops x.fold --format json",
    "loops x.fold --global --events all --spmd",
    "replay x.fold",
    "replay x.fold --global",
    "predict x.fold",
    "dag x.fold",
    "dag x.fold --format json",
    "dag x.fold --compaction",
    "matrix x.fold",
    "matrix x.fold --bytes",
    "extract -c 1 x.fold",
    "skeleton x.fold",
    "steps x.fold",
    "patterns x.fold",
    "filter x.fold",
    "topology x.fold",
    "logical x.fold",
    "derive x.fold -q",
    "verify x.fold",
];

/// How long a command may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Address space that a command may set aside.
const ADDRESSES: u64 = 6 << 30;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    code: Option<i32>,
    output: Vec<u8>,
}

/// Runs a command in a folder.
fn run(folder: &Path, arguments: &str) -> (Answer, String) {
    let [output, errors] = ["output", "errors"].map(|name| folder.join(name));
    let binary = std::env::var_os("FOLDTRACE_BINARY").unwrap_or(FOLDTRACE.into());
    let mut child = Command::new(binary)
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&output).unwrap())
        .stderr(File::create(&errors).unwrap())
        .env("RAYON_NUM_THREADS", "2")
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{arguments} takes more than {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_micros(500));
    };
    let answer = Answer {
        code: status.code(),
        output: fs::read(output).unwrap(),
    };
    (answer, fs::read_to_string(errors).unwrap())
}

/// A store, and what commands answer of it.
struct Subject {
    folder: Folder,
    answers: RefCell<BTreeMap<usize, Answer>>,
}

impl Subject {
    /// The store `name` of an example or a text, with derived tables, perhaps as an archive.
    fn new(name: &str, is_archive: bool) -> Self {
        let folder = Folder::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let input = match name {
            "everything" | "long" => root.join("tests/data/stores/everything.trace"),
            "tags" => root.join("tests/data/stores/tags.trace"),
            name => root.join("examples").join(name),
        };
        match name {
            "long" => folder.write("input", long()),
            _ => copy_any(&input, &folder.path("input")),
        }
        let form = if is_archive { "--archive" } else { "" };
        let made = format!("convert input intact.fold -q --derive {form}");
        let code = run(folder.root(), &made).0.code;
        assert!(code.is_some_and(|code| [0, 3].contains(&code)));
        Self {
            folder,
            answers: RefCell::default(),
        }
    }

    /// What a command answers of the store as it was written.
    fn answer(&self, number: usize) -> Answer {
        let mut answers = self.answers.borrow_mut();
        let answer = answers.entry(number).or_insert_with(|| {
            self.restore();
            run(self.folder.root(), COMMANDS[number]).0
        });
        answer.clone()
    }

    fn store(&self) -> PathBuf {
        self.folder.path("x.fold")
    }

    /// Makes the store as it was written.
    fn restore(&self) {
        for name in ["x.fold", "y.fold"] {
            let _ = fs::remove_dir_all(self.folder.path(name));
        }
        copy(&self.folder.path("intact.fold"), &self.store());
    }
}

/// A text with noise for times and lengths, so that some files of its store have several groups.
fn long() -> String {
    let mut random = Rng::with_seed(1);
    let mut text = String::new();
    for location in 0..2 {
        let mut time = 0;
        for _ in 0..2_900 {
            time += random.u64(1..1 << 40);
            let (other, bytes) = (1 - location, random.u64(..1 << 60));
            let line = match random.u8(..2) {
                0 => format!("{location} send {other} 1 bytes={bytes} time={time}"),
                _ => format!("{location} local enter work time={time}"),
            };
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

fn copy_any(from: &Path, to: &Path) {
    if from.is_dir() {
        copy(from, to);
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// Subjects, one after the other.
fn subjects() -> Vec<Subject> {
    let names = ["everything", "long", "tags", EXAMPLES[2], EXAMPLES[5]];
    let both = names
        .into_iter()
        .flat_map(|name| [(name, false), (name, true)]);
    both.map(|(name, is_archive)| Subject::new(name, is_archive))
        .collect()
}

/// Commands to run on a store that was changed: all of them in a campaign, else a few.
fn commands(random: &mut Rng) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..COMMANDS.len()).collect();
    if std::env::var_os("FOLDTRACE_RUNS").is_none() {
        random.shuffle(&mut numbers);
        numbers.truncate(4);
    }
    numbers
}

fn limit_memory() {
    setrlimit(Resource::RLIMIT_AS, ADDRESSES, ADDRESSES).unwrap();
}

/// Codes of commands that have refused, or have salvaged and said so.
const REFUSED: [i32; 3] = [2, 3, 4];

/// Tells what goes wrong, or stops at once unless this is a campaign.
fn report(failures: &mut u64, message: &str) {
    assert!(std::env::var_os("FOLDTRACE_RUNS").is_some(), "{message}");
    *failures += 1;
    eprintln!("{message}");
}

#[test]
fn a_store_of_a_faulty_program_is_refused_or_read() {
    limit_memory();
    let subjects = subjects();
    let mut random = Rng::with_seed(number("FOLDTRACE_SEED", 20));
    let (mut runs, mut failures, mut refused) = (0, 0, 0);
    for _ in 0..number("FOLDTRACE_RUNS", 10) {
        let subject = &subjects[random.usize(..subjects.len())];
        subject.restore();
        let mut tables = files(&subject.store());
        tables.retain(|file| file.extension().is_some_and(|ending| ending == "parquet"));
        let table = random.choice(tables).unwrap();
        let Some(what) = crate::common::tables::change(&subject.store().join(&table), &mut random)
        else {
            continue;
        };
        seal(&subject.store(), |_| {});
        let changed = subject.folder.path("changed.fold");
        let _ = fs::remove_dir_all(&changed);
        copy(&subject.store(), &changed);
        for number in commands(&mut random) {
            let command = COMMANDS[number];
            let (answer, errors) = run(subject.folder.root(), command);
            runs += 1;
            let is_good = match answer.code {
                Some(0) => true,
                Some(code) => REFUSED.contains(&code) && !errors.contains("panicked"),
                None => false,
            };
            refused += u64::from(answer.code != Some(0));
            if !is_good {
                let table = table.display();
                report(
                    &mut failures,
                    &format!("{command}: {table} {what}: {answer:?}\n{errors}"),
                );
            }
            if command.starts_with("derive") {
                let _ = fs::remove_dir_all(subject.store());
                copy(&changed, &subject.store());
            }
        }
    }
    eprintln!("{runs} runs, {refused} refused, {failures} failed");
    assert_eq!(failures, 0);
}

/// Damages the store; says how.
fn damage(store: &Path, other: &Path, random: &mut Rng) -> String {
    let name = random.choice(files(store)).unwrap();
    let path = store.join(&name);
    let mut bytes = fs::read(&path).unwrap();
    let name = name.display();
    match random.u8(..10) {
        0 => {
            fs::remove_file(&path).unwrap();
            format!("{name} is missing")
        }
        1 => {
            bytes.truncate(random.usize(..bytes.len()));
            fs::write(&path, &bytes).unwrap();
            format!("{name} is cut to {} bytes", bytes.len())
        }
        2 if other.join(name.to_string()).exists() => {
            fs::copy(other.join(name.to_string()), &path).unwrap();
            format!("{name} is of another store")
        }
        3 => {
            let manifest = store.join("manifest.json");
            let text = fs::read_to_string(&manifest).unwrap();
            let digits: Vec<usize> = text
                .char_indices()
                .filter(|(_, c)| c.is_ascii_digit())
                .map(|(at, _)| at)
                .collect();
            let at = random.choice(digits).unwrap();
            let mut bytes = text.into_bytes();
            bytes[at] = if bytes[at] == b'7' { b'3' } else { b'7' };
            fs::write(manifest, bytes).unwrap();
            format!("digit {at} of the manifest is another one")
        }
        _ => {
            let at = random.usize(..bytes.len());
            let bit = random.u8(..8);
            bytes[at] ^= 1 << bit;
            fs::write(&path, bytes).unwrap();
            format!("bit {bit} of byte {at} of {name} is another one")
        }
    }
}

#[test]
fn a_damaged_store_is_refused_or_read_as_it_was_written() {
    limit_memory();
    let subjects = subjects();
    let mut random = Rng::with_seed(number("FOLDTRACE_SEED", 21));
    let (mut runs, mut failures, mut refused) = (0, 0, 0);
    for _ in 0..number("FOLDTRACE_RUNS", 10) {
        let subject = &subjects[random.usize(..subjects.len())];
        let other = &subjects[random.usize(..subjects.len())];
        let numbers = commands(&mut random);
        for &number in &numbers {
            subject.answer(number);
        }
        subject.restore();
        let what = damage(
            &subject.store(),
            &other.folder.path("intact.fold"),
            &mut random,
        );
        let changed = subject.folder.path("changed.fold");
        let _ = fs::remove_dir_all(&changed);
        copy(&subject.store(), &changed);
        let is_intact = contents(&changed) == contents(&subject.folder.path("intact.fold"));
        for number in numbers {
            let command = COMMANDS[number];
            let (answer, errors) = run(subject.folder.root(), command);
            runs += 1;
            let is_refused = answer.code.is_some_and(|code| REFUSED.contains(&code))
                && !errors.contains("panicked");
            let is_right = answer == subject.answer(number);
            // Whoever verifies wants to know; what is not read matters to nobody else.
            let is_good = match command.starts_with("verify") {
                true => is_intact || answer.code == Some(4),
                false => is_refused || is_right,
            };
            refused += u64::from(is_refused);
            if !is_good {
                report(
                    &mut failures,
                    &format!("{command}: {what}: {:?}\n{errors}", answer.code),
                );
            }
            if command.starts_with("derive") {
                let _ = fs::remove_dir_all(subject.store());
                copy(&changed, &subject.store());
            }
        }
    }
    eprintln!("{runs} runs, {refused} refused, {failures} failed");
    assert_eq!(failures, 0);
}

/// Files with what is in them.
fn contents(store: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = files(store).into_iter();
    files
        .map(|file| (file.clone(), fs::read(store.join(&file)).unwrap()))
        .collect()
}

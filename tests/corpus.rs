//! The corpus: the command reads every case of `tests/data/FORMAT/{good,bad}/` as its `expected.txt` says.
//!
//! A case is a folder with an input, `input.EXTENSION` or a folder `input`, the files that belong to it, which
//! have its name with other extensions, and its expectation: each
//! command that was run, its exit code and its messages, and behind `---` the text that it gave. A good
//! trace is read as it is, and over a pipe where its format can be; a bad one also with `--salvage`. The
//! format is named to the command only where it does not recognise the input itself.
//!
//! With `FOLDTRACE_BLESS=1` in the environment, the expectations are written anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldtrace::formats::REGISTRY;
use rstest::rstest;

use crate::common::{Folder, Ran, copy};

/// Beside the formats: stores of each version, which `tests/golden.rs` reads.
const STORES: &str = "stores";
const EXPECTED: &str = "expected.txt";
/// Extensions of files that belong to an input.
const COMPANIONS: [&str; 3] = ["pcf", "row", "sqlite-wal"];
/// Finished; finished with a loss.
const GOOD: [i32; 2] = [0, 3];
/// Finished with a loss; refused.
const BAD: [i32; 2] = [3, 4];
/// What a format answers that cannot be read from a pipe.
const USAGE: i32 = 2;

/// An input of the corpus.
struct Case {
    format: String,
    folder: PathBuf,
    /// Name of the input in the folder.
    input: String,
    /// Names of the files that belong to it.
    companions: Vec<String>,
}

/// The names of what is in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// The folders of all formats that have one.
fn formats() -> Vec<(String, PathBuf)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut all = names(&corpus);
    assert!(all.remove(STORES));
    all.into_iter()
        .map(|name| {
            let folder = corpus.join(&name);
            (name, folder)
        })
        .collect()
}

impl Case {
    /// The case with this input.
    fn of(input: &Path) -> Self {
        let folder = input.parent().unwrap();
        let format = folder.ancestors().nth(2).unwrap();
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut files = names(folder);
        files.remove(EXPECTED);
        let companions = COMPANIONS.map(|extension| format!("input.{extension}"));
        let case = Self {
            format: name(format),
            folder: folder.to_owned(),
            input: name(input),
            companions: companions
                .into_iter()
                .filter(|it| files.remove(it))
                .collect(),
        };
        let only_input = BTreeSet::from([case.input.clone()]);
        assert_eq!(files, only_input, "{}", folder.display());
        case
    }

    fn path(&self) -> PathBuf {
        self.folder.join(&self.input)
    }

    /// Whether the input is taken for what it is, without being told.
    fn is_recognised(&self) -> bool {
        let recognised = foldtrace_open::recognise(&REGISTRY, &self.path(), None, &Arc::default());
        recognised.is_ok_and(|recognised| recognised.format().name == self.format)
    }

    /// Arguments that convert the input to text on standard output, and tell every case of a problem.
    fn arguments(&self) -> String {
        let from = match self.is_recognised() {
            true => String::new(),
            false => format!(" --from {}", self.format),
        };
        format!("convert {} -{from} --to text -v", self.input)
    }

    /// A folder with a copy of the input, to work in.
    fn work(&self) -> Folder {
        let work = Folder::new();
        let (from, to) = (self.path(), work.path(&self.input));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
        for file in &self.companions {
            fs::copy(self.folder.join(file), work.path(file)).unwrap();
        }
        work
    }

    /// Fails if what was found is not what is expected.
    fn check(&self, found: &str) {
        let path = self.folder.join(EXPECTED);
        if std::env::var_os("FOLDTRACE_BLESS").is_some() {
            fs::write(&path, found).unwrap();
            return;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if found == expected {
            return;
        }
        let same = found.lines().zip(expected.lines());
        let line = same
            .take_while(|(found, expected)| found == expected)
            .count();
        let nth = |text: &str| text.lines().nth(line).unwrap_or("the end").to_owned();
        panic!(
            "{}, line {}:\n  expected  {}\n  found     {}\n\
             With FOLDTRACE_BLESS=1, what is found becomes what is expected.",
            path.display(),
            line + 1,
            nth(&expected),
            nth(found)
        );
    }
}

/// A command and what it said.
fn told(arguments: &str, ran: &Ran) -> String {
    format!("$ foldtrace {arguments}\n{}", ran.report())
}

/// The definitions of a text, and its events.
fn parts(text: &str) -> (Vec<&str>, Vec<&str>) {
    text.lines().partition(|line| line.starts_with('#'))
}

/// What was written is read again as the same; definitions may come sooner before what needs them.
fn assert_inverse(work: &Folder, text: &str) {
    let again = work.feed("convert - - --from text --to text", text);
    assert_eq!(parts(&again.stdout), parts(text));
}

#[rstest]
fn a_good_trace(
    #[files("tests/data/*/good/*/input*")]
    #[exclude("\\.(pcf|row|sqlite-wal)$")]
    #[dirs]
    input: PathBuf,
) {
    let case = Case::of(&input);
    let work = case.work();
    let arguments = case.arguments();
    let ran = work.say(&arguments);
    assert!(GOOD.contains(&ran.code.unwrap()), "{ran:#?}");
    assert_inverse(&work, &ran.stdout);
    // A pipe has no files beside it.
    if input.is_file() && case.companions.is_empty() {
        let over = format!("convert - - --from {} --to text", case.format);
        let piped = work.feed(&over, fs::read(&input).unwrap());
        if piped.code != Some(USAGE) {
            assert_eq!((piped.code, &piped.stdout), (ran.code, &ran.stdout));
        }
    }
    case.check(&format!("{}---\n{}", told(&arguments, &ran), ran.stdout));
}

#[rstest]
fn a_bad_trace(
    #[files("tests/data/*/bad/*/input*")]
    #[exclude("\\.(pcf|row|sqlite-wal)$")]
    #[dirs]
    input: PathBuf,
) {
    let case = Case::of(&input);
    let work = case.work();
    let plain = case.arguments();
    let salvaging = format!("{plain} --salvage");
    let mut found = String::new();
    let mut kept = String::new();
    for arguments in [&plain, &salvaging] {
        let ran = work.say(arguments);
        assert!(BAD.contains(&ran.code.unwrap()), "not bad: {ran:#?}");
        write!(found, "{}", told(arguments, &ran)).unwrap();
        kept = ran.stdout;
    }
    if !kept.is_empty() {
        assert_inverse(&work, &kept);
    }
    case.check(&format!("{found}---\n{kept}"));
}

#[test]
fn each_format_with_cases_has_good_ones_and_bad_ones_and_says_where_they_are_from() {
    for (name, folder) in formats() {
        let format = REGISTRY.by_name(&name);
        assert!(
            format.is_ok_and(|format| format.descriptor().reads),
            "{name}"
        );
        let expected = ["README.md", "bad", "good"].map(str::to_owned);
        assert_eq!(names(&folder), BTreeSet::from(expected), "{name}");
        for kind in ["good", "bad"].map(|kind| folder.join(kind)) {
            let cases = names(&kind);
            assert!(!cases.is_empty(), "{} has no case", kind.display());
            for case in cases.iter().map(|case| kind.join(case)) {
                let files = names(&case);
                let has_input = files.iter().any(|file| file.starts_with("input"));
                assert!(has_input, "{} has no input", case.display());
            }
        }
    }
}

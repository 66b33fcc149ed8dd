//! Anything to anything: every trace goes through every format that is written, and back, and loses
//! only what `foldtrace formats` says.
//!
//! The traces are those in `examples/` and one of each other format that is read. With
//! `FOLDTRACE_TRACES=FOLDER` in the environment, they are all that are found below that folder; with
//! `--nocapture`, a table tells how each pair went.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use foldtrace::formats::REGISTRY;
use foldtrace_trace::Descriptor;

use crate::common::{Folder, Ran, example};

/// What comes back of a trace that was converted to a format and read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comes {
    /// Every line: definitions, events, all that they carry.
    Whole,
    /// Every event but those that a text describes in its own words; definitions as far as the format
    /// has them.
    Events,
    /// Who sends how much how often.
    Sends,
    /// The same of messages that have both ends, where it was said that some have not.
    MatchedSends,
    /// How often each region is entered, and what [`MatchedSends`](Self::MatchedSends) has.
    Calls,
    /// Nothing: it is written only. As many rows as there are events.
    Rows,
}

/// What `formats` says that each format drops, in other words.
fn comes(format: &str) -> Comes {
    match format {
        "otf2" => Comes::Events,
        "ti" => Comes::Sends,
        "paraver" => Comes::Calls,
        "parquet" | "arrow" | "csv" | "pipit" => Comes::Rows,
        _ => Comes::Whole,
    }
}

/// The lines of a text trace, as far as they come back.
fn lines(text: &Path, comes: Comes) -> Box<dyn Iterator<Item = String>> {
    let lines = BufReader::new(File::open(text).unwrap()).lines();
    let lines = lines.map(Result::unwrap);
    match comes {
        Comes::Whole => Box::new(lines),
        // An archive has a place for every location, so who had no label may have one there.
        Comes::Events => Box::new(
            lines
                .filter(|line| !line.starts_with('#') && has_record(line))
                .map(|line| without_members(line.split_once(' ').unwrap().1)),
        ),
        Comes::Sends => Box::new(sends(lines).into_iter().map(|((rank, bytes), count)| {
            format!("rank {rank} sends {count} messages of {bytes}")
        })),
        Comes::Calls => Box::new(
            entered(lines)
                .into_iter()
                .map(|(region, count)| format!("{region} is entered {count} times")),
        ),
        Comes::MatchedSends | Comes::Rows => Box::new(std::iter::empty()),
    }
}

/// How often each region is entered.
fn entered(lines: impl Iterator<Item = String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let event = line.split_once(' ').map_or("", |(_, event)| event);
        let entered = ["local enter ", "local calling_context_enter "];
        let region = entered.iter().find_map(|kind| event.strip_prefix(kind));
        // A region without a name has its number as its name afterwards.
        let fields = ["region=", "calling_context=", "time="];
        let is_nameless = |region: &str| {
            region.starts_with("\"region ") || fields.iter().any(|it| region.starts_with(it))
        };
        let named = region.filter(|region| !is_nameless(region));
        if let Some(region) = named {
            let ends = fields
                .iter()
                .filter_map(|field| region.find(&format!(" {field}")));
            let end = ends.min().unwrap_or(region.len());
            *counts.entry(region[..end].to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Whether OTF2 has a record for the event of a line.
fn has_record(line: &str) -> bool {
    let mut words = line.split(' ').skip(1);
    words.next() != Some("local") || {
        let kind = words.next().unwrap_or_default();
        kind != "local"
            && kind != "unknown"
            && foldtrace_trace::EventKind::from_name(kind).is_some()
    }
}

/// An event without the numbers of the members of its metric, which OTF2 takes to be all.
fn without_members(event: &str) -> String {
    let word = |word: &str| match word.strip_prefix("value.").and_then(|w| w.split_once('=')) {
        Some((_, value)) => format!("value={value}"),
        None => word.to_owned(),
    };
    event.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// How many sends each rank has of each size.
fn sends(lines: impl Iterator<Item = String>) -> BTreeMap<(String, String), u64> {
    let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
    for line in lines {
        let mut words = line.split(' ');
        let label = words.next().unwrap_or_default();
        if !matches!(words.next(), Some("send" | "isend")) {
            continue;
        }
        let rank = label.split('.').next().unwrap_or_default().to_owned();
        let bytes = words.find(|word| word.starts_with("bytes="));
        // Of unknown size, they are written as empty ones, and that is said.
        let bytes = bytes.unwrap_or("bytes=0").to_owned();
        *counts.entry((rank, bytes)).or_default() += 1;
    }
    counts
}

/// A trace on its way.
struct Case {
    folder: Folder,
    input: PathBuf,
    /// Its own format.
    format: String,
    events: u64,
}

impl Case {
    fn new(input: &Path) -> Self {
        let folder = Folder::new();
        let path = input.to_str().unwrap();
        let info = folder.run(["info", path, "--json"]).exits(0).json();
        let case = Self {
            input: input.to_owned(),
            format: info["format"].as_str().unwrap().to_owned(),
            events: info["events"].as_u64().unwrap(),
            folder,
        };
        case.dump(path, "base.trace");
        case
    }

    /// All that is in a trace, a location after the other.
    fn dump(&self, from: &str, to: &str) {
        self.convert(from, "dump.fold", "fold");
        self.convert("dump.fold", to, "text");
    }

    /// Converts, and demands that what is lost is said.
    fn convert(&self, from: &str, to: &str, format: &str) -> Ran {
        let ran = self
            .folder
            .run(["convert", from, to, "--to", format, "--force"]);
        match ran.code {
            Some(0) => ran,
            Some(3) => {
                let said = ran.stderr.lines().any(|line| line.starts_with("loss"));
                assert!(said, "{}: {ran:#?}", self.input.display());
                ran
            }
            _ => panic!("{} to {format}: {ran:#?}", self.input.display()),
        }
    }

    /// Through a format, and what comes back of it by way of a store.
    fn through(&self, format: &'static Descriptor) -> String {
        let output = self.output(format.name);
        let ran = self.convert(self.input.to_str().unwrap(), &output, format.name);
        let lost = if ran.code == Some(3) {
            " with loss"
        } else {
            ""
        };
        if format.name == "otf2" {
            self.check_archive(&output);
        }
        let mut comes = comes(format.name);
        // Ends without another one, and those of further threads of a process.
        let are_told = ["ti.unmatched", " mpi_send", " mpi_isend"];
        if comes == Comes::Sends && are_told.iter().any(|word| ran.stderr.contains(word)) {
            comes = Comes::MatchedSends;
        }
        assert_eq!(comes == Comes::Rows, !format.reads, "{}", format.name);
        if comes == Comes::Rows {
            self.check_rows(format.name, &output);
            return format!("rows{lost}");
        }
        assert!(
            comes != Comes::Whole || ran.code == Some(0),
            "{} to {}, which drops nothing: {ran:#?}",
            self.input.display(),
            format.name
        );
        self.dump(&output, "back.trace");
        self.compare("base.trace", "back.trace", comes, format.name);
        let own = REGISTRY.by_name(&self.format).unwrap().descriptor();
        if own.writes && self.format != format.name {
            self.there_and_back(&output, format.name, comes);
        }
        format!("{comes:?}{lost}").to_lowercase()
    }

    /// The second conversion back: to the format that the trace came in.
    fn there_and_back(&self, output: &str, through: &str, came: Comes) {
        let own = &self.format;
        let again = format!("back/{}", self.output(own));
        self.convert(output, &again, own);
        self.dump(&again, "again.trace");
        let comes = match [comes(own), came] {
            [_, Comes::MatchedSends] => Comes::MatchedSends,
            [Comes::Calls, Comes::Sends] | [Comes::Sends, Comes::Calls] => Comes::MatchedSends,
            both if both.contains(&Comes::Calls) => Comes::Calls,
            both if both.contains(&Comes::Sends) => Comes::Sends,
            both if both.contains(&Comes::Events) => Comes::Events,
            _ => Comes::Whole,
        };
        self.compare(
            "base.trace",
            "again.trace",
            comes,
            &format!("{through}, {own}"),
        );
    }

    fn output(&self, format: &str) -> String {
        fs::create_dir_all(self.folder.path("back")).unwrap();
        match format {
            "otf2" => "out/traces.otf2".to_owned(),
            _ => format!("out.{format}"),
        }
    }

    fn compare(&self, before: &str, after: &str, comes: Comes, through: &str) {
        if matches!(comes, Comes::MatchedSends | Comes::Calls) {
            let [before, after] =
                [before, after].map(|name| sends(lines(&self.folder.path(name), Comes::Whole)));
            let is_known = |(key, &count)| before.get(key).is_some_and(|&all| count <= all);
            assert!(
                after.iter().all(is_known),
                "{} through {through}",
                self.input.display()
            );
        }
        if comes == Comes::MatchedSends {
            return;
        }
        let [mut before, mut after] =
            [before, after].map(|name| lines(&self.folder.path(name), comes));
        let mut number = 0;
        loop {
            let (was, is) = (before.next(), after.next());
            number += 1;
            assert_eq!(
                was,
                is,
                "{} through {through}: line {number} of {comes:?}",
                self.input.display()
            );
            if was.is_none() {
                return;
            }
        }
    }

    /// libotf2 opens an archive and reads all of it.
    fn check_archive(&self, output: &str) {
        let printed = self.folder.command("otf2-print").arg(output).output();
        let printed = printed.expect("otf2-print is of the package otf2-tools");
        let said = String::from_utf8_lossy(&printed.stderr);
        assert!(
            printed.status.success() && !said.contains("ClockProperties"),
            "{} to otf2: {said}",
            self.input.display()
        );
    }

    /// A table has a row an event.
    fn check_rows(&self, format: &str, output: &str) {
        let path = self.folder.path(output);
        let rows = match format {
            "csv" => BufReader::new(File::open(path).unwrap()).lines().count() as u64 - 1,
            "parquet" | "pipit" => parquet_rows(&path),
            _ => return assert!(path.metadata().unwrap().len() > 0),
        };
        assert_eq!(rows, self.events, "{} to {format}", self.input.display());
    }
}

fn parquet_rows(path: &Path) -> u64 {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader.metadata().file_metadata().num_rows() as u64
}

/// All traces below a folder: what a format recognises is one, with all that is in it.
fn traces(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if foldtrace::formats::open(&path, None, &Default::default(), &Default::default()).is_ok() {
            found.push(path);
        } else if path.is_dir() {
            traces(&path, found);
        }
    }
}

/// Traces of the corpus with much in them, of every format that the examples are not of.
const CORPUS: [&str; 18] = [
    "fold/good/plain/input",
    "text/good/written_folder/input",
    "paje/good/foldtrace/input.paje",
    "paje/good/simgrid/input.paje",
    "paje/good/starpu/input.paje",
    "ti/good/collectives/input.ti",
    "ti/good/file_a_rank/input",
    "chrome/good/written/input.json",
    "chrome/good/torch_profiler/input.json",
    "otf2-print/good/whole/input.txt",
    "mtf/good/by_hand/input.mtf",
    "paraver/good/extrae/input.prv",
    "kineto/good/training_steps/input.json",
    "perfetto/good/rocprof_sys/input.pftrace",
    "nsight/good/old/input.sqlite",
    "rocpd/good/tracks/input.db",
    "ctf/good/two_traces/input",
    "ctf2/good/written/input",
];

#[test]
fn every_format_that_is_read_has_a_trace() {
    for format in REGISTRY
        .descriptors()
        .filter(|d| d.reads && d.name != "otf2")
    {
        let has_one = CORPUS
            .iter()
            .any(|path| path.starts_with(&format!("{}/", format.name)));
        assert!(has_one, "{}", format.name);
    }
}

#[test]
fn every_trace_goes_through_every_format_and_back() {
    let inputs = match std::env::var_os("FOLDTRACE_TRACES") {
        Some(folder) => {
            let mut found = Vec::new();
            traces(Path::new(&folder), &mut found);
            found
        }
        None => {
            let examples = ["ring-4", "wave-4"].map(example);
            let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
            let others = CORPUS.iter().map(|path| corpus.join(path));
            examples.into_iter().chain(others).collect()
        }
    };
    assert!(!inputs.is_empty());
    for input in &inputs {
        let case = Case::new(input);
        println!(
            "{} ({}), {} events",
            input.display(),
            case.format,
            case.events
        );
        for format in REGISTRY.descriptors().filter(|format| format.writes) {
            println!("  {:<10} {}", format.name, case.through(format));
        }
    }
}

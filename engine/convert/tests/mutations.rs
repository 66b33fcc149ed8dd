//! Archives with random damage, read in every way: thousands of files that nobody would think of.
//!
//! For each of them:
//!
//! - there is no panic (sums that overflow among them), no hang, no memory out of proportion to the
//!   files;
//! - without `--salvage`, either the archive is refused, or whoever reads it is told of every loss: if
//!   the number of events of a location or of definitions of any kind is another one, the
//!   diagnostics are others as well;
//! - with `--salvage`, whatever an error lets through is told too, and events in front of the damaged
//!   byte are what they were.
//!
//! A value that is another one, in a record that is as long as before, cannot be noticed: a flipped bit
//! in a time is a time. The same is true for a name, an id that is defined, and everything that the
//! properties of the anchor say. How often that happens is printed.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail, and print"
)]

#[path = "../../../tests/common/mutation.rs"]
mod mutation;

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use foldtrace_convert::{self as convert, ConvertOptions};
use foldtrace_otf2::Otf2;
use foldtrace_store::{Origin, Source};
use foldtrace_stream::read::{Progress, read_stream};
use foldtrace_testing::{copy, example, files};
use foldtrace_trace::{
    DefinitionKind, Diagnostics, EventBatch, Format, Input, ReadOptions, Severity, SymbolTable,
    TraceError, TraceReader,
};
use mutation::Mutation;
use nix::sys::resource::{Resource, setrlimit};
use otf2_sys::samples;
use tempfile::TempDir;

/// How long a single archive may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
/// Memory that all tests of this file may use together, and address space that may be set aside.
const MEMORY: u64 = 512 << 20;
const ADDRESSES: u64 = 8 << 30;

/// The events of each location, each with everything it has as a hash.
type Events = BTreeMap<u64, Vec<u64>>;

/// What was read.
#[derive(Debug, Default)]
struct Read {
    definitions: BTreeMap<&'static str, usize>,
    events: Events,
    diagnostics: Diagnostics,
    refused: Option<TraceError>,
}

impl Read {
    fn counts(&self) -> BTreeMap<u64, usize> {
        let counts = self.events.iter();
        counts
            .map(|(&location, events)| (location, events.len()))
            .collect()
    }

    fn told(&self) -> Vec<String> {
        let groups = self.diagnostics.groups();
        groups
            .map(|(key, group)| format!("{key} {group:?}"))
            .collect()
    }
}

fn collect(events: &mut Vec<u64>, batch: &EventBatch, symbols: &SymbolTable) {
    for event in batch.iter(symbols) {
        let mut hasher = DefaultHasher::new();
        let metrics = batch.metrics.rows(event.index);
        let attributes = batch.attributes.rows(event.index);
        (event.time, symbols.symbol(event.symbol), event.quantities).hash(&mut hasher);
        batch.metrics.value_type[metrics.clone()].hash(&mut hasher);
        batch.metrics.value[metrics].hash(&mut hasher);
        batch.attributes.attribute[attributes.clone()].hash(&mut hasher);
        batch.attributes.value_type[attributes.clone()].hash(&mut hasher);
        batch.attributes.value[attributes].hash(&mut hasher);
        events.push(hasher.finish());
    }
}

fn open(anchor: &Path, salvage: bool) -> Result<Box<dyn TraceReader>, TraceError> {
    Otf2.open(Input::Path(anchor.to_owned()), &ReadOptions { salvage })
}

/// Which locations are read, and damaged.
type Chosen = fn(u64) -> bool;

/// The location that a file belongs to.
fn location(file: &Path) -> Option<u64> {
    file.file_stem()?.to_str()?.parse().ok()
}

/// Reads all there is; without salvage up to the first error.
fn read(anchor: &Path, salvage: bool, chosen: Chosen) -> Read {
    let mut read = Read::default();
    let reader = match open(anchor, salvage) {
        Ok(reader) => reader,
        Err(error) => {
            read.refused = Some(error);
            return read;
        }
    };
    for &kind in DefinitionKind::ALL {
        if kind != DefinitionKind::TraceProperty {
            let count = reader.definitions().records(kind).count();
            read.definitions.insert(kind.name(), count);
        }
    }
    read.diagnostics = reader.diagnostics().clone();
    for (number, stream) in reader.streams().iter().enumerate() {
        let location = stream.location.unwrap().0;
        if !chosen(location) {
            continue;
        }
        let events = read.events.entry(location).or_default();
        let progress = Progress::default();
        let late = read_stream(
            reader.as_ref(),
            number,
            salvage,
            &progress,
            |batch, symbols| {
                collect(events, batch, symbols);
                // An event has two bytes at least.
                assert!(
                    events.len() as u64 <= stream.bytes,
                    "more events than bytes"
                );
                Ok(())
            },
        );
        match late {
            Ok(late) => read.diagnostics.merge(late.diagnostics),
            Err(error) => {
                read.refused = Some(error);
                return read;
            }
        }
    }
    read
}

/// What became of a mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused,
    Reported,
    ChangedUnnoticed,
    Same,
}

/// An archive to damage, and what is in it.
struct Subject {
    folder: TempDir,
    anchor: PathBuf,
    /// The files that may be damaged.
    bytes: BTreeMap<PathBuf, Vec<u8>>,
    whole: Read,
    chosen: Chosen,
}

impl Subject {
    fn new(archive: &Path, chosen: Chosen) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("archive");
        copy(archive, &root);
        let mut bytes: BTreeMap<_, _> = files(&root)
            .into_iter()
            .map(|file| (root.join(&file), fs::read(root.join(file)).unwrap()))
            .collect();
        let is_anchor = |file: &&PathBuf| file.extension().is_some_and(|e| e == "otf2");
        let anchor = bytes.keys().find(is_anchor).unwrap().clone();
        bytes.retain(|file, _| location(file).is_none_or(chosen));
        let whole = read(&anchor, false, chosen);
        assert!(whole.refused.is_none());
        Self {
            folder,
            anchor,
            bytes,
            whole,
            chosen,
        }
    }

    /// How many events of a file stand wholly in front of a byte.
    fn events_before(&self, mutation: &Mutation) -> Option<(u64, usize)> {
        if mutation.file.extension()? != "evt" {
            return None;
        }
        let location = location(&mutation.file)?;
        fs::write(&mutation.file, &self.bytes[&mutation.file][..mutation.at]).unwrap();
        let cut = &read(&self.anchor, true, self.chosen).events[&location];
        let whole = &self.whole.events[&location];
        // The last one may be an event whose record is cut off, kept without its operands.
        let is_cut = cut.last() != cut.len().checked_sub(1).and_then(|last| whole.get(last));
        Some((location, cut.len() - usize::from(is_cut)))
    }

    fn examine(&self, mutation: &Mutation) -> Outcome {
        let before = self.events_before(mutation);
        fs::write(&mutation.file, mutation.apply(&self.bytes[&mutation.file])).unwrap();
        let (strict, salvaged) = (
            read(&self.anchor, false, self.chosen),
            read(&self.anchor, true, self.chosen),
        );
        self.convert(mutation);
        fs::write(&mutation.file, &self.bytes[&mutation.file]).unwrap();
        self.check_salvage(&strict, &salvaged, before);
        let whole = &self.whole;
        if strict.refused.is_some() {
            return Outcome::Refused;
        }
        if strict.told() != whole.told() {
            return Outcome::Reported;
        }
        assert_eq!(
            strict.counts(),
            whole.counts(),
            "events were lost and nothing said"
        );
        assert_eq!(
            strict.definitions, whole.definitions,
            "definitions were lost"
        );
        match strict.events == whole.events {
            true => Outcome::Same,
            false => Outcome::ChangedUnnoticed,
        }
    }

    fn check_salvage(&self, strict: &Read, salvaged: &Read, before: Option<(u64, usize)>) {
        if let Some(error) = &salvaged.refused {
            let first = strict.refused.as_ref().unwrap();
            assert_eq!(
                first.message, error.message,
                "salvage is refused for another reason"
            );
            return;
        }
        match strict.refused {
            Some(_) => {
                assert_eq!(salvaged.diagnostics.worst(), Some(Severity::Loss));
            }
            None => assert_eq!(salvaged.told(), strict.told()),
        }
        if let Some((location, before)) = before {
            let (kept, whole) = (&salvaged.events[&location], &self.whole.events[&location]);
            assert!(kept.len() >= before, "whole events are not kept");
            assert_eq!(
                kept[..before],
                whole[..before],
                "events in front of the damage changed"
            );
            for (other, events) in &salvaged.events {
                assert!(*other == location || *events == self.whole.events[other]);
            }
        }
    }

    /// Now and then all the way to a store, if that is not long.
    fn convert(&self, mutation: &Mutation) {
        const LONG: usize = 10_000;
        let events: usize = self.whole.events.values().map(Vec::len).sum();
        if !mutation.at.is_multiple_of(16) || events > LONG || !(self.chosen)(samples::LONG) {
            return;
        }
        let Ok(reader) = open(&self.anchor, true) else {
            return;
        };
        let target = self.folder.path().join("out.fold");
        let options = ConvertOptions {
            salvage: true,
            ..ConvertOptions::default()
        };
        let progress = Progress::default();
        let origin = Origin::trace(Source {
            name: String::from("archive"),
            format: String::from("otf2"),
        });
        convert::to_store(reader.as_ref(), &origin, &target, &options, &progress).unwrap();
        fs::remove_dir_all(&target).unwrap();
    }
}

/// The most memory that was ever used, in bytes.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    let number = line.split_whitespace().nth(1).unwrap();
    number.parse::<u64>().unwrap() << 10
}

/// Makes so many mutations of an archive; `seed` decides which.
fn mutate(name: &str, archive: &Path, chosen: Chosen, seed: u64, mutations: usize) {
    let subject = Subject::new(archive, chosen);
    setrlimit(Resource::RLIMIT_AS, ADDRESSES, ADDRESSES).unwrap();
    let (send, receive) = mpsc::channel();
    // On a thread of its own, so that a hang can be told.
    let worker = thread::spawn(move || {
        let mut random = Rng::with_seed(seed);
        for _ in 0..mutations {
            let mutation = Mutation::random(&mut random, &subject.bytes);
            send.send(Err(mutation.to_string())).unwrap();
            let examined = catch_unwind(AssertUnwindSafe(|| subject.examine(&mutation)));
            match examined {
                Ok(outcome) => send.send(Ok(outcome)).unwrap(),
                Err(_) => return,
            }
        }
    });
    let (mut outcomes, mut current) = (BTreeMap::<Outcome, usize>::new(), String::new());
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(Ok(outcome)) => *outcomes.entry(outcome).or_default() += 1,
            Ok(Err(mutation)) => current = mutation,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name} hangs: {current}"),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
        assert!(memory() < MEMORY, "{name} needs much memory: {current}");
    }
    worker.join().unwrap();
    assert_eq!(
        outcomes.values().sum::<usize>(),
        mutations,
        "{name}: {current}"
    );
    eprintln!("{name}: {outcomes:?}");
}

/// Mutations of each recorded archive.
const EACH: usize = 394;

#[test]
fn ring() {
    mutate("ring-4", &example("ring-4"), |_| true, 1, EACH);
}

#[test]
fn wave() {
    mutate("wave-4", &example("wave-4"), |_| true, 2, EACH);
}

#[test]
fn stencil() {
    mutate("stencil-9", &example("stencil-9"), |_| true, 3, EACH);
}

#[test]
fn farm() {
    mutate("farm-5", &example("farm-5"), |_| true, 4, EACH);
}

#[test]
fn tree() {
    mutate("tree-4", &example("tree-4"), |_| true, 5, EACH);
}

#[test]
fn every_record() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archive");
    samples::every_record(&archive).unwrap();
    // One location is too long to be read thousands of times.
    mutate("every record", &archive, |id| id != samples::LONG, 6, 40);
}

#[test]
fn several_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archive");
    samples::every_record(&archive).unwrap();
    mutate("several chunks", &archive, |id| id == samples::LONG, 7, 1);
}

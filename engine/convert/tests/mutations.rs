//! Reads thousands of archives with random damage, with and without salvage.
//!
//! For each archive:
//!
//! - reading neither panics (also not by an overflow) nor hangs, and needs memory in proportion to the files;
//! - without salvage, either the archive is rejected, or every loss is reported: if the number of events of a location
//!   or of definitions of a kind changes, the diagnostics change as well;
//! - with salvage, every loss is reported too, and the events before the damaged byte are unchanged.
//!
//! A changed value in a record of unchanged length cannot be detected: a flipped bit in a time gives another valid time.
//! The same holds for names, for ids that are defined, and for all properties of the anchor. The test prints how often
//! this happens.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests may panic and print"
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
use nix::sys::resource::{Resource, setrlimit};
use otf2_sys::samples;
use tempfile::TempDir;

use mutation::Mutation;

/// The maximum time for one archive, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
/// The maximum memory that all tests of this file may use together.
const MEMORY: u64 = 512 << 20;
/// The maximum address space.
const ADDRESSES: u64 = 8 << 30;

/// The events of each location, each as a hash of all its values.
type Events = BTreeMap<u64, Vec<u64>>;

/// The result of reading an archive.
#[derive(Debug, Default)]
struct ReadResult {
    definitions: BTreeMap<&'static str, usize>,
    events: Events,
    diagnostics: Diagnostics,
    rejection: Option<TraceError>,
}

impl ReadResult {
    /// Returns the number of events of each location.
    fn counts(&self) -> BTreeMap<u64, usize> {
        let counts = self.events.iter();
        counts
            .map(|(&location, events)| (location, events.len()))
            .collect()
    }

    /// Returns all diagnostics as texts.
    fn reports(&self) -> Vec<String> {
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
    Otf2.open(Input::Path(anchor.to_owned()), &ReadOptions::whole(salvage))
}

/// A selection of the locations that are damaged and read.
type Selection = fn(u64) -> bool;

/// Returns the location that a file belongs to.
fn location(file: &Path) -> Option<u64> {
    file.file_stem()?.to_str()?.parse().ok()
}

/// Reads the whole archive; without salvage, up to the first error.
fn read(anchor: &Path, salvage: bool, is_selected: Selection) -> ReadResult {
    let mut read = ReadResult::default();
    let reader = match open(anchor, salvage) {
        Ok(reader) => reader,
        Err(error) => {
            read.rejection = Some(error);
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
        if !is_selected(location) {
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
                // An event takes at least two bytes.
                assert!(
                    events.len() as u64 <= stream.bytes,
                    "there are more events than bytes"
                );
                Ok(())
            },
        );
        match late {
            Ok(late) => read.diagnostics.merge(late.diagnostics),
            Err(error) => {
                read.rejection = Some(error);
                return read;
            }
        }
    }
    read
}

/// The outcome of reading a mutated archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Rejected,
    Reported,
    ChangedUnnoticed,
    Same,
}

/// An archive to damage, with its original files and contents.
struct Subject {
    folder: TempDir,
    anchor: PathBuf,
    /// The original bytes of the files that may be damaged.
    bytes: BTreeMap<PathBuf, Vec<u8>>,
    intact: ReadResult,
    is_selected: Selection,
}

impl Subject {
    fn new(archive: &Path, is_selected: Selection) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("archive");
        copy(archive, &root);
        let mut bytes: BTreeMap<_, _> = files(&root)
            .into_iter()
            .map(|file| (root.join(&file), fs::read(root.join(file)).unwrap()))
            .collect();
        let is_anchor = |file: &&PathBuf| file.extension().is_some_and(|e| e == "otf2");
        let anchor = bytes.keys().find(is_anchor).unwrap().clone();
        bytes.retain(|file, _| location(file).is_none_or(is_selected));
        let intact = read(&anchor, false, is_selected);
        assert!(intact.rejection.is_none());
        Self {
            folder,
            anchor,
            bytes,
            intact,
            is_selected,
        }
    }

    /// Returns the location of the mutated file and the number of its events that end before the mutated byte; `None` if
    /// the file has no events.
    fn events_before(&self, mutation: &Mutation) -> Option<(u64, usize)> {
        if mutation.file.extension()? != "evt" {
            return None;
        }
        let location = location(&mutation.file)?;
        fs::write(&mutation.file, &self.bytes[&mutation.file][..mutation.at]).unwrap();
        let cut = &read(&self.anchor, true, self.is_selected).events[&location];
        let intact = &self.intact.events[&location];
        // The record of the last event may be cut; the event is then kept without its operands.
        let is_cut = cut.last() != cut.len().checked_sub(1).and_then(|last| intact.get(last));
        Some((location, cut.len() - usize::from(is_cut)))
    }

    fn examine(&self, mutation: &Mutation) -> Outcome {
        let before = self.events_before(mutation);
        fs::write(&mutation.file, mutation.apply(&self.bytes[&mutation.file])).unwrap();
        let (strict, salvaged) = (
            read(&self.anchor, false, self.is_selected),
            read(&self.anchor, true, self.is_selected),
        );
        self.convert(mutation);
        fs::write(&mutation.file, &self.bytes[&mutation.file]).unwrap();
        self.check_salvage(&strict, &salvaged, before);
        let intact = &self.intact;
        if strict.rejection.is_some() {
            return Outcome::Rejected;
        }
        if strict.reports() != intact.reports() {
            return Outcome::Reported;
        }
        assert_eq!(
            strict.counts(),
            intact.counts(),
            "a loss of events is not reported"
        );
        assert_eq!(
            strict.definitions, intact.definitions,
            "a loss of definitions is not reported"
        );
        if strict.events == intact.events {
            Outcome::Same
        } else {
            Outcome::ChangedUnnoticed
        }
    }

    fn check_salvage(
        &self,
        strict: &ReadResult,
        salvaged: &ReadResult,
        before: Option<(u64, usize)>,
    ) {
        if let Some(error) = &salvaged.rejection {
            let first = strict.rejection.as_ref().unwrap();
            assert_eq!(
                first.message, error.message,
                "the archive is rejected for another reason with salvage"
            );
            return;
        }
        match strict.rejection {
            Some(_) => {
                assert_eq!(salvaged.diagnostics.worst(), Some(Severity::Loss));
            }
            None => assert_eq!(salvaged.reports(), strict.reports()),
        }
        if let Some((location, before)) = before {
            let (kept, intact) = (&salvaged.events[&location], &self.intact.events[&location]);
            assert!(
                kept.len() >= before,
                "complete events before the damage are lost"
            );
            assert_eq!(
                kept[..before],
                intact[..before],
                "events before the damage changed"
            );
            for (other, events) in &salvaged.events {
                assert!(*other == location || *events == self.intact.events[other]);
            }
        }
    }

    /// Converts about one in sixteen mutated archives to a store, except long ones.
    fn convert(&self, mutation: &Mutation) {
        const LONG: usize = 10_000;
        let events: usize = self.intact.events.values().map(Vec::len).sum();
        if !mutation.at.is_multiple_of(16) || events > LONG || !(self.is_selected)(samples::LONG) {
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

/// Returns the peak memory of this process, in bytes.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    let number = line.split_whitespace().nth(1).unwrap();
    number.parse::<u64>().unwrap() << 10
}

/// Examines `mutations` random mutations of an archive; `seed` is the seed of the random numbers.
fn mutate(name: &str, archive: &Path, is_selected: Selection, seed: u64, mutations: usize) {
    let subject = Subject::new(archive, is_selected);
    setrlimit(Resource::RLIMIT_AS, ADDRESSES, ADDRESSES).unwrap();
    let (send, receive) = mpsc::channel();
    // The work is done on another thread, so that a hang can be detected.
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
        assert!(memory() < MEMORY, "{name} needs too much memory: {current}");
    }
    worker.join().unwrap();
    assert_eq!(
        outcomes.values().sum::<usize>(),
        mutations,
        "{name}: {current}"
    );
    eprintln!("{name}: {outcomes:?}");
}

/// The number of mutations of each recorded archive.
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
    // One location is too long for thousands of reads.
    mutate("every record", &archive, |id| id != samples::LONG, 6, 40);
}

#[test]
fn several_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archive");
    samples::every_record(&archive).unwrap();
    mutate("several chunks", &archive, |id| id == samples::LONG, 7, 1);
}

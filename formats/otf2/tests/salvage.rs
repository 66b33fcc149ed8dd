//! Checks on archives with random damage that foldtrace salvages at least as many events as libotf2
//! delivers.
//!
//! libotf2 reads each archive in a separate process, as it may crash. The files of events in its copy are
//! padded with zeros: after the end of a truncated file, libotf2 reads memory that may contain anything,
//! including old events.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

use fastrand::Rng;
use foldtrace_trace::{
    Diagnostics, EventBatch, LocationId, Severity, Step, StreamInfo, Symbol, Timestamp,
};
use otf2_sys::safe::{
    Archive, Attributes, DefinitionCode, DefinitionVisitor, EventCode, EventVisitor,
};
use otf2_sys::samples::{self, every_record};
use tempfile::TempDir;

use crate::common::open;
use crate::mutation::Mutation;

/// Environment variable with the anchor that the process of [`judge`] reads.
const JUDGED: &str = "FOLDTRACE_JUDGED_ARCHIVE";
/// Environment variable with a factor for the number of damaged archives.
const TIMES: &str = "FOLDTRACE_SALVAGE_TIMES";

/// Number of events of each location.
type Counts = BTreeMap<u64, u64>;

/// The location of `ring-4` whose definitions are damaged.
const MAPPED: u64 = 536_870_911;

/// Collects the ids of the defined locations.
#[derive(Default)]
struct Locations(Vec<u64>);

impl DefinitionVisitor for Locations {
    fn definition(&mut self, code: DefinitionCode, fields: &[u64], _: &[u64], _: &[u8]) {
        if code == DefinitionCode::Location {
            self.0.push(fields[0]);
        }
    }
}

#[derive(Default)]
struct Counter(u64);

impl EventVisitor for Counter {
    fn event<const OPERANDS: usize, const QUANTITIES: usize>(
        &mut self,
        _: EventCode,
        _: u64,
        _: [u64; OPERANDS],
        _: [u64; QUANTITIES],
        _: Attributes<'_>,
    ) {
        self.0 += 1;
    }

    fn metric(&mut self, _: u64, _: u64, _: &[u8], _: &[u64], _: Attributes<'_>) {
        self.0 += 1;
    }

    fn program_begin(&mut self, _: u64, _: u64, _: &[u32], _: Attributes<'_>) {
        self.0 += 1;
    }
}

/// Prints how many events libotf2 delivers for each location.
#[test]
#[ignore = "runs in a separate process, started by the other tests"]
fn judge() {
    let anchor = PathBuf::from(env::var_os(JUDGED).expect(JUDGED));
    let mut locations = Locations::default();
    let mut archive = Archive::open(&anchor).unwrap();
    let _ = archive.global_definitions(u64::MAX, &mut locations);
    for location in locations.0 {
        let archive = Archive::open(&anchor).unwrap();
        // Local definitions change no counts, and damage in them would only keep libotf2 from reading.
        let Ok(mut reader) = archive.into_events(location, 0) else {
            continue;
        };
        let mut counter = Counter::default();
        while reader.read(65_536, &mut counter).is_ok_and(|read| read > 0) {}
        if counter.0 > 0 {
            println!("delivered {location} {}", counter.0);
        }
    }
}

/// Returns the number of events that libotf2 delivers for each location before it ends or crashes.
fn judged(anchor: &Path) -> Counts {
    let output = Command::new(env::current_exe().unwrap())
        .args(["salvage::judge", "--exact", "--ignored", "--nocapture"])
        .env(JUDGED, anchor)
        // Makes malloc take large blocks from the system, which fills them with zeros.
        .env("MALLOC_MMAP_THRESHOLD_", "65536")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |line: &str| {
        let mut numbers = line.strip_prefix("delivered ")?.split(' ').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    text.lines().filter_map(line).collect()
}

/// Returns the number of salvaged events of each location; `None` if the archive is refused.
fn salvaged(anchor: &Path) -> Option<Counts> {
    let reader = open(anchor, true).ok()?;
    let mut diagnostics = reader.diagnostics().clone();
    let mut counts = Counts::new();
    for (index, info) in reader.streams().iter().enumerate() {
        let count = counts.entry(info.location.unwrap().0).or_default();
        let Ok(mut stream) = reader.open_stream(index) else {
            continue;
        };
        let (mut batch, mut is_damaged) = (EventBatch::default(), false);
        loop {
            let step = stream.next_batch(&mut batch, &mut diagnostics);
            assert_eq!(batch.first.0, *count, "positions have no gap");
            *count += batch.len() as u64;
            is_damaged |= step.is_err();
            assert!(*count <= info.bytes, "more events than bytes");
            if let Ok(Step::End) = step {
                break;
            }
        }
        let lost = diagnostics.count("otf2.lost_events");
        assert!(lost == 0 || is_damaged || diagnostics.worst() == Some(Severity::Loss));
    }
    counts.retain(|_, &mut count| count > 0);
    Some(counts)
}

/// An archive to damage, in one copy for foldtrace and one for libotf2.
struct Subject {
    folder: TempDir,
    /// The contents of the files that may be damaged, by their path within the archive.
    bytes: BTreeMap<PathBuf, Vec<u8>>,
    anchor: PathBuf,
    whole: Counts,
}

const OURS: &str = "ours";
const JUDGE: &str = "judge";

impl Subject {
    /// Copies `archive`. `is_damaged` selects the files that may be damaged.
    fn new(archive: &Path, is_damaged: impl Fn(&Path) -> bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut bytes, mut folders) = (BTreeMap::new(), vec![PathBuf::new()]);
        while let Some(inner) = folders.pop() {
            for entry in fs::read_dir(archive.join(&inner)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(archive).unwrap().to_owned();
                if path.is_dir() {
                    folders.push(name);
                } else {
                    bytes.insert(name, fs::read(path).unwrap());
                }
            }
        }
        let is_anchor = |file: &&PathBuf| file.extension().is_some_and(|e| e == "otf2");
        let anchor = bytes.keys().find(is_anchor).unwrap().clone();
        let mut subject = Self {
            folder,
            bytes,
            anchor,
            whole: Counts::new(),
        };
        for (file, bytes) in &subject.bytes {
            subject.write(file, bytes);
        }
        subject.bytes.retain(|file, _| is_damaged(file));
        subject.whole = salvaged(&subject.anchor(OURS)).unwrap();
        assert_eq!(judged(&subject.anchor(JUDGE)), subject.whole);
        subject
    }

    fn anchor(&self, side: &str) -> PathBuf {
        self.folder.path().join(side).join(&self.anchor)
    }

    fn write(&self, file: &Path, bytes: &[u8]) {
        for side in [OURS, JUDGE] {
            let path = self.folder.path().join(side).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
            if side == JUDGE && path.extension().is_some_and(|e| e == "evt") {
                const ZEROS: u64 = 4 << 20;
                let file = OpenOptions::new().write(true).open(&path).unwrap();
                file.set_len(bytes.len() as u64 + ZEROS).unwrap();
            }
        }
    }

    /// Damages the archive. Returns whether foldtrace refuses it, and how many events foldtrace and libotf2
    /// lose.
    fn examine(&self, mutation: &Mutation) -> Result<(bool, u64, u64), String> {
        let whole = &self.bytes[&mutation.file];
        self.write(&mutation.file, &mutation.apply(whole));
        let (ours, judged) = (salvaged(&self.anchor(OURS)), judged(&self.anchor(JUDGE)));
        self.write(&mutation.file, whole);
        let (is_refused, ours) = (ours.is_none(), ours.unwrap_or_default());
        for (location, &delivered) in &judged {
            let kept = ours.get(location).copied().unwrap_or_default();
            if kept < delivered {
                return Err(format!(
                    "{mutation}: location {location}: {kept} of {delivered} (refused: {is_refused})"
                ));
            }
        }
        let lost = |counts: &Counts| {
            let all: u64 = self.whole.values().sum();
            all.saturating_sub(counts.values().sum())
        };
        Ok((is_refused, lost(&ours), lost(&judged)))
    }
}

/// Damages an archive `count` times, multiplied by the value of [`TIMES`] if that is set.
fn damage(name: &str, subject: &Subject, seed: u64, count: usize) {
    let times = env::var(TIMES).map_or(1, |times| times.parse().unwrap());
    let mut random = Rng::with_seed(seed);
    let (mut failures, mut refused, mut lost) = (Vec::new(), 0, (0, 0));
    for _ in 0..count * times {
        let mutation = Mutation::random(&mut random, &subject.bytes);
        match subject.examine(&mutation) {
            Ok((is_refused, ours, theirs)) => {
                refused += usize::from(is_refused);
                lost = (lost.0 + ours, lost.1 + theirs);
            }
            Err(failure) => failures.push(failure),
        }
    }
    eprintln!(
        "{name}: {} archives, {refused} refused; {} events lost, {} by libotf2",
        count * times,
        lost.0,
        lost.1
    );
    let all = failures.len();
    failures.truncate(40);
    assert!(all == 0, "{all} failures:\n{}", failures.join("\n"));
}

fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(name)
}

#[test]
fn recorded_archives() {
    for (seed, name) in (1..).zip(["ring-4", "wave-4", "stencil-9", "farm-5", "vcycle-4"]) {
        damage(name, &Subject::new(&example(name), |_| true), seed, 10);
    }
}

#[test]
fn definitions_of_recorded_archives() {
    for (seed, name) in (10..).zip(["ring-4", "tree-4"]) {
        let is_global = |file: &Path| file.ends_with("eztrace_log.def");
        damage(name, &Subject::new(&example(name), is_global), seed, 20);
    }
}

/// Writes an archive with every kind of file and record. The events of one location, `LONG`, fill several
/// chunks.
fn every() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archive");
    every_record(&archive).unwrap();
    (folder, archive)
}

#[test]
fn an_archive_with_every_record() {
    let (_folder, archive) = every();
    // This file is too long to be read many times.
    fs::remove_file(archive.join(format!("traces/{}.evt", samples::LONG))).unwrap();
    damage("every record", &Subject::new(&archive, |_| true), 20, 20);
}

#[test]
fn several_chunks() {
    let (_folder, archive) = every();
    let long = format!("traces/{}.evt", samples::LONG);
    damage(
        "several chunks",
        &Subject::new(&archive, |file| file.ends_with(&long)),
        21,
        1,
    );
}

/// If the definitions of a location are damaged and the report does not warn of wrong ids and times, the
/// ids and times are right.
#[test]
fn ids_and_times_are_right_unless_the_report_warns() {
    let subject = Subject::new(&example("ring-4"), |_| true);
    let anchor = subject.anchor(OURS);
    let file = anchor.with_extension("").join(format!("{MAPPED}.def"));
    // Strings, and between them a table that maps a region of the location to another one.
    let (name, region) = ([10, 5, 1, 1, b'a', b'b', 0], [4, 0, 0, 0, 0x20]);
    let table = [&[5, 10, 3, 1, 1, 1][..], &region, &[0]].concat();
    let header = &fs::read(&file).unwrap()[..18];
    let whole = [header, &name, &name, &table, &name, &name, &[2, 1]].concat();
    fs::write(&file, &whole).unwrap();
    let (report, expected) = mapped_events(&anchor);
    assert_eq!(report, "");
    let (mut right, mut maybe_wrong) = (0, 0);
    for at in 18..whole.len() - 2 {
        for byte in [0, 2, 4, 7, 9, 0xfe] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            fs::write(&file, bytes).unwrap();
            let (report, events) = mapped_events(&anchor);
            let warns = report.contains("may be wrong");
            if !report.is_empty() && !warns {
                right += 1;
                assert_eq!(events, expected, "{report}, byte {at}: {byte}");
            }
            maybe_wrong += usize::from(warns);
        }
    }
    assert!(right > 0 && maybe_wrong > 0, "{right} {maybe_wrong}");
}

/// Returns the reports of damaged definitions, and the symbols and times of location [`MAPPED`].
fn mapped_events(anchor: &Path) -> (String, Vec<(Symbol, Timestamp)>) {
    let reader = open(anchor, true).unwrap();
    let groups = reader.diagnostics().groups();
    let damaged = groups.filter(|(key, _)| *key == "otf2.damaged_definitions");
    let report = damaged
        .flat_map(|(_, group)| &group.cases)
        .map(|case| case.message.clone());
    let is_mapped = |info: &StreamInfo| info.location == Some(LocationId(MAPPED));
    let index = reader.streams().iter().position(is_mapped).unwrap();
    let mut stream = reader.open_stream(index).unwrap();
    let (mut batch, mut events) = (EventBatch::default(), Vec::new());
    while stream
        .next_batch(&mut batch, &mut Diagnostics::default())
        .unwrap()
        == Step::Batch
    {
        let symbol = |&id| stream.symbols().symbol(id);
        events.extend(
            batch
                .symbols
                .iter()
                .map(symbol)
                .zip(batch.times.iter().copied()),
        );
    }
    (report.collect::<Vec<_>>().join("\n"), events)
}

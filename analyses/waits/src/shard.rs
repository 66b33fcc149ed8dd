//! The search by several tasks, each of which writes a shard: what it has found in some stages.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use foldtrace_clock::Correction;
use foldtrace_matching::Regions;
use foldtrace_output::Spool;
use foldtrace_store::{
    Shard, ShardContents, ShardId, ShardWriter, StoreReader, Work, check_has_shards, distribute,
    open_shards, prepare_shards_folder,
};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, LocationId, Place, TraceError, TraceReader};
use serde::{Deserialize, Serialize};

use crate::algorithm::{RunSums, StageSums};
use crate::find::{Run, Trace};
use crate::spool::pass_on;
use crate::{Found, Options, Sink, WaitState};

/// The file of a shard with the wait states of its stages.
const WAITS: &str = ".waits";

/// What all shards have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Common {
    /// The checksum of the manifest of the store.
    store: String,
    clock: String,
    has_causes: bool,
    stage_events: Option<u64>,
    /// Whether the shards have the wait states, not only their sums.
    has_waits: bool,
}

impl Common {
    fn new(store: &StoreReader, correction: &Correction, request: ShardRequest) -> Self {
        Self {
            store: store.manifest().checksum().to_owned(),
            clock: correction.report().method.name().to_owned(),
            has_causes: request.options.has_causes(),
            stage_events: request.options.stage_events,
            has_waits: request.has_waits,
        }
    }
}

/// The wait states of a stage in the file of a shard.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct WaitsOfStage {
    offset: u64,
    bytes: u64,
    count: u64,
    /// The hash of these bytes.
    hash: [u8; 32],
}

/// What was found in a stage.
#[derive(Debug, Serialize, Deserialize)]
struct FoundInStage {
    stage: usize,
    sums: StageSums,
    waits: Option<WaitsOfStage>,
}

/// What a task says about its shard.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    shard: ShardId,
    common: Common,
    stages: Vec<FoundInStage>,
    /// The locations that communicate, and the time of all others; only the first shard has them.
    head: Option<(Vec<LocationId>, u64)>,
}

impl ShardContents for About {
    const WORK: Work = Work::WaitStates;

    fn id(&self) -> ShardId {
        self.shard
    }

    fn belongs_with(&self, other: &Self) -> bool {
        self.common == other.common
    }
}

/// What the shards of several tasks have.
#[derive(Clone, Copy, Debug)]
pub struct ShardRequest {
    /// The options. Those of different tasks may only differ in what the summary shows.
    pub options: Options,
    /// Whether the wait states are wanted, not only their sums.
    pub has_waits: bool,
}

/// Searches the stages of a shard, and writes what it has found, unless that is there already. Returns whether it was not.
///
/// # Errors
/// Returns an error if a table is missing or damaged, the output cannot be written, another shard is there and not to be replaced,
/// or the work was stopped.
pub fn to_shard(
    store: &StoreReader,
    correction: &Correction,
    request: ShardRequest,
    shard: ShardId,
    replace: bool,
    progress: &Progress,
) -> Result<bool, TraceError> {
    let target = store.path();
    check_has_shards(target)?;
    let common = Common::new(store, correction, request);
    let path = shard.path(target);
    if !replace
        && let Some(Shard { contents, .. }) = Shard::<About>::open(&path)?
        && contents.common == common
    {
        return Ok(false);
    }
    prepare_shards_folder(target)?;
    let writer = ShardWriter::create(&path, replace)?;
    let trace = Trace::of_store(store, correction, request.options, progress)?;
    let run = Run::new(store, correction, &trace, request.options, progress);
    let head = (shard.number() == 0)
        .then(|| Ok::<_, TraceError>((trace.stages.locations().to_vec(), run.silent_ticks()?)));
    let head = head.transpose()?;
    let shards = distribute(&trace.stages.events(store), &vec![0; shard.of() as usize]);
    let mut mine = trace.stages.all();
    mine.retain(|&stage| shards[stage] == shard.number());
    let mut file = WaitsFile::create(&writer.path().join(WAITS))?;
    let mut stages = Vec::with_capacity(mine.len());
    run.search(&mine, request.has_waits, |stage, sums, waits| {
        let waits = waits.map(|waits| file.append(waits)).transpose()?;
        stages.push(FoundInStage { stage, sums, waits });
        Ok(())
    })?;
    file.finish()?;
    writer.finish(About {
        shard,
        common,
        stages,
        head,
    })?;
    Ok(true)
}

/// All shards of a store.
#[derive(Debug)]
pub struct Shards(Vec<Shard<About>>);

impl Shards {
    /// Opens the shards of a store.
    ///
    /// # Errors
    /// Returns an error if a shard is missing, is damaged, or belongs to other work than the others.
    pub fn open(store: &StoreReader) -> Result<Self, TraceError> {
        Ok(Self(open_shards(store.path())?))
    }

    /// Returns what was found, and reports the wait states to `sink` if the shards have them.
    ///
    /// # Errors
    /// Returns an error if a shard is damaged, or the sink fails.
    pub fn join(
        self,
        store: &StoreReader,
        correction: &Correction,
        options: Options,
        sink: &mut impl Sink,
    ) -> Result<Found, TraceError> {
        let (mut head, mut stages) = (None, Vec::new());
        for shard in self.0 {
            let file = shard.path().join(WAITS);
            head = head.or(shard.contents.head);
            let found = shard.contents.stages.into_iter();
            stages.extend(found.map(|found| (found, file.clone())));
        }
        stages.sort_unstable_by_key(|(found, _)| found.stage);
        let mut sums = RunSums::default();
        for (found, file) in stages {
            let paths = sums.add(found.sums);
            if let Some(waits) = found.waits {
                pass_on(waits.open(&file)?, waits.count, &paths, sink)?;
            }
        }
        let (locations, silent) = head.unwrap_or_default();
        let regions = Regions::new(store.definitions(), store.names(), store.symbols());
        let summary = sums.summary(&locations, silent, options);
        Ok(Found::new(regions, correction, summary))
    }
}

/// A file of a shard with the wait states of its stages.
struct WaitsFile {
    file: BufWriter<File>,
    path: PathBuf,
    bytes: u64,
}

impl WaitsFile {
    fn create(path: &Path) -> Result<Self, TraceError> {
        let file = File::create(path).map_err(|error| TraceError::unwritable(path, error))?;
        Ok(Self {
            file: BufWriter::new(file),
            path: path.to_owned(),
            bytes: 0,
        })
    }

    /// Appends the wait states of a stage.
    fn append(&mut self, waits: Spool<WaitState>) -> Result<WaitsOfStage, TraceError> {
        let (file, count) = waits.finish()?;
        let mut hashing = Hashing {
            inner: &mut self.file,
            hasher: blake3::Hasher::new(),
        };
        let bytes = io::copy(&mut BufReader::new(file), &mut hashing)
            .map_err(|error| TraceError::unwritable(&self.path, error))?;
        let offset = self.bytes;
        self.bytes += bytes;
        Ok(WaitsOfStage {
            offset,
            bytes,
            count,
            hash: *hashing.hasher.finalize().as_bytes(),
        })
    }

    fn finish(mut self) -> Result<(), TraceError> {
        let flushed = self.file.flush();
        flushed.map_err(|error| TraceError::unwritable(&self.path, error))
    }
}

/// Hashes what is written.
struct Hashing<W> {
    inner: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl WaitsOfStage {
    /// Opens the wait states in the file of a shard, and checks that they are not damaged.
    fn open(&self, path: &Path) -> Result<impl Read, TraceError> {
        let unreadable = |error| TraceError::unreadable(path, error);
        let mut file = File::open(path).map_err(unreadable)?;
        file.seek(SeekFrom::Start(self.offset))
            .map_err(unreadable)?;
        let mut hasher = blake3::Hasher::new();
        let hashed = hasher.update_reader((&file).take(self.bytes));
        hashed.map_err(unreadable)?;
        if hasher.finalize() != self.hash {
            let message = "the shard is damaged: wait states do not match their hash";
            return Err(TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(path).byte(self.offset))
                .hint("write this shard again"));
        }
        file.seek(SeekFrom::Start(self.offset))
            .map_err(unreadable)?;
        Ok(file.take(self.bytes))
    }
}

//! Conversion by several tasks, each of which writes a shard of the store: some of its parts.
//!
//! The shards of `run.fold` are in the folder `run.fold.shards` until they are joined. All tasks know the streams of the trace, and
//! therefore the parts of the store and the shard of each part, without talking to each other.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashSet};
use std::fmt::{self, Display};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use foldtrace_output::has_writer;
use foldtrace_store::{Manifest, Origin, Shard, ShardWriter, Source, StoreWriter};
use foldtrace_stream::memory::bounded;
use foldtrace_stream::read::{Late, Progress};
use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, Place, TraceError, TraceReader, is_object_url,
};
use serde::{Deserialize, Serialize};

use crate::{ConvertOptions, bytes_of, complete, convert_parts, parts};

/// The greatest number of shards.
const MOST_SHARDS: u32 = 1 << 20;

/// The number of a shard, from 0, and the number of all shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShardId {
    number: u32,
    of: u32,
}

impl ShardId {
    /// Returns the id of a shard; `None` if there is no such shard.
    #[must_use]
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (number < of && of <= MOST_SHARDS).then_some(Self { number, of })
    }

    /// Returns the number of all shards.
    #[must_use]
    pub const fn of(self) -> u32 {
        self.of
    }

    /// Returns whether a task is writing the shard of a store.
    #[must_use]
    pub fn has_writer(self, store: &Path) -> bool {
        has_writer(&self.path(store))
    }

    /// Returns the ids of all shards.
    fn all(of: u32) -> impl Iterator<Item = Self> {
        (0..of).map(move |number| Self { number, of })
    }

    /// Returns the name of the folder of the shard.
    fn name(self) -> String {
        let width = (self.of - 1).to_string().len();
        format!("{:0width$}-of-{}", self.number, self.of)
    }

    /// Returns the folder of the shard of a store.
    fn path(self, store: &Path) -> PathBuf {
        folder(store).join(self.name())
    }

    /// Returns the shard whose folder has a name.
    fn from_name(name: &str) -> Option<Self> {
        let (number, of) = name.split_once("-of-")?;
        Self::new(number.parse().ok()?, of.parse().ok()?)
    }
}

impl Display for ShardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for ShardId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.trim().parse().ok()?, of.trim().parse().ok()?);
            Self::new(number, of)
        });
        parsed.ok_or_else(|| {
            format!("write K/N with K from 0 to N-1, such as 0/4, and N at most {MOST_SHARDS}")
        })
    }
}

/// What a task writes.
#[derive(Clone, Copy, Debug)]
pub struct ShardTask<'a> {
    /// The shard.
    pub id: ShardId,
    /// What the reader selects or changes of the input, which must be the same in all tasks.
    pub selection: &'a str,
}

/// Returns the folder with the shards of a store.
pub(crate) fn folder(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(".shards");
    PathBuf::from(name)
}

/// What all shards of a conversion have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Common {
    source: Source,
    streams: u64,
    bytes: u64,
    parts: u32,
    max_body: u64,
    salvage: bool,
    selection: String,
    /// The hash of the definitions and problems that the reader finds before the events.
    head: [u8; 32],
}

/// What is known of a trace in addition to events.
type Found = (Definitions, Diagnostics);

/// What a shard says about itself.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    shard: ShardId,
    common: Common,
    /// What the reader finds before the events; only the first shard has it.
    head: Option<Found>,
    /// What the streams of each part produce in addition to events.
    late: Vec<(u32, Found)>,
}

/// The result of writing a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The shard is written.
    New {
        /// The number of bytes of the source that the shard has.
        bytes: u64,
    },
    /// The same shard was there already.
    Before,
}

/// Writes a shard of the store that a trace is converted to, unless it is there already.
///
/// # Errors
/// Returns an error if the trace is a store, the input is damaged and not salvaged, the output cannot be written, another shard is
/// there and not to be replaced, or the work was stopped.
pub fn to_shard(
    reader: &dyn TraceReader,
    origin: &Origin,
    target: &Path,
    task: ShardTask<'_>,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Written, TraceError> {
    if reader.all_symbols().is_some() {
        let message = "a store is converted by one task";
        let error = TraceError::new(ErrorKind::Usage, message);
        return Err(error.hint("leave out --shard"));
    }
    check_is_local(target)?;
    if !options.replace && target.symlink_metadata().is_ok() {
        return Err(TraceError::exists(target));
    }
    let shard = task.id;
    let parts = parts(reader.streams(), options.part_bytes);
    let head = (reader.definitions().clone(), reader.diagnostics().clone());
    let streams = reader.streams().len();
    let common = Common {
        source: origin.source.clone(),
        streams: streams as u64,
        bytes: bytes_of(reader, 0..streams),
        parts: parts.len() as u32,
        max_body: options.max_body as u64,
        salvage: options.salvage,
        selection: task.selection.to_owned(),
        head: hash(&head)?,
    };
    let path = shard.path(target);
    if !options.replace
        && let Some(before) = Shard::<About>::open(&path)?
        && before.about.common == common
        && before.layout() == options.bounded_layout()
    {
        return Ok(Written::Before);
    }
    let sizes = parts
        .iter()
        .map(|(_, streams)| bytes_of(reader, streams.clone()));
    let sizes: Vec<u64> = sizes.collect();
    let shards = distribute(&sizes, shard.of);
    let is_mine = |(part, _): &(u32, _)| shards[*part as usize] == shard.number;
    let mine: Vec<_> = parts.into_iter().filter(is_mine).collect();
    let bytes = mine.iter().map(|(part, _)| sizes[*part as usize]).sum();
    create_folder(&folder(target))?;
    let writer = ShardWriter::create(&path, options.bounded_layout(), options.replace)?;
    let begin = |part| writer.part(part);
    let converted = bounded(options.memory, || {
        convert_parts(reader, mine, begin, options, progress)
    })?;
    let (mut parts, mut late) = (Vec::new(), Vec::new());
    for (number, part, found) in converted {
        parts.push(part);
        late.push((number, (found.definitions, found.diagnostics)));
    }
    let about = About {
        shard,
        common,
        head: (shard.number == 0).then_some(head),
        late,
    };
    writer.finish(parts, &about)?;
    Ok(Written::New { bytes })
}

/// Refuses to write shards to an object store, which has no links and no locks.
pub(crate) fn check_is_local(target: &Path) -> Result<(), TraceError> {
    if !is_object_url(target) {
        return Ok(());
    }
    let message = "shards are written to a file system, not to an object store";
    Err(TraceError::new(ErrorKind::Usage, message)
        .at(Place::file(target))
        .hint("write them to a file system that all tasks see, and convert the joined store"))
}

/// Creates a folder, unless another task has done so.
pub(crate) fn create_folder(folder: &Path) -> Result<(), TraceError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(TraceError::unwritable(folder, error))
        }
        _ => Ok(()),
    }
}

/// Returns the hash of what a reader finds before the events.
fn hash(found: &Found) -> Result<[u8; 32], TraceError> {
    let bytes = postcard::to_stdvec(found).map_err(|error| {
        TraceError::new(ErrorKind::Internal, "cannot encode definitions").caused_by(error)
    })?;
    Ok(*blake3::hash(&bytes).as_bytes())
}

/// Distributes parts of these sizes over shards: the next largest part goes to the shard with the fewest bytes. Returns the number
/// of the shard of each part.
fn distribute(sizes: &[u64], shards: u32) -> Vec<u32> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&part| (Reverse(sizes[part]), part));
    let mut loads: BinaryHeap<Reverse<(u64, u32)>> =
        (0..shards).map(|shard| Reverse((0, shard))).collect();
    let mut of = vec![0; sizes.len()];
    for part in order {
        if let Some(Reverse((load, shard))) = loads.pop() {
            of[part] = shard;
            // A part without bytes counts, too, so that all shards get some.
            loads.push(Reverse((load + sizes[part].max(1), shard)));
        }
    }
    of
}

/// Joins the shards of a store if all of them are written and no other task joins them.
///
/// # Errors
/// Returns an error if a shard is damaged or belongs to another conversion, or if the output cannot be written.
pub fn join_if_last(
    target: &Path,
    of: u32,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Option<(Manifest, Diagnostics)>, TraceError> {
    // Network file systems look at a folder again when it is listed, but may have forgotten single paths.
    let names = names_in(&folder(target)).unwrap_or_default();
    if !ShardId::all(of).all(|shard| names.contains(&shard.name())) {
        return Ok(None);
    }
    let joined = join(target, options, progress);
    let is_other = |error: &TraceError| match error.kind {
        ErrorKind::Output => has_writer(target) || !folder(target).exists(),
        // A shard of an earlier conversion is replaced by its task, which joins then.
        ErrorKind::Usage => options.replace,
        _ => false,
    };
    match joined {
        Err(error) if is_other(&error) => Ok(None),
        joined => joined.map(Some),
    }
}

/// Joins the shards of a store, and removes them.
///
/// # Errors
/// Returns an error if a shard is missing, is damaged, or belongs to another conversion; or if the output cannot be written.
pub fn join(
    target: &Path,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<(Manifest, Diagnostics), TraceError> {
    check_is_local(target)?;
    let shards = open_all(target)?;
    let first = &shards[0];
    let (common, layout) = (first.about.common.clone(), first.layout());
    let mut writer = StoreWriter::create(target, options.replace)?.with_layout(layout);
    let (parts, about) = writer.adopt(shards)?;
    let mut all = Late::default();
    let mut late = Vec::new();
    for one in about {
        if let Some((definitions, diagnostics)) = one.head {
            all = Late {
                definitions,
                diagnostics,
            };
        }
        late.extend(one.late);
    }
    late.sort_unstable_by_key(|&(part, _)| part);
    for (_, (definitions, diagnostics)) in late {
        progress.check()?;
        all.merge(Late {
            definitions,
            diagnostics,
        });
    }
    let options = ConvertOptions {
        max_body: usize::try_from(common.max_body).unwrap_or(usize::MAX),
        ..options.clone()
    };
    let origin = Origin::trace(common.source);
    let joined = bounded(options.memory, || {
        complete(writer, &origin, all, parts, &options, progress)
    })?;
    let shards = folder(target);
    fs::remove_dir_all(&shards).map_err(|error| TraceError::unwritable(&shards, error))?;
    Ok(joined)
}

/// Opens all shards of a store, in the order of their numbers.
fn open_all(target: &Path) -> Result<Vec<Shard<About>>, TraceError> {
    let of = number_of_shards(target)?;
    let (mut shards, mut missing) = (Vec::new(), Vec::new());
    for shard in ShardId::all(of) {
        match Shard::<About>::open(&shard.path(target))? {
            Some(opened) => shards.push(opened),
            None => missing.push(shard),
        }
    }
    if let Some(shard) = missing.first() {
        const LISTED: usize = 10;
        let listed = missing.iter().take(LISTED).map(ShardId::to_string);
        let more = missing.len().saturating_sub(LISTED);
        let more = (more > 0).then(|| format!("{more} more"));
        let listed: Vec<String> = listed.chain(more).collect();
        let message = format!("shards are missing: {}", listed.join(", "));
        let hint = format!(
            "'foldtrace convert INPUT {} --shard {shard}' writes the first of them",
            target.display()
        );
        return Err(TraceError::new(ErrorKind::Unreadable, message)
            .at(Place::file(folder(target)))
            .hint(hint));
    }
    let is_other = |shard: &&Shard<About>| {
        let first = &shards[0];
        let (one, other) = (shard.layout(), first.layout());
        shard.about.common != first.about.common || one != other
    };
    if let Some(other) = shards.iter().find(is_other) {
        let message = format!(
            "shard {} is from another input or has other options than shard {}",
            other.about.shard, shards[0].about.shard
        );
        return Err(TraceError::new(ErrorKind::Usage, message)
            .at(Place::file(other.about.shard.path(target)))
            .hint("write it again with --force"));
    }
    Ok(shards)
}

/// Returns the names of the files in a folder.
fn names_in(folder: &Path) -> io::Result<HashSet<String>> {
    let entries = fs::read_dir(folder)?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.collect())
}

/// Returns the number of shards of a store, according to the names of their folders.
fn number_of_shards(target: &Path) -> Result<u32, TraceError> {
    let folder = folder(target);
    let none = || {
        let message = format!("{} has no shards", target.display());
        TraceError::new(ErrorKind::Unreadable, message)
            .at(Place::file(&folder))
            .hint("'foldtrace convert INPUT OUTPUT --shard K/N' writes one")
    };
    let names = names_in(&folder).map_err(|error| none().caused_by(error))?;
    let shards = names.iter().filter_map(|name| ShardId::from_name(name));
    let of: BTreeSet<u32> = shards.map(ShardId::of).collect();
    let mut all = of.into_iter();
    match (all.next(), all.next()) {
        (Some(of), None) => Ok(of),
        (None, _) => Err(none()),
        (Some(one), Some(other)) => {
            let message = format!("there are shards of {one} and of {other} tasks");
            Err(TraceError::new(ErrorKind::Usage, message)
                .at(Place::file(&folder))
                .hint("remove those that do not belong together"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_part_has_a_shard_and_no_shard_is_overloaded(
            sizes in prop::collection::vec(0_u64..1000, 0..60),
            shards in 1_u32..20,
        ) {
            let of = distribute(&sizes, shards);
            prop_assert_eq!(of.len(), sizes.len());
            prop_assert!(of.iter().all(|&shard| shard < shards));
            let load = |shard| -> u64 {
                let mine = of.iter().zip(&sizes).filter(|(of, _)| **of == shard);
                mine.map(|(_, size)| size.max(&1)).sum()
            };
            let total: u64 = sizes.iter().map(|size| size.max(&1)).sum();
            let greatest = sizes.iter().copied().max().unwrap_or_default().max(1);
            for shard in 0..shards {
                prop_assert!(load(shard) <= total / u64::from(shards) + greatest);
            }
        }

        #[test]
        fn ids_come_back_from_texts_and_names(number in 0_u32..2000, more in 1_u32..2000) {
            let shard = ShardId::new(number, number + more).unwrap_or(ShardId { number: 0, of: 1 });
            prop_assert_eq!(shard.to_string().parse(), Ok(shard));
            let path = shard.path("a/run.fold".as_ref());
            prop_assert!(path.starts_with("a/run.fold.shards"));
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            prop_assert_eq!(ShardId::from_name(name), Some(shard));
        }
    }

    #[test]
    fn wrong_ids_are_refused() {
        for text in ["", "3", "4/4", "-1/4", "1/0", "a/b", "0/9999999"] {
            assert!(text.parse::<ShardId>().is_err(), "{text}");
        }
    }
}

//! Conversion by several tasks, each of which writes a shard of the store: some of its parts.
//!
//! The shards of `run.fold` are in the folder `run.fold.shards` until they are joined. All tasks know the streams of the trace, and
//! therefore the parts of the store and the shard of each part, without talking to each other.

use std::path::Path;

use foldtrace_store::{
    Manifest, Origin, PartsOfShard, PartsWriter, Replaced, Shard, ShardContents, ShardId,
    ShardWriter, Source, StoreWriter, Work, are_joined, distribute, has_all_shards,
    is_joined_by_another, is_taken, note_joined, open_shards, prepare_shards_folder, remove_joined,
    remove_shards,
};
use foldtrace_stream::memory::bounded;
use foldtrace_stream::read::{Late, Progress};
use foldtrace_trace::{Definitions, Diagnostics, ErrorKind, Registry, TraceError, TraceReader};
use serde::{Deserialize, Serialize};

use crate::parts::{bytes_of, parts_of};
use crate::{ConvertOptions, complete, convert_parts, follow_pieces};

/// What a task writes.
#[derive(Clone, Copy, Debug)]
pub struct ShardTask<'a> {
    /// The shard.
    pub id: ShardId,
    /// What the reader selects or changes of the input, which must be the same in all tasks.
    pub selection: &'a str,
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

/// What is known of a trace in addition to events: [`Late`] in the form in which it is saved.
type Found = (Definitions, Diagnostics);

fn late((definitions, diagnostics): Found) -> Late {
    Late {
        definitions,
        diagnostics,
    }
}

/// What a task says about its shard.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    shard: ShardId,
    common: Common,
    parts: PartsOfShard,
    /// What the reader finds before the events; only the first shard has it.
    head: Option<Found>,
    /// What the streams of each part produce in addition to events.
    late: Vec<(u32, Found)>,
}

impl ShardContents for About {
    const WORK: Work = Work::Conversion;

    fn id(&self) -> ShardId {
        self.shard
    }

    fn belongs_with(&self, other: &Self) -> bool {
        self.common == other.common && self.parts.have_layout_of(&other.parts)
    }
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
    if !options.replace && are_joined(target) {
        return Ok(Written::Before);
    }
    if !options.replace && is_taken(target)? {
        return Err(TraceError::exists(target));
    }
    let shard = task.id;
    let parts = parts_of(reader, options);
    let head = (reader.definitions(), reader.diagnostics());
    let streams = reader.streams().len();
    let common = Common {
        source: origin.source.clone(),
        streams: streams as u64,
        bytes: bytes_of(reader, 0..streams),
        parts: parts.len() as u32,
        max_body: options.max_body as u64,
        salvage: options.salvage,
        selection: task.selection.to_owned(),
        head: hash(head)?,
    };
    let layout = options.bounded_layout();
    if !options.replace
        && let Some(Shard { contents, .. }) = Shard::<About>::open(target, shard)?
        && contents.common == common
        && contents.parts.has_layout(layout)
    {
        return Ok(Written::Before);
    }
    let sizes = parts.iter().map(|(_, part)| part.bytes(reader));
    let sizes: Vec<u64> = sizes.collect();
    let shards = distribute(&sizes, &vec![0; shard.of() as usize]);
    let is_mine = |(part, _): &(u32, _)| shards[*part as usize] == shard.number();
    let mine: Vec<_> = parts.into_iter().filter(is_mine).collect();
    let bytes = mine.iter().map(|(part, _)| sizes[*part as usize]).sum();
    prepare_shards_folder(target)?;
    let writer = ShardWriter::create(target, shard, options.replace)?;
    let writer = PartsWriter::new(writer, layout);
    let begin = |part| writer.part(part);
    let converted = bounded(options.memory, || {
        convert_parts(reader, mine, begin, options, progress)
    })?;
    let (mut parts, mut late) = (Vec::new(), Vec::new());
    for (number, part, found) in converted {
        parts.push(part);
        late.push((number, (found.definitions, found.diagnostics)));
    }
    let about = |parts| About {
        shard,
        common,
        parts,
        head: (shard.number() == 0).then(|| (head.0.clone(), head.1.clone())),
        late,
    };
    writer.finish(parts, about, progress)?;
    Ok(Written::New { bytes })
}

/// Returns the hash of what a reader finds before the events.
fn hash(found: (&Definitions, &Diagnostics)) -> Result<[u8; 32], TraceError> {
    let bytes = postcard::to_stdvec(&found).map_err(|error| {
        TraceError::new(ErrorKind::Internal, "cannot encode definitions").caused_by(error)
    })?;
    Ok(*blake3::hash(&bytes).as_bytes())
}

/// Joins the shards of a store if all of them are written and no other task joins them. `formats` has the format of the source.
///
/// # Errors
/// Returns an error if a shard is damaged or belongs to another conversion, or if the output cannot be written.
pub fn join_if_last(
    target: &Path,
    of: u32,
    formats: &Registry,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Option<(Manifest, Diagnostics)>, TraceError> {
    if remove_joined(target)? || !has_all_shards(target, of)? {
        return Ok(None);
    }
    match join(target, formats, options, progress) {
        Err(error) if is_joined_by_another(&error, target, options.replace) => {
            remove_joined(target)?;
            Ok(None)
        }
        joined => joined.map(Some),
    }
}

/// Joins the shards of a store, and removes them. `formats` has the format of the source.
///
/// # Errors
/// Returns an error if a shard is missing, is damaged, or belongs to another conversion; or if the output cannot be written.
pub fn join(
    target: &Path,
    formats: &Registry,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<(Manifest, Diagnostics), TraceError> {
    let mut shards = open_shards::<About>(target)?;
    let first = &shards[0].contents;
    let (common, layout) = (first.common.clone(), first.parts.layout()?);
    // An upload that is not finished may be that of another task that joins the same shards, or was killed while it did.
    let replaced = Replaced::from(options.replace).max(Replaced::Unfinished);
    let mut writer = StoreWriter::create(target, replaced)?.with_layout(layout);
    let parts = writer.adopt(&mut shards, |about| &mut about.parts, progress)?;
    let (mut all, mut late) = found_by(shards);
    let checks = if parts.iter().any(|(part, _)| part.is_piece()) {
        let format = formats.by_name(&common.source.format)?;
        Some(format.checks(&all.definitions))
    } else {
        None
    };
    let checks = checks.as_deref();
    let max_body = usize::try_from(common.max_body).unwrap_or(usize::MAX);
    let origin = Origin::trace(common.source);
    let options = ConvertOptions {
        max_body,
        ..options.clone()
    };
    let joined = bounded(options.memory, || {
        if let Some(checks) = checks {
            follow_pieces(&mut writer, &parts, &mut late, checks, max_body, progress)?;
        }
        for late in late {
            progress.check()?;
            all.merge(late);
        }
        let (store, diagnostics) = complete(writer, &origin, all, parts, &options, progress)?;
        note_joined(target, store.manifest().checksum())?;
        Ok((store.appear(progress)?, diagnostics))
    })?;
    remove_shards(target)?;
    Ok(joined)
}

/// Returns what the reader has found before the events, and what the streams of each part have produced.
fn found_by(shards: Vec<Shard<About>>) -> (Late, Vec<Late>) {
    let (mut head, mut of_parts) = (Late::default(), Vec::new());
    for Shard { contents, .. } in shards {
        head = contents.head.map_or(head, late);
        of_parts.extend(contents.late);
    }
    of_parts.sort_unstable_by_key(|&(part, _)| part);
    let of_parts = of_parts.into_iter().map(|(_, found)| late(found));
    (head, of_parts.collect())
}

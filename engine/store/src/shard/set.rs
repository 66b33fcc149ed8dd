//! All shards of a store.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::Path;

use foldtrace_output::{OutputFile, has_writer};
use foldtrace_trace::{ErrorKind, Output, Place, TraceError, is_object_url};

use super::{Shard, ShardContents, ShardId, Work, folder_of, shards_of, work_of};
use crate::folder::Manifest;

/// Refuses shards of a store on an object store, which cannot be changed there, and has no locks.
///
/// # Errors
/// Returns an error if `store` is on an object store.
pub fn check_is_local(store: &Path) -> Result<(), TraceError> {
    if !is_object_url(store) {
        return Ok(());
    }
    let message = "several tasks work on a store in a file system, not on an object store";
    Err(TraceError::new(ErrorKind::Usage, message)
        .at(Place::file(store))
        .hint("copy it with 'foldtrace convert' to a file system that all tasks see"))
}

/// Prepares the folder of the shards of a store for another shard. Those of all tasks are not joined yet, whatever is noted there.
///
/// # Errors
/// Returns an error if the folder cannot be written.
pub fn prepare_shards_folder(store: &Path) -> Result<(), TraceError> {
    let folder = folder_of(store)?;
    folder.create()?;
    folder.remove(JOINED)
}

/// The name of the file beside the shards that is written when they are joined: the checksum of the store that is about to appear.
const JOINED: &str = "joined";

/// Notes beside the shards of a store that a store with this checksum has what they contribute, before it appears.
///
/// # Errors
/// Returns an error if the note cannot be written.
pub fn note_joined(store: &Path, checksum: &str) -> Result<(), TraceError> {
    folder_of(store)?.write(JOINED, checksum.as_bytes())
}

/// Returns whether a store has what its shards contribute, because the task that joined them ended before it could remove them.
#[must_use]
pub fn are_joined(store: &Path) -> bool {
    let noted = folder_of(store).and_then(|folder| folder.read(JOINED));
    let is_noted = |noted: Vec<u8>| {
        Manifest::read(store).is_ok_and(|found| found.checksum().as_bytes() == noted)
    };
    noted.is_ok_and(|noted| noted.is_some_and(is_noted))
}

/// Removes the shards of a store that has what they contribute. Returns whether that is so.
///
/// # Errors
/// Returns an error if a file cannot be removed.
pub fn remove_joined(store: &Path) -> Result<bool, TraceError> {
    let are_joined = are_joined(store);
    if are_joined {
        remove_shards(store)?;
    }
    Ok(are_joined)
}

/// Returns whether a task could not join the shards of a store because another one does so, has done so, or will: a shard of earlier
/// work that its task is to `replace` does not belong to the others yet.
#[must_use]
pub fn is_joined_by_another(error: &TraceError, store: &Path, replace: bool) -> bool {
    match error.kind {
        ErrorKind::Usage => replace,
        ErrorKind::Output if has_writer(store) => true,
        // Shards on an object store may vanish while they are read.
        kind if kind == ErrorKind::Output || is_object_url(store) => {
            names(store).is_ok_and(|names| names.is_empty()) || are_joined(store)
        }
        _ => false,
    }
}

/// Removes all shards of a store, and what is noted about them last. Another task may do the same.
///
/// # Errors
/// Returns an error if a file cannot be removed.
pub fn remove_shards(store: &Path) -> Result<(), TraceError> {
    folder_of(store)?.remove_all()
}

/// Returns whether all shards of a store, which are `of`, are written.
///
/// # Errors
/// Returns an error if the folder of the shards cannot be read.
pub fn has_all_shards(store: &Path, of: u32) -> Result<bool, TraceError> {
    // Network file systems look at a folder again when it is listed, but may have forgotten single paths.
    let names = names(store)?;
    Ok(ShardId::all(of).all(|shard| names.contains(&shard.name())))
}

/// The name of the file beside the shards that a task is writing while it joins them.
const JOINING: &str = "joining";

/// Begins to join the shards of a store, which are `of`. Returns `None` if one is missing, or if another task joins them or has joined
/// them. No other task joins them before the returned file is dropped, which should be after they are removed.
///
/// # Errors
/// Returns an error if the folder of the shards cannot be written.
pub fn begin_joining(store: &Path, of: u32) -> Result<Option<OutputFile>, TraceError> {
    if !has_all_shards(store, of)? {
        return Ok(None);
    }
    let path = shards_of(store).join(JOINING);
    let output = Output::Path {
        path: path.clone(),
        replace: true,
    };
    match OutputFile::create(output) {
        // They may have been joined and removed by now.
        Ok(file) => Ok(has_all_shards(store, of)?.then_some(file)),
        Err(_) if has_writer(&path) || !shards_of(store).exists() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns what the tasks that have written the shards of a store do.
///
/// # Errors
/// Returns an error if there are no shards, or if they cannot be read.
pub fn work_of_shards(store: &Path) -> Result<Work, TraceError> {
    let of = number_of_shards(store)?;
    for shard in ShardId::all(of) {
        if let Some(work) = work_of(store, shard)? {
            return Ok(work);
        }
    }
    Err(none(store))
}

/// Opens all shards of a store, in the order of their numbers.
///
/// # Errors
/// Returns an error if a shard is missing, is damaged, or does not belong to the others.
pub fn open_shards<T: ShardContents>(store: &Path) -> Result<Vec<Shard<T>>, TraceError> {
    let of = number_of_shards(store)?;
    let (mut shards, mut missing) = (Vec::new(), Vec::new());
    for shard in ShardId::all(of) {
        match Shard::<T>::open(store, shard)? {
            Some(opened) => shards.push(opened),
            None => missing.push(shard),
        }
    }
    if let Some(&shard) = missing.first() {
        const LISTED: usize = 10;
        let listed = missing.iter().take(LISTED).map(ShardId::to_string);
        let more = missing.len().saturating_sub(LISTED);
        let more = (more > 0).then(|| format!("{more} more"));
        let listed: Vec<String> = listed.chain(more).collect();
        let message = format!("shards are missing: {}", listed.join(", "));
        let command = T::WORK.command(store, shard);
        return Err(TraceError::new(ErrorKind::Unreadable, message)
            .at(Place::file(shards_of(store)))
            .hint(format!("'{command}' writes the first of them")));
    }
    let is_other = |shard: &&Shard<T>| !shard.contents.belongs_with(&shards[0].contents);
    if let Some(other) = shards.iter().find(is_other) {
        let (other, first) = (other.contents.id(), shards[0].contents.id());
        let message =
            format!("shard {other} is from another input or has other options than shard {first}");
        return Err(TraceError::new(ErrorKind::Usage, message)
            .at(Place::file(other.path(store)))
            .hint("write it again with --force"));
    }
    Ok(shards)
}

/// Returns the names of the files in the folder of the shards of a store; none if there is no folder.
fn names(store: &Path) -> Result<HashSet<String>, TraceError> {
    match folder_of(store)?.names() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HashSet::new()),
        names => names.map_err(|error| TraceError::unreadable(&shards_of(store), error)),
    }
}

/// Returns the error for a store without shards.
fn none(store: &Path) -> TraceError {
    let message = format!("{} has no shards", store.display());
    TraceError::new(ErrorKind::Unreadable, message)
        .at(Place::file(shards_of(store)))
        .hint("'foldtrace convert INPUT OUTPUT --shard K/N' writes one")
}

/// Returns the number of shards of a store, according to the names of their folders.
fn number_of_shards(store: &Path) -> Result<u32, TraceError> {
    let names = names(store)?;
    let shards = names.iter().filter_map(|name| ShardId::from_name(name));
    let of: BTreeSet<u32> = shards.map(ShardId::of).collect();
    let mut all = of.into_iter();
    match (all.next(), all.next()) {
        (Some(of), None) => Ok(of),
        (None, _) => Err(none(store)),
        (Some(one), Some(other)) => {
            let message = format!("there are shards of {one} and of {other} tasks");
            Err(TraceError::new(ErrorKind::Usage, message)
                .at(Place::file(shards_of(store)))
                .hint("remove those that do not belong together"))
        }
    }
}

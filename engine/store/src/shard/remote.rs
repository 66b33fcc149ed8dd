//! Shards on an object store, which has no links and no locks.
//!
//! A shard is complete in a local folder before its objects appear, the file `SHARD` last. Two tasks that write the same shard write
//! the same objects.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::io;
use std::path::Path;

use foldtrace_objects::{Object, ObjectFolder};
use foldtrace_output::Scratch;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Remedy, TraceError};
use rayon::prelude::*;

use super::SHARD;
use super::folder::{ShardsFolder, Wanted};
use crate::error::Writing;
use crate::folder::list_files;

/// Opens the folder of shards at a URL.
///
/// # Errors
/// Returns an error if it is not a valid URL, or the environment is contradictory.
pub(super) fn open_url(url: &Path) -> Result<Box<dyn ShardsFolder>, TraceError> {
    Ok(Box::new(RemoteShards(ObjectFolder::new(url)?)))
}

/// A folder on an object store.
struct RemoteShards(ObjectFolder);

impl ShardsFolder for RemoteShards {
    /// A folder is there as soon as it has objects.
    fn create(&self) -> Result<(), TraceError> {
        Ok(())
    }

    fn names(&self) -> io::Result<HashSet<String>> {
        let objects = self.0.list()?.into_iter();
        let names = objects.filter_map(|object| match object.path.split_once('/') {
            Some((shard, SHARD)) => Some(shard.to_owned()),
            Some(_) => None,
            None => Some(object.path),
        });
        Ok(names.collect())
    }

    fn read(&self, file: &str) -> Result<Option<Vec<u8>>, TraceError> {
        let bytes = self.0.read_if_exists(file)?;
        Ok(bytes.map(Vec::from))
    }

    fn write(&self, file: &str, bytes: &[u8]) -> Result<(), TraceError> {
        let written = self.0.write(file, bytes.to_owned().into());
        written.writing(&self.0.url().join(file))
    }

    fn remove(&self, file: &str) -> Result<(), TraceError> {
        self.0.remove(file).writing(&self.0.url().join(file))
    }

    fn remove_all(&self) -> Result<(), TraceError> {
        let mut objects = objects_in(&self.0)?;
        // What is left of a shard must not look complete.
        let turn = |object: &Object| match object.path.split_once('/') {
            Some((_, SHARD)) => 0,
            Some(_) => 1,
            None => 2,
        };
        objects.sort_by_key(turn);
        let turns = objects.chunk_by(|one, other| turn(one) == turn(other));
        for some in turns {
            some.par_iter()
                .try_for_each(|object| self.remove(&object.path))?;
        }
        Ok(())
    }

    fn take(
        &self,
        shard: &str,
        store: &Path,
        wanted: &Wanted<'_>,
        progress: &Progress,
    ) -> Result<(), TraceError> {
        let shard = self.0.within(shard)?;
        let mut objects = objects_in(&shard)?;
        objects.retain(|object| object.path != SHARD && (wanted.is_wanted)(object.path.as_ref()));
        objects.par_iter().try_for_each(|object| {
            progress.check()?;
            let to = store.join(&object.path);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).writing(folder)?;
            }
            shard.download(&object.path, &to)
        })
    }
}

/// A shard that is written in a local folder and will be uploaded.
#[derive(Debug)]
pub(super) struct ShardUpload {
    objects: ObjectFolder,
    scratch: Scratch,
}

impl ShardUpload {
    /// Begins a shard that will appear at `url`. Until then it is in the system's folder for temporary files.
    ///
    /// # Errors
    /// Returns an error if it exists, unless `replace` is set; or if there is no folder for temporary files.
    pub fn create(url: &Path, replace: bool) -> Result<Self, TraceError> {
        let objects = ObjectFolder::new(url)?;
        if !replace && objects.read_if_exists(SHARD)?.is_some() {
            return Err(TraceError::exists(url));
        }
        let scratch = Scratch::create(&env::temp_dir());
        Ok(Self {
            objects,
            scratch: scratch.map_err(|error| error.remedy(Remedy::TemporaryFolder))?,
        })
    }

    /// Returns the local folder.
    pub fn path(&self) -> &Path {
        self.scratch.path()
    }

    /// Writes the objects of the shard, and removes those that another task has left.
    ///
    /// # Errors
    /// Returns an error if an object cannot be written, or the upload was stopped.
    pub fn complete(self, progress: &Progress) -> Result<(), TraceError> {
        let Self { objects, scratch } = &self;
        let unwritable =
            |file: &str, error| TraceError::unwritable(&objects.url().join(file), error);
        let files = list_files(scratch.path())?;
        let before = objects_in(objects)?;
        let is_left = |object: &&Object| object.path == SHARD || !files.contains(&object.path);
        for object in before.iter().filter(is_left) {
            let removed = objects.remove(&object.path);
            removed.map_err(|error| unwritable(&object.path, error))?;
        }
        let upload = |file: &str| {
            progress.check()?;
            let uploaded = objects.upload(&scratch.path().join(file), file);
            uploaded.map_err(|error| unwritable(file, error))
        };
        let contents: Vec<&String> = files.iter().filter(|file| *file != SHARD).collect();
        contents.par_iter().try_for_each(|file| upload(file))?;
        upload(SHARD)
    }
}

/// Returns all objects in a folder.
fn objects_in(folder: &ObjectFolder) -> Result<Vec<Object>, TraceError> {
    let objects = folder.list();
    objects.map_err(|error| TraceError::unreadable(folder.url(), error))
}

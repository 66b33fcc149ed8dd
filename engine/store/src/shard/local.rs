//! Shards in a local folder, or on a file system that all tasks see.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_stream::read::Progress;
use foldtrace_trace::TraceError;

use super::SHARD;
use super::folder::{ShardsFolder, Wanted};
use crate::error::{Reading, Writing};

/// A local folder.
pub(super) struct LocalShards(pub PathBuf);

impl ShardsFolder for LocalShards {
    fn create(&self) -> Result<(), TraceError> {
        match fs::create_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            created => created.writing(&self.0),
        }
    }

    fn names(&self) -> io::Result<HashSet<String>> {
        let entries = fs::read_dir(&self.0)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.collect())
    }

    fn read(&self, file: &str) -> Result<Option<Vec<u8>>, TraceError> {
        let path = self.0.join(file);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.reading(&path).map(Some),
        }
    }

    fn write(&self, file: &str, bytes: &[u8]) -> Result<(), TraceError> {
        let path = self.0.join(file);
        fs::write(&path, bytes).writing(&path)
    }

    fn remove(&self, file: &str) -> Result<(), TraceError> {
        let path = self.0.join(file);
        unless_gone(fs::remove_file(&path)).writing(&path)
    }

    fn remove_all(&self) -> Result<(), TraceError> {
        for name in self.names().unwrap_or_default() {
            let path = self.0.join(name);
            if path.is_dir() {
                unless_gone(fs::remove_dir_all(&path)).writing(&path)?;
            }
        }
        unless_gone(fs::remove_dir_all(&self.0)).writing(&self.0)
    }

    /// Links the files, or copies those that will be changed.
    fn take(
        &self,
        shard: &str,
        store: &Path,
        wanted: &Wanted<'_>,
        progress: &Progress,
    ) -> Result<(), TraceError> {
        let shard = self.0.join(shard);
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let from = shard.join(&folder);
            for entry in fs::read_dir(&from).reading(&from)? {
                progress.check()?;
                let entry = entry.reading(&from)?;
                let path = folder.join(entry.file_name());
                let (from, to) = (entry.path(), store.join(&path));
                if entry.file_type().reading(&from)?.is_dir() {
                    fs::create_dir_all(&to).writing(&to)?;
                    folders.push(path);
                } else if path != Path::new(SHARD) && (wanted.is_wanted)(&path) {
                    let is_linked =
                        !(wanted.is_changed)(&path) && fs::hard_link(&from, &to).is_ok();
                    if !is_linked {
                        fs::copy(&from, &to).map(drop).writing(&to)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the result of removing a file, which another task may have removed.
fn unless_gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

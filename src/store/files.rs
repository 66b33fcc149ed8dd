//! The files of a store: which there are, how long they are, and their checksums.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use foldtrace_trace::TraceError;
use rayon::prelude::*;

use super::error::Writing;
use super::manifest::FileEntry;

/// The files of a store with sizes and checksums, in order of their names, but for those that
/// `is_known`, by their paths within the store.
pub(super) fn entries(
    store: &Path,
    is_known: impl Fn(&str) -> bool,
) -> Result<Vec<FileEntry>, TraceError> {
    let mut paths = Vec::new();
    list(store, &mut paths)?;
    paths.sort();
    paths.retain(|path| !is_known(&within(store, path)));
    paths
        .par_iter()
        .map(|path| {
            Ok(FileEntry {
                path: within(store, path),
                bytes: fs::metadata(path).writing(path)?.len(),
                blake3: checksum(path).writing(path)?,
            })
        })
        .collect()
}

/// The path of a file within its store.
pub(super) fn within(store: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(store).unwrap_or(path);
    relative.to_string_lossy().into_owned()
}

/// The BLAKE3 hash of a file, hexadecimal.
pub(super) fn checksum(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Adds all files in a folder, and in those within it, to `paths`.
pub(super) fn list(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), TraceError> {
    for entry in fs::read_dir(folder).writing(folder)? {
        let path = entry.writing(folder)?.path();
        if path.is_dir() {
            list(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

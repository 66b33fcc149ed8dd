//! Lists the files of a store, with their sizes and checksums.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use blake3::hazmat::ChainingValue;
use foldtrace_trace::TraceError;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::entry::FileEntry;
use super::tree::TreeHash;
use crate::error::Writing;

/// A file of a store, with the chaining values of its groups if it has more than one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HashedFile {
    pub entry: FileEntry,
    pub groups: Vec<ChainingValue>,
}

/// Hashes the files of a store in the order of their paths, except those whose path within the store `is_known`
/// accepts.
pub(crate) fn hash_files(
    store: &Path,
    is_known: impl Fn(&str) -> bool,
) -> Result<Vec<HashedFile>, TraceError> {
    let mut paths = list_files(store)?;
    paths.retain(|path| !is_known(path));
    paths
        .into_par_iter()
        .map(|path| {
            let file = store.join(&path);
            let tree = File::open(&file)
                .and_then(TreeHash::from_reader)
                .writing(&file)?;
            Ok(HashedFile {
                entry: FileEntry {
                    path,
                    bytes: tree.bytes,
                    blake3: tree.root.to_hex().to_string(),
                },
                groups: tree.groups,
            })
        })
        .collect()
}

/// Returns the paths of all files within a folder, sorted.
pub(crate) fn list_files(folder: &Path) -> Result<BTreeSet<String>, TraceError> {
    let mut paths = Vec::new();
    list(folder, &mut paths)?;
    Ok(paths.iter().map(|path| within(folder, path)).collect())
}

/// Returns the path of a file within its store.
fn within(store: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(store).unwrap_or(path);
    relative.to_string_lossy().into_owned()
}

/// Adds all files in a folder and its subfolders to `paths`.
fn list(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), TraceError> {
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

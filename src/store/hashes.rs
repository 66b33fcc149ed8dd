//! The file of chaining values, `hashes`: what the groups of large files must be.
//!
//! For each file of the manifest that is longer than a group, in the order of the manifest, it has
//! the chaining values of all groups, 32 bytes each. It has none of its own. A store without such
//! files has no file of chaining values.

use std::fs;
use std::path::Path;

use foldtrace_trace::TraceError;

use super::error::Writing;
use super::files::HashedFile;
use super::folder::{VALUE, values_of};
use super::manifest::FileEntry;

/// The file in the store.
pub(super) const FILE: &str = "hashes";

/// Where the chaining values of each file begin.
///
/// # Errors
/// If the file of chaining values has not as many as these files have groups.
pub(super) fn offsets(files: &[FileEntry]) -> Result<Vec<u64>, String> {
    let mut next = 0_u64;
    let begins = files.iter().map(|file| {
        let begin = next;
        if file.path != FILE {
            next = next.saturating_add(VALUE.saturating_mul(values_of(file.bytes)));
        }
        begin
    });
    let begins = begins.collect();
    let own = files.iter().find(|file| file.path == FILE);
    match own {
        Some(own) if own.bytes != next => Err(format!(
            "it has {} bytes, the groups of all files take {next}",
            own.bytes
        )),
        _ => Ok(begins),
    }
}

/// Writes the file anew for `files`, which are in the order of the manifest, if they have chaining values.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(store: &Path, files: &[HashedFile]) -> Result<Option<FileEntry>, TraceError> {
    let path = store.join(FILE);
    let values: Vec<u8> = files
        .iter()
        .flat_map(|file| file.groups.as_flattened())
        .copied()
        .collect();
    // The file may have another name in a store that stays as it is.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).writing(&path);
        }
        _ => {}
    }
    if values.is_empty() {
        return Ok(None);
    }
    fs::write(&path, &values).writing(&path)?;
    Ok(Some(FileEntry {
        path: FILE.to_owned(),
        bytes: values.len() as u64,
        blake3: blake3::hash(&values).to_hex().to_string(),
    }))
}

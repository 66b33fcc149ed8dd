//! The file `hashes` of chaining values, which verify groups of large files.
//!
//! For each file that is longer than a group, in the order of the manifest, it contains the file's chaining values:
//! 32 bytes per group. It contains none for itself. If a store has no such files, it has no file of chaining values.

use std::fs;
use std::path::Path;

use foldtrace_trace::TraceError;

use super::entry::FileEntry;
use super::listing::HashedFile;
use super::tree::{VALUE, values_of};
use crate::error::Writing;
use crate::paths::HASHES;

/// Returns the offset of each file's chaining values.
///
/// # Errors
/// Returns an error if the size of the file of chaining values does not match the number of groups of all files.
pub(crate) fn chaining_value_offsets(files: &[FileEntry]) -> Result<Vec<u64>, String> {
    let mut next = 0_u64;
    let begins = files.iter().map(|file| {
        let begin = next;
        if file.path != HASHES {
            next = next.saturating_add(VALUE.saturating_mul(values_of(file.bytes)));
        }
        begin
    });
    let begins = begins.collect();
    let own = files.iter().find(|file| file.path == HASHES);
    match own {
        Some(own) if own.bytes != next => Err(format!(
            "the file has {} bytes, but the chaining values of all files take {next}",
            own.bytes
        )),
        _ => Ok(begins),
    }
}

/// Replaces the file with the chaining values of `files`, which are in the order of the manifest. If there are no
/// chaining values, no new file is written.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(crate) fn write_chaining_values(
    store: &Path,
    files: &[HashedFile],
) -> Result<Option<FileEntry>, TraceError> {
    let path = store.join(HASHES);
    let values: Vec<u8> = files
        .iter()
        .flat_map(|file| file.groups.as_flattened())
        .copied()
        .collect();
    // The file may be a hard link to a file of another store, which must not change.
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
        path: HASHES.to_owned(),
        bytes: values.len() as u64,
        blake3: blake3::hash(&values).to_hex().to_string(),
    }))
}

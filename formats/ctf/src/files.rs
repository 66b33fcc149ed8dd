//! Finds traces: folders with metadata, at any depth below the folder that is opened.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use foldtrace_input::natural_order;
use foldtrace_trace::{PathKind, Probe, TraceError};

use crate::{conventions, metadata};

/// The greatest depth of folders within each other.
const MOST_LEVELS: u32 = 16;
/// The number of entries of folders that are looked at to recognise a trace. Any folder that a user names is looked through,
/// and if no format recognises it, each folder in it, too.
const MOST_ENTRIES: usize = 1_000;

/// Returns whether an input is a trace, the folder of a trace, or a folder around such a folder.
pub(crate) fn is_recognised(probe: &Probe<'_>) -> bool {
    match probe.kind {
        PathKind::Folder => contains_trace(probe.path, 0, &mut { MOST_ENTRIES }),
        PathKind::File => {
            let name = probe.path.file_name();
            name.is_some_and(|name| name == metadata::FILE) && metadata::is_metadata(probe.head)
        }
        PathKind::Stream | PathKind::ObjectFolder => false,
    }
}

/// Returns whether an input is a single trace of version 2.
pub(crate) fn is_second_version(probe: &Probe<'_>) -> bool {
    match probe.kind {
        PathKind::Folder => head(probe.path).is_some_and(|head| metadata::is_json(&head)),
        _ => metadata::is_json(probe.head),
    }
}

fn contains_trace(folder: &Path, level: u32, left: &mut usize) -> bool {
    if is_trace(folder) {
        return true;
    }
    let Ok(entries) = folder.read_dir() else {
        return false;
    };
    for entry in entries.flatten() {
        let Some(rest) = left.checked_sub(1) else {
            return false;
        };
        *left = rest;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && level < MOST_LEVELS && contains_trace(&entry.path(), level + 1, left) {
            return true;
        }
    }
    false
}

/// Returns whether a folder has metadata.
fn is_trace(folder: &Path) -> bool {
    head(folder).is_some_and(|head| metadata::is_metadata(&head))
}

/// Returns the first bytes of the metadata in a folder.
fn head(folder: &Path) -> Option<Vec<u8>> {
    let file = std::fs::File::open(folder.join(metadata::FILE)).ok()?;
    let mut head = Vec::new();
    file.take(16).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Returns the folder with a file.
pub(crate) fn folder_of(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| *parent != Path::new(""));
    parent.unwrap_or(Path::new("."))
}

/// Returns the folders of the traces at a path: that of a file with metadata, or all below a folder, in natural order.
pub(crate) fn find(path: &Path) -> Result<Vec<PathBuf>, TraceError> {
    let kind = path
        .metadata()
        .map_err(|error| TraceError::unreadable(path, error))?;
    if !kind.is_dir() {
        return Ok(vec![folder_of(path).to_owned()]);
    }
    let mut folders = Vec::new();
    collect(path, 0, &mut folders)?;
    folders.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    Ok(folders)
}

fn collect(folder: &Path, level: u32, folders: &mut Vec<PathBuf>) -> Result<(), TraceError> {
    let unreadable = |error| TraceError::unreadable(folder, error);
    if is_trace(folder) {
        folders.push(folder.to_owned());
    }
    for entry in folder.read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
        if is_folder && level < MOST_LEVELS {
            collect(&entry.path(), level + 1, folders)?;
        }
    }
    Ok(())
}

/// Returns the files of streams in the folder of a trace: all that are neither empty nor hidden, in natural order.
pub(crate) fn streams(folder: &Path) -> Result<Vec<PathBuf>, TraceError> {
    let unreadable = |error| TraceError::unreadable(folder, error);
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let is_other = name == metadata::FILE
            || name.as_encoded_bytes().starts_with(b".")
            || name == conventions::FILE;
        let path = entry.path();
        let size = path
            .metadata()
            .map_err(|error| TraceError::unreadable(&path, error))?;
        if !is_other && size.is_file() && size.len() > 0 {
            files.push(path);
        }
    }
    files.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_in_folders() {
        assert_eq!(folder_of(Path::new("metadata")), Path::new("."));
        assert_eq!(folder_of(Path::new("a/metadata")), Path::new("a"));
    }
}

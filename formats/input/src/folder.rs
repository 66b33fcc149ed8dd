//! The files of a trace that is a folder.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use crate::natural_order;

/// Returns the entries of a folder that `is_wanted` accepts, sorted by name, with the numbers in names compared as numbers.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn entries_in(
    folder: &Path,
    is_wanted: impl Fn(&DirEntry) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        if is_wanted(&entry) {
            entries.push(entry.path());
        }
    }
    entries.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["10.trace", "9.trace", "8.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let is_trace = |entry: &DirEntry| entry.path().extension().is_some_and(|it| it == "trace");
        let names = ["9.trace", "10.trace"].map(|name| folder.path().join(name));
        assert_eq!(entries_in(folder.path(), is_trace).unwrap(), names);
        assert!(entries_in(&names[0], is_trace).is_err());
    }
}

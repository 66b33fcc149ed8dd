//! Finds files in the folder of a store that do not belong to the store.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::finding::Finding;
use crate::paths::MANIFEST;

/// Returns the files in the folder of a store that are neither among its `files` nor its manifest, and the subfolders
/// that cannot be read.
pub(crate) fn unlisted_files(
    store: &Path,
    files: impl IntoIterator<Item = String>,
) -> Vec<Finding> {
    let files = files.into_iter();
    let mut listed: BTreeSet<_> = files.map(|file| store.join(file)).collect();
    listed.insert(store.join(MANIFEST));
    let mut findings = Vec::new();
    let mut find = |path: &Path, problem: String| {
        let relative = path.strip_prefix(store).unwrap_or(path);
        findings.push(Finding {
            path: relative.to_string_lossy().into_owned(),
            problem,
        });
    };
    let mut folders = vec![store.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                find(&folder, format!("cannot be read: {error}"));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // Links are not followed, because they might form a cycle.
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                folders.push(path);
                continue;
            }
            let mut from_here = listed.range(path.clone()..);
            if !from_here.next().is_some_and(|file| file.starts_with(&path)) {
                find(&path, "is not in the manifest".to_owned());
            }
        }
    }
    findings
}

//! Databases, which are read from a file.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

/// A file that has the input of a target.
#[derive(Debug)]
pub struct DatabaseFile {
    folder: TempDir,
}

impl Default for DatabaseFile {
    /// Creates the folder of the file, in memory.
    fn default() -> Self {
        Self {
            folder: tempfile::tempdir_in("/dev/shm").unwrap(),
        }
    }
}

impl DatabaseFile {
    /// Writes the input and returns the path of the file.
    ///
    /// # Panics
    /// Panics if a reader has left another file beside it, or if it cannot be written.
    #[must_use]
    pub fn write(&self, data: &[u8]) -> PathBuf {
        let path = self.folder.path().join("input.sqlite");
        fs::write(&path, data).unwrap();
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 1);
        path
    }
}

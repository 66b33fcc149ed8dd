//! Writes pieces to the files of a folder.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::pieces::split;

/// A folder in memory with a file for each piece.
pub struct Files {
    folder: TempDir,
    names: &'static [&'static str],
    /// The content of each file; `None` if the file does not exist.
    written: Vec<Option<Vec<u8>>>,
}

impl Files {
    /// Creates an empty folder for files with these names.
    ///
    /// # Panics
    /// Panics if the folder cannot be created.
    #[must_use]
    pub fn new(names: &'static [&'static str]) -> Self {
        Self {
            folder: tempfile::tempdir_in("/dev/shm").unwrap(),
            names,
            written: vec![None; names.len()],
        }
    }

    /// Replaces the files by the pieces of `data`, and returns the folder. Files that do not change are not written
    /// again.
    ///
    /// # Panics
    /// Panics if a file cannot be written or removed.
    pub fn unpack(&mut self, data: &[u8]) -> &Path {
        let pieces = split(data);
        for (number, (name, written)) in (0..).zip(self.names.iter().zip(&mut self.written)) {
            let path = self.folder.path().join(name);
            let piece = pieces.iter().find(|piece| piece.0 == number);
            let bytes = piece.map(|piece| &piece.1);
            if written.as_ref() == bytes {
                continue;
            }
            match bytes {
                Some(bytes) => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, bytes).unwrap();
                }
                None => fs::remove_file(path).unwrap(),
            }
            *written = bytes.cloned();
        }
        self.folder.path()
    }
}

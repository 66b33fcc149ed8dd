//! Pieces as files of a folder.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::pieces::split;

/// A folder in memory whose files are pieces.
pub struct Files {
    folder: TempDir,
    names: &'static [&'static str],
    /// What is in each file, if it is there.
    written: Vec<Option<Vec<u8>>>,
}

impl Files {
    /// An empty folder for files of these names.
    ///
    /// # Panics
    /// If there is no place for it.
    #[must_use]
    pub fn new(names: &'static [&'static str]) -> Self {
        Self {
            folder: tempfile::tempdir_in("/dev/shm").unwrap(),
            names,
            written: vec![None; names.len()],
        }
    }

    /// Makes the files those of `data`; what is there already is not written again.
    ///
    /// # Panics
    /// If they cannot be written.
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

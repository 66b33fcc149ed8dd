//! Reads objects into local files.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;

use crate::folder::{ObjectFolder, wait};

impl ObjectFolder {
    /// Reads an object into a new local file.
    ///
    /// # Errors
    /// Returns an error if the object cannot be read or the file cannot be written.
    pub fn download(&self, path: &str, to: &Path) -> io::Result<()> {
        let mut file = File::create(to)?;
        wait(async {
            let mut pieces = self.store().get(&self.key(path)?).await?.into_stream();
            while let Some(piece) = pieces.try_next().await? {
                if let Err(error) = file.write_all(&piece) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })?
    }
}

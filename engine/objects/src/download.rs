//! Reads objects into local files.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use foldtrace_trace::TraceError;
use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;

use crate::folder::{ObjectFolder, wait};

impl ObjectFolder {
    /// Reads an object into a new local file.
    ///
    /// # Errors
    /// Returns an error if the object cannot be read, or the file cannot be written.
    pub fn download(&self, path: &str, to: &Path) -> Result<(), TraceError> {
        let unwritable = |error| TraceError::unwritable(to, error);
        let mut file = File::create(to).map_err(unwritable)?;
        let written = wait(async {
            let mut pieces = self.store().get(&self.key(path)?).await?.into_stream();
            while let Some(piece) = pieces.try_next().await? {
                if let Err(error) = file.write_all(&piece) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        });
        let written =
            written.map_err(|error| TraceError::unreadable(&self.url().join(path), error))?;
        written.map_err(unwritable)
    }
}

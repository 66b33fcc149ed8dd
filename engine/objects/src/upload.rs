//! Writes local files to an object store, large ones in pieces.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};

use crate::folder::{ObjectFolder, wait};

/// The least size of a piece in bytes. Smaller files are written at once.
const PIECE: u64 = 8 << 20;

/// The greatest number of pieces of an object.
const MOST_PIECES: u64 = 10_000;

/// The number of pieces that are written at the same time.
const CONCURRENT: usize = 4;

impl ObjectFolder {
    /// Writes a local file to an object. The object appears when it is complete.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or the object cannot be written.
    pub fn upload(&self, from: &Path, path: &str) -> io::Result<()> {
        let mut file = File::open(from)?;
        let bytes = file.metadata()?.len();
        if bytes <= PIECE {
            let mut contents = Vec::new();
            file.read_to_end(&mut contents)?;
            return self.write(path, contents.into());
        }
        let length = PIECE.max(bytes.div_ceil(MOST_PIECES)) as usize;
        wait(async {
            let key = self.key(path)?;
            Ok(upload(self.store(), &key, file, length).await)
        })?
    }
}

/// Writes a file to an object in pieces of this length.
async fn upload(store: &impl ObjectStore, key: &Key, file: File, length: usize) -> io::Result<()> {
    let begun = store.put_multipart(key).await?;
    let mut writer = WriteMultipart::new_with_chunk_size(begun, length);
    match write_pieces(&mut writer, file, length).await {
        Ok(()) => Ok(writer.finish().await.map(drop)?),
        Err(error) => {
            // Pieces of an object that never appears would stay on the server. The first error is the one to report.
            let _ = writer.abort().await;
            Err(error)
        }
    }
}

async fn write_pieces(
    writer: &mut WriteMultipart,
    mut file: File,
    length: usize,
) -> io::Result<()> {
    loop {
        let mut piece = Vec::with_capacity(length);
        (&mut file).take(length as u64).read_to_end(&mut piece)?;
        if piece.is_empty() {
            return Ok(());
        }
        writer.wait_for_capacity(CONCURRENT).await?;
        writer.put(piece.into());
    }
}

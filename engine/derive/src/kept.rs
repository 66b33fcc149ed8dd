//! What a task derives of single locations, and keeps in its shard for the task that joins the shards.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, LocationId, Place, TraceError};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The place of the result of a location in a file, in bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct KeptPlace {
    location: LocationId,
    offset: u64,
    length: u64,
    /// The hash of these bytes.
    hash: [u8; 32],
}

/// Writes the results of locations, which are computed in parallel, to a file. Returns their places.
///
/// # Errors
/// Returns an error if a result cannot be computed, or the output cannot be written.
pub(crate) fn keep<T: Serialize + Send>(
    path: &Path,
    locations: &[(LocationId, usize)],
    result: impl Fn(LocationId, usize) -> Result<T, TraceError> + Sync,
) -> Result<Vec<KeptPlace>, TraceError> {
    let unwritable = |error| TraceError::unwritable(path, error);
    let mut file = BufWriter::new(File::create(path).map_err(unwritable)?);
    let mut places = Vec::with_capacity(locations.len());
    let mut offset = 0;
    // So many locations are in memory at once.
    for some in locations.chunks(rayon::current_num_threads()) {
        let results = some.par_iter().map(|&(location, stream)| {
            let result = result(location, stream)?;
            let bytes = postcard::to_stdvec(&result).map_err(|error| {
                let message = format!("cannot encode {}", path.display());
                TraceError::new(ErrorKind::Internal, message).caused_by(error)
            })?;
            Ok((location, bytes))
        });
        for (location, bytes) in results.collect::<Result<Vec<_>, TraceError>>()? {
            file.write_all(&bytes).map_err(unwritable)?;
            let length = bytes.len() as u64;
            places.push(KeptPlace {
                location,
                offset,
                length,
                hash: *blake3::hash(&bytes).as_bytes(),
            });
            offset += length;
        }
    }
    file.flush().map_err(unwritable)?;
    Ok(places)
}

/// The results of the locations of all shards.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    files: Vec<(PathBuf, File)>,
    places: HashMap<LocationId, (usize, KeptPlace)>,
}

impl Kept {
    /// Adds the results in the file of a shard.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn add(&mut self, path: PathBuf, places: Vec<KeptPlace>) -> Result<(), TraceError> {
        if places.is_empty() {
            return Ok(());
        }
        let file = File::open(&path).map_err(|error| TraceError::unreadable(&path, error))?;
        let number = self.files.len();
        let places = places
            .into_iter()
            .map(|place| (place.location, (number, place)));
        self.places.extend(places);
        self.files.push((path, file));
        Ok(())
    }

    /// Returns the result of a location.
    ///
    /// # Errors
    /// Returns an error if there is none, or it cannot be read.
    pub fn get<T: DeserializeOwned>(&self, location: LocationId) -> Result<T, TraceError> {
        let Some((number, place)) = self.places.get(&location) else {
            let message = format!("no shard has location {}", location.0);
            let error = TraceError::new(ErrorKind::Malformed, message);
            return Err(error.hint("remove the shards, and write them again"));
        };
        let (path, file) = &self.files[*number];
        let mut bytes = vec![0; usize::try_from(place.length).unwrap_or_default()];
        file.read_exact_at(&mut bytes, place.offset)
            .map_err(|error| TraceError::unreadable(path, error))?;
        let damaged = || {
            let message = format!("the shard is damaged at location {}", location.0);
            TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(path).byte(place.offset))
                .hint("write this shard again")
        };
        if blake3::hash(&bytes) != place.hash {
            return Err(damaged());
        }
        postcard::from_bytes(&bytes).map_err(|error| damaged().caused_by(error))
    }
}

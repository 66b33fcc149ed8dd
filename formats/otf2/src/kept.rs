//! What was read to open an archive, for other processes that open it.
//!
//! An archive has several files for each location. If each of many tasks looked at all of them, this would take longer than reading
//! the events.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, LocationId, Place, ReadOptions, StreamInfo, TraceError,
    TraceHead,
};
use serde::{Deserialize, Serialize};

use crate::anchor::Anchor;
use crate::archive::Archive;
use crate::checks::Checks;
use crate::locations::Location;
use crate::paths::Paths;
use crate::pieces::Border;

/// What was read to open an archive.
#[derive(Debug, Serialize, Deserialize)]
struct Kept<D, P> {
    options: ReadOptions,
    /// The state of the files by which a change of the archive is noticed.
    state: Vec<FileState>,
    definitions: D,
    diagnostics: P,
    /// The locations, each with the number of bytes of its events.
    locations: Vec<(Location, u64)>,
    /// Where pieces of streams begin, by the numbers of the streams that are divided.
    borders: BTreeMap<usize, Vec<Border>>,
}

/// The size of a file or folder, and when it was last changed: seconds and nanoseconds.
type FileState = (u64, i64, i64);

impl Archive {
    /// Returns what was read to open the archive; `None` if the files have disappeared.
    pub(crate) fn keep(&self, options: ReadOptions) -> Option<Vec<u8>> {
        let streams = self.head.streams.iter().map(|stream| stream.bytes);
        let kept = Kept {
            options,
            state: state(&self.paths).ok()?,
            definitions: &self.head.definitions,
            diagnostics: &self.head.diagnostics,
            locations: self.locations.iter().copied().zip(streams).collect(),
            borders: self.borders.clone(),
        };
        postcard::to_stdvec(&kept).ok()
    }

    /// Opens the archive at `path` with what another process has kept; `None` if it has changed, or was opened with other options.
    ///
    /// # Errors
    /// Returns an error if there is no archive, or its anchor is damaged.
    pub(crate) fn kept(
        path: &Path,
        options: ReadOptions,
        kept: &[u8],
    ) -> Result<Option<Self>, TraceError> {
        let Ok(kept) = postcard::from_bytes::<Kept<Definitions, Diagnostics>>(kept) else {
            return Ok(None);
        };
        let paths = Paths::find(path)?;
        let is_same = state(&paths).is_ok_and(|state| state == kept.state);
        if !is_same || kept.options != options {
            return Ok(None);
        }
        // The problems of the anchor are among those that were kept.
        let anchor = Anchor::open(&paths.anchor, &mut Diagnostics::default())?;
        let streams = kept.locations.iter().map(|&(location, bytes)| StreamInfo {
            location: Some(LocationId(location.id)),
            bytes,
            part: None,
        });
        Ok(Some(Self {
            paths,
            anchor,
            checks: Checks::new(&kept.definitions),
            head: TraceHead {
                streams: streams.collect(),
                definitions: kept.definitions,
                diagnostics: kept.diagnostics,
                ..TraceHead::default()
            },
            locations: kept
                .locations
                .into_iter()
                .map(|(location, _)| location)
                .collect(),
            borders: kept.borders,
        }))
    }

    /// Checks that the events of a stream have as many bytes as when another process has opened the archive.
    ///
    /// # Errors
    /// Returns an error if they have not.
    pub(crate) fn check_stream(&self, index: usize) -> Result<(), TraceError> {
        let (location, stream) = (self.locations[index], &self.head.streams[index]);
        let path = self.paths.events(location.id);
        let bytes = path.metadata().map_or(0, |file| file.len());
        if bytes == stream.bytes {
            return Ok(());
        }
        let message = format!(
            "the events have {bytes} bytes, but had {} when another task opened the archive",
            stream.bytes
        );
        Err(TraceError::new(ErrorKind::Unreadable, message)
            .at(Place::file(path).location(LocationId(location.id)))
            .hint("remove all shards and convert again when nothing writes the archive"))
    }
}

/// Returns the state of the anchor, of the global definitions, and of the folder with the files of the locations.
fn state(paths: &Paths) -> io::Result<Vec<FileState>> {
    let files = [&paths.anchor, &paths.definitions(), &paths.locations()];
    let states = files.into_iter().map(|file| {
        let metadata = file.metadata()?;
        Ok((metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
    });
    states.collect()
}

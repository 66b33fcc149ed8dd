//! The reader of archives: one stream of events per location.

use std::path::Path;

use foldtrace_trace::{
    ErrorKind, EventStream, LocationChecks, LocationId, Place, ReadOptions, StreamFrom, TimeRange,
    TraceError, TraceHead, TraceReader,
};

use crate::archive::Archive;
use crate::locations::Location;
use crate::optional_parts;
use crate::pieces::Piece;
use crate::stream::{Stream, empty};

/// An open archive.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) archive: Archive,
    options: ReadOptions,
    /// Whether another process has opened the archive before.
    is_kept: bool,
}

impl Reader {
    /// Opens the archive at `path` and reads everything except the events.
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Self, TraceError> {
        let mut archive = Archive::read(path, options)?;
        optional_parts::read(&mut archive, options)?;
        Ok(Self {
            archive,
            options: *options,
            is_kept: false,
        })
    }

    /// Opens the archive at `path` with what another process has kept; `None` if that is impossible.
    pub(crate) fn open_kept(
        path: &Path,
        options: ReadOptions,
        kept: &[u8],
    ) -> Result<Option<Self>, TraceError> {
        let archive = Archive::kept(path, options, kept)?;
        Ok(archive.map(|archive| Self {
            archive,
            options,
            is_kept: true,
        }))
    }

    /// Returns the location whose events are in the stream `index`.
    fn location(&self, index: usize) -> Result<Location, TraceError> {
        let location = self.archive.locations.get(index).copied();
        let location = location.ok_or_else(|| {
            let message = format!("there is no stream {index}");
            TraceError::new(ErrorKind::Internal, message)
        })?;
        if self.is_kept {
            self.archive.check_stream(index)?;
        }
        Ok(location)
    }

    /// Returns whether a location has no events and no file for them.
    fn has_no_events(&self, location: Location) -> bool {
        location.events == 0 && !self.archive.paths.events(location.id).exists()
    }
}

impl TraceReader for Reader {
    fn head(&self) -> &TraceHead {
        &self.archive.head
    }

    fn keep(&self) -> Option<Vec<u8>> {
        self.archive.keep(self.options)
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let location = self.location(index)?;
        if self.has_no_events(location) {
            return Ok(Box::new(empty(LocationId(location.id))));
        }
        Ok(Box::new(Stream::open(&self.archive, location)?))
    }

    fn pieces(&self, index: usize) -> Vec<u64> {
        let length = self.archive.head.streams.get(index);
        let length = length.map_or(0, |stream| stream.bytes);
        let pieces = self.archive.pieces(index);
        let bytes = |piece: Piece| piece.end.map_or(length, |end| end.byte) - piece.begin.byte;
        pieces.map(bytes).collect()
    }

    fn open_piece(
        &self,
        index: usize,
        piece: usize,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let location = self.location(index)?;
        let found = self.archive.pieces(index).nth(piece);
        let found = found.ok_or_else(|| TraceError::no_piece(index, piece))?;
        let stream = Stream::open_piece(&self.archive, location, found)?;
        Ok(Box::new(stream))
    }

    fn checks(&self) -> &dyn LocationChecks {
        &self.archive.checks
    }

    fn place_of(&self, index: usize) -> Place {
        let location = self.archive.locations.get(index);
        location.map_or_else(Place::default, |location| {
            Place::file(self.archive.paths.events(location.id)).location(LocationId(location.id))
        })
    }

    /// Begins at the first event of the range and ends with the first event after it. From the preceding events, only
    /// times and calls are decoded; of the following events, only the rest of the window is read.
    fn open_stream_in(&self, index: usize, range: TimeRange) -> Result<StreamFrom<'_>, TraceError> {
        let location = self.location(index)?;
        if self.has_no_events(location) {
            return Ok(StreamFrom {
                open: Vec::new(),
                stream: Box::new(empty(LocationId(location.id))),
            });
        }
        let mut stream = Stream::open(&self.archive, location)?;
        let open = range.from.map(|from| stream.skip(from));
        if let Some(to) = range.to {
            stream.end_at(to);
        }
        Ok(StreamFrom {
            open: open.unwrap_or_default(),
            stream: Box::new(stream),
        })
    }
}

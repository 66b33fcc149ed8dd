//! An open archive: its anchor, its definitions, and access to its events.

use std::ffi::c_char;
use std::path::Path;

use super::definitions::{self, DefinitionVisitor, LocalVisitor};
use super::errors::{LibraryError, check, text};
use super::events::slice;
use super::handle::ReaderHandle;
use super::markers::{self, MarkerVisitor};
use super::reader::{Counter, EventReader};
use super::snapshots::{self, SnapshotVisitor};
use super::strings::allocated_string;
use super::thumbnails::{self, Thumbnail};
use crate::bindings::*;

/// The content of the anchor of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// Version of the library that wrote the archive.
    pub version: (u8, u8, u8),
    /// Program that wrote the archive.
    pub creator: String,
    /// Free text.
    pub description: String,
    /// Name of the machine.
    pub machine_name: String,
    /// Random number that identifies the trace.
    pub trace_id: u64,
    /// Number of locations according to the anchor.
    pub locations: u64,
    /// Number of global definitions according to the anchor.
    pub global_definitions: u64,
    /// Number of snapshots of each location according to the anchor; with 0, there are no snapshot files.
    pub snapshots: u32,
    /// Number of thumbnails according to the anchor.
    pub thumbnails: u32,
    /// Size of a chunk of events, in bytes.
    pub event_chunk: u64,
    /// Size of a chunk of definitions, in bytes.
    pub definition_chunk: u64,
    /// Whether each location has files of its own, uncompressed.
    pub plain_files: bool,
    /// Further properties: name and value.
    pub properties: Vec<(String, String)>,
}

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    handle: ReaderHandle,
}

impl Archive {
    /// Opens the archive with the anchor at `anchor`.
    ///
    /// # Errors
    /// Returns an error if there is no such anchor, or it is damaged.
    pub fn open(anchor: &Path) -> Result<Self, LibraryError> {
        let handle = ReaderHandle::open(anchor)?;
        Ok(Self { handle })
    }

    /// Reads the anchor.
    ///
    /// # Errors
    /// Returns an error if the anchor is damaged.
    pub fn anchor(&self) -> Result<Anchor, LibraryError> {
        let reader = self.handle.as_ptr();
        let mut anchor = Anchor::default();
        let (major, minor, bugfix) = &mut anchor.version;
        let (mut compression, mut substrate) = (0, 0);
        // SAFETY: the handle is valid, and the other pointers are to results of the right types.
        unsafe {
            check(OTF2_Reader_GetVersion(reader, major, minor, bugfix))?;
            check(OTF2_Reader_GetTraceId(reader, &mut anchor.trace_id))?;
            check(OTF2_Reader_GetNumberOfLocations(
                reader,
                &mut anchor.locations,
            ))?;
            check(OTF2_Reader_GetNumberOfGlobalDefinitions(
                reader,
                &mut anchor.global_definitions,
            ))?;
            check(OTF2_Reader_GetNumberOfSnapshots(
                reader,
                &mut anchor.snapshots,
            ))?;
            check(OTF2_Reader_GetNumberOfThumbnails(
                reader,
                &mut anchor.thumbnails,
            ))?;
            check(OTF2_Reader_GetChunkSize(
                reader,
                &mut anchor.event_chunk,
                &mut anchor.definition_chunk,
            ))?;
            check(OTF2_Reader_GetCompression(reader, &mut compression))?;
            check(OTF2_Reader_GetFileSubstrate(reader, &mut substrate))?;
            anchor.creator = allocated_string(|out| OTF2_Reader_GetCreator(reader, out))?;
            anchor.description = allocated_string(|out| OTF2_Reader_GetDescription(reader, out))?;
            anchor.machine_name = allocated_string(|out| OTF2_Reader_GetMachineName(reader, out))?;
            anchor.properties = properties(reader)?;
        }
        anchor.plain_files = u32::from(compression) == OTF2_Compression_enum_OTF2_COMPRESSION_NONE
            && u32::from(substrate) == OTF2_FileSubstrate_enum_OTF2_SUBSTRATE_POSIX;
        Ok(anchor)
    }

    /// Passes the first `limit` global definitions to `visitor` and returns their number.
    ///
    /// # Errors
    /// Returns an error if the file of definitions is missing or damaged. The definitions before the damage were
    /// visited.
    pub fn global_definitions<V: DefinitionVisitor>(
        &mut self,
        limit: u64,
        visitor: &mut V,
    ) -> Result<u64, LibraryError> {
        definitions::global(self.handle.as_ptr(), limit, visitor)
    }

    /// Reads the local definitions of `locations`, which are pairs of an id and the maximum number of definitions.
    /// `visitor` creates the visitor for a location; `done` gets it back, with the number of records.
    ///
    /// # Errors
    /// Returns an error if the locations cannot be selected. The error of a single location is passed to `done`.
    pub fn local_definitions<V: LocalVisitor>(
        &mut self,
        locations: &[(u64, u64)],
        mut visitor: impl FnMut(u64) -> V,
        mut done: impl FnMut(u64, V, Result<u64, LibraryError>),
    ) -> Result<(), LibraryError> {
        for &(location, _) in locations {
            self.handle.select(location)?;
        }
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_OpenDefFiles(self.handle.as_ptr()) })?;
        for &(location, limit) in locations {
            let mut visitor = visitor(location);
            let result = definitions::local(self.handle.as_ptr(), location, limit, &mut visitor);
            done(location, visitor, result);
        }
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_CloseDefFiles(self.handle.as_ptr()) })
    }

    /// Passes all markers and their definitions to `visitor` and returns the number of records.
    ///
    /// # Errors
    /// Returns an error if the file of markers is missing or damaged. The records before the damage were visited.
    pub fn markers<V: MarkerVisitor>(&mut self, visitor: &mut V) -> Result<u64, LibraryError> {
        markers::read(self.handle.as_ptr(), visitor)
    }

    /// Passes all snapshot records of `location` to `visitor` and returns their number. Ids and times are as the
    /// location wrote them.
    ///
    /// # Errors
    /// Returns an error if the file of snapshots is missing or damaged. The records before the damage were visited.
    pub fn snapshots<V: SnapshotVisitor>(
        &mut self,
        location: u64,
        visitor: &mut V,
    ) -> Result<u64, LibraryError> {
        self.handle.select(location)?;
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_OpenSnapFiles(self.handle.as_ptr()) })?;
        let read = snapshots::read(self.handle.as_ptr(), location, visitor)?;
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_CloseSnapFiles(self.handle.as_ptr()) })?;
        Ok(read)
    }

    /// Reads the thumbnail with that number, which is less than the number of thumbnails in the anchor.
    ///
    /// # Errors
    /// Returns an error if there is no such thumbnail, or its file is missing or damaged. Version 3.0 of the library
    /// always returns an error.
    pub fn thumbnail(&mut self, number: u32) -> Result<Thumbnail, LibraryError> {
        thumbnails::read(self.handle.as_ptr(), number)
    }

    /// Prepares to read the events of `location`. At most `local_definitions` definitions of the location are read
    /// first, and the library applies their mapping tables and clock offsets. If it is 0, ids and times are as the
    /// location wrote them.
    ///
    /// # Errors
    /// Returns an error if a file of the location is missing or unreadable.
    pub fn into_events(
        self,
        location: u64,
        local_definitions: u64,
    ) -> Result<EventReader, LibraryError> {
        self.handle.select(location)?;
        if local_definitions > 0 {
            // SAFETY: the handle is valid.
            check(unsafe { OTF2_Reader_OpenDefFiles(self.handle.as_ptr()) })?;
            definitions::local(self.handle.as_ptr(), location, local_definitions, &mut ())?;
            // SAFETY: the handle is valid.
            check(unsafe { OTF2_Reader_CloseDefFiles(self.handle.as_ptr()) })?;
        }
        EventReader::new(self.handle, location)
    }

    /// Counts the events of `location` by reading all of them without using them. This takes the minimum time of any
    /// reader that is built on the library. Must be used only with intact archives: the library reads the chunks of a
    /// truncated file repeatedly.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`into_events`](Self::into_events) and [`EventReader::read`].
    pub fn count_events(self, location: u64) -> Result<u64, LibraryError> {
        let mut counter = Counter::default();
        let mut reader = self.into_events(location, u64::MAX)?;
        while reader.read(65_536, &mut counter)? > 0 {}
        Ok(counter.0)
    }
}

/// Returns the further properties of the archive: name and value.
///
/// # Safety
/// `reader` is valid.
unsafe fn properties(reader: *mut OTF2_Reader) -> Result<Vec<(String, String)>, LibraryError> {
    let (mut count, mut names) = (0, std::ptr::null_mut::<*mut c_char>());
    // SAFETY: the handle is valid; the library returns `count` strings in one allocation.
    unsafe {
        check(OTF2_Reader_GetPropertyNames(reader, &mut count, &mut names))?;
        let mut properties = Vec::new();
        for &name in slice(names.cast_const(), count as usize) {
            let value = allocated_string(|out| OTF2_Reader_GetProperty(reader, name, out));
            properties.push(value.map(|value| (text(name), value)));
        }
        free(names.cast());
        properties.into_iter().collect()
    }
}

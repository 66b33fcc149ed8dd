//! An open archive: its anchor, its definitions, and the way to its events.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr::NonNull;

use super::definitions::{self, DefinitionVisitor, LocalVisitor};
use super::errors::{LibraryError, check, keep_messages, null_error, text};
use super::events::slice;
use super::markers::{self, MarkerVisitor};
use super::reader::{Counter, EventReader};
use super::snapshots::{self, SnapshotVisitor};
use super::thumbnails::{self, Thumbnail};
use crate::bindings::*;

/// What the anchor of an archive says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// Version of the library that wrote the archive.
    pub version: (u8, u8, u8),
    /// Program that wrote it.
    pub creator: String,
    /// Free text.
    pub description: String,
    /// Name of the machine.
    pub machine_name: String,
    /// Random number that marks the trace.
    pub trace_id: u64,
    /// How many locations there should be.
    pub locations: u64,
    /// How many global definitions there should be.
    pub global_definitions: u64,
    /// How many snapshots there should be of each location; with none there are no such files.
    pub snapshots: u32,
    /// How many thumbnails there should be.
    pub thumbnails: u32,
    /// Bytes of a chunk of events.
    pub event_chunk: u64,
    /// Bytes of a chunk of definitions.
    pub definition_chunk: u64,
    /// Whether the files lie side by side in a folder, uncompressed.
    pub plain_files: bool,
    /// Further properties: name and value.
    pub properties: Vec<(String, String)>,
}

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    reader: NonNull<OTF2_Reader>,
}

// SAFETY: a handle may be used by any thread, one at a time; this type is not `Sync`.
unsafe impl Send for Archive {}

impl Archive {
    /// Opens the archive that `anchor` belongs to.
    ///
    /// # Errors
    /// If there is no anchor of that name, or it is damaged.
    pub fn open(anchor: &Path) -> Result<Self, LibraryError> {
        keep_messages();
        let path =
            CString::new(anchor.as_os_str().as_encoded_bytes()).map_err(|_| LibraryError {
                message: "the path contains a zero byte".to_owned(),
                ..null_error()
            })?;
        // SAFETY: the path ends with a zero and is copied by the library.
        let reader = unsafe { OTF2_Reader_Open(path.as_ptr()) };
        let archive = Self {
            reader: NonNull::new(reader).ok_or_else(null_error)?,
        };
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_SetSerialCollectiveCallbacks(archive.handle()) })?;
        Ok(archive)
    }

    pub(super) fn handle(&self) -> *mut OTF2_Reader {
        self.reader.as_ptr()
    }

    /// Reads the anchor.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn anchor(&self) -> Result<Anchor, LibraryError> {
        let reader = self.handle();
        let mut anchor = Anchor::default();
        let (major, minor, bugfix) = &mut anchor.version;
        let (mut compression, mut substrate) = (0, 0);
        // SAFETY: the handle is valid, all others are places for results of their types.
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
            anchor.creator = owned(|out| OTF2_Reader_GetCreator(reader, out))?;
            anchor.description = owned(|out| OTF2_Reader_GetDescription(reader, out))?;
            anchor.machine_name = owned(|out| OTF2_Reader_GetMachineName(reader, out))?;
            anchor.properties = properties(reader)?;
        }
        anchor.plain_files = u32::from(compression) == OTF2_Compression_enum_OTF2_COMPRESSION_NONE
            && u32::from(substrate) == OTF2_FileSubstrate_enum_OTF2_SUBSTRATE_POSIX;
        Ok(anchor)
    }

    /// Hands the first `limit` global definitions to `visitor`; gives how many there were.
    ///
    /// # Errors
    /// If the file of definitions is missing or damaged. What came before was visited.
    pub fn global_definitions<V: DefinitionVisitor>(
        &mut self,
        limit: u64,
        visitor: &mut V,
    ) -> Result<u64, LibraryError> {
        definitions::global(self.handle(), limit, visitor)
    }

    /// Reads the locations' own definitions, of each the first so many: `locations` are ids and
    /// limits. `visitor` makes a visitor for an id; `done` gets it back, with the number of records.
    ///
    /// # Errors
    /// If the locations cannot be selected. An error of a single location is in its result.
    pub fn local_definitions<V: LocalVisitor>(
        &mut self,
        locations: &[(u64, u64)],
        mut visitor: impl FnMut(u64) -> V,
        mut done: impl FnMut(u64, V, Result<u64, LibraryError>),
    ) -> Result<(), LibraryError> {
        for &(location, _) in locations {
            self.select(location)?;
        }
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_OpenDefFiles(self.handle()) })?;
        for &(location, limit) in locations {
            let mut visitor = visitor(location);
            let result = definitions::local(self.handle(), location, limit, &mut visitor);
            done(location, visitor, result);
        }
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_CloseDefFiles(self.handle()) })
    }

    /// Hands all markers, and what defines them, to `visitor`; gives how many records there were.
    ///
    /// # Errors
    /// If the file of markers is missing or damaged. What came before was visited.
    pub fn markers<V: MarkerVisitor>(&mut self, visitor: &mut V) -> Result<u64, LibraryError> {
        markers::read(self.handle(), visitor)
    }

    /// Hands all snapshot records of `location` to `visitor`; gives how many there were. Ids and
    /// times are as the location wrote them.
    ///
    /// # Errors
    /// If the file of snapshots is missing or damaged. What came before was visited.
    pub fn snapshots<V: SnapshotVisitor>(
        &mut self,
        location: u64,
        visitor: &mut V,
    ) -> Result<u64, LibraryError> {
        self.select(location)?;
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_OpenSnapFiles(self.handle()) })?;
        let read = snapshots::read(self.handle(), location, visitor)?;
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_CloseSnapFiles(self.handle()) })?;
        Ok(read)
    }

    /// Reads the thumbnail of that number; the anchor says how many there are.
    ///
    /// # Errors
    /// If there is none of that number, or its file is missing or damaged; in version 3.0 of the
    /// library always.
    pub fn thumbnail(&mut self, number: u32) -> Result<Thumbnail, LibraryError> {
        thumbnails::read(self.handle(), number)
    }

    fn select(&mut self, location: u64) -> Result<(), LibraryError> {
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_SelectLocation(self.handle(), location) })
    }

    /// Prepares to read the events of `location`. The first so many of the location's own
    /// definitions are read before, and the library applies their mappings of ids and offsets of
    /// clocks. With none of them, ids and times are as the location wrote them.
    ///
    /// # Errors
    /// If a file of the location is missing or unreadable.
    pub fn into_events(
        mut self,
        location: u64,
        local_definitions: u64,
    ) -> Result<EventReader, LibraryError> {
        self.select(location)?;
        if local_definitions > 0 {
            // SAFETY: the handle is valid.
            check(unsafe { OTF2_Reader_OpenDefFiles(self.handle()) })?;
            definitions::local(self.handle(), location, local_definitions, &mut ())?;
            // SAFETY: the handle is valid.
            check(unsafe { OTF2_Reader_CloseDefFiles(self.handle()) })?;
        }
        EventReader::new(self, location)
    }

    /// Counts the events of `location` by reading them all and looking at none: the floor under
    /// the time that any reader built on the library needs. For whole archives only: the library
    /// reads the chunks of a file that was cut off again and again.
    ///
    /// # Errors
    /// As for [`into_events`](Self::into_events) and [`EventReader::read`].
    pub fn count_events(self, location: u64) -> Result<u64, LibraryError> {
        let mut counter = Counter::default();
        let mut reader = self.into_events(location, u64::MAX)?;
        while reader.read(65_536, &mut counter)? > 0 {}
        Ok(counter.0)
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        // SAFETY: the handle is valid and not used any more.
        let _ = check(unsafe { OTF2_Reader_Close(self.handle()) });
    }
}

/// The text that `get` allocates, freed.
///
/// # Safety
/// `get` writes null or a string from `malloc`.
pub(super) unsafe fn owned(
    get: impl FnOnce(*mut *mut c_char) -> OTF2_ErrorCode,
) -> Result<String, LibraryError> {
    let mut pointer = std::ptr::null_mut();
    check(get(&mut pointer))?;
    // SAFETY: by the contract of this function.
    unsafe {
        let string = text(pointer);
        free(pointer.cast());
        Ok(string)
    }
}

/// # Safety
/// `reader` is valid.
unsafe fn properties(reader: *mut OTF2_Reader) -> Result<Vec<(String, String)>, LibraryError> {
    let (mut count, mut names) = (0, std::ptr::null_mut::<*mut c_char>());
    // SAFETY: the handle is valid; the library gives `count` strings in one allocation.
    unsafe {
        check(OTF2_Reader_GetPropertyNames(reader, &mut count, &mut names))?;
        let mut properties = Vec::new();
        for &name in slice(names.cast_const(), count as usize) {
            let value = owned(|out| OTF2_Reader_GetProperty(reader, name, out));
            properties.push(value.map(|value| (text(name), value)));
        }
        free(names.cast());
        properties.into_iter().collect()
    }
}

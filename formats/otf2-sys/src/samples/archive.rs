//! Writes an archive with the library.

use std::ffi::{CStr, CString, c_void};
use std::path::{Path, PathBuf};

use crate::bindings::*;
use crate::safe::LibraryError;
use crate::safe::errors::{check, keep_messages, null_error};

/// The smallest size of a chunk that the library accepts, in bytes.
const CHUNK: u64 = 256 * 1024;

/// Allows the library to write chunks that do not fit into its memory.
unsafe extern "C" fn flush(
    _user_data: *mut c_void,
    _file: OTF2_FileType,
    _location: OTF2_LocationRef,
    _caller_data: *mut c_void,
    _last: bool,
) -> OTF2_FlushType {
    OTF2_FlushType_enum_OTF2_FLUSH as OTF2_FlushType
}

/// The callbacks of the library for writing chunks.
static FLUSH: OTF2_FlushCallbacks = OTF2_FlushCallbacks {
    otf2_pre_flush: Some(flush),
    otf2_post_flush: None,
};

/// Returns a text of that many bytes.
pub(super) fn text(bytes: usize) -> Result<CString, LibraryError> {
    let digits: Vec<u8> = (0..bytes).map(|index| b'0' + (index % 10) as u8).collect();
    c_string(digits)
}

/// Returns a string for functions of the library.
pub(super) fn c_string(bytes: impl Into<Vec<u8>>) -> Result<CString, LibraryError> {
    CString::new(bytes).map_err(|_| LibraryError {
        message: "the text contains a zero byte".to_owned(),
        ..null_error()
    })
}

/// An archive of the library, open for writing.
#[derive(Debug)]
pub(super) struct Archive(*mut OTF2_Archive);

impl Archive {
    /// Creates the archive `traces` in `folder`.
    pub(super) fn create(folder: &Path) -> Result<Self, LibraryError> {
        keep_messages();
        let path = c_string(folder.as_os_str().as_encoded_bytes())?;
        // SAFETY: the strings end with a zero, null is checked, and the callbacks live forever: the
        // library keeps a pointer to them.
        unsafe {
            let archive = OTF2_Archive_Open(
                path.as_ptr(),
                c"traces".as_ptr(),
                OTF2_FileMode_enum_OTF2_FILEMODE_WRITE as OTF2_FileMode,
                CHUNK,
                CHUNK,
                OTF2_FileSubstrate_enum_OTF2_SUBSTRATE_POSIX as OTF2_FileSubstrate,
                OTF2_Compression_enum_OTF2_COMPRESSION_NONE as OTF2_Compression,
            );
            if archive.is_null() {
                return Err(null_error());
            }
            let archive = Self(archive);
            check(OTF2_Archive_SetFlushCallbacks(
                archive.0,
                &FLUSH,
                std::ptr::null_mut(),
            ))?;
            check(OTF2_Archive_SetSerialCollectiveCallbacks(archive.0))?;
            Ok(archive)
        }
    }

    /// Sets the creator, the machine, the description, the number of snapshots and further properties.
    pub(super) fn describe(&self, snapshots: u32) -> Result<(), LibraryError> {
        let long = text(300)?;
        let properties: [(&CStr, &CStr); 3] = [
            (c"FOLDTRACE::PLAIN", c"a value"),
            (c"FOLDTRACE::LONG", &long),
            (c"FOLDTRACE::GREEK", c"λόγος"),
        ];
        // SAFETY: the archive is valid, the strings end with a zero and are copied.
        unsafe {
            check(OTF2_Archive_SetCreator(
                self.0,
                c"the samples of otf2-sys".as_ptr(),
            ))?;
            check(OTF2_Archive_SetMachineName(
                self.0,
                c"Maschine für Proben".as_ptr(),
            ))?;
            check(OTF2_Archive_SetDescription(
                self.0,
                c"every record there is,\nin two lines".as_ptr(),
            ))?;
            check(OTF2_Archive_SetNumberOfSnapshots(self.0, snapshots))?;
            for (name, value) in properties {
                check(OTF2_Archive_SetProperty(
                    self.0,
                    name.as_ptr(),
                    value.as_ptr(),
                    false,
                ))?;
            }
            check(OTF2_Archive_SetBoolProperty(
                self.0,
                c"FOLDTRACE::TRUE".as_ptr(),
                true,
                false,
            ))
        }
    }

    /// Writes the events of each location with `write` and returns their number per location.
    pub(super) fn events(
        &self,
        locations: &[u64],
        mut write: impl FnMut(u64, *mut OTF2_EvtWriter) -> Result<(), LibraryError>,
    ) -> Result<Vec<(u64, u64)>, LibraryError> {
        let mut numbers = Vec::new();
        // SAFETY: the archive is valid, the writers are valid until they are closed, and null is checked.
        unsafe {
            check(OTF2_Archive_OpenEvtFiles(self.0))?;
            for &location in locations {
                let writer = not_null(OTF2_Archive_GetEvtWriter(self.0, location))?;
                write(location, writer)?;
                let mut number = 0;
                check(OTF2_EvtWriter_GetNumberOfEvents(writer, &mut number))?;
                numbers.push((location, number));
                check(OTF2_Archive_CloseEvtWriter(self.0, writer))?;
            }
            check(OTF2_Archive_CloseEvtFiles(self.0))?;
        }
        Ok(numbers)
    }

    /// Writes the local definitions of each location with `write`.
    pub(super) fn local_definitions(
        &self,
        locations: &[u64],
        mut write: impl FnMut(u64, *mut OTF2_DefWriter) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        // SAFETY: as in `events`.
        unsafe {
            check(OTF2_Archive_OpenDefFiles(self.0))?;
            for &location in locations {
                let writer = not_null(OTF2_Archive_GetDefWriter(self.0, location))?;
                write(location, writer)?;
                check(OTF2_Archive_CloseDefWriter(self.0, writer))?;
            }
            check(OTF2_Archive_CloseDefFiles(self.0))
        }
    }

    /// Writes the global definitions with `write`.
    pub(super) fn global_definitions(
        &self,
        write: impl FnOnce(*mut OTF2_GlobalDefWriter) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        // SAFETY: as in `events`.
        unsafe {
            let writer = not_null(OTF2_Archive_GetGlobalDefWriter(self.0))?;
            write(writer)?;
            check(OTF2_Archive_CloseGlobalDefWriter(self.0, writer))
        }
    }

    /// Writes the snapshots of each location with `write`.
    pub(super) fn snapshots(
        &self,
        locations: &[u64],
        mut write: impl FnMut(u64, *mut OTF2_SnapWriter) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        // SAFETY: as in `events`.
        unsafe {
            check(OTF2_Archive_OpenSnapFiles(self.0))?;
            for &location in locations {
                let writer = not_null(OTF2_Archive_GetSnapWriter(self.0, location))?;
                write(location, writer)?;
                check(OTF2_Archive_CloseSnapWriter(self.0, writer))?;
            }
            check(OTF2_Archive_CloseSnapFiles(self.0))
        }
    }

    /// Writes the markers with `write`.
    pub(super) fn markers(
        &self,
        write: impl FnOnce(*mut OTF2_MarkerWriter) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        // SAFETY: as in `events`.
        unsafe {
            let writer = not_null(OTF2_Archive_GetMarkerWriter(self.0))?;
            write(writer)?;
            check(OTF2_Archive_CloseMarkerWriter(self.0, writer))
        }
    }

    /// Creates a thumbnail, which must get `samples` samples before the archive is closed.
    pub(super) fn thumbnail(
        &self,
        name: &CStr,
        description: &CStr,
        kind: OTF2_ThumbnailType,
        samples: u32,
        references: &[u64],
    ) -> Result<*mut OTF2_ThumbWriter, LibraryError> {
        // SAFETY: the archive is valid, the strings end with a zero, and the array has that many members.
        not_null(unsafe {
            OTF2_Archive_GetThumbWriter(
                self.0,
                name.as_ptr(),
                description.as_ptr(),
                kind,
                samples,
                references.len() as u32,
                references.as_ptr(),
            )
        })
    }

    /// Writes the rest of the archive, the anchor last, and returns the path of the anchor in `folder`.
    pub(super) fn close(self, folder: &Path) -> Result<PathBuf, LibraryError> {
        let archive = self.0;
        std::mem::forget(self);
        // SAFETY: the archive is valid and not used any more.
        check(unsafe { OTF2_Archive_Close(archive) })?;
        Ok(folder.join("traces.otf2"))
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        // SAFETY: the archive is valid and not used any more.
        let _ = check(unsafe { OTF2_Archive_Close(self.0) });
    }
}

/// Returns the pointer that the library created, or its error if the pointer is null.
fn not_null<T>(pointer: *mut T) -> Result<*mut T, LibraryError> {
    if pointer.is_null() {
        Err(null_error())
    } else {
        Ok(pointer)
    }
}

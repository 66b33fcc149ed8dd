//! The library's handle of an archive that is open for reading.

use std::ffi::CString;
use std::path::Path;
use std::ptr::NonNull;

use super::errors::{LibraryError, check, keep_messages, null_error};
use crate::bindings::*;

/// A valid handle, which is closed on drop.
#[derive(Debug)]
pub(super) struct ReaderHandle(NonNull<OTF2_Reader>);

// SAFETY: a handle may be used by any thread, one at a time; this type is not `Sync`.
unsafe impl Send for ReaderHandle {}

impl ReaderHandle {
    /// Opens the archive with the anchor at `anchor`.
    pub(super) fn open(anchor: &Path) -> Result<Self, LibraryError> {
        keep_messages();
        let path =
            CString::new(anchor.as_os_str().as_encoded_bytes()).map_err(|_| LibraryError {
                message: "the path contains a zero byte".to_owned(),
                ..null_error()
            })?;
        // SAFETY: the path ends with a zero and is copied by the library.
        let reader = unsafe { OTF2_Reader_Open(path.as_ptr()) };
        let handle = Self(NonNull::new(reader).ok_or_else(null_error)?);
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_SetSerialCollectiveCallbacks(handle.as_ptr()) })?;
        Ok(handle)
    }

    /// Returns the handle for functions of the library.
    pub(super) fn as_ptr(&self) -> *mut OTF2_Reader {
        self.0.as_ptr()
    }

    /// Selects a location, whose files can then be opened.
    pub(super) fn select(&self, location: u64) -> Result<(), LibraryError> {
        // SAFETY: the handle is valid.
        check(unsafe { OTF2_Reader_SelectLocation(self.as_ptr(), location) })
    }
}

impl Drop for ReaderHandle {
    fn drop(&mut self) {
        // SAFETY: the handle is valid and not used any more.
        let _ = check(unsafe { OTF2_Reader_Close(self.as_ptr()) });
    }
}

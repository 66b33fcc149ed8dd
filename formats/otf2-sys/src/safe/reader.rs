//! Reads or counts the events of one location.

use std::ptr::NonNull;

use super::errors::{LibraryError, check, error, null_error};
use super::events::{Attributes, EventCode, EventVisitor, fill};
use super::handle::ReaderHandle;
use crate::bindings::*;

/// A reader of the events of one location, from first to last.
#[derive(Debug)]
pub struct EventReader {
    archive: ReaderHandle,
    reader: NonNull<OTF2_EvtReader>,
    table: NonNull<OTF2_EvtReaderCallbacks>,
    /// Whether the end was reached; reading beyond the end is an error of the library.
    ended: bool,
}

// SAFETY: only this value has the handles, and the library keeps no state per thread.
unsafe impl Send for EventReader {}

impl EventReader {
    /// Creates a reader of the events of `location`, which must be selected.
    pub(super) fn new(archive: ReaderHandle, location: u64) -> Result<Self, LibraryError> {
        // SAFETY: the handle is valid; null is checked. The table is freed by `drop`, the reader
        // with its archive.
        unsafe {
            check(OTF2_Reader_OpenEvtFiles(archive.as_ptr()))?;
            let reader = OTF2_Reader_GetEvtReader(archive.as_ptr(), location);
            let reader = NonNull::new(reader).ok_or_else(null_error)?;
            let table = NonNull::new(OTF2_EvtReaderCallbacks_New()).ok_or_else(null_error)?;
            Ok(Self {
                archive,
                reader,
                table,
                ended: false,
            })
        }
    }

    /// Passes up to `limit` events to `visitor` and returns their number, which is less than `limit` only at the end.
    /// The limit must not exceed the number of events in a truncated file: the library would continue with old
    /// content of its memory.
    ///
    /// # Errors
    /// Returns an error if a record cannot be read. The events before it were visited.
    pub fn read<V: EventVisitor>(
        &mut self,
        limit: u64,
        visitor: &mut V,
    ) -> Result<u64, LibraryError> {
        if self.ended {
            return Ok(0);
        }
        let (archive, reader, table) = (
            self.archive.as_ptr(),
            self.reader.as_ptr(),
            self.table.as_ptr(),
        );
        let mut read = 0;
        // SAFETY: all handles are valid and used by this thread alone. The visitor is registered
        // for this call only: it is borrowed for longer than the library can call back, and the
        // next call registers its own before it reads.
        let code = unsafe {
            fill::<V>(table)?;
            let user_data = std::ptr::from_mut(visitor).cast();
            check(OTF2_Reader_RegisterEvtCallbacks(
                archive, reader, table, user_data,
            ))?;
            let code = OTF2_Reader_ReadLocalEvents(archive, reader, limit, &mut read);
            OTF2_EvtReaderCallbacks_Clear(table);
            OTF2_Reader_RegisterEvtCallbacks(archive, reader, table, std::ptr::null_mut());
            code
        };
        self.ended = code != OTF2_ErrorCode_OTF2_SUCCESS || read < limit;
        if code == OTF2_ErrorCode_OTF2_SUCCESS {
            Ok(read)
        } else {
            Err(error(code))
        }
    }
}

impl Drop for EventReader {
    fn drop(&mut self) {
        // SAFETY: both are valid and not used any more; the archive is closed after this.
        unsafe {
            OTF2_EvtReaderCallbacks_Delete(self.table.as_ptr());
            OTF2_Reader_CloseEvtReader(self.archive.as_ptr(), self.reader.as_ptr());
            OTF2_Reader_CloseEvtFiles(self.archive.as_ptr());
        }
    }
}

/// A visitor that only counts events.
#[derive(Debug, Default)]
pub(super) struct Counter(pub(super) u64);

impl EventVisitor for Counter {
    #[inline(always)]
    fn event<const OPERANDS: usize, const QUANTITIES: usize>(
        &mut self,
        _code: EventCode,
        _time: u64,
        _operands: [u64; OPERANDS],
        _quantities: [u64; QUANTITIES],
        _attributes: Attributes<'_>,
    ) {
        self.0 += 1;
    }

    fn metric(&mut self, _: u64, _: u64, _: &[u8], _: &[u64], _: Attributes<'_>) {
        self.0 += 1;
    }

    fn program_begin(&mut self, _: u64, _: u64, _: &[u32], _: Attributes<'_>) {
        self.0 += 1;
    }
}

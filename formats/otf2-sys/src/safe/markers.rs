//! Reads markers: notes about points and intervals of time of the whole trace.

use std::ffi::{c_char, c_void};

use super::errors::{LibraryError, check, null_error};
use super::value::{Widen, bytes};
use crate::bindings::*;

const SUCCESS: OTF2_CallbackCode = OTF2_CallbackCode_enum_OTF2_CALLBACK_SUCCESS;

/// A visitor of markers. The library calls its methods, so they must not panic.
pub trait MarkerVisitor {
    /// Visits the definition of a kind of markers. Texts are the bytes of the file.
    fn definition(&mut self, marker: u64, group: &[u8], category: &[u8], severity: u8);
    /// Visits a marker. `scope` is the type of the definition with the id `scope_ref`.
    fn marker(
        &mut self,
        time: u64,
        duration: u64,
        marker: u64,
        scope: u8,
        scope_ref: u64,
        text: &[u8],
    );
    /// Visits a record of a type that the library does not know.
    fn unknown(&mut self);
}

/// Reads all markers.
pub(super) fn read<V: MarkerVisitor>(
    archive: *mut OTF2_Reader,
    visitor: &mut V,
) -> Result<u64, LibraryError> {
    let mut read = 0;
    // SAFETY: the archive is valid. The visitor is registered only while its borrow lasts: the
    // reader that would call it is closed before this function returns.
    unsafe {
        let reader = OTF2_Reader_GetMarkerReader(archive);
        if reader.is_null() {
            return Err(null_error());
        }
        let table = OTF2_MarkerReaderCallbacks_New();
        let result = fill::<V>(table).and_then(|()| {
            let user_data = std::ptr::from_mut(visitor).cast();
            check(OTF2_Reader_RegisterMarkerCallbacks(
                archive, reader, table, user_data,
            ))?;
            check(OTF2_Reader_ReadAllMarkers(archive, reader, &mut read))
        });
        OTF2_MarkerReaderCallbacks_Delete(table);
        let closed = OTF2_Reader_CloseMarkerReader(archive, reader);
        result.and_then(|()| check(closed))?;
    }
    Ok(read)
}

/// Sets all callbacks of the table.
///
/// # Safety
/// `table` is a table of the library.
unsafe fn fill<V: MarkerVisitor>(
    table: *mut OTF2_MarkerReaderCallbacks,
) -> Result<(), LibraryError> {
    // SAFETY: the table is valid, and every function has the type that its setter requires.
    unsafe {
        check(OTF2_MarkerReaderCallbacks_SetUnknownCallback(
            table,
            Some(unknown::<V>),
        ))?;
        check(OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(
            table,
            Some(definition::<V>),
        ))?;
        check(OTF2_MarkerReaderCallbacks_SetMarkerCallback(
            table,
            Some(marker::<V>),
        ))
    }
}

unsafe extern "C" fn unknown<V: MarkerVisitor>(user_data: *mut c_void) -> OTF2_CallbackCode {
    // SAFETY: `read` registers a visitor while it reads.
    unsafe { &mut *user_data.cast::<V>() }.unknown();
    SUCCESS
}

unsafe extern "C" fn definition<V: MarkerVisitor>(
    user_data: *mut c_void,
    marker: OTF2_MarkerRef,
    group: *const c_char,
    category: *const c_char,
    severity: OTF2_MarkerSeverity,
) -> OTF2_CallbackCode {
    // SAFETY: as in `unknown`; the strings live until the callback returns.
    let (visitor, group, category) =
        unsafe { (&mut *user_data.cast::<V>(), bytes(group), bytes(category)) };
    visitor.definition(marker.widen(), group, category, severity);
    SUCCESS
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn marker<V: MarkerVisitor>(
    user_data: *mut c_void,
    time: OTF2_TimeStamp,
    duration: OTF2_TimeStamp,
    marker: OTF2_MarkerRef,
    scope: OTF2_MarkerScope,
    scope_ref: u64,
    text: *const c_char,
) -> OTF2_CallbackCode {
    // SAFETY: as in `definition`.
    let (visitor, text) = unsafe { (&mut *user_data.cast::<V>(), bytes(text)) };
    visitor.marker(time, duration, marker.widen(), scope, scope_ref, text);
    SUCCESS
}

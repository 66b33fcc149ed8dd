//! Strings that the library allocates for its caller.

use std::ffi::c_char;

use super::errors::{LibraryError, check, text};
use crate::bindings::*;

/// Returns the string that `get` allocates, and frees the allocation.
///
/// # Safety
/// `get` writes null or a string from `malloc`.
pub(super) unsafe fn allocated_string(
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

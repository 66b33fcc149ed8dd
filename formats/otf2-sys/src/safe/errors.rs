//! Errors of the library: a code, and the messages that the library would have printed.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::sync::Once;

use crate::bindings::{
    __va_list_tag, OTF2_Error_GetDescription, OTF2_Error_GetName, OTF2_Error_RegisterCallback,
    OTF2_ErrorCallback, OTF2_ErrorCode, OTF2_ErrorCode_OTF2_ERROR_PROCESSED_WITH_FAULTS,
    OTF2_ErrorCode_OTF2_SUCCESS as SUCCESS, vsnprintf,
};

/// Maximum number of messages that are kept. The library reports the root cause first, then every caller.
const KEPT: usize = 8;

thread_local! {
    static MESSAGES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A call of the library that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryError {
    /// The number of the error.
    pub code: i32,
    /// The name of the error, such as `FILE_CAN_NOT_OPEN`.
    pub name: String,
    /// The library's description of all errors with that name.
    pub description: String,
    /// The library's messages about this error, the root cause first.
    pub message: String,
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "libotf2: {}", self.description)?;
        if !self.message.is_empty() {
            write!(f, " ({})", self.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for LibraryError {}

/// Collects the library's messages, which would otherwise go to standard error. The callback is registered once per
/// process, because the library has only one.
pub(crate) fn keep_messages() {
    static ONCE: Once = Once::new();
    clear();
    ONCE.call_once(|| {
        let callback: OTF2_ErrorCallback = Some(keep);
        // SAFETY: the callback lives as long as the program and needs no user data.
        unsafe { OTF2_Error_RegisterCallback(callback, std::ptr::null_mut()) };
    });
}

/// Keeps a message. The library calls this function on the thread on which a call failed.
unsafe extern "C" fn keep(
    _user_data: *mut c_void,
    _file: *const c_char,
    _line: u64,
    _function: *const c_char,
    code: OTF2_ErrorCode,
    format: *const c_char,
    arguments: *mut __va_list_tag,
) -> OTF2_ErrorCode {
    let mut text: [c_char; 512] = [0; 512];
    if !format.is_null() {
        // SAFETY: the library passes a format and the arguments that belong to it; at most 512
        // bytes are written, the last of them a zero.
        unsafe { vsnprintf(text.as_mut_ptr(), text.len() as _, format, arguments) };
    }
    // SAFETY: the buffer ends with a zero, written by vsnprintf or from its initialisation.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy();
    let text = text.trim();
    if !text.is_empty() {
        // Neither access can fail here, but a panic must not cross into the library.
        let _ = MESSAGES.try_with(|messages| {
            if let Ok(mut messages) = messages.try_borrow_mut()
                && messages.len() < KEPT
            {
                messages.push(text.to_owned());
            }
        });
    }
    code
}

/// Removes the messages of this thread.
fn clear() {
    let _ = MESSAGES.try_with(|messages| messages.try_borrow_mut().map(|mut m| m.clear()));
}

/// Removes and returns the messages since the last checked call, as one line.
fn take() -> String {
    MESSAGES
        .try_with(|messages| {
            messages
                .try_borrow_mut()
                .map(|mut m| std::mem::take(&mut *m))
        })
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default()
        .join("; ")
}

/// Returns the error with that code and the messages before it.
pub(super) fn error(code: OTF2_ErrorCode) -> LibraryError {
    // SAFETY: both return null or a string of the library that lives forever.
    let (name, description) = unsafe {
        (
            text(OTF2_Error_GetName(code)),
            text(OTF2_Error_GetDescription(code)),
        )
    };
    LibraryError {
        code,
        name,
        description,
        message: take(),
    }
}

/// Returns the error of a call that returned null.
pub(crate) fn null_error() -> LibraryError {
    error(OTF2_ErrorCode_OTF2_ERROR_PROCESSED_WITH_FAULTS)
}

/// Converts a code of the library into a result.
pub(crate) fn check(code: OTF2_ErrorCode) -> Result<(), LibraryError> {
    if code == SUCCESS {
        clear();
        Ok(())
    } else {
        Err(error(code))
    }
}

/// Returns a copy of a string of the library; empty if `pointer` is null.
///
/// # Safety
/// `pointer` is null or a string that ends with a zero.
pub(super) unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of this function.
    unsafe { CStr::from_ptr(pointer) }
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_its_name() {
        let error = error(OTF2_ErrorCode_OTF2_ERROR_PROCESSED_WITH_FAULTS);
        assert_eq!(error.name, "PROCESSED_WITH_FAULTS");
        assert!(!error.description.is_empty());
        assert!(check(SUCCESS).is_ok());
    }
}

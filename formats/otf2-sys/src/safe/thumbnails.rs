//! Reads thumbnails: small pictures of a whole trace, with a list of numbers for each of several points in time.
//!
//! Version 3.0 of the library writes thumbnails but cannot read them: it expects the header before it has opened the
//! file.

use super::errors::{LibraryError, check, null_error};
use super::events::slice;
use super::strings::allocated_string;
use crate::bindings::*;

/// A thumbnail with all of its samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thumbnail {
    /// Name of the thumbnail.
    pub name: String,
    /// Free text.
    pub description: String,
    /// The type of `references`: regions, metrics or attributes.
    pub kind: u8,
    /// Ids of the regions, metrics or attributes, one for each number of a sample.
    pub references: Vec<u64>,
    /// Baseline and numbers of each sample.
    pub samples: Vec<(u64, Vec<u64>)>,
}

/// Reads the thumbnail with that number.
pub(super) fn read(archive: *mut OTF2_Reader, number: u32) -> Result<Thumbnail, LibraryError> {
    // SAFETY: the archive is valid, null is checked, and the reader is closed before the return.
    unsafe {
        let reader = OTF2_Reader_GetThumbReader(archive, number);
        if reader.is_null() {
            return Err(null_error());
        }
        let result = read_all(reader);
        let closed = OTF2_Reader_CloseThumbReader(archive, reader);
        result.and_then(|thumbnail| check(closed).map(|()| thumbnail))
    }
}

/// Reads the header and the samples of a thumbnail.
///
/// # Safety
/// `reader` is valid.
unsafe fn read_all(reader: *mut OTF2_ThumbReader) -> Result<Thumbnail, LibraryError> {
    let mut thumbnail = Thumbnail::default();
    let (mut samples, mut count) = (0, 0);
    let mut description = std::ptr::null_mut();
    let mut references = std::ptr::null_mut();
    // SAFETY: the reader is valid, and the other pointers are to results. The library allocates two
    // strings and an array of `count` elements, or nothing if it fails.
    unsafe {
        thumbnail.name = allocated_string(|name| {
            OTF2_ThumbReader_GetHeader(
                reader,
                name,
                &mut description,
                &mut thumbnail.kind,
                &mut samples,
                &mut count,
                &mut references,
            )
        })?;
        thumbnail.references = slice(references.cast_const(), count as usize).to_vec();
        free(references.cast());
        thumbnail.description = allocated_string(|out| {
            *out = description;
            OTF2_ErrorCode_OTF2_SUCCESS
        })?;
    }
    for _ in 0..samples {
        let (mut baseline, mut numbers) = (0, vec![0; count as usize]);
        // SAFETY: the reader is valid and there is room for `count` numbers.
        check(unsafe {
            OTF2_ThumbReader_ReadSample(reader, &mut baseline, count, numbers.as_mut_ptr())
        })?;
        thumbnail.samples.push((baseline, numbers));
    }
    Ok(thumbnail)
}

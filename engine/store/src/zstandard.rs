//! Compresses and decompresses short pieces with Zstandard.
//!
//! Each thread keeps one compressor and one decompressor. Creating one asks the processor for its features, which takes
//! microseconds in a virtual machine: more than a short piece.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

/// The level for temporary files.
const TEMPORARY: i32 = 1;

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses a piece of a temporary file.
///
/// # Errors
/// Returns an error if there is not enough memory.
pub(crate) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| match compressor {
        Some(compressor) => compressor.compress(bytes),
        None => compressor
            .insert(Compressor::new(TEMPORARY)?)
            .compress(bytes),
    })
}

/// Decompresses a piece that has `size` bytes when it is decompressed.
///
/// # Errors
/// Returns an error if the piece is damaged or has more bytes.
pub(crate) fn decompress(bytes: &[u8], size: usize) -> io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| match decompressor {
        Some(decompressor) => decompressor.decompress(bytes, size),
        None => decompressor
            .insert(Decompressor::new()?)
            .decompress(bytes, size),
    })
}

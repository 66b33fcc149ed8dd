//! The bytes that were read last from the files of a folder.
//!
//! A request takes as long as the transfer of a megabyte or more, and analyses read a store several times.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// The number of bytes of a block. Requests begin and end at multiples of it.
pub(crate) const BLOCK: u64 = 1 << 16;

/// The greatest number of bytes that are kept of all files of a folder.
const GREATEST: u64 = 1 << 28;

/// The blocks that were read last from the files of a folder.
pub(crate) struct Blocks {
    blocks: Cache<(u32, u64), Bytes, Size>,
    files: Mutex<HashMap<String, Arc<KnownFile>>>,
}

/// A file of which blocks may be known.
#[derive(Debug)]
pub(crate) struct KnownFile {
    number: u32,
    requests: AtomicU32,
}

#[derive(Clone)]
struct Size;

impl Weighter<(u32, u64), Bytes> for Size {
    fn weight(&self, _: &(u32, u64), block: &Bytes) -> u64 {
        block.len() as u64
    }
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").finish_non_exhaustive()
    }
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            blocks: Cache::with_weighter((GREATEST / BLOCK) as usize, GREATEST, Size),
            files: Mutex::default(),
        }
    }
}

impl Blocks {
    /// Returns what is known of a file.
    pub fn file(&self, path: &str) -> Arc<KnownFile> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let number = files.len() as u32;
        let new = || {
            Arc::new(KnownFile {
                number,
                requests: AtomicU32::new(0),
            })
        };
        Arc::clone(files.entry(path.to_owned()).or_insert_with(new))
    }

    /// Returns a block of a file if it is known.
    pub fn get(&self, file: &KnownFile, block: u64) -> Option<Bytes> {
        self.blocks.get(&(file.number, block))
    }

    /// Keeps consecutive blocks of a file, the result of a request.
    pub fn keep(&self, file: &KnownFile, first: u64, bytes: &Bytes) {
        file.requests.fetch_add(1, Ordering::Relaxed);
        for (block, contents) in (first..).zip(bytes.chunks(BLOCK as usize)) {
            // A copy, because a part of `bytes` would keep all of them in memory.
            let contents = Bytes::copy_from_slice(contents);
            self.blocks.insert((file.number, block), contents);
        }
    }
}

impl KnownFile {
    /// Returns the number of requests for blocks of the file.
    pub fn requests(&self) -> u32 {
        self.requests.load(Ordering::Relaxed)
    }
}

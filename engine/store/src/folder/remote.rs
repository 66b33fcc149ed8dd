//! A folder on an object store.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use bytes::{Buf, Bytes};
use foldtrace_objects::{ObjectFile, ObjectFolder};
use foldtrace_trace::TraceError;

use super::bundle::{BUNDLE, unpack};
use super::entry::FileEntry;
use super::stored::{Folder, RangeFile};
use crate::finding::Finding;
use crate::paths::MANIFEST;

/// The number of bytes that a stream requests at once.
const PIECE: u64 = 1 << 22;

/// A folder on an object store.
#[derive(Debug)]
pub(super) struct RemoteFolder {
    folder: ObjectFolder,
    /// The manifest as it was first read.
    manifest: OnceLock<Option<Bytes>>,
    /// Small files, by path.
    small: OnceLock<HashMap<String, Bytes>>,
}

impl RemoteFolder {
    pub fn open(url: &Path) -> Result<Self, TraceError> {
        Ok(Self {
            folder: ObjectFolder::new(url)?,
            manifest: OnceLock::new(),
            small: OnceLock::new(),
        })
    }

    /// Returns the contents of a small file that are known.
    fn small(&self, file: &str) -> Option<&Bytes> {
        self.small.get()?.get(file)
    }
}

impl Folder for RemoteFolder {
    fn path(&self) -> &Path {
        self.folder.url()
    }

    fn manifest(&self) -> Result<Option<Bytes>, TraceError> {
        if let Some(known) = self.manifest.get() {
            return Ok(known.clone());
        }
        let read = self.folder.read_if_exists(MANIFEST)?;
        Ok(self.manifest.get_or_init(|| read).clone())
    }

    fn prepare(&self, files: &[FileEntry]) {
        self.small.get_or_init(|| {
            // Without a bundle, small files are read like large ones.
            let bundle = self.folder.read(BUNDLE).unwrap_or_default();
            unpack(&bundle, files)
        });
    }

    /// A request for each file would take longer than all others. A file that is missing or too short is noticed when it is read.
    fn check_sizes(&self, _: &[FileEntry]) -> Result<(), TraceError> {
        Ok(())
    }

    fn open_file(&self, file: &str, bytes: u64) -> io::Result<Box<dyn RangeFile>> {
        Ok(match self.small(file) {
            Some(contents) => Box::new(contents.clone()),
            None => Box::new(self.folder.file(file, bytes)),
        })
    }

    /// Verification reads the objects themselves, not their copies.
    fn open_stream(&self, file: &str) -> io::Result<Box<dyn Read>> {
        let bytes = self.folder.size_of(file)?;
        Ok(Box::new(Stream {
            file: self.folder.file(file, bytes),
            bytes,
            next: 0,
            buffer: Bytes::new(),
        }))
    }

    fn link(&self, _: &str, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn is_at_its_path(&self) -> bool {
        let now = self.folder.read(MANIFEST).ok();
        self.manifest.get().is_none_or(|first| *first == now)
    }

    fn unlisted_files(&self, files: Vec<String>) -> Vec<Finding> {
        let objects = match self.folder.list() {
            Ok(objects) => objects,
            Err(error) => {
                let problem = format!("cannot be listed: {error}");
                let path = self.path().display().to_string();
                return vec![Finding { path, problem }];
            }
        };
        let is_listed = |path: &str| {
            [MANIFEST, BUNDLE].contains(&path) || files.iter().any(|file| file == path)
        };
        let unlisted = objects
            .into_iter()
            .filter(|object| !is_listed(&object.path));
        let finding = |path| Finding {
            path,
            problem: "is not in the manifest".to_owned(),
        };
        unlisted.map(|object| finding(object.path)).collect()
    }
}

impl RangeFile for ObjectFile {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        Self::read_exact_at(self, buffer, offset)
    }
}

impl RangeFile for Bytes {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).ok();
        let range = from.and_then(|from| self.get(from..from.checked_add(buffer.len())?));
        buffer.copy_from_slice(range.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// An object that is read from its beginning to its end.
struct Stream {
    file: ObjectFile,
    bytes: u64,
    next: u64,
    buffer: Bytes,
}

impl Read for Stream {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.buffer.is_empty() && self.next < self.bytes {
            let end = self.bytes.min(self.next + PIECE);
            let mut piece = vec![0; (end - self.next) as usize];
            self.file.read_exact_at(&mut piece, self.next)?;
            (self.next, self.buffer) = (end, piece.into());
        }
        let count = target.len().min(self.buffer.len());
        self.buffer.copy_to_slice(&mut target[..count]);
        Ok(count)
    }
}

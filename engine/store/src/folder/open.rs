//! Opens stores for reading: a folder, its manifest, and the files that the manifest names.
//!
//! The folder is opened once, and all files are opened through it. A reader therefore sees a single store, even if
//! another store takes its name meanwhile. All bytes are verified against the manifest before they are returned.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use blake3::Hash;
use blake3::hazmat::ChainingValue;
use bytes::Bytes;
use foldtrace_trace::{ErrorKind, Place, TraceError};

use super::checked::{CheckedFile, Expected};
use super::entry::FileEntry;
use super::handle::FolderHandle;
use super::hashes::chaining_value_offsets;
use super::manifest::Manifest;
use super::stored::RangeFile;
use super::tree::{TreeHash, VALUE, values_of};
use crate::error::{Reading, wrong};
use crate::paths::{HASHES, MANIFEST};

/// The maximum number of attempts to open a store while other stores take its name.
const TRIES: u32 = 20;

/// A store that is open for reading. Clones share the record of verified bytes.
#[derive(Clone, Debug)]
pub(crate) struct StoreFolder(Arc<OpenFolder>);

#[derive(Debug)]
struct OpenFolder {
    handle: FolderHandle,
    manifest: Manifest,
    /// The index of each file in the manifest, by path.
    numbers: HashMap<String, usize>,
    /// The expected hashes of each file, determined when it is first opened.
    expected: Vec<Mutex<Option<Arc<Expected>>>>,
    /// The file of chaining values, and the offset of each file's values in it. It is not verified
    /// itself: chaining values are right if they give the hash of their file.
    hashes: Option<(Box<dyn RangeFile>, Vec<u64>)>,
}

impl StoreFolder {
    /// Opens the store at `path`, and checks that all files of its manifest exist and have the right
    /// sizes.
    ///
    /// # Errors
    /// Returns an error if there is no store, if it is of a later version, if its manifest is damaged, or if a file
    /// is missing or has another size.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Self::open_with(path, true)
    }

    /// Opens the store in an open folder.
    ///
    /// # Errors
    /// Returns the same errors as [`StoreFolder::open`].
    pub fn within(handle: FolderHandle) -> Result<Self, TraceError> {
        Self::checked(handle, true)
    }

    /// Opens the store at `path`. Files may be missing or have other sizes.
    ///
    /// # Errors
    /// Returns an error if there is no store, if it is of a later version, or if its manifest is damaged.
    pub fn open_damaged(path: &Path) -> Result<Self, TraceError> {
        Self::open_with(path, false)
    }

    fn open_with(path: &Path, has_all: bool) -> Result<Self, TraceError> {
        for tries in 1..=TRIES {
            let handle = FolderHandle::open(path)?;
            match Self::checked(handle.clone(), has_all) {
                Err(_) if !handle.is_at_its_path() => {
                    std::thread::sleep(std::time::Duration::from_millis(tries.into()));
                }
                opened => return opened,
            }
        }
        Err(replaced(path, "opened"))
    }

    /// Reads the manifest in an open folder. If the store should have all of its files, their sizes are checked.
    fn checked(handle: FolderHandle, has_all: bool) -> Result<Self, TraceError> {
        let manifest = Manifest::within(&handle)?;
        let numbers = (manifest.files.iter().enumerate())
            .map(|(number, file)| (file.path.clone(), number))
            .collect();
        if has_all {
            handle.check_sizes(&manifest.files)?;
        }
        handle.prepare(&manifest.files);
        let expected = manifest.files.iter().map(|_| Mutex::default()).collect();
        let mut open = OpenFolder {
            handle,
            manifest,
            numbers,
            expected,
            hashes: None,
        };
        if let Some(&number) = open.numbers.get(HASHES) {
            let path = open.handle.path_of(HASHES);
            let offsets = chaining_value_offsets(&open.manifest.files);
            let offsets = offsets.map_err(|message| wrong(&path, &message))?;
            let bytes = open.manifest.files[number].bytes;
            let file = open.handle.open_file(HASHES, bytes).reading(&path)?;
            open.hashes = Some((file, offsets));
        }
        Ok(Self(Arc::new(open)))
    }

    /// Returns the path of the folder, as the user named it.
    pub fn path(&self) -> &Path {
        self.0.handle.path()
    }

    /// Returns the path of a file, for messages.
    pub fn path_of(&self, file: &str) -> PathBuf {
        self.0.handle.path_of(file)
    }

    /// Returns the open folder.
    pub fn handle(&self) -> &FolderHandle {
        &self.0.handle
    }

    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    /// Returns whether the manifest names a file of this path.
    pub fn has(&self, file: &str) -> bool {
        self.0.numbers.contains_key(file)
    }

    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if the manifest does not name the file, if the file is missing, or if its chaining values do
    /// not give the hash in the manifest.
    pub fn file(&self, file: &str) -> Result<CheckedFile, TraceError> {
        let Some(&number) = self.0.numbers.get(file) else {
            let message = format!("the manifest does not list {file}");
            return Err(wrong(&self.path_of(MANIFEST), &message));
        };
        let entry = &self.0.manifest.files[number];
        self.0.open(entry, self.0.expected(number)?)
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// Returns the same errors as [`StoreFolder::file`], and an error if the bytes do not have the expected hash.
    pub fn read(&self, file: &str) -> Result<Bytes, TraceError> {
        self.file(file)?.all()
    }

    /// Returns the chaining values of the file with this index in the manifest; none if it has a single
    /// group.
    ///
    /// # Errors
    /// Returns an error if the chaining values do not give the hash in the manifest.
    pub fn values(&self, number: usize) -> Result<Vec<ChainingValue>, TraceError> {
        Ok(self.0.expected(number)?.values().to_vec())
    }
}

impl OpenFolder {
    fn open(&self, file: &FileEntry, expected: Arc<Expected>) -> Result<CheckedFile, TraceError> {
        let path = self.handle.path_of(&file.path);
        let opened = self.handle.open_file(&file.path, file.bytes);
        match opened {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(self.gone(file)),
            opened => Ok(CheckedFile::new(
                path.clone(),
                opened.reading(&path)?,
                expected,
            )),
        }
    }

    /// Returns the error for a file that has disappeared since the store was opened.
    fn gone(&self, file: &FileEntry) -> TraceError {
        if self.handle.is_at_its_path() {
            wrong(
                &self.handle.path_of(&file.path),
                "a file of the store is missing",
            )
        } else {
            replaced(self.handle.path(), "read")
        }
    }

    fn expected(&self, number: usize) -> Result<Arc<Expected>, TraceError> {
        let slot = &self.expected[number];
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(expected) = &*slot {
            return Ok(Arc::clone(expected));
        }
        let expected = Arc::new(self.expect(number)?);
        Ok(Arc::clone(slot.insert(expected)))
    }

    /// Determines the expected hashes of a file. A large file needs its chaining values.
    fn expect(&self, number: usize) -> Result<Expected, TraceError> {
        let file = &self.manifest.files[number];
        let mut values = vec![[0; VALUE as usize]; values_of(file.bytes) as usize];
        match &self.hashes {
            _ if values.is_empty() => {}
            Some((hashes, offsets)) if file.path != HASHES => {
                let path = self.handle.path_of(HASHES);
                let read = hashes.read_exact_at(values.as_flattened_mut(), offsets[number]);
                read.reading(&path)?;
            }
            _ => return self.expect_by_reading(file),
        }
        let hash = hash_of(&self.handle, file)?;
        Expected::new(file.bytes, hash, values).ok_or_else(|| {
            let message = format!(
                "the chaining values of {} do not match its hash in the manifest",
                file.path
            );
            wrong(&self.handle.path_of(HASHES), &message)
        })
    }

    /// Determines the expected hashes of a file in a store without chaining values. The whole file is
    /// read once and trusted from then on.
    fn expect_by_reading(&self, file: &FileEntry) -> Result<Expected, TraceError> {
        let path = self.handle.path_of(&file.path);
        let opened = self.handle.open_stream(&file.path).reading(&path)?;
        let tree = TreeHash::from_reader(opened).reading(&path)?;
        let hash = hash_of(&self.handle, file)?;
        let expected = Expected::new(file.bytes, hash, tree.groups);
        let expected = expected.filter(|_| tree.root == hash && tree.bytes == file.bytes);
        let expected = expected
            .ok_or_else(|| wrong(&path, "the file does not match its hash in the manifest"))?;
        Ok(expected.trusted())
    }
}

/// Returns the hash of a file in the manifest.
fn hash_of(handle: &FolderHandle, file: &FileEntry) -> Result<Hash, TraceError> {
    Hash::from_hex(&file.blake3).map_err(|error| {
        let message = format!("the manifest has no valid hash of {}", file.path);
        wrong(&handle.path_of(MANIFEST), &message).caused_by(error)
    })
}

/// Returns the error for a store that was replaced or removed while it was in use.
pub(crate) fn replaced(path: &Path, action: &str) -> TraceError {
    let message = format!("the store was replaced or removed while it was being {action}");
    TraceError::new(ErrorKind::Unreadable, message)
        .at(Place::file(path))
        .hint("run the command again to read the store that now has this name")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
impl StoreFolder {
    /// Turns a folder of tables into a store, and opens it.
    pub(crate) fn sealed(path: &Path) -> Self {
        use super::hashes::write_chaining_values;
        use super::listing::hash_files;
        use super::manifest::{Counts, Form, Source};
        let files = hash_files(path, |_| false).unwrap();
        let clock = foldtrace_trace::Clock::default();
        let (source, counts) = (Source::default(), Counts::default());
        let mut manifest = Manifest::new(
            Form::Plain,
            source,
            clock,
            counts,
            1,
            false,
            Default::default(),
        );
        let own = write_chaining_values(path, &files).unwrap();
        let files = files.into_iter().map(|file| file.entry);
        manifest.files = files.chain(own).collect();
        manifest.write(path).unwrap();
        Self::open(path).unwrap()
    }
}

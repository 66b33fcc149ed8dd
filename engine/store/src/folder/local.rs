//! A local folder, whose files are found even after it was renamed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use foldtrace_trace::TraceError;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, linkat, openat, statat};

use super::entry::FileEntry;
use super::stored::{Folder, RangeFile, not_a_store};
use super::unlisted::unlisted_files;
use crate::error::{Reading, wrong};
use crate::finding::Finding;
use crate::paths::MANIFEST;

/// A local folder that is open.
#[derive(Debug)]
pub(super) struct LocalFolder {
    path: PathBuf,
    folder: OwnedFd,
}

impl LocalFolder {
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = openat(CWD, path, flags, Mode::empty()).map_err(io::Error::from);
        let folder = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory if path.exists() => not_a_store(path),
            _ => TraceError::unreadable(path, error),
        })?;
        Ok(Self {
            path: path.to_owned(),
            folder,
        })
    }

    fn open_file(&self, file: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(openat(&self.folder, file, flags, Mode::empty())?.into())
    }

    fn check_size(&self, file: &FileEntry) -> Result<(), TraceError> {
        let path = self.path.join(&file.path);
        let stat = statat(&self.folder, &file.path, AtFlags::empty()).map_err(io::Error::from);
        let bytes = stat.reading(&path)?.st_size.cast_unsigned();
        if bytes == file.bytes {
            return Ok(());
        }
        let message = format!(
            "a file of the store has {bytes} bytes instead of {}",
            file.bytes
        );
        Err(wrong(&path, &message))
    }
}

impl Folder for LocalFolder {
    fn path(&self) -> &Path {
        &self.path
    }

    fn manifest(&self) -> Result<Option<Bytes>, TraceError> {
        let unreadable = |error| TraceError::unreadable(&self.path.join(MANIFEST), error);
        let mut file = match self.open_file(MANIFEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(unreadable)?,
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        Ok(Some(bytes.into()))
    }

    fn check_sizes(&self, files: &[FileEntry]) -> Result<(), TraceError> {
        files.iter().try_for_each(|file| self.check_size(file))
    }

    fn open_file(&self, file: &str, _: u64) -> io::Result<Box<dyn RangeFile>> {
        Ok(Box::new(self.open_file(file)?))
    }

    fn open_stream(&self, file: &str) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(self.open_file(file)?))
    }

    fn link(&self, file: &str, to: &Path) -> io::Result<()> {
        Ok(linkat(&self.folder, file, CWD, to, AtFlags::empty())?)
    }

    fn is_at_its_path(&self) -> bool {
        match (fstat(&self.folder), fs::metadata(&self.path)) {
            (Ok(open), Ok(at_path)) => (open.st_dev, open.st_ino) == (at_path.dev(), at_path.ino()),
            _ => false,
        }
    }

    fn unlisted_files(&self, files: Vec<String>) -> Vec<Finding> {
        unlisted_files(&self.path, files)
    }
}

impl RangeFile for File {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, buffer, offset)
    }
}

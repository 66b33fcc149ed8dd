//! A part of a file in memory.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// A part of a file, which moves forward.
#[derive(Debug)]
pub(crate) struct Window {
    path: PathBuf,
    /// The file; `None` if it is opened each time, because too many files would be open otherwise.
    file: Option<File>,
    keeps_open: bool,
    buffer: Vec<u8>,
    /// The number of bytes in the buffer that have been read.
    length: usize,
    /// Where the buffer begins in the file.
    offset: u64,
    /// The size of the file.
    pub size: u64,
}

impl Window {
    /// Opens a file. No more than `bytes` are in memory, unless an event is larger.
    pub(crate) fn open(path: &Path, bytes: usize, keeps_open: bool) -> io::Result<Self> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let bytes = usize::try_from(size).unwrap_or(usize::MAX).min(bytes);
        Ok(Self {
            path: path.to_owned(),
            file: keeps_open.then_some(file),
            keeps_open,
            buffer: vec![0; bytes.max(1)],
            length: 0,
            offset: 0,
            size,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the bytes in memory from `offset` on, and whether the file ends with them. If the offset is outside of the
    /// window, there are none.
    #[inline]
    pub(crate) fn bytes_from(&self, offset: u64) -> (&[u8], bool) {
        let skipped = offset
            .checked_sub(self.offset)
            .map(|skipped| skipped as usize);
        let bytes = skipped.and_then(|skipped| self.buffer[..self.length].get(skipped..));
        let bytes = bytes.unwrap_or_default();
        (bytes, offset + bytes.len() as u64 >= self.size)
    }

    /// Moves the window to `offset` and fills it. If it is there already, it becomes larger.
    pub(crate) fn fill(&mut self, offset: u64) -> io::Result<()> {
        let kept = self.bytes_from(offset).0.len();
        if offset == self.offset && self.length == self.buffer.len() {
            let rest = usize::try_from(self.size - offset).unwrap_or(usize::MAX);
            self.buffer
                .resize((2 * self.buffer.len()).min(rest.max(1)), 0);
        } else {
            self.buffer.copy_within(self.length - kept..self.length, 0);
        }
        (self.offset, self.length) = (offset, kept);
        let mut file = match self.file.take() {
            Some(file) => file,
            None => File::open(&self.path)?,
        };
        file.seek(SeekFrom::Start(offset + kept as u64))?;
        while self.length < self.buffer.len() {
            match file.read(&mut self.buffer[self.length..]) {
                Ok(0) => {
                    // The file has become shorter.
                    self.size = self.offset + self.length as u64;
                    break;
                }
                Ok(read) => self.length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.file = self.keeps_open.then_some(file);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_moves_and_grows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"0123456789").unwrap();
        for keeps_open in [false, true] {
            let mut window = Window::open(&path, 4, keeps_open).unwrap();
            assert_eq!(window.bytes_from(0), (&b""[..], false));
            window.fill(0).unwrap();
            assert_eq!(window.bytes_from(1), (&b"123"[..], false));
            window.fill(3).unwrap();
            assert_eq!(window.bytes_from(3), (&b"3456"[..], false));
            window.fill(3).unwrap();
            assert_eq!(window.bytes_from(3), (&b"3456789"[..], true));
            window.fill(8).unwrap();
            assert_eq!(window.bytes_from(8), (&b"89"[..], true));
        }
    }
}

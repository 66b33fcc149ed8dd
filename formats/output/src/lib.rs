//! Writes the outputs of formats: a file, a device, standard output, or a folder.
//!
//! A file or folder grows under a hidden name next to its final name and receives the final name only when it is
//! complete and on disk, so an incomplete one never looks like a trace. Formats do not depend on each other; this crate
//! has the parts that several writers share.
//!
//! ```
//! use std::io::Write;
//! use foldtrace_output::OutputFile;
//! use foldtrace_trace::Output;
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("run.csv");
//! let mut file = OutputFile::create(Output::Path { path: path.clone(), replace: false }).unwrap();
//! file.write_all(b"time\r\n").unwrap();
//! assert!(!path.exists());
//! file.complete().unwrap();
//! assert_eq!(std::fs::read(&path).unwrap(), b"time\r\n");
//! ```

mod claim;
mod exchange;
mod folder;
mod lock;
mod scratch;
mod spool;
mod unfinished;

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use foldtrace_trace::{Output, TraceError};

use claim::Claim;
use exchange::exchange;
use lock::TargetLock;
pub use lock::has_writer;
use unfinished::Unfinished;

pub use folder::{Contents, OutputFolder};
pub use scratch::Scratch;
pub use spool::Spool;
pub use unfinished::{EmptyFolder, abandon, has_appeared};

/// A file to which a format writes. If it is dropped before it is complete, the file is removed. If its name ends in
/// `.gz` or `.zst`, the bytes are compressed.
///
/// This type does not buffer writes, so callers should collect small ones.
pub struct OutputFile {
    out: Sink,
    path: PathBuf,
    /// The incomplete file; `None` for devices and standard output, which are not renamed.
    partial: Option<Partial>,
}

/// An incomplete file, removed when dropped.
struct Partial {
    unfinished: Unfinished,
    /// The open file, to flush its data to disk.
    file: File,
    /// Declared after `unfinished`, so that the claim is released only after the file is removed.
    claim: Claim,
}

impl OutputFile {
    /// Creates the file that `output` describes.
    ///
    /// # Errors
    /// If the path exists and must not be replaced, or if the file cannot be created.
    pub fn create(output: Output) -> Result<Self, TraceError> {
        let (path, replace) = match output {
            Output::Stdout => {
                return Ok(Self {
                    out: Sink::Plain(Box::new(io::stdout())),
                    path: PathBuf::from("-"),
                    partial: None,
                });
            }
            Output::Path { path, replace } => (path.components().collect::<PathBuf>(), replace),
        };
        let unwritable = |error| TraceError::unwritable(&path, error);
        if is_device(&path) {
            let file = OpenOptions::new().write(true).open(&path);
            return Ok(Self {
                out: Sink::Plain(Box::new(file.map_err(unwritable)?)),
                path,
                partial: None,
            });
        }
        let claim = Claim::new(path.clone(), move |path| check(path, replace))?;
        let (file, unfinished) = Unfinished::file(claim.lock().folder()).map_err(unwritable)?;
        let out = file.try_clone().map_err(unwritable)?;
        let partial = Partial {
            unfinished,
            file,
            claim,
        };
        Ok(Self {
            out: Sink::for_path(&path, Box::new(out)).map_err(unwritable)?,
            path,
            partial: Some(partial),
        })
    }

    /// Returns the final path, `-` for standard output.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the output is a file, and not a device or standard output.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.partial.is_some()
    }

    /// Flushes the file to disk and gives it its final name.
    ///
    /// # Errors
    /// If the last bytes cannot be written, or if the path meanwhile exists and must not be replaced.
    pub fn complete(self) -> Result<(), TraceError> {
        let unwritable = |error| TraceError::unwritable(&self.path, error);
        self.out.finish().map_err(unwritable)?;
        let Some(partial) = self.partial else {
            return Ok(());
        };
        // The new name must not survive a power failure that the data do not.
        partial.file.sync_data().map_err(unwritable)?;
        let appear = |from: &Path| fs::rename(from, &self.path);
        partial.claim.appear(partial.unfinished, appear)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.writer().flush()
    }
}

/// The destination of the bytes, with or without compression.
enum Sink {
    Plain(Box<dyn Write + Send>),
    Gzip(GzEncoder<Box<dyn Write + Send>>),
    Zstd(zstd::Encoder<'static, Box<dyn Write + Send>>),
}

impl Sink {
    fn for_path(path: &Path, file: Box<dyn Write + Send>) -> io::Result<Self> {
        Ok(match path.extension().and_then(OsStr::to_str) {
            Some("gz") => Self::Gzip(GzEncoder::new(file, Compression::default())),
            Some("zst") => Self::Zstd(zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?),
            _ => Self::Plain(file),
        })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(out) => out,
            Self::Gzip(out) => out,
            Self::Zstd(out) => out,
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut out) => out.flush(),
            Self::Gzip(out) => out.finish()?.flush(),
            Self::Zstd(out) => out.finish()?.flush(),
        }
    }
}

/// Returns whether `path` is a pipe or a device, to which bytes are written directly.
fn is_device(path: &Path) -> bool {
    let metadata = path.metadata();
    metadata.is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Checks that `path` does not exist or may be replaced.
fn check(path: &Path, replace: bool) -> Result<(), TraceError> {
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(_) if !replace => Err(TraceError::exists(path)),
        Ok(metadata) if metadata.is_dir() => {
            let error = TraceError::refused(path, "it is a folder");
            Err(error.hint("remove it yourself if it is not needed"))
        }
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use foldtrace_trace::ErrorKind;

    use super::*;

    fn create(path: &Path, replace: bool) -> Result<OutputFile, TraceError> {
        let path = path.to_owned();
        OutputFile::create(Output::Path { path, replace })
    }

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_dropped_file_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = create(&folder.path().join("run.csv"), false).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(names(folder.path()).len(), 1);
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn the_extension_selects_the_compression() {
        let folder = tempfile::tempdir().unwrap();
        let text = "0 send 1 17\n".repeat(1000);
        for (name, magic) in [("a.gz", [0x1f, 0x8b]), ("a.zst", [0x28, 0xb5])] {
            let path = folder.path().join(name);
            let mut file = create(&path, false).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.complete().unwrap();
            let bytes = fs::read(&path).unwrap();
            assert!(bytes.starts_with(&magic) && bytes.len() < text.len() / 5);
        }
    }

    #[test]
    fn an_existing_file_is_replaced_only_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        fs::write(&path, "old").unwrap();
        let refused = create(&path, false).err().unwrap();
        assert_eq!(refused.kind, ErrorKind::Output);
        let mut file = create(&path, true).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["run.csv"]);
    }

    #[test]
    fn a_file_created_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let file = create(&path, false).unwrap();
        fs::write(&path, "of another").unwrap();
        assert!(file.complete().is_err());
        assert_eq!(fs::read(&path).unwrap(), b"of another");
        assert_eq!(names(folder.path()), ["run.csv"]);
    }

    #[test]
    fn a_folder_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        assert!(create(folder.path(), true).is_err());
        assert!(create(Path::new("/"), true).is_err());
    }
}

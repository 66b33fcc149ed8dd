//! Recognises the format of an input, and opens it as a trace.
//!
//! The formats to choose from are a [`Registry`]. An input is a file, a folder, or standard input, whose name is `-`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod stdin;
mod unrecognised;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use foldtrace_input::decompressed_head;
use foldtrace_trace::{
    Descriptor, Format, Input, PathKind, Probe, ReadOptions, Registry, TraceError, TraceReader,
    is_object_url,
};

pub use stdin::Stdin;

/// The name of the format of stores.
const STORE: &str = "fold";
/// Number of bytes that a format receives to recognise an input.
const HEAD: u64 = 4096;
/// Number of bytes read from a compressed input if the first [`HEAD`] bytes are not enough to decompress anything. A
/// block of Zstandard holds up to 128 KiB and cannot be decompressed before its last byte.
const COMPRESSED_HEAD: u64 = 1 << 18;

/// An open trace and its format.
pub struct Opened {
    /// The format.
    pub format: &'static Descriptor,
    /// The trace.
    pub reader: Box<dyn TraceReader>,
}

/// An input whose format is known.
pub struct Recognised {
    format: &'static dyn Format,
    is_guess: bool,
    input: Input,
}

impl Recognised {
    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> &'static Descriptor {
        self.format.descriptor()
    }

    /// Returns the path of the store, or `None` if the input is not a store.
    #[must_use]
    pub fn store(&self) -> Option<&Path> {
        match &self.input {
            Input::Path(path) if self.format().name == STORE => Some(path),
            _ => None,
        }
    }

    /// Returns whether the format is a guess: the caller named none, and the input may also have another format.
    #[must_use]
    pub fn is_guess(&self) -> bool {
        self.is_guess
    }

    /// Opens the trace with what another process has [kept](TraceReader::keep); `None` if that is impossible.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn open_kept(
        &self,
        options: &ReadOptions,
        kept: &[u8],
    ) -> Result<Option<Box<dyn TraceReader>>, TraceError> {
        match &self.input {
            Input::Path(path) => self.format.open_kept(path, options, kept),
            Input::Stream { .. } => Ok(None),
        }
    }

    /// Opens the trace.
    ///
    /// # Errors
    /// If the reader of the format rejects the input.
    pub fn open(self, options: &ReadOptions) -> Result<Opened, TraceError> {
        Ok(Opened {
            format: self.format.descriptor(),
            reader: self.format.open(self.input, options)?,
        })
    }
}

/// Recognises the format of `path` (`-` for standard input), unless its `name` is given. Setting `stop` ends the wait for
/// standard input.
///
/// # Errors
/// If the input cannot be read, or no format recognises it.
pub fn recognise(
    formats: &Registry,
    path: &Path,
    name: Option<&str>,
    stop: &Arc<AtomicBool>,
) -> Result<Recognised, TraceError> {
    let named = name.map(|name| formats.by_name(name)).transpose()?;
    let mut stdin = Stdin::new(stop);
    let (kind, head) = look(path, &mut stdin)?;
    let plain = decompressed_head(&head);
    let probe = Probe {
        path,
        kind,
        head: plain.as_deref().unwrap_or(&head),
    };
    let format = match named {
        Some(format) => format,
        None => formats
            .sniff(&probe)
            .map_err(|error| unrecognised::explained(error, &probe, formats))?,
    };
    let is_guess = named.is_none() && !format.is_certain(&probe);
    let input = if path == Path::new("-") {
        Input::Stream {
            name: path.to_owned(),
            head,
            reader: Box::new(stdin),
        }
    } else {
        Input::Path(path.to_owned())
    };
    Ok(Recognised {
        format,
        is_guess,
        input,
    })
}

/// Returns the format that recognises a file or folder and can read it; `None` if there is no such
/// format, or if the path cannot be read.
fn recognised(formats: &Registry, path: &Path) -> Option<&'static Descriptor> {
    let (kind, head) = look(path, &mut Stdin::new(&Arc::default())).ok()?;
    let plain = decompressed_head(&head);
    let probe = Probe {
        path,
        kind,
        head: plain.as_deref().unwrap_or(&head),
    };
    let format = formats.sniff(&probe).ok()?.descriptor();
    format.reads.then_some(format)
}

/// Returns the kind of a path, and the first bytes of its content.
fn look(path: &Path, stdin: &mut Stdin) -> Result<(PathKind, Vec<u8>), TraceError> {
    let unreadable = |error: io::Error| TraceError::unreadable(path, error);
    if path == Path::new("-") {
        let head = read_head(stdin).map_err(unreadable)?;
        return Ok((PathKind::Stream, head));
    }
    if is_object_url(path) {
        return Ok((PathKind::ObjectFolder, Vec::new()));
    }
    let metadata = path.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        path.read_dir().map_err(unreadable)?;
        return Ok((PathKind::Folder, Vec::new()));
    }
    if !metadata.is_file() {
        // The first bytes of a pipe cannot be put back, so the user must name its format.
        return Ok((PathKind::Stream, Vec::new()));
    }
    let mut file = File::open(path).map_err(unreadable)?;
    let head = read_head(&mut file).map_err(unreadable)?;
    Ok((PathKind::File, head))
}

/// Reads the first bytes of an input: enough for a format to recognise it, even if it is compressed.
fn read_head(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    input.take(HEAD).read_to_end(&mut head)?;
    if decompressed_head(&head).is_some_and(|plain| plain.is_empty()) {
        let more = COMPRESSED_HEAD.saturating_sub(HEAD);
        input.take(more).read_to_end(&mut head)?;
    }
    Ok(head)
}

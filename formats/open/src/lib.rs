//! Recognises the format of an input, and opens it as a trace.
//!
//! The formats to choose from are a [`Registry`]. An input is a file, a folder, or standard input, whose name is `-`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod beginning;
mod stdin;
mod unrecognised;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use foldtrace_trace::{Descriptor, Format, Input, ReadOptions, Registry, TraceError, TraceReader};

use beginning::Beginning;
pub use stdin::Stdin;

/// The name of the format of stores.
const STORE: &str = "fold";

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
    let mut beginning = Beginning::read(path, &mut stdin)?;
    let format = match named {
        Some(format) => format,
        None => beginning
            .sniff(formats, &mut stdin)
            .map_err(|error| unrecognised::explained(error, &beginning.probe(), formats))?,
    };
    let is_guess = named.is_none() && !format.is_certain(&beginning.probe());
    let input = if path == Path::new("-") {
        Input::Stream {
            name: path.to_owned(),
            head: beginning.into_bytes(),
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
    let mut stdin = Stdin::new(&Arc::default());
    let mut beginning = Beginning::read(path, &mut stdin).ok()?;
    let format = beginning.sniff(formats, &mut stdin).ok()?;
    let descriptor = format.descriptor();
    descriptor.reads.then_some(descriptor)
}

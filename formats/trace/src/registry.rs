//! The list of formats, and the detection of the format of an input.

use std::fmt;
use std::path::Path;

use crate::{Descriptor, ErrorKind, Format, PathKind, Place, Probe, Remedy, TraceError};

/// The formats that a program supports, in the order in which they are tried.
#[derive(Clone, Copy)]
pub struct Registry {
    formats: &'static [&'static dyn Format],
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.descriptors().map(|d| d.name))
            .finish()
    }
}

impl Registry {
    /// Creates a registry of these formats.
    #[must_use]
    pub const fn new(formats: &'static [&'static dyn Format]) -> Self {
        Self { formats }
    }

    /// Returns the descriptors of the formats.
    pub fn descriptors(&self) -> impl Iterator<Item = &'static Descriptor> {
        self.formats.iter().map(|format| format.descriptor())
    }

    /// Returns the format with that name.
    ///
    /// # Errors
    /// Returns an error if there is no such format.
    pub fn by_name(&self, name: &str) -> Result<&'static dyn Format, TraceError> {
        self.formats
            .iter()
            .copied()
            .find(|format| format.descriptor().name == name)
            .ok_or_else(|| {
                let names: Vec<_> = self.descriptors().map(|d| d.name).collect();
                TraceError::new(
                    ErrorKind::Usage,
                    format!("there is no format called '{name}'"),
                )
                .hint(format!("known formats: {}", names.join(", ")))
            })
    }

    /// Returns the format that a new file of this name would have, by its extension.
    #[must_use]
    pub fn by_extension(&self, path: &Path) -> Option<&'static dyn Format> {
        let mut formats = self.formats.iter().copied();
        formats.find(|format| format.descriptor().matches_extension(path))
    }

    /// Returns what to do with an input that no format recognises, if a format knows.
    #[must_use]
    pub fn advice(&self, probe: &Probe<'_>) -> Option<&'static str> {
        self.formats.iter().find_map(|format| format.advice(probe))
    }

    /// Returns the format that recognises the probed input: the first format that is certain, or else the
    /// first guess.
    ///
    /// # Errors
    /// Returns an error if there is nothing to recognise, or no format recognises the input.
    pub fn sniff(&self, probe: &Probe<'_>) -> Result<&'static dyn Format, TraceError> {
        let place = Place::file(probe.path);
        if probe.kind == PathKind::Stream && probe.path != Path::new("-") {
            let message = format!(
                "cannot detect the format of the pipe {}",
                probe.path.display()
            );
            return Err(TraceError::new(ErrorKind::Usage, message)
                .at(place)
                .remedy(Remedy::InputFormat));
        }
        let has_bytes = matches!(probe.kind, PathKind::File | PathKind::Stream);
        if has_bytes && probe.head.is_empty() {
            let message = format!("{} is empty", probe.path.display());
            return Err(TraceError::new(ErrorKind::Malformed, message)
                .at(place)
                .hint("the program may still have been running, or the disk full, when the file was written"));
        }
        let mut guess = None;
        for format in self.formats.iter().copied() {
            if format.sniff(probe) {
                if format.is_certain(probe) {
                    return Ok(format);
                }
                guess = guess.or(Some(format));
            }
        }
        guess.ok_or_else(|| {
            let message = format!("no format recognises {}", probe.path.display());
            TraceError::new(ErrorKind::Foreign, message)
                .at(place)
                .remedy(Remedy::InputFormat)
        })
    }
}

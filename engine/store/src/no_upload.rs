//! The absence of uploads in a build without object stores.

use std::path::Path;

use foldtrace_stream::read::Progress;
use foldtrace_trace::TraceError;

use crate::folder::{Manifest, without_objects};
use crate::replaced::Replaced;

/// An upload, of which there is none.
#[derive(Debug)]
pub(crate) enum Upload {}

impl Upload {
    /// Returns an error.
    pub fn create(url: &Path, _: Replaced) -> Result<Self, TraceError> {
        Err(without_objects(url))
    }

    pub fn path(&self) -> &Path {
        match *self {}
    }

    pub fn url(&self) -> &Path {
        match *self {}
    }

    pub fn complete(self, _: &Manifest, _: &Progress) -> Result<(), TraceError> {
        match self {}
    }
}

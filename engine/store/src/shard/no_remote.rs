//! The absence of shards on object stores in a build without these.

use std::path::Path;

use foldtrace_stream::read::Progress;
use foldtrace_trace::TraceError;

use super::folder::ShardsFolder;
use crate::folder::without_objects;

/// Returns an error.
pub(super) fn open_url(url: &Path) -> Result<Box<dyn ShardsFolder>, TraceError> {
    Err(without_objects(url))
}

/// An upload, of which there is none.
#[derive(Debug)]
pub(super) enum ShardUpload {}

impl ShardUpload {
    /// Returns an error.
    pub fn create(url: &Path, _: bool) -> Result<Self, TraceError> {
        Err(without_objects(url))
    }

    pub fn path(&self) -> &Path {
        match *self {}
    }

    pub fn complete(self, _: &Progress) -> Result<(), TraceError> {
        match self {}
    }
}

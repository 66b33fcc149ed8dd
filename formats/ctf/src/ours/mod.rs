//! Traces that foldtrace wrote. Their metadata begin with a comment, and their environment has the classes of events and all
//! definitions, so that each location is read alone and everything comes back unchanged.

pub(crate) mod layout;
pub(crate) mod packet;
mod reader;
mod stream;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::{files, metadata};

pub(crate) use reader::OurTrace;

/// The beginnings of the metadata of both versions.
pub(crate) const TSDL_BEGINNING: &str = "/* CTF 1.8 */\n/* written by foldtrace, layout 1 */\n";
pub(crate) const JSON_BEGINNING: &str =
    "\u{1e}{\"attributes\":{\"foldtrace\":{\"layout\":1}},\"type\":\"preamble\",\"version\":2}\n";

/// The beginning of the name of a data stream; the id of the location follows.
pub(crate) const STREAM: &str = "location_";

/// Returns the folder at a path if it has a trace that foldtrace wrote.
pub(crate) fn folder(path: &Path) -> Option<PathBuf> {
    let folder = if path.is_dir() {
        path
    } else {
        files::folder_of(path)
    };
    let mut beginning = Vec::new();
    let file = File::open(folder.join(metadata::FILE)).ok()?;
    let most = JSON_BEGINNING.len().max(TSDL_BEGINNING.len());
    file.take(most as u64).read_to_end(&mut beginning).ok()?;
    let mut known = [TSDL_BEGINNING, JSON_BEGINNING].into_iter();
    let is_ours = known.any(|known| beginning.starts_with(known.as_bytes()));
    is_ours.then(|| folder.to_owned())
}

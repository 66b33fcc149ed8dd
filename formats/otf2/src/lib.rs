//! A reader and a writer of Open Trace Format 2 archives, the format of Score-P, EZTrace and TAU.
//!
//! An archive consists of an anchor `NAME.otf2`, global definitions `NAME.def`, and a folder `NAME` with the events
//! and the definitions of each location. It may also contain markers, snapshots and thumbnails. This crate decodes
//! the files itself and checks every byte, so that a damaged file can cause an error but nothing worse. The tests
//! compare it with libotf2.
//!
//! - `wire` handles bytes: numbers, records, chunks;
//! - `records` defines the meaning of records, in tables that the reader and the writer share;
//! - the other modules translate both into the neutral model of [`foldtrace_trace`], with one stream per
//!   location, and report problems;
//! - [`layout`] lists the records for documentation.

mod anchor;
mod archive;
mod cache;
mod checks;
mod decode;
mod definitions;
mod errors;
#[cfg(test)]
mod generated;
mod ids;
mod kept;
pub mod layout;
mod locations;
mod nesting;
mod optional_parts;
mod paths;
mod pieces;
mod reader;
mod records;
mod silent;
mod skip;
mod stream;
mod undefined;
mod walk;
mod wire;
mod writer;

/// The neutral model of traces, which the reader produces.
pub use foldtrace_trace as trace;

use std::path::Path;

use foldtrace_trace::{
    Definitions, Descriptor, ErrorKind, Format, Input, LocationChecks, Output, PathKind, Place,
    Probe, ReadOptions, TraceError, TraceReader, TraceWriter,
};

/// The format: Open Trace Format 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Otf2;

static DESCRIPTOR: Descriptor = Descriptor {
    name: "otf2",
    extensions: &["otf2"],
    about: "Open Trace Format 2 archives of Score-P, EZTrace and TAU",
    holds: "all definitions and events, metrics, attributes; clock offsets and id mappings applied",
    drops: "events that a text trace describes in its own words; which members of a metric have values, if not all have",
    reads: true,
    writes: true,
    is_text: false,
};

impl Format for Otf2 {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        match probe.kind {
            // An OTF2 archive cannot be read from a stream, but a user who pipes an anchor in gets an error that says
            // so.
            PathKind::File | PathKind::Stream => anchor::is_anchor(probe.head),
            PathKind::Folder => paths::is_archive(probe.path),
            PathKind::ObjectFolder => false,
        }
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        match input {
            Input::Path(path) => Ok(Box::new(reader::Reader::open(&path, options)?)),
            Input::Stream { name, .. } => Err(TraceError::new(
                ErrorKind::Usage,
                "an OTF2 archive consists of many files and cannot be read from a pipe",
            )
            .at(Place::file(name))
            .hint("give the path of its anchor, a file ending in .otf2")),
        }
    }

    fn open_kept(
        &self,
        path: &Path,
        options: &ReadOptions,
        kept: &[u8],
    ) -> Result<Option<Box<dyn TraceReader>>, TraceError> {
        let reader = reader::Reader::open_kept(path, *options, kept)?;
        Ok(reader.map(|reader| Box::new(reader) as Box<dyn TraceReader>))
    }

    fn checks(&self, definitions: &Definitions) -> Box<dyn LocationChecks> {
        Box::new(checks::Checks::new(definitions))
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        match output {
            Output::Path { path, replace } => Ok(Box::new(writer::Writer::create(&path, replace)?)),
            Output::Stdout => Err(TraceError::new(
                ErrorKind::Usage,
                "an OTF2 archive consists of many files and cannot be written to standard output",
            )
            .hint("give the path of its anchor, a file ending in .otf2, or of a folder")),
        }
    }
}

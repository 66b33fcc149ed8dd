//! Open Trace Format 2 archives, as Score-P, EZTrace and TAU write them: a reader and a writer.
//!
//! An archive is an anchor `NAME.otf2`, global definitions `NAME.def`, and a folder `NAME` with
//! the events and the definitions of every location; there may be markers, snapshots and
//! thumbnails. The files are decoded here, byte by byte checked, so that no damage in them can do
//! more harm than an error; libotf2 is what tests compare with.
//!
//! - `wire` knows bytes: numbers, records, chunks;
//! - `records` knows what they mean, in tables that reading and writing share;
//! - the rest puts both into the neutral model of [`foldtrace_trace`], a stream a location, and
//!   says what is odd about them;
//! - [`layout`] lists the records for documentation.

mod anchor;
mod cache;
mod decode;
mod definitions;
mod errors;
mod ids;
pub mod layout;
mod locations;
mod nesting;
mod paths;
mod reader;
mod records;
mod sides;
mod silent;
mod skip;
mod stream;
mod undefined;
mod walk;
mod wire;
mod writer;

/// The neutral model of traces, which readers give.
pub use foldtrace_trace as trace;

use foldtrace_trace::{
    Descriptor, ErrorKind, Format, Input, Output, PathKind, Place, Probe, ReadOptions, TraceError,
    TraceReader, TraceWriter,
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
            // A stream cannot be read, but who pipes an anchor in is to learn why.
            PathKind::File | PathKind::Stream => anchor::is_anchor(probe.head),
            PathKind::Folder => paths::is_archive(probe.path),
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
                "an OTF2 archive is many files and cannot be read from a pipe",
            )
            .at(Place::file(name))
            .hint("give the path of its anchor, a file ending in .otf2")),
        }
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        match output {
            Output::Path { path, replace } => Ok(Box::new(writer::Writer::create(&path, replace)?)),
            Output::Stdout => Err(TraceError::new(
                ErrorKind::Usage,
                "an OTF2 archive is many files and cannot be written to standard output",
            )
            .hint("name its anchor, a file ending in .otf2, or a folder")),
        }
    }
}

//! Reader of Open Trace Format 2 archives, as Score-P, EZTrace and TAU write them.
//!
//! The records are read by libotf2 itself, through [`otf2_sys`]; this crate puts them into the
//! neutral model of [`foldtrace_trace`], a stream a location, and says what is odd about them.
//!
//! An archive is an anchor `NAME.otf2`, global definitions `NAME.def`, and a folder `NAME` with
//! the events and the definitions of every location.

mod anchor;
mod batch;
mod cache;
mod definitions;
mod errors;
mod kinds;
mod layout;
mod nesting;
mod reader;
mod stream;

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
    drops: "cannot be written yet",
    reads: true,
    writes: false,
};

impl Format for Otf2 {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        match probe.kind {
            // A stream cannot be read, but who pipes an anchor in is to learn why.
            PathKind::File | PathKind::Stream => anchor::is_anchor(probe.head),
            PathKind::Folder => anchor::is_archive(probe.path),
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

    fn create(&self, _output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Err(
            TraceError::new(ErrorKind::Usage, "OTF2 archives cannot be written yet")
                .hint("'foldtrace formats' lists what can be written"),
        )
    }
}

//! Reads traces in the Common Trace Format (CTF), versions 1.8 and 2: those of LTTng, THAPI, barectf, and many other tracers.
//!
//! A trace is a folder with a description of its events, `metadata`, and files of binary data. A tree of folders with several
//! traces is read as one, in the order of time. Calls are recognised by the names of events, according to a table that users can
//! extend; all other events are kept as they are. `schemas/ctf.md` describes the mapping.
//!
//! ```
//! use foldtrace_ctf::Ctf;
//! use foldtrace_trace::Format;
//! assert_eq!(Ctf.descriptor().name, "ctf");
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod actions;
mod attributes;
mod class;
mod compile;
mod compound;
mod conventions;
mod ctf2;
mod cursor;
mod data_stream;
mod description;
mod fault;
mod files;
mod interpreter;
mod labels;
mod leaf;
mod merge;
mod metadata;
mod modules;
mod objects;
mod opening;
mod plan;
mod program;
mod range;
mod run;
mod scalar;
mod segments;
mod state;
mod timeline;
mod trace_stream;
mod tsdl;
mod uuid;
mod window;

use foldtrace_input::SingleReader;
use foldtrace_trace::{
    Descriptor, ErrorKind, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError,
    TraceReader, TraceWriter,
};

use crate::trace_stream::TraceStream;

static DESCRIPTOR: Descriptor = Descriptor {
    name: "ctf",
    extensions: &["ctf"],
    about: "Common Trace Format 1.8 and 2: folders of LTTng, THAPI, barectf",
    holds: "events with fields, calls by convention, threads, processes, hosts",
    drops: "everything: it is only read",
    reads: true,
    writes: false,
    is_text: false,
};

/// The Common Trace Format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ctf;

impl Format for Ctf {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        match probe.kind {
            PathKind::Folder => files::is_folder(probe.path),
            PathKind::File => {
                let is_named = probe
                    .path
                    .file_name()
                    .is_some_and(|name| name == metadata::FILE);
                is_named && metadata::is_metadata(probe.head)
            }
            PathKind::Stream | PathKind::ObjectFolder => false,
        }
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        Ok(Box::new(SingleReader::<TraceStream>::open(
            input, *options,
        )?))
    }

    fn create(&self, _output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        let message = "traces of CTF cannot be written yet";
        Err(TraceError::new(ErrorKind::Usage, message))
    }
}

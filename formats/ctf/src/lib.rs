//! Reads and writes traces in the Common Trace Format (CTF), versions 1.8 and 2: those of LTTng, THAPI, barectf, and many other tracers.
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
mod chunk;
mod class;
mod compile;
mod compound;
mod conventions;
mod ctf2;
mod cursor;
mod data_stream;
mod decoder;
mod description;
mod fault;
mod feed;
mod files;
mod interpreter;
mod labels;
mod leaf;
mod metadata;
mod modules;
mod numbers;
mod objects;
mod opening;
mod ours;
mod plan;
mod program;
mod range;
mod rounds;
mod run;
mod scalar;
mod segments;
mod source;
mod state;
mod timeline;
mod trace_stream;
mod tsdl;
mod uuid;
mod window;
mod writer;

use foldtrace_input::SingleReader;
use foldtrace_trace::{
    Descriptor, Format, Input, Output, Probe, ReadOptions, TraceError, TraceReader, TraceWriter,
};

use crate::ours::OurTrace;
use crate::trace_stream::TraceStream;
use crate::writer::{CtfWriter, Version};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "ctf",
    extensions: &["ctf"],
    about: "Common Trace Format 1.8 and 2: folders of LTTng, THAPI, barectf",
    holds: "all events, quantities, metrics, attributes and definitions",
    drops: "nothing",
    reads: true,
    writes: true,
    is_text: false,
};

static DESCRIPTOR_2: Descriptor = Descriptor {
    name: "ctf2",
    extensions: &["ctf2"],
    about: "Common Trace Format 2, whose metadata are JSON",
    ..DESCRIPTOR
};

/// The Common Trace Format, version 1.8. A tree of folders may have traces of both versions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ctf;

impl Format for Ctf {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        !files::is_second_version(probe) && files::is_recognised(probe)
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        if let Input::Path(path) = &input
            && let Some(folder) = ours::folder(path)
        {
            return Ok(Box::new(OurTrace::open(&folder, *options)?));
        }
        let reader = SingleReader::<TraceStream>::open(input, *options)?;
        Ok(Box::new(reader))
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(CtfWriter::create(output, Version::One)?))
    }
}

/// The Common Trace Format, version 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ctf2;

impl Format for Ctf2 {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR_2
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        files::is_second_version(probe) && files::is_recognised(probe)
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        Ctf.open(input, options)
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(CtfWriter::create(output, Version::Two)?))
    }
}

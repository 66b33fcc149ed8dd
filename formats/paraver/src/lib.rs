//! Reads and writes Paraver traces, as Extrae, Dimemas and many translators write them: a text with records in the order of time
//! (`.prv`), the labels of its numbers (`.pcf`), and the names of its objects (`.row`).
//!
//! Types of events whose values begin and end something become calls, other labelled values parameters, and plain numbers
//! metrics. `schemas/paraver.md` describes how records map to events.
//!
//! ```
//! use foldtrace_paraver::Paraver;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "-".as_ref(),
//!     kind: PathKind::Stream,
//!     head: b"#Paraver (26/01/2004 at 16:35):260199_ns:1(4):1:4(1:1,1:1,1:1,1:1)\n",
//! };
//! assert!(Paraver.sniff(&probe));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod attributes;
mod builder;
mod calls;
mod communicators;
mod companions;
mod extrae;
mod fields;
mod header;
mod irregularities;
mod labels;
mod meaning;
mod objects;
mod parser;
mod pending;
mod rows;
mod writer;

use foldtrace_input::LineReader;
use foldtrace_trace::{
    Descriptor, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError, TraceReader,
    TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "paraver",
    extensions: &["prv"],
    about: "Paraver traces, as Extrae and Dimemas write them: .prv with .pcf and .row",
    holds: "calls, states, messages, collective operations, metrics, parameters, communicators; names of both hierarchies",
    drops: "attributes, requests, fractions, units; messages with one end; operands of other events become texts",
    reads: true,
    writes: true,
    is_text: true,
};

/// The Paraver format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paraver;

impl Format for Paraver {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        probe.kind != PathKind::Folder && probe.head.starts_with(header::SIGNATURE)
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        type Reader = LineReader<parser::ParaverParser>;
        Ok(Box::new(Reader::open(input, *options)?))
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(writer::ParaverWriter::create(output)?))
    }
}

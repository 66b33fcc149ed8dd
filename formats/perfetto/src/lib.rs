//! Writes Perfetto's protobuf traces.
//!
//! <https://ui.perfetto.dev> and its trace processor read these traces: a track per process, thread and metric,
//! slices for calls, instants for all other events, and flows for messages. `schemas/perfetto.md` describes how
//! events are mapped.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod interned;
mod location;
pub mod messages;
mod packets;
mod tracks;
mod vocabulary;
mod writer;

use foldtrace_trace::{
    Descriptor, ErrorKind, Format, Input, Output, Place, Probe, ReadOptions, TraceError,
    TraceReader, TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "perfetto",
    extensions: &["pftrace", "perfetto-trace"],
    about: "Protobuf for ui.perfetto.dev and its trace processor",
    holds: "calls as slices, metrics as counters, all else as instants, messages as flows, with operands, quantities, attributes and names",
    drops: "positions, ticks finer than nanoseconds, definitions but names",
    reads: false,
    writes: true,
    is_text: false,
};

/// Perfetto's protobuf format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Perfetto;

impl Format for Perfetto {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, _: &Probe<'_>) -> bool {
        false
    }

    fn open(&self, input: Input, _: &ReadOptions) -> Result<Box<dyn TraceReader>, TraceError> {
        let message = "cannot read Perfetto traces";
        Err(TraceError::new(ErrorKind::Usage, message)
            .at(Place::file(input.path()))
            .hint("foldtrace only writes them; read the trace or store that this one was written from"))
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(writer::PerfettoWriter::create(output)?))
    }
}

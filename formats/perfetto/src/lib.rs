//! Reads and writes Perfetto's protobuf traces.
//!
//! <https://ui.perfetto.dev> and its trace processor read these traces: a track per process, thread and metric,
//! slices for calls, instants for all other events, and flows for messages. `schemas/perfetto.md` describes how
//! events are mapped.
//!
//! Events of other programs may be in any order: they are sorted, on disk if there are many. Files written by
//! foldtrace also contain what Perfetto cannot show, and are read back unchanged.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod exact;
mod interned;
mod location;
pub mod messages;
mod numbers;
mod packets;
mod read;
mod sniff;
mod time;
mod tracks;
mod vocabulary;
mod writer;

use foldtrace_trace::{
    Descriptor, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError, TraceReader,
    TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "perfetto",
    extensions: &["pftrace", "perfetto-trace"],
    about: "Protobuf for ui.perfetto.dev and its trace processor",
    holds: "all events, quantities, metrics, attributes and definitions",
    drops: "nothing",
    reads: true,
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

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        probe.kind != PathKind::Folder && sniff::is_perfetto(probe.head)
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        read::open(input, *options)
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(writer::PerfettoWriter::create(output)?))
    }
}

//! Reads and writes Perfetto's protobuf traces.
//!
//! <https://ui.perfetto.dev> and its trace processor read these traces: a track per process, thread and metric,
//! slices for calls, instants for all other events, and flows for messages. `schemas/perfetto.md` describes how
//! events are mapped.
//!
//! Events of other programs may be in any order: they are sorted, on disk if there are many. Files written by
//! foldtrace also contain what Perfetto cannot show, and are read back unchanged.
//!
//! ```
//! use foldtrace_perfetto::Perfetto;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "-".as_ref(),
//!     kind: PathKind::Stream,
//!     // A packet with the number of its sequence and an instant without a name.
//!     head: b"\x0a\x06\x50\x01\x5a\x02\x48\x03",
//! };
//! assert!(Perfetto.sniff(&probe));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod exact;
pub mod messages;
mod numbers;
mod read;
mod sniff;
mod time;
mod write;

use foldtrace_trace::{
    Descriptor, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError, TraceReader,
    TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "perfetto",
    extensions: &["pftrace", "perfetto-trace"],
    about: "Perfetto's protobuf: what ui.perfetto.dev shows, and rocprof-sys and Chrome write",
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
        Ok(Box::new(write::PerfettoWriter::create(output)?))
    }
}

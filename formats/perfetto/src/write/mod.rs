//! Writes Perfetto traces.

mod interned;
mod location;
mod packets;
mod tracks;
mod vocabulary;
mod writer;

pub(crate) use writer::PerfettoWriter;

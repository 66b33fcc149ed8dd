//! Reads Perfetto traces: those that foldtrace wrote, and those of other programs.

mod annotation;
mod annotations;
mod attributes;
mod clocks;
mod counters;
mod event;
pub(crate) mod fault;
mod foreign;
mod names;
mod ours;
mod packet;
pub(crate) mod packets;
mod process;
mod sequences;
mod tracks;
mod unread;
pub(crate) mod wire;

use foldtrace_trace::{Diagnostics, Input, ReadOptions, TraceError, TraceReader};

use ours::OurStream;
use packets::Packets;

/// Opens a trace.
///
/// # Errors
/// If the trace is missing, unreadable, or damaged before its first event.
pub(crate) fn open(input: Input, options: ReadOptions) -> Result<Box<dyn TraceReader>, TraceError> {
    let mut packets = Packets::open(input, options)?;
    let mut diagnostics = Diagnostics::default();
    let is_ours = packets.next(&mut diagnostics)?.is_some_and(ours::is_ours);
    packets.put_back();
    Ok(if is_ours {
        Box::new(OurStream::open(packets, options, diagnostics)?)
    } else {
        Box::new(foreign::read(packets, diagnostics)?)
    })
}

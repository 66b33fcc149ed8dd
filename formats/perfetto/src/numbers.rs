//! The numbers of the fields of Perfetto's published schema that are encoded or decoded without messages, and of
//! foldtrace's own fields.

/// `Trace.packet`.
pub(crate) const PACKET: u32 = 1;

// Fields of `TracePacket`.
pub(crate) const PROCESS_TREE: u32 = 2;
pub(crate) const CLOCK_SNAPSHOT: u32 = 6;
pub(crate) const TIMESTAMP: u32 = 8;
pub(crate) const SEQUENCE: u32 = 10;
pub(crate) const TRACK_EVENT: u32 = 11;
pub(crate) const INTERNED_DATA: u32 = 12;
pub(crate) const SEQUENCE_FLAGS: u32 = 13;
pub(crate) const STATE_CLEARED_OLD: u32 = 41;
pub(crate) const PREVIOUS_PACKET_DROPPED: u32 = 42;
pub(crate) const PROCESS_DESCRIPTOR: u32 = 43;
pub(crate) const THREAD_DESCRIPTOR: u32 = 44;
pub(crate) const COMPRESSED_PACKETS: u32 = 50;
pub(crate) const TIMESTAMP_CLOCK: u32 = 58;
pub(crate) const PACKET_DEFAULTS: u32 = 59;
pub(crate) const TRACK_DESCRIPTOR: u32 = 60;
pub(crate) const FIRST_PACKET: u32 = 87;
pub(crate) const ZSTD_COMPRESSED_PACKETS: u32 = 133;

/// Data about the whole trace that only foldtrace reads, in messages [`Ours`](crate::messages::Ours). Perfetto has
/// numbers up to 1999 for itself and its registered extensions, and ignores all others.
pub(crate) const OURS: u32 = 2040;
/// The version of foldtrace's own data.
pub(crate) const VERSION: u32 = 1;
/// The exact content of an event, which only foldtrace reads; see [`exact`](crate::exact).
pub(crate) const OUR_EVENT: u32 = 2041;

/// `TrackEvent.debug_annotations`.
pub(crate) const DEBUG_ANNOTATIONS: u32 = 4;

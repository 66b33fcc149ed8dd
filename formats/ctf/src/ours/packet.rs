//! The layout of packets and of the headers of events.

/// Size at which a packet ends, in bytes. Only its last event may go beyond it.
pub(crate) const PACKET: usize = 1 << 18;
/// The number with which a packet begins.
pub(crate) const MAGIC: u32 = 0xC1FC_1FC1;
/// Size of the header and the context of a packet, in bytes: the number, then six numbers of 64 bits, which are the times of the
/// first and of the last event, the size of the content and of the packet in bits, the location, and the rank of its process.
pub(crate) const CONTEXT: usize = 4 + 6 * 8;
/// Number of bits of a class and of a time in the brief header of an event.
pub(crate) const CLASS_BITS: u32 = 5;
pub(crate) const TIME_BITS: u32 = 27;
/// The class in a brief header that says that class and time follow in full.
pub(crate) const FULL: u32 = (1 << CLASS_BITS) - 1;
/// Size of the full header of an event, in bytes: that class, then the class in 32 bits and the time in 64.
pub(crate) const FULL_HEADER: usize = 1 + 4 + 8;

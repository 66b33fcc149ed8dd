//! Encodes packets directly as bytes, without a message in memory for each event.
//!
//! The part that a symbol contributes to its events is encoded once and copied. The schema allows fields in any
//! order, and repeated fields in several parts.

use foldtrace_trace::ValueType;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint};

use crate::messages::{AnnotationValue, DebugAnnotation, NEEDS_STATE, TracePacket};
use crate::numbers::{
    DEBUG_ANNOTATIONS, OUR_EVENT, PACKET, SEQUENCE, SEQUENCE_FLAGS, TIMESTAMP, TRACK_EVENT,
};

/// Appends a packet to the bytes of a file.
pub(crate) fn push_packet(out: &mut Vec<u8>, packet: &TracePacket) {
    prost::encoding::message::encode(PACKET, packet, out);
}

/// Appends the packet of an event that needs interned names, from the bytes of its `TrackEvent` and its exact content.
/// Either may be empty: a packet may show an event only in part, or show a slice again that is already an event.
#[inline]
pub(crate) fn push_event(out: &mut Vec<u8>, time: u64, sequence: u32, event: &[u8], exact: &[u8]) {
    let mut length = 3
        + encoded_len_varint(time)
        + encoded_len_varint(u64::from(sequence))
        + encoded_len_varint(u64::from(NEEDS_STATE));
    for (bytes, key_length) in [(event, 1), (exact, 2)] {
        if !bytes.is_empty() {
            length += key_length + encoded_len_varint(bytes.len() as u64) + bytes.len();
        }
    }
    encode_key(PACKET, WireType::LengthDelimited, out);
    encode_varint(length as u64, out);
    encode_key(TIMESTAMP, WireType::Varint, out);
    encode_varint(time, out);
    encode_key(SEQUENCE, WireType::Varint, out);
    encode_varint(u64::from(sequence), out);
    encode_key(SEQUENCE_FLAGS, WireType::Varint, out);
    encode_varint(u64::from(NEEDS_STATE), out);
    for (number, bytes) in [(TRACK_EVENT, event), (OUR_EVENT, exact)] {
        if !bytes.is_empty() {
            encode_key(number, WireType::LengthDelimited, out);
            encode_varint(bytes.len() as u64, out);
            out.extend_from_slice(bytes);
        }
    }
}

/// Appends a debug annotation to the bytes of a `TrackEvent`.
#[inline]
pub(crate) fn push_annotation(event: &mut Vec<u8>, name_iid: u64, value: AnnotationValue) {
    let annotation = DebugAnnotation {
        name_iid: Some(name_iid),
        value: Some(value),
    };
    prost::encoding::message::encode(DEBUG_ANNOTATIONS, &annotation, event);
}

/// Converts a typed number to an annotation value.
pub(crate) fn number(value_type: ValueType, bits: u64) -> AnnotationValue {
    match value_type.as_double(bits) {
        Some(double) => AnnotationValue::Double(double),
        None if value_type.is_signed() => AnnotationValue::Int(bits.cast_signed()),
        None => AnnotationValue::Uint(bits),
    }
}

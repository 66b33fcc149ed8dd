//! Recognises a Perfetto trace by the fields of its first packet.

use crate::numbers::{
    FIRST_PACKET, OUR_EVENT, OURS, PREVIOUS_PACKET_DROPPED, SEQUENCE, SEQUENCE_FLAGS,
    STATE_CLEARED_OLD, TIMESTAMP, TIMESTAMP_CLOCK,
};
use crate::read::wire::{key, take_number};

/// The key of a packet, which is also a line end.
const PACKET_KEY: u8 = 0x0a;
/// The highest number that Perfetto assigns to a field of a packet.
const LAST: u32 = 1999;
/// Fields of a packet that are numbers. All others are messages.
const NUMBERS: [u32; 10] = [
    3, // trusted_uid
    TIMESTAMP,
    SEQUENCE,
    SEQUENCE_FLAGS,
    STATE_CLEARED_OLD,
    PREVIOUS_PACKET_DROPPED,
    TIMESTAMP_CLOCK,
    79, // trusted_pid
    FIRST_PACKET,
    98, // machine_id
];

/// Returns whether a file begins with a packet.
pub(crate) fn is_perfetto(head: &[u8]) -> bool {
    let Some((&PACKET_KEY, mut rest)) = head.split_first() else {
        return false;
    };
    if is_text(head) {
        return false;
    }
    let Some(length) = take_number(&mut rest) else {
        return false;
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let is_whole = length <= rest.len();
    let packet = &rest[..length.min(rest.len())];
    length > 0 && has_fields(packet, is_whole) && (!is_whole || is_followed(&rest[length..]))
}

/// Returns whether all bytes are characters of a text, which may begin with an empty line.
fn is_text(head: &[u8]) -> bool {
    head.iter()
        .all(|&byte| byte >= b' ' || matches!(byte, b'\n' | b'\r' | b'\t'))
}

/// Returns whether another packet may begin with these bytes.
fn is_followed(rest: &[u8]) -> bool {
    rest.first()
        .is_none_or(|&next| next == PACKET_KEY || next == 0)
}

/// Returns whether a packet consists of fields with the types of Perfetto's schema. If only the beginning of the packet
/// is known, its last field may be cut off.
fn has_fields(mut packet: &[u8], is_whole: bool) -> bool {
    while !packet.is_empty() {
        let Some(field) = take_number(&mut packet) else {
            return !is_whole;
        };
        let is_known = |number| number <= LAST || matches!(number, OURS | OUR_EVENT);
        let Some((number, wire_type)) = key(field).filter(|field| is_known(field.0)) else {
            return false;
        };
        if wire_type != if NUMBERS.contains(&number) { 0 } else { 2 } {
            return false;
        }
        let Some(value) = take_number(&mut packet) else {
            return !is_whole;
        };
        if wire_type == 2 {
            let length = usize::try_from(value).unwrap_or(usize::MAX);
            match packet.split_at_checked(length) {
                Some((_, rest)) => packet = rest,
                None => return !is_whole,
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_recognised_and_texts_are_not() {
        // A clock snapshot whose length is padded, and the sequence.
        let snapshot = b"\x0a\x09\x32\x82\x80\x80\x00\x10\x06\x50\x01";
        for length in [8, snapshot.len()] {
            assert!(is_perfetto(&snapshot[..length]), "{length}");
        }
        assert!(is_perfetto(&[&snapshot[..], b"\x0a\x02\x50\x01"].concat()));
        assert!(!is_perfetto(&[&snapshot[..], b"\x0b"].concat()));
        for other in [
            &b""[..],
            b"\n",
            b"\n#PajeEventDef foldtrace",
            b"\n{\"traceEvents\":[",
            b"\n0 send 1 17\x00",
            b"\x0a\x00",
            b"\x0a\x02\x40\xff",
            b"PAR1\x0a",
        ] {
            assert!(!is_perfetto(other), "{other:?}");
        }
    }
}

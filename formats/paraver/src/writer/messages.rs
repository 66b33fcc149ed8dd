//! Messages, whose record is written when both ends are known.

use std::collections::HashMap;
use std::io;

use foldhash::fast::FixedState;

use super::numbers::{push_numbers, push_signed};
use super::records::{Place, Records};
use super::thread::Thread;

/// An end of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Where the record of the message is, if it is at this end.
    pub place: Place,
    /// The number of the thread.
    pub thread: u32,
    /// The times of this end, in nanoseconds.
    pub logical: u64,
    pub physical: u64,
    pub bytes: Option<u64>,
    pub tag: u64,
}

/// The messages of which one end is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    ends: HashMap<u64, End, FixedState>,
}

impl Messages {
    /// Takes an end of a message, whose `id` is that of the other one. Returns the send and the receive if both are known.
    pub(super) fn pair(&mut self, id: u64, is_send: bool, end: End) -> Option<[End; 2]> {
        let Some(other) = self.ends.remove(&id) else {
            self.ends.insert(id, end);
            return None;
        };
        Some(if is_send { [end, other] } else { [other, end] })
    }

    /// Returns the number of messages with one end.
    pub(super) fn incomplete(&self) -> u64 {
        self.ends.len() as u64
    }
}

/// Writes the record of a message.
pub(super) fn push_message(
    records: &mut Records,
    [send, receive]: &[End; 2],
    threads: &[Thread],
) -> io::Result<()> {
    // A message that is received before it is sent, by the clocks of both, has its record where it is received.
    let place = if receive.physical < send.logical {
        receive.place
    } else {
        send.place
    };
    let bytes = send.bytes.or(receive.bytes).unwrap_or_default();
    records.push(place, |out| {
        out.extend_from_slice(b"3:");
        out.extend_from_slice(&threads[send.thread as usize].object);
        push_numbers(out, &[send.logical, send.physical]);
        out.push(b':');
        out.extend_from_slice(&threads[receive.thread as usize].object);
        push_numbers(out, &[receive.logical, receive.physical, bytes]);
        out.push(b':');
        push_signed(out, send.tag);
        out.push(b'\n');
    })
}

//! Encodes packets field by field, as any program may write them.

use prost::encoding::encode_varint;

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a number.
    pub fn number(mut self, field: u64, value: u64) -> Self {
        encode_varint(field << 3, &mut self.0);
        encode_varint(value, &mut self.0);
        self
    }

    /// Appends a number with sign.
    pub fn signed(self, field: u64, value: i64) -> Self {
        self.number(field, value.cast_unsigned())
    }

    /// Appends a number of 64 bits.
    pub fn fixed(mut self, field: u64, value: u64) -> Self {
        encode_varint(field << 3 | 1, &mut self.0);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub fn double(self, field: u64, value: f64) -> Self {
        self.fixed(field, value.to_bits())
    }

    pub fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        encode_varint(field << 3 | 2, &mut self.0);
        encode_varint(value.len() as u64, &mut self.0);
        self.0.extend_from_slice(value);
        self
    }

    pub fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub fn message(self, field: u64, value: Self) -> Self {
        self.bytes(field, &value.0)
    }
}

/// Returns a file of these packets.
pub fn file(packets: impl IntoIterator<Item = Message>) -> Vec<u8> {
    let packets = packets.into_iter();
    let add = |file: Message, packet| file.message(1, packet);
    packets.fold(Message::new(), add).0
}

pub const BEGIN: u64 = 1;
pub const END: u64 = 2;
pub const INSTANT: u64 = 3;
pub const COUNTER: u64 = 4;

/// Returns a packet of sequence 1 with an event.
pub fn event(time: u64, event: Message) -> Message {
    Message::new()
        .number(8, time)
        .message(11, event)
        .number(10, 1)
}

/// Returns an event of this type on a track.
pub fn on(track: u64, event_type: u64) -> Message {
    Message::new().number(9, event_type).number(11, track)
}

/// Returns the begin of a slice.
pub fn begin(time: u64, track: u64, name: &str) -> Message {
    event(time, on(track, BEGIN).text(23, name))
}

/// Returns the end of a slice.
pub fn end(time: u64, track: u64) -> Message {
    event(time, on(track, END))
}

/// Returns a packet that describes a track.
pub fn track(descriptor: Message) -> Message {
    Message::new().message(60, descriptor).number(10, 1)
}

/// Returns a packet that describes the track of a process.
pub fn process(uuid: u64, pid: u64, name: &str) -> Message {
    let process = Message::new().number(1, pid).text(6, name);
    track(Message::new().number(1, uuid).message(3, process))
}

/// Returns a packet that describes the track of a thread.
pub fn thread(uuid: u64, parent: u64, (pid, tid): (u64, u64), name: &str) -> Message {
    let thread = Message::new().number(1, pid).number(2, tid).text(5, name);
    let descriptor = Message::new().number(1, uuid).number(5, parent);
    track(descriptor.message(4, thread))
}

/// Returns a packet that describes a counter track.
pub fn counter(uuid: u64, parent: u64, name: &str, counter: Message) -> Message {
    let descriptor = Message::new().number(1, uuid).number(5, parent);
    track(descriptor.text(2, name).message(8, counter))
}

/// Returns an interned name: a message with a number and a text.
pub fn interned(iid: u64, text: &str) -> Message {
    Message::new().number(1, iid).text(2, text)
}

/// Returns a clock of a snapshot.
pub fn clock(id: u64, time: u64) -> Message {
    Message::new().number(1, id).number(2, time)
}

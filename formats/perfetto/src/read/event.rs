//! The fields of a message `TrackEvent` that decide what kind of event it is.

use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value};

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventType {
    Begin,
    End,
    Instant,
    Counter,
    /// An event of Chrome's older tracing, with its phase.
    Legacy(u8),
}

/// The time of an event whose packet has no time, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegacyTime {
    /// The difference from the last event of the sequence.
    Difference(i64),
    Absolute(i64),
}

/// A name, interned or not.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NameOf<'a> {
    Number(u64),
    Text(&'a [u8]),
}

/// The categories of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Categories {
    None,
    /// One interned category, which is the usual case.
    One(u64),
    Others,
}

/// The parsed fields of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    pub event_type: EventType,
    pub name: Option<NameOf<'a>>,
    pub track: Option<u64>,
    pub integer: Option<i64>,
    pub double: Option<f64>,
    pub time: Option<LegacyTime>,
    pub legacy: Legacy<'a>,
    pub is_legacy: bool,
    pub categories: Categories,
    /// Whether there are fields that become attributes or additional counter values.
    pub has_more: bool,
}

/// A parsed message `LegacyEvent`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Legacy<'a> {
    name: Option<u64>,
    phase: Option<u8>,
    /// Microseconds.
    pub duration: Option<i64>,
    pub pid: Option<i64>,
    pub tid: Option<i64>,
    // The other fields become attributes.
    pub unscoped_id: Option<u64>,
    pub local_id: Option<u64>,
    pub global_id: Option<u64>,
    pub bind_id: Option<u64>,
    pub flow_direction: Option<u64>,
    pub id_scope: Option<&'a [u8]>,
}

impl<'a> Event<'a> {
    #[inline]
    pub(crate) fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        let mut event = Self {
            event_type: EventType::Instant,
            name: None,
            track: None,
            integer: None,
            double: None,
            time: None,
            legacy: Legacy::default(),
            is_legacy: false,
            categories: Categories::None,
            has_more: false,
        };
        let mut event_type = 0;
        for field in Fields::new(message) {
            match field? {
                (9, Value::Number(number)) => event_type = number,
                (10, Value::Number(iid)) => event.name = Some(NameOf::Number(iid)),
                (23, Value::Bytes(name)) => event.name = Some(NameOf::Text(name)),
                (11, Value::Number(uuid)) => event.track = Some(uuid),
                (30, Value::Number(number)) => event.integer = Some(number.cast_signed()),
                (44, Value::Fixed64(bits)) => event.double = Some(f64::from_bits(bits)),
                (1, Value::Number(time)) => {
                    event.time = Some(LegacyTime::Difference(time.cast_signed()));
                }
                (16, Value::Number(time)) => {
                    event.time = Some(LegacyTime::Absolute(time.cast_signed()));
                }
                (6, Value::Bytes(legacy)) => {
                    event.is_legacy = true;
                    event.legacy = Legacy::parse(legacy)?;
                }
                (3, Value::Number(iid)) => {
                    event.has_more = true;
                    event.categories = match event.categories {
                        Categories::None => Categories::One(iid),
                        _ => Categories::Others,
                    };
                }
                (22, Value::Bytes(_)) => {
                    event.has_more = true;
                    event.categories = Categories::Others;
                }
                _ => event.has_more = true,
            }
        }
        event.event_type = match (event_type, event.legacy.phase) {
            (1, _) => EventType::Begin,
            (2, _) => EventType::End,
            (4, _) => EventType::Counter,
            (0, Some(phase)) => match phase {
                b'B' => EventType::Begin,
                b'E' => EventType::End,
                b'i' | b'I' => EventType::Instant,
                phase => EventType::Legacy(phase),
            },
            _ => EventType::Instant,
        };
        event.name = event.name.or(event.legacy.name.map(NameOf::Number));
        Ok(event)
    }
}

impl<'a> Legacy<'a> {
    fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        let mut legacy = Self::default();
        for field in Fields::new(message) {
            match field? {
                (1, Value::Number(iid)) => legacy.name = Some(iid),
                (2, Value::Number(phase)) => legacy.phase = u8::try_from(phase).ok(),
                (3, Value::Number(time)) => legacy.duration = Some(time.cast_signed()),
                (6, Value::Number(id)) => legacy.unscoped_id = Some(id),
                (10, Value::Number(id)) => legacy.local_id = Some(id),
                (11, Value::Number(id)) => legacy.global_id = Some(id),
                (8, Value::Number(id)) => legacy.bind_id = Some(id),
                (13, Value::Number(direction)) => legacy.flow_direction = Some(direction),
                (7, Value::Bytes(scope)) => legacy.id_scope = Some(scope),
                (18, Value::Number(pid)) => legacy.pid = Some(i64::from(pid as i32)),
                (19, Value::Number(tid)) => legacy.tid = Some(i64::from(tid as i32)),
                _ => {}
            }
        }
        Ok(legacy)
    }
}

//! Converts the fields of an event to attributes and additional counter values.

use std::borrow::Cow;

use foldtrace_trace::{Carried, Minter, ValueType};

use crate::read::annotation::Leaf;
use crate::read::counters::CounterValue;
use crate::read::event::{Categories, Event, EventType};
use crate::read::fault::Fault;
use crate::read::names::{Names, Texts};
use crate::read::sequences::Defaults;
use crate::read::unread::Unread;
use crate::read::wire::{Fields, Value, each_number};

/// Adds attributes to an event.
pub(crate) struct Attributes<'a> {
    pub minter: &'a mut Minter,
    pub texts: &'a mut Texts,
    pub names: &'a mut Names,
    /// The id of the attribute for categories.
    pub category_id: &'a mut Option<u64>,
    pub carried: &'a mut Carried,
    pub unread: &'a mut Unread,
}

impl Attributes<'_> {
    /// Adds an attribute with a number as its value.
    fn unsigned(&mut self, name: &str, number: u64) {
        self.add(name, Leaf::Unsigned(number));
    }

    /// Adds an attribute with a text as its value.
    pub(crate) fn text(&mut self, name: &str, text: &[u8]) {
        self.add(name, Leaf::Text(text));
    }

    /// Adds an interned category. Returns whether it is known.
    fn category(&mut self, iid: u64) -> bool {
        let Some(name) = self.names.categories.get_mut(iid) else {
            return false;
        };
        let string = name.string(self.minter);
        self.add_category(string);
        true
    }

    fn add_category(&mut self, string: u64) {
        let id = *(self.category_id)
            .get_or_insert_with(|| self.minter.attribute("cat", ValueType::String));
        self.carried
            .attributes
            .push((id, ValueType::String, string));
    }

    /// Adds the categories of a message `TrackEvent` as one attribute.
    fn categories(&mut self, event: &[u8]) -> Result<(), Fault> {
        let mut all = String::new();
        for field in Fields::new(event) {
            let text = match field? {
                (3, Value::Number(iid)) => match self.names.categories.get(iid) {
                    Some(name) => Cow::from(&*name.text),
                    None => {
                        self.unread.unknown_names += 1;
                        continue;
                    }
                },
                (22, Value::Bytes(text)) => String::from_utf8_lossy(text),
                _ => continue,
            };
            if !all.is_empty() {
                all.push(',');
            }
            all.push_str(&text);
        }
        if !all.is_empty() {
            let string = self.minter.string(&all);
            self.add_category(string);
        }
        Ok(())
    }

    /// Adds the attributes of an event, and collects its additional counter values with their tracks.
    pub(crate) fn event(
        &mut self,
        message: &[u8],
        event: &Event<'_>,
        defaults: &Defaults,
        extras: &mut Vec<(u64, CounterValue)>,
    ) -> Result<(), Fault> {
        match event.categories {
            Categories::None => {}
            Categories::One(iid) if self.category(iid) => {}
            _ => self.categories(message)?,
        }
        let (mut integers, mut doubles) = (Vec::new(), Vec::new());
        let (mut integer_tracks, mut double_tracks) = (Vec::new(), Vec::new());
        for field in Fields::new(message) {
            match field? {
                (4, Value::Bytes(annotation)) => self.annotation(annotation)?,
                (12, values) => each_number(values, false, |value| {
                    integers.push(CounterValue::Integer(value.cast_signed()));
                })?,
                (46, values) => each_number(values, true, |bits| {
                    doubles.push(CounterValue::Double(f64::from_bits(bits)));
                })?,
                (31, tracks) => each_number(tracks, false, |track| integer_tracks.push(track))?,
                (45, tracks) => each_number(tracks, false, |track| double_tracks.push(track))?,
                (number @ (36 | 47), ids) => {
                    each_number(ids, number == 47, |id| self.unsigned("flow_id", id))?;
                }
                (number @ (42 | 48), ids) => {
                    each_number(ids, number == 48, |id| {
                        self.unsigned("terminating_flow_id", id);
                    })?;
                }
                (52, Value::Number(id)) => self.unsigned("correlation_id", id),
                (53, Value::Bytes(id)) => self.text("correlation_id", id),
                (1 | 3 | 6 | 9 | 10 | 11 | 16 | 22 | 23 | 30 | 44, _) => {}
                (number, _) => self.unread.field(number),
            }
        }
        for (values, tracks, defaults) in [
            (integers, integer_tracks, &defaults.integers),
            (doubles, double_tracks, &defaults.doubles),
        ] {
            let tracks = if tracks.is_empty() { defaults } else { &tracks };
            for _ in tracks.len()..values.len() {
                self.unread.argument("counter values without a track");
            }
            extras.extend(tracks.iter().copied().zip(values));
        }
        Ok(())
    }

    /// Adds the attributes of an event of Chrome's older tracing.
    pub(crate) fn legacy(&mut self, event: &Event<'_>) {
        let legacy = &event.legacy;
        if let EventType::Legacy(phase) = event.event_type
            && phase != b'X'
        {
            self.text("ph", &[phase]);
        }
        for (name, number) in [
            ("id", legacy.unscoped_id.or(legacy.global_id)),
            ("local_id", legacy.local_id),
            ("bind_id", legacy.bind_id),
            ("flow_direction", legacy.flow_direction),
        ] {
            if let Some(number) = number {
                self.unsigned(name, number);
            }
        }
        if let Some(scope) = legacy.id_scope {
            self.text("id_scope", scope);
        }
    }

    /// Adds an attribute. The text of its value may be unknown.
    pub(crate) fn add(&mut self, name: &str, leaf: Leaf<'_>) {
        let (value_type, bits) = match self.bits(leaf) {
            Some(value) => value,
            None => {
                self.unread.unknown_names += 1;
                (ValueType::String, self.minter.string(""))
            }
        };
        let id = self.texts.name(name).attribute(self.minter, value_type);
        self.carried.attributes.push((id, value_type, bits));
    }

    /// Returns the type and the bits of a value; `None` if its text is unknown.
    #[inline]
    pub(crate) fn bits(&mut self, leaf: Leaf<'_>) -> Option<(ValueType, u64)> {
        let text = match leaf {
            Leaf::Unsigned(number) => return Some((ValueType::Uint64, number)),
            Leaf::Integer(number) => return Some((ValueType::Int64, number.cast_unsigned())),
            Leaf::Double(number) => return Some((ValueType::Double, number.to_bits())),
            Leaf::TextOf(iid) => {
                let text = self.names.values.get_mut(iid)?.string(self.minter);
                return Some((ValueType::String, text));
            }
            Leaf::None => "null".into(),
            Leaf::Bool(flag) => if flag { "true" } else { "false" }.into(),
            Leaf::Text(text) | Leaf::Json(text) => String::from_utf8_lossy(text),
        };
        Some((ValueType::String, self.minter.string(&text)))
    }
}

//! A single event with its JSON keys, whose values are parsed only when needed.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::fault::Fault;

/// The keys that events have in common.
#[derive(Debug, Default)]
pub(crate) struct Record<'a> {
    pub phase: Option<&'a RawValue>,
    pub name: Option<&'a RawValue>,
    pub category: Option<&'a RawValue>,
    pub time: Option<&'a RawValue>,
    pub duration: Option<&'a RawValue>,
    pub process: Option<&'a RawValue>,
    pub thread: Option<&'a RawValue>,
    pub id: Option<&'a RawValue>,
    pub args: Option<&'a RawValue>,
    /// Data that foldtrace adds where it cannot use `args`.
    pub ours: Option<&'a RawValue>,
}

impl<'a> Record<'a> {
    /// Parses an event. `other` is called with all other keys.
    pub(crate) fn parse(
        text: &'a [u8],
        mut other: impl FnMut(&str, &'a RawValue),
    ) -> Result<Self, Fault> {
        let text = std::str::from_utf8(text).map_err(|error| Fault::not_utf8(&error, text))?;
        let mut record = Self::default();
        visit_pairs(text, |key, value| {
            let slot = match key {
                "ph" => &mut record.phase,
                "name" => &mut record.name,
                "cat" => &mut record.category,
                "ts" => &mut record.time,
                "dur" => &mut record.duration,
                "pid" => &mut record.process,
                "tid" => &mut record.thread,
                "id" => &mut record.id,
                "args" => &mut record.args,
                "foldtrace" => &mut record.ours,
                key => return other(key, value),
            };
            *slot = Some(value);
        })
        .map_err(|error| Fault::not_json(&error, text.as_bytes()))?;
        Ok(record)
    }

    /// Returns the phase, a letter that identifies the kind of event.
    pub(crate) fn phase(&self) -> Result<u8, Fault> {
        match self.phase.map(RawValue::get).map(str::as_bytes) {
            Some([b'"', phase, b'"']) => Ok(*phase),
            Some(found) => Err(Fault::expected(
                "a phase, \"ph\", of one letter",
                &String::from_utf8_lossy(found),
            )),
            None => Err(
                Fault::new("expected an event with a phase, \"ph\", found none")
                    .hint("the file may be in another format"),
            ),
        }
    }
}

/// Calls `take` with each key and value of an object.
pub(crate) fn visit_pairs<'a>(
    text: &'a str,
    take: impl FnMut(&str, &'a RawValue),
) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    Pairs(take).deserialize(&mut json)?;
    json.end()
}

/// Calls `take` with each key and value of an object within an event.
pub(crate) fn visit_object<'a>(
    object: &'a RawValue,
    take: impl FnMut(&str, &'a RawValue),
) -> Result<(), Fault> {
    let text = object.get();
    visit_pairs(text, take).map_err(|error| Fault::not_json(&error, text.as_bytes()))
}

struct Pairs<F>(F);

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a, F: FnMut(&str, &'a RawValue)> DeserializeSeed<'a> for Pairs<F> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'a>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'a, F: FnMut(&str, &'a RawValue)> Visitor<'a> for Pairs<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(mut self, mut map: M) -> Result<(), M::Error> {
        while let Some((Key(key), value)) = map.next_entry::<Key<'a>, &'a RawValue>()? {
            (self.0)(&key, value);
        }
        Ok(())
    }
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Integer(i64),
    /// An integer that does not fit into a signed 64-bit integer.
    Unsigned(u64),
    Double(f64),
    /// A string, or the JSON text of any other value.
    Text(Cow<'a, str>),
}

impl<'a> Value<'a> {
    pub(crate) fn from_json(json: &'a RawValue) -> Self {
        Self::number(json.get()).unwrap_or_else(|| Self::Text(text_of(json)))
    }

    /// Returns a value of a counter series. Some programs write numbers as strings.
    pub(crate) fn from_series(json: &'a RawValue) -> Self {
        let text = text_of(json);
        Self::number(&text).unwrap_or(Self::Text(text))
    }

    /// Parses a number; `None` if `text` is not a number or exceeds the range of doubles.
    fn number(text: &str) -> Option<Self> {
        if !text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return None;
        }
        if let Ok(integer) = text.parse() {
            return Some(Self::Integer(integer));
        }
        if let Ok(integer) = text.parse() {
            return Some(Self::Unsigned(integer));
        }
        let double = text.parse().ok();
        double
            .filter(|double: &f64| double.is_finite())
            .map(Self::Double)
    }
}

/// Returns a string without its quotes, or the JSON text of any other value.
pub(crate) fn text_of(json: &RawValue) -> Cow<'_, str> {
    let text = json.get();
    let Some(inner) = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    else {
        return Cow::Borrowed(text);
    };
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str(text).map_or(Cow::Borrowed(inner), Cow::Owned)
}

//! The definitions of the objects that events name.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{Carried, Minter, ValueType};
use serde_json::value::RawValue;

use crate::counters::Counters;
use crate::record::{Value, text_of};

/// The definitions of named objects, and their ids.
#[derive(Default)]
pub(crate) struct ObjectIds {
    pub minter: Minter,
    /// Ids of attributes, by name and then by type: string, integer, unsigned, double.
    attributes: HashMap<String, [Option<u64>; 4], RandomState>,
}

impl ObjectIds {
    /// Adds an attribute.
    pub(crate) fn attribute(&mut self, name: &str, value: &RawValue, carried: &mut Carried) {
        let (value_type, bits) = match Value::from_json(value) {
            Value::Text(text) => return self.text_attribute(name, &text, carried),
            Value::Integer(integer) => (ValueType::Int64, integer as u64),
            Value::Unsigned(integer) => (ValueType::Uint64, integer),
            Value::Double(double) => (ValueType::Double, double.to_bits()),
        };
        let id = self.attribute_id(name, value_type);
        carried.attributes.push((id, value_type, bits));
    }

    /// Adds the id of an arrow, an asynchronous event or an object. There may be as many ids as events, so
    /// hexadecimal ids are stored as numbers, without memory of their own.
    pub(crate) fn id(&mut self, value: &RawValue, carried: &mut Carried) {
        let text = text_of(value);
        let number = text
            .strip_prefix("0x")
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .filter(|number| format!("0x{number:x}") == text);
        let Some(number) = number else {
            return self.attribute("id", value, carried);
        };
        let id = self.attribute_id("id", ValueType::Uint64);
        carried.attributes.push((id, ValueType::Uint64, number));
    }

    pub(crate) fn text_attribute(&mut self, name: &str, text: &str, carried: &mut Carried) {
        let string = self.minter.string(text);
        let id = self.attribute_id(name, ValueType::String);
        carried.attributes.push((id, ValueType::String, string));
    }

    pub(crate) fn attribute_id(&mut self, name: &str, value_type: ValueType) -> u64 {
        let slot = match value_type {
            ValueType::Int64 => 1,
            ValueType::Uint64 => 2,
            ValueType::Double => 3,
            _ => 0,
        };
        if let Some(id) = self.attributes.get(name).and_then(|ids| ids[slot]) {
            return id;
        }
        let id = self.minter.attribute(name, value_type);
        self.attributes.entry(name.to_owned()).or_default()[slot] = Some(id);
        id
    }

    /// Adds a value of a counter, as an attribute if it is not a number.
    pub(crate) fn series(
        &mut self,
        counters: &mut Counters,
        counter: usize,
        name: &str,
        value: &RawValue,
        carried: &mut Carried,
    ) {
        let (value_type, bits) = match Value::from_series(value) {
            Value::Text(text) => return self.text_attribute(name, &text, carried),
            Value::Integer(integer) => (ValueType::Int64, integer as u64),
            Value::Unsigned(integer) => (ValueType::Uint64, integer),
            Value::Double(double) => (ValueType::Double, double.to_bits()),
        };
        let series = counters.series(counter, name, value_type);
        carried.metrics.push((series, value_type, bits));
    }
}

//! Access to the properties of JSON objects.

use serde_json::{Map, Value};

use crate::fault::Fault;

/// A JSON object of the metadata.
#[derive(Clone, Copy)]
pub(super) struct Object<'a>(&'a Map<String, Value>);

/// Returns a value for messages, cut off if it is long.
fn show(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the fault of a property with an unexpected value.
fn unexpected(name: &str, expected: &str, found: &Value) -> Fault {
    Fault::new(format!(
        "expected {expected} as \"{name}\", found {}",
        show(found)
    ))
}

/// Returns an integer of any sign with at most 64 bits.
pub(super) fn integer(name: &str, value: &Value) -> Result<i128, Fault> {
    let signed = value.as_i64().map(i128::from);
    let number = signed.or_else(|| value.as_u64().map(i128::from));
    number.ok_or_else(|| unexpected(name, "an integer", value))
}

impl<'a> Object<'a> {
    /// Returns the object of a value.
    pub(super) fn new(name: &str, value: &'a Value) -> Result<Self, Fault> {
        let object = value.as_object().map(Self);
        object.ok_or_else(|| unexpected(name, "an object", value))
    }

    /// Returns the properties in their order.
    pub(super) fn properties(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns a property, or `None` if it is missing.
    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }

    /// Returns a property that must exist.
    pub(super) fn require(self, name: &str) -> Result<&'a Value, Fault> {
        self.get(name)
            .ok_or_else(|| Fault::new(format!("an object has no property \"{name}\"")))
    }

    /// Returns a text.
    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, Fault> {
        let as_text = |value: &'a Value| {
            value
                .as_str()
                .ok_or_else(|| unexpected(name, "a text", value))
        };
        self.get(name).map(as_text).transpose()
    }

    /// Returns an integer that is not negative.
    pub(super) fn unsigned(self, name: &str) -> Result<Option<u64>, Fault> {
        let as_number = |value: &Value| {
            let number = value.as_u64();
            number.ok_or_else(|| unexpected(name, "an integer that is not negative", value))
        };
        self.get(name).map(as_number).transpose()
    }

    /// Returns an array; an empty one if it is missing.
    pub(super) fn array(self, name: &str) -> Result<&'a [Value], Fault> {
        match self.get(name) {
            None => Ok(&[]),
            Some(value) => {
                let array = value.as_array().map(Vec::as_slice);
                array.ok_or_else(|| unexpected(name, "an array", value))
            }
        }
    }

    /// Returns an object.
    pub(super) fn object(self, name: &str) -> Result<Option<Object<'a>>, Fault> {
        self.get(name)
            .map(|value| Self::new(name, value))
            .transpose()
    }
}

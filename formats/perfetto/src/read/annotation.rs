//! The fields of debug annotations.

use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value};

/// A value of an annotation that is not a dictionary and not an array.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf<'a> {
    /// No value, which is `null` in JSON.
    None,
    Bool(bool),
    Unsigned(u64),
    Integer(i64),
    Double(f64),
    Text(&'a [u8]),
    /// The number of an interned text.
    TextOf(u64),
    /// JSON.
    Json(&'a [u8]),
}

/// A parsed `DebugAnnotation`.
pub(crate) struct Annotation<'a> {
    /// Its bytes, which contain the entries of a dictionary or an array.
    pub message: &'a [u8],
    pub name_iid: u64,
    pub name: Option<&'a [u8]>,
    pub leaf: Leaf<'a>,
    pub nested: Option<&'a [u8]>,
    pub is_dictionary: bool,
    pub is_array: bool,
    pub has_message: bool,
}

impl<'a> Annotation<'a> {
    pub(crate) fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        let mut annotation = Self {
            message,
            name_iid: 0,
            name: None,
            leaf: Leaf::None,
            nested: None,
            is_dictionary: false,
            is_array: false,
            has_message: false,
        };
        for field in Fields::new(message) {
            match field? {
                (1, Value::Number(iid)) => annotation.name_iid = iid,
                (10, Value::Bytes(name)) => annotation.name = Some(name),
                (2, Value::Number(flag)) => annotation.leaf = Leaf::Bool(flag != 0),
                (3 | 7, Value::Number(number)) => annotation.leaf = Leaf::Unsigned(number),
                (4, Value::Number(number)) => {
                    annotation.leaf = Leaf::Integer(number.cast_signed());
                }
                (5, Value::Fixed64(bits)) => annotation.leaf = Leaf::Double(f64::from_bits(bits)),
                (6, Value::Bytes(text)) => annotation.leaf = Leaf::Text(text),
                (17, Value::Number(iid)) => annotation.leaf = Leaf::TextOf(iid),
                (9, Value::Bytes(json)) => annotation.leaf = Leaf::Json(json),
                (8, Value::Bytes(nested)) => annotation.nested = Some(nested),
                (11, Value::Bytes(_)) => annotation.is_dictionary = true,
                (12, Value::Bytes(_)) => annotation.is_array = true,
                (14, Value::Bytes(_)) => annotation.has_message = true,
                _ => {}
            }
        }
        Ok(annotation)
    }

    /// Returns whether the annotation has one value at most.
    pub(crate) const fn is_leaf(&self) -> bool {
        let has_parts = self.is_dictionary || self.is_array || self.has_message;
        self.nested.is_none() && !has_parts
    }
}

/// A parsed `NestedValue`, the older form of dictionaries and arrays.
pub(crate) struct Nested<'a> {
    pub leaf: Leaf<'a>,
    pub is_dictionary: bool,
    pub is_array: bool,
    /// The keys and the values of a dictionary.
    pub keys: Vec<&'a [u8]>,
    pub values: Vec<&'a [u8]>,
    pub elements: Vec<&'a [u8]>,
}

impl<'a> Nested<'a> {
    pub(crate) fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        let mut nested = Self {
            leaf: Leaf::None,
            is_dictionary: false,
            is_array: false,
            keys: Vec::new(),
            values: Vec::new(),
            elements: Vec::new(),
        };
        for field in Fields::new(message) {
            match field? {
                (1, Value::Number(1)) => nested.is_dictionary = true,
                (1, Value::Number(2)) => nested.is_array = true,
                (2, Value::Bytes(key)) => nested.keys.push(key),
                (3, Value::Bytes(value)) => nested.values.push(value),
                (4, Value::Bytes(element)) => nested.elements.push(element),
                (5, Value::Number(number)) => nested.leaf = Leaf::Integer(number.cast_signed()),
                (6, Value::Fixed64(bits)) => nested.leaf = Leaf::Double(f64::from_bits(bits)),
                (7, Value::Number(flag)) => nested.leaf = Leaf::Bool(flag != 0),
                (8, Value::Bytes(text)) => nested.leaf = Leaf::Text(text),
                _ => {}
            }
        }
        Ok(nested)
    }
}

//! Converts debug annotations to attributes.

use std::borrow::Cow;
use std::fmt::Write as _;

use foldhash::fast::RandomState;
use foldtrace_trace::{Carried, Minter, ValueType};
use hashbrown::HashMap;

use crate::read::fault::Fault;
use crate::read::names::{Name, Names};
use crate::read::unread::Unread;
use crate::read::wire::{Fields, Value};

/// Maximum depth of dictionaries and arrays. Deeper values are left out.
const DEEPEST: usize = 32;

/// Names that are not interned.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    names: HashMap<String, Name, RandomState>,
}

impl Texts {
    /// Returns the name with this text.
    pub(crate) fn name(&mut self, text: &str) -> &mut Name {
        let entry = self.names.entry_ref(text);
        entry.or_insert_with(|| Name::new(text.as_bytes()))
    }
}

/// A value of an annotation that is not a dictionary and not an array.
#[derive(Clone, Copy, Debug)]
enum Leaf<'a> {
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

/// A parsed annotation.
struct Annotation<'a> {
    name_iid: u64,
    name: Option<&'a [u8]>,
    leaf: Leaf<'a>,
    nested: Option<&'a [u8]>,
    is_dictionary: bool,
    is_array: bool,
    has_message: bool,
}

impl<'a> Annotation<'a> {
    fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        let mut annotation = Self {
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
}

/// A parsed `NestedValue`, the older form of dictionaries and arrays.
struct Nested<'a> {
    leaf: Leaf<'a>,
    is_dictionary: bool,
    is_array: bool,
    /// The keys and the values of a dictionary.
    keys: Vec<&'a [u8]>,
    values: Vec<&'a [u8]>,
    elements: Vec<&'a [u8]>,
}

impl<'a> Nested<'a> {
    fn parse(message: &'a [u8]) -> Result<Self, Fault> {
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
    pub(crate) fn unsigned(&mut self, name: &str, number: u64) {
        self.add(name, Leaf::Unsigned(number));
    }

    /// Adds an attribute with a text as its value.
    pub(crate) fn text(&mut self, name: &str, text: &[u8]) {
        self.add(name, Leaf::Text(text));
    }

    /// Adds an interned category. Returns whether it is known.
    pub(crate) fn category(&mut self, iid: u64) -> bool {
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
    pub(crate) fn categories(&mut self, event: &[u8]) -> Result<(), Fault> {
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

    /// Adds the attributes of a message `DebugAnnotation`.
    pub(crate) fn annotation(&mut self, message: &[u8]) -> Result<(), Fault> {
        let annotation = Annotation::parse(message)?;
        let is_leaf = annotation.nested.is_none()
            && !(annotation.is_dictionary || annotation.is_array || annotation.has_message);
        if is_leaf
            && annotation.name.is_none()
            && let Some((value_type, bits)) = self.bits(annotation.leaf)
            && let Some(name) = self.names.annotations.get_mut(annotation.name_iid)
        {
            let id = name.attribute(self.minter, value_type);
            self.carried.attributes.push((id, value_type, bits));
            return Ok(());
        }
        self.within("", message, 0)
    }

    /// Adds the attributes of an annotation, whose names begin with `prefix`.
    fn within(&mut self, prefix: &str, message: &[u8], depth: usize) -> Result<(), Fault> {
        let annotation = Annotation::parse(message)?;
        let name = self.full_name(prefix, &annotation);
        if depth > DEEPEST {
            self.unread.argument("deeply nested annotations");
        } else if annotation.has_message {
            self.unread.argument("annotations with messages");
        } else if let Some(nested) = annotation.nested {
            self.nested(&name, nested, depth)?;
        } else if annotation.is_dictionary {
            for field in Fields::new(message) {
                if let (11, Value::Bytes(entry)) = field? {
                    self.within(&name, entry, depth + 1)?;
                }
            }
        } else if annotation.is_array {
            let mut json = String::new();
            self.push_json(&mut json, message, depth)?;
            self.text(&name, json.as_bytes());
        } else {
            self.add(&name, annotation.leaf);
        }
        Ok(())
    }

    fn nested(&mut self, name: &str, message: &[u8], depth: usize) -> Result<(), Fault> {
        let nested = Nested::parse(message)?;
        if depth > DEEPEST {
            self.unread.argument("deeply nested annotations");
        } else if nested.is_dictionary {
            for (key, value) in nested.keys.iter().zip(&nested.values) {
                let name = format!("{name}.{}", String::from_utf8_lossy(key));
                self.nested(&name, value, depth + 1)?;
            }
        } else if nested.is_array {
            let mut json = String::new();
            self.push_nested_json(&mut json, message, depth)?;
            self.text(name, json.as_bytes());
        } else {
            self.add(name, nested.leaf);
        }
        Ok(())
    }

    fn full_name(&mut self, prefix: &str, annotation: &Annotation<'_>) -> String {
        let mut name = prefix.to_owned();
        if !name.is_empty() {
            name.push('.');
        }
        match annotation.name {
            Some(text) => name.push_str(&String::from_utf8_lossy(text)),
            None => match self.names.annotations.get(annotation.name_iid) {
                Some(known) => name.push_str(&known.text),
                None => {
                    self.unread.unknown_names += 1;
                    let _ = write!(name, "annotation {}", annotation.name_iid);
                }
            },
        }
        name
    }

    fn add(&mut self, name: &str, leaf: Leaf<'_>) {
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
    fn bits(&mut self, leaf: Leaf<'_>) -> Option<(ValueType, u64)> {
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

    /// Appends the value of an annotation as JSON.
    fn push_json(&mut self, json: &mut String, message: &[u8], depth: usize) -> Result<(), Fault> {
        let annotation = Annotation::parse(message)?;
        if depth > DEEPEST || annotation.has_message {
            self.unread.argument("deeply nested annotations");
            json.push_str("null");
        } else if let Some(nested) = annotation.nested {
            self.push_nested_json(json, nested, depth + 1)?;
        } else if annotation.is_dictionary || annotation.is_array {
            json.push(if annotation.is_dictionary { '{' } else { '[' });
            let opened = json.len();
            for field in Fields::new(message) {
                let (number @ (11 | 12), Value::Bytes(entry)) = field? else {
                    continue;
                };
                if json.len() > opened {
                    json.push(',');
                }
                if annotation.is_dictionary && number == 11 {
                    let key = Annotation::parse(entry)?;
                    let key = self.full_name("", &key);
                    push_text(json, &key);
                    json.push(':');
                }
                self.push_json(json, entry, depth + 1)?;
            }
            json.push(if annotation.is_dictionary { '}' } else { ']' });
        } else {
            self.push_leaf(json, annotation.leaf);
        }
        Ok(())
    }

    fn push_nested_json(
        &mut self,
        json: &mut String,
        message: &[u8],
        depth: usize,
    ) -> Result<(), Fault> {
        let nested = Nested::parse(message)?;
        if depth > DEEPEST {
            self.unread.argument("deeply nested annotations");
            json.push_str("null");
        } else if nested.is_dictionary {
            json.push('{');
            for (index, (key, value)) in nested.keys.iter().zip(&nested.values).enumerate() {
                json.push_str(if index > 0 { "," } else { "" });
                push_text(json, &String::from_utf8_lossy(key));
                json.push(':');
                self.push_nested_json(json, value, depth + 1)?;
            }
            json.push('}');
        } else if nested.is_array {
            json.push('[');
            for (index, element) in nested.elements.iter().enumerate() {
                json.push_str(if index > 0 { "," } else { "" });
                self.push_nested_json(json, element, depth + 1)?;
            }
            json.push(']');
        } else {
            self.push_leaf(json, nested.leaf);
        }
        Ok(())
    }

    fn push_leaf(&mut self, json: &mut String, leaf: Leaf<'_>) {
        // Writing to memory cannot fail.
        let _ = match leaf {
            Leaf::None => write!(json, "null"),
            Leaf::Bool(flag) => write!(json, "{flag}"),
            Leaf::Unsigned(number) => write!(json, "{number}"),
            Leaf::Integer(number) => write!(json, "{number}"),
            Leaf::Double(number) if number.is_finite() => write!(json, "{number:?}"),
            Leaf::Double(number) => write!(json, "\"{number}\""),
            Leaf::Text(text) => {
                push_text(json, &String::from_utf8_lossy(text));
                Ok(())
            }
            Leaf::TextOf(iid) => {
                let text = self.names.values.get(iid);
                self.unread.unknown_names += u64::from(text.is_none());
                push_text(json, text.map_or("", |name| &name.text));
                Ok(())
            }
            Leaf::Json(text) => write!(json, "{}", String::from_utf8_lossy(text)),
        };
    }
}

fn push_text(json: &mut String, text: &str) {
    json.push_str(&serde_json::Value::from(text).to_string());
}

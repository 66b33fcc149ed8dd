//! Converts debug annotations to attributes.

use std::fmt::Write as _;

use crate::read::annotation::{Annotation, Leaf, Nested};
use crate::read::attributes::Attributes;
use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value};

/// Maximum depth of dictionaries and arrays. Deeper values are left out.
const DEEPEST: usize = 32;

/// The names of annotations that are left out.
const DEEP: &str = "deeply nested annotations";
const WITH_MESSAGES: &str = "annotations with messages";
const INCOMPLETE: &str = "keys or values of annotations without the other";

impl Attributes<'_> {
    /// Adds the attributes of a message `DebugAnnotation`.
    pub(crate) fn annotation(&mut self, message: &[u8]) -> Result<(), Fault> {
        let annotation = Annotation::parse(message)?;
        if annotation.is_leaf() {
            if let Some(text) = annotation.name {
                self.add(&String::from_utf8_lossy(text), annotation.leaf);
                return Ok(());
            }
            if let Some((value_type, bits)) = self.bits(annotation.leaf)
                && let Some(name) = self.names.annotations.get_mut(annotation.name_iid)
            {
                let id = name.attribute(self.minter, value_type);
                self.carried.attributes.push((id, value_type, bits));
                return Ok(());
            }
        }
        self.within("", &annotation, 0)
    }

    /// Adds the attributes of an annotation, whose names begin with `prefix`.
    fn within(
        &mut self,
        prefix: &str,
        annotation: &Annotation<'_>,
        depth: usize,
    ) -> Result<(), Fault> {
        let name = self.full_name(prefix, annotation);
        if depth > DEEPEST {
            self.unread.argument(DEEP);
        } else if annotation.has_message {
            self.unread.argument(WITH_MESSAGES);
        } else if let Some(nested) = annotation.nested {
            self.nested(&name, nested, depth)?;
        } else if annotation.is_dictionary {
            for field in Fields::new(annotation.message) {
                if let (11, Value::Bytes(entry)) = field? {
                    self.within(&name, &Annotation::parse(entry)?, depth + 1)?;
                }
            }
        } else if annotation.is_array {
            let mut json = String::new();
            self.push_json(&mut json, annotation, depth)?;
            self.text(&name, json.as_bytes());
        } else {
            self.add(&name, annotation.leaf);
        }
        Ok(())
    }

    fn nested(&mut self, name: &str, message: &[u8], depth: usize) -> Result<(), Fault> {
        let nested = Nested::parse(message)?;
        if depth > DEEPEST {
            self.unread.argument(DEEP);
        } else if nested.is_dictionary {
            self.count_incomplete(&nested);
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

    /// Counts keys without a value, and values without a key.
    fn count_incomplete(&mut self, dictionary: &Nested<'_>) {
        for _ in 0..dictionary.keys.len().abs_diff(dictionary.values.len()) {
            self.unread.argument(INCOMPLETE);
        }
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

    /// Appends the value of an annotation as JSON.
    fn push_json(
        &mut self,
        json: &mut String,
        annotation: &Annotation<'_>,
        depth: usize,
    ) -> Result<(), Fault> {
        if depth > DEEPEST {
            self.unread.argument(DEEP);
            json.push_str("null");
        } else if annotation.has_message {
            self.unread.argument(WITH_MESSAGES);
            json.push_str("null");
        } else if let Some(nested) = annotation.nested {
            self.push_nested_json(json, nested, depth + 1)?;
        } else if annotation.is_dictionary || annotation.is_array {
            json.push(if annotation.is_dictionary { '{' } else { '[' });
            let opened = json.len();
            for field in Fields::new(annotation.message) {
                let (number @ (11 | 12), Value::Bytes(entry)) = field? else {
                    continue;
                };
                let entry = Annotation::parse(entry)?;
                if json.len() > opened {
                    json.push(',');
                }
                if annotation.is_dictionary && number == 11 {
                    let key = self.full_name("", &entry);
                    push_text(json, &key);
                    json.push(':');
                }
                self.push_json(json, &entry, depth + 1)?;
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
            self.unread.argument(DEEP);
            json.push_str("null");
        } else if nested.is_dictionary {
            self.count_incomplete(&nested);
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

//! The tag that an element begins with: a name and attributes, in memory that is used again and again.

use std::ops::Range;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

/// An element that has begun.
#[derive(Debug, Default)]
pub(super) struct Element {
    name: String,
    /// Keys and values, one after the other.
    text: String,
    attributes: Vec<(Range<usize>, Range<usize>)>,
}

impl Element {
    /// Its name, without a prefix.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes it this one. Attributes with a prefix, which are of others, are passed over.
    pub fn read(&mut self, start: &BytesStart<'_>) -> quick_xml::Result<()> {
        self.name.clear();
        self.name.push_str(start.local_name().as_ref());
        self.text.clear();
        self.attributes.clear();
        for attribute in start.attributes() {
            let attribute = attribute?;
            let key: &str = attribute.key.as_ref();
            if key.contains(':') {
                continue;
            }
            let key = self.push(key);
            let value = self.push(&attribute.normalized_value(XmlVersion::Implicit1_0)?);
            self.attributes.push((key, value));
        }
        Ok(())
    }

    fn push(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    /// The value of an attribute.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let (_, value) = attributes.find(|(of, _)| &self.text[of.clone()] == key)?;
        Some(&self.text[value.clone()])
    }
}

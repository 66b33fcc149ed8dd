//! The start tag of an element: a name and attributes, in memory that is reused.

use std::ops::Range;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

/// The element that began last.
#[derive(Debug, Default)]
pub(super) struct Element {
    name: String,
    /// Keys and values, concatenated.
    text: String,
    attributes: Vec<(Range<usize>, Range<usize>)>,
}

impl Element {
    /// Returns the name, without a prefix.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Replaces the element by the one that begins with `start`. Attributes with a prefix belong to other formats and
    /// are skipped.
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

    /// Returns the value of an attribute.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let (_, value) = attributes.find(|(name, _)| &self.text[name.clone()] == key)?;
        Some(&self.text[value.clone()])
    }
}

//! Writes tags with attributes.

use std::io::{self, Write};

use quick_xml::events::{BytesEnd, BytesStart, Event};

use crate::schema::is_forbidden;

/// The XML writer.
pub(super) type Xml<W> = quick_xml::Writer<W>;

/// An element that is being built.
pub(super) struct Tag(BytesStart<'static>);

impl Tag {
    pub fn new(name: &'static str) -> Self {
        Self(BytesStart::new(name))
    }

    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.0.push_attribute((key, value));
        self
    }

    /// Adds a name for display, if there is one. The exact text is in a definition.
    pub fn display_name(self, key: &str, value: Option<&str>) -> Self {
        match value {
            None | Some("") => self,
            Some(value) if value.contains(is_forbidden) => {
                self.text(key, &value.replace(is_forbidden, "\u{fffd}"))
            }
            Some(value) => self.text(key, value),
        }
    }

    pub fn number(self, key: &str, value: u64) -> Self {
        self.text(key, &value.to_string())
    }

    /// Adds an id, with a letter for its kind.
    pub fn id(self, key: &str, letter: char, number: u32) -> Self {
        self.text(key, &format!("{letter}{number}"))
    }

    /// Writes an element without content.
    pub fn empty(self, xml: &mut Xml<impl Write>) -> io::Result<()> {
        xml.write_event(Event::Empty(self.0))
    }

    /// Writes the start tag of the element.
    pub fn open(self, xml: &mut Xml<impl Write>) -> io::Result<()> {
        xml.write_event(Event::Start(self.0))
    }
}

/// Writes the end tag of an element.
pub(super) fn close(xml: &mut Xml<impl Write>, name: &str) -> io::Result<()> {
    xml.write_event(Event::End(BytesEnd::new(name)))
}

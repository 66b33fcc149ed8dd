//! Reads figures as XML.

use quick_xml::Reader;
use quick_xml::events::Event;

/// Returns the values of an attribute in all elements with a given name.
///
/// # Panics
/// If `xml` is not well-formed.
#[must_use]
pub fn attributes(xml: &str, element: &str, attribute: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    loop {
        let event = reader.read_event().unwrap();
        match &event {
            Event::Start(tag) => open.push(tag.name().as_ref().to_owned()),
            Event::End(tag) => assert_eq!(open.pop().unwrap(), tag.name().as_ref()),
            Event::Eof => break,
            _ => {}
        }
        if let Event::Start(tag) | Event::Empty(tag) = &event
            && tag.name().as_ref() == element
            && let Some(value) = tag.try_get_attribute(attribute).unwrap()
        {
            found.push(value.value.into_owned());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

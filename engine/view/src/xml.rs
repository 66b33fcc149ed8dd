//! Escapes text for pictures and pages.

use std::borrow::Cow;

/// Escapes a text for XML and HTML. Characters that XML cannot contain in any form, such as control characters,
/// become U+FFFD, the replacement character.
#[must_use]
pub fn escape<'a>(text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let text = text.into();
    let is_foreign = |c: char| !matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if text.contains(is_foreign) {
        let text = text.replace(is_foreign, "\u{fffd}");
        return Cow::Owned(quick_xml::escape::escape(text).into_owned());
    }
    quick_xml::escape::escape(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_contain_is_replaced() {
        assert_eq!(escape("a<b"), "a&lt;b");
        assert_eq!(
            escape("a\u{1b}[1m\0\u{ffff}\t\u{1f600}"),
            "a\u{fffd}[1m\u{fffd}\u{fffd}\t\u{1f600}"
        );
    }
}

//! Splits event lines and definition lines into words, numbers and quoted texts.
//!
//! All functions work on bytes; only texts that are kept are checked to be UTF-8.

use std::borrow::Cow;

use foldtrace_input::Fault;
use foldtrace_trace::UNDEFINED;

/// Creates a fault at a word that was found instead of `expected`.
#[must_use]
pub fn expected(expected: &str, found: Word<'_>) -> Fault {
    Fault::expected(expected, found.bytes, found.at)
}

/// A word of a line. A quoted word includes its quotes.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// The bytes of the word.
    pub bytes: &'a [u8],
    /// Offset in the line.
    pub at: usize,
}

impl<'a> Word<'a> {
    /// Returns whether the word is quoted.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        self.bytes.first() == Some(&b'"')
    }

    /// Returns key and value of `KEY=VALUE`.
    #[must_use]
    pub fn key_value(&self) -> Option<(&'a [u8], Word<'a>)> {
        if self.is_quoted() {
            return None;
        }
        let equals = memchr::memchr(b'=', self.bytes)?;
        let value = Word {
            bytes: &self.bytes[equals + 1..],
            at: self.at + equals + 1,
        };
        Some((&self.bytes[..equals], value))
    }

    /// Returns the text of the word, without quotes and escapes.
    ///
    /// # Errors
    /// If the word is not UTF-8, or contains control characters or invalid escapes.
    pub fn text(&self) -> Result<Cow<'a, str>, Fault> {
        if self.is_quoted() {
            return unquote(*self);
        }
        plain_text(*self).map(Cow::Borrowed)
    }
}

/// Returns the text of a word as written, which must be UTF-8 without control characters other than tabs.
///
/// # Errors
/// If the word is anything else.
pub fn plain_text(word: Word<'_>) -> Result<&str, Fault> {
    let text = std::str::from_utf8(word.bytes).map_err(|error| {
        Fault::new(
            word.at + error.valid_up_to(),
            "expected UTF-8, found other bytes",
        )
        .hint("texts must be encoded as UTF-8")
    })?;
    match text
        .char_indices()
        .find(|&(_, c)| c.is_control() && c != '\t')
    {
        Some((i, c)) => Err(Fault::new(
            word.at + i,
            format!("expected text, found the control character {:?}", c),
        )
        .hint("write it as an escape in a quoted text, \"\\u{..}\"")),
        None => Ok(text),
    }
}

/// The words of a line, separated by blanks and ended by a comment.
#[derive(Clone, Debug)]
pub struct LineWords<'a> {
    line: &'a [u8],
    at: usize,
}

/// Returns whether `byte` separates words.
#[must_use]
pub const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl<'a> LineWords<'a> {
    /// Returns the words of a line from offset `at` on.
    #[must_use]
    pub const fn new(line: &'a [u8], at: usize) -> Self {
        Self { line, at }
    }

    /// Returns the whole line.
    #[must_use]
    pub const fn line(&self) -> &'a [u8] {
        self.line
    }

    /// Returns the current offset. After the last word, this is the end of the line or the start of its comment.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Returns the next word, without interpreting quotes.
    pub fn next_raw(&mut self) -> Option<Word<'a>> {
        let start = self.skip_blanks()?;
        let length = self.line[start..].iter().position(|&b| is_blank(b));
        let end = length.map_or(self.line.len(), |length| start + length);
        self.at = end;
        Some(Word {
            bytes: &self.line[start..end],
            at: start,
        })
    }

    /// Returns the next word, which may be quoted.
    ///
    /// # Errors
    /// If a quote is not closed, or the closing quote is not followed by a blank.
    #[expect(
        clippy::should_implement_trait,
        reason = "callers need a `Result<Option<_>>`, which `Iterator::next` cannot return"
    )]
    pub fn next(&mut self) -> Result<Option<Word<'a>>, Fault> {
        let Some(start) = self.skip_blanks() else {
            return Ok(None);
        };
        if self.line[start] != b'"' {
            return Ok(self.next_raw());
        }
        let mut end = start + 1;
        loop {
            match self.line.get(end) {
                None => {
                    return Err(Fault::new(
                        start,
                        "expected a closing quote, found the end of the line",
                    )
                    .hint("a quoted text ends with \"; a quote in it is written \\\""));
                }
                Some(b'\\') => end += 2,
                Some(b'"') => break,
                Some(_) => end += 1,
            }
        }
        end += 1;
        let word = Word {
            bytes: &self.line[start..end],
            at: start,
        };
        if self.line.get(end).is_some_and(|&b| !is_blank(b)) {
            let after = Word {
                bytes: &self.line[end..],
                at: end,
            };
            return Err(expected("a blank after the closing quote", after)
                .hint("a quote in a quoted text is written \\\""));
        }
        self.at = end;
        Ok(Some(word))
    }

    fn skip_blanks(&mut self) -> Option<usize> {
        let rest = self.line.get(self.at..)?;
        self.at += rest
            .iter()
            .position(|&b| !is_blank(b))
            .unwrap_or(rest.len());
        (self.line.get(self.at)? != &b'#').then_some(self.at)
    }
}

/// Parses a number without a sign.
#[must_use]
#[inline]
pub fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    let mut value = 0u64;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// Parses a number, or `*` for an unknown number.
#[must_use]
#[inline]
pub fn number_or_unknown(bytes: &[u8]) -> Option<u64> {
    if bytes == b"*" {
        Some(UNDEFINED)
    } else {
        number(bytes)
    }
}

/// Parses a number that may have a sign. A negative number is returned in two's complement.
#[must_use]
pub fn signed_number(bytes: &[u8]) -> Option<u64> {
    match bytes.strip_prefix(b"-") {
        Some(digits) => number(digits)
            .filter(|&n| n <= 1 << 63)
            .map(u64::wrapping_neg),
        None => number_or_unknown(bytes),
    }
}

/// Appends `value` in decimal.
#[inline]
pub fn push_number(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends `text` in quotes, with escapes for characters that a quoted text cannot contain.
pub fn push_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut utf8 = [0u8; 4];
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if c.is_control() => out.extend_from_slice(c.escape_unicode().to_string().as_bytes()),
            c => out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes()),
        }
    }
    out.push(b'"');
}

fn unquote(word: Word<'_>) -> Result<Cow<'_, str>, Fault> {
    let inner = Word {
        bytes: &word.bytes[1..word.bytes.len() - 1],
        at: word.at + 1,
    };
    let text = plain_text(inner)?;
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(backslash) = rest.find('\\') {
        let at = inner.at + (text.len() - rest.len()) + backslash;
        let fault = || {
            Fault::new(
                at,
                "expected one of the escapes \\\" \\\\ \\n \\r \\t \\u{..}, found another",
            )
            .hint("a backslash in a quoted text is written \\\\")
        };
        plain.push_str(&rest[..backslash]);
        let mut chars = rest[backslash + 1..].chars();
        match chars.next() {
            Some(c @ ('"' | '\\')) => plain.push(c),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('u') => {
                let (code, after) = chars
                    .as_str()
                    .strip_prefix('{')
                    .and_then(|code| code.split_once('}'))
                    .ok_or_else(fault)?;
                let c = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
                plain.push(c.ok_or_else(fault)?);
                chars = after.chars();
            }
            _ => return Err(fault()),
        }
        rest = chars.as_str();
    }
    plain.push_str(rest);
    Ok(Cow::Owned(plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_come_back_from_their_quotes(text in any::<String>()) {
            let mut quoted = Vec::new();
            push_quoted(&mut quoted, &text);
            prop_assert!(!quoted.contains(&b'\n'));
            let mut words = LineWords::new(&quoted, 0);
            let word = words.next().unwrap().unwrap();
            prop_assert_eq!(word.text().unwrap(), text);
            prop_assert!(words.next().unwrap().is_none());
        }

        #[test]
        fn numbers_come_back(value in any::<u64>()) {
            let mut digits = Vec::new();
            push_number(&mut digits, value);
            prop_assert_eq!(number(&digits), Some(value));
            prop_assert_eq!(signed_number((value as i64).to_string().as_bytes()), Some(value));
        }

        #[test]
        fn the_lexer_never_panics(line in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut words = LineWords::new(&line, 0);
            while let Ok(Some(word)) = words.next() {
                let _ = word.text();
            }
        }
    }

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(number(b"18446744073709551616"), None);
        assert_eq!(number(b""), None);
        assert_eq!(number(b"+1"), None);
        assert_eq!(signed_number(b"-9223372036854775808"), Some(1 << 63));
        assert_eq!(signed_number(b"-9223372036854775809"), None);
    }

    #[test]
    fn a_comment_ends_the_words() {
        let mut words = LineWords::new(b" a\tb#c #d e", 0);
        assert_eq!(words.next_raw().unwrap().bytes, b"a");
        assert_eq!(words.next_raw().unwrap().bytes, b"b#c");
        assert!(words.next_raw().is_none());
    }
}

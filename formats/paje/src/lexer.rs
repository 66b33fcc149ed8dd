//! Splits a line into words, which are separated by blanks, or enclosed in double quotes without escapes.

use foldtrace_input::Fault;

/// A word without its quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub bytes: &'a [u8],
    /// Offset in the line.
    pub at: usize,
}

impl Word<'_> {
    /// Creates a fault at this word, which was found instead of `expected`.
    pub(crate) fn fault(self, expected: &str) -> Fault {
        Fault::expected(expected, self.bytes, self.at)
    }
}

/// An iterator over the words of a line.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    line: &'a [u8],
    at: usize,
}

pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

impl<'a> Lexer<'a> {
    /// Creates a lexer that starts at offset `at` of the line.
    pub(crate) const fn new(line: &'a [u8], at: usize) -> Self {
        Self { line, at }
    }

    /// Skips blanks. Returns the offset after them.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) -> usize {
        while self.line.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
        }
        self.at
    }

    /// Returns the offset after the last word.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Returns the next word.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Word<'a>>, Fault> {
        let start = self.skip_blanks();
        match self.line.get(start) {
            None => Ok(None),
            Some(b'"') => {
                let inner = &self.line[start + 1..];
                let Some(length) = memchr::memchr(b'"', inner) else {
                    return Err(open_quote(start));
                };
                self.at = start + length + 2;
                Ok(Some(Word {
                    bytes: &inner[..length],
                    at: start + 1,
                }))
            }
            Some(_) => {
                let rest = &self.line[start..];
                let length = rest.iter().position(|&byte| is_blank(byte));
                let bytes = &rest[..length.unwrap_or(rest.len())];
                self.at = start + bytes.len();
                Ok(Some(Word { bytes, at: start }))
            }
        }
    }
}

#[cold]
fn open_quote(at: usize) -> Fault {
    Fault::new(at, "expected a closing quote, found the end of the line")
        .hint("put a text that contains blanks in double quotes, on one line")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Vec<&str>, usize> {
        let mut words = Lexer::new(line.as_bytes(), 0);
        let mut all = Vec::new();
        loop {
            match words.next() {
                Ok(Some(word)) => all.push(std::str::from_utf8(word.bytes).unwrap()),
                Ok(None) => return Ok(all),
                Err(fault) => return Err(fault.at),
            }
        }
    }

    #[test]
    fn quotes_keep_blanks_together() {
        assert_eq!(
            words(" 6\t0.5 \"a b\" \"\" c"),
            Ok(vec!["6", "0.5", "a b", "", "c"])
        );
        assert_eq!(words(""), Ok(vec![]));
        assert_eq!(words("1 \"a b"), Err(2));
        assert_eq!(words("a\"b c\""), Ok(vec!["a\"b", "c\""]));
    }
}

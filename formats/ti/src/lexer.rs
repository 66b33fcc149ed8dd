//! Splits a line into words, and parses numbers in them.

use foldtrace_input::Fault;

/// Maximum number of ranks of a trace. Each rank needs definitions, so a single line must not require more.
pub(crate) const MAX_RANKS: u64 = 1 << 16;

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    /// The bytes of the word; empty after the end of the line.
    pub bytes: &'a [u8],
    /// The offset in the line.
    pub at: usize,
}

/// An iterator over the words of a line.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Creates a lexer that starts at the beginning of a line.
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0 }
    }

    /// Returns the next word, which is empty at the end of the line.
    #[inline]
    pub(crate) fn next(&mut self) -> Word<'a> {
        let rest = &self.line[self.at..];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let rest = &rest[blanks..];
        let length = rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let at = self.at + blanks;
        self.at = at + length;
        Word {
            bytes: &rest[..length],
            at,
        }
    }

    /// Returns the number of remaining words.
    pub(crate) fn remaining(&self) -> usize {
        let mut rest = self.clone();
        std::iter::from_fn(|| rest.next().non_empty()).count()
    }
}

impl<'a> Word<'a> {
    /// Returns the word, or `None` at the end of the line.
    fn non_empty(self) -> Option<Self> {
        (!self.bytes.is_empty()).then_some(self)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    fn fault(self, expected: &str) -> Fault {
        Fault::expected(expected, self.bytes, self.at)
    }

    fn parse<T: std::str::FromStr>(self) -> Option<T> {
        std::str::from_utf8(self.bytes).ok()?.parse().ok()
    }

    /// Parses a rank, with or without a `p` before it.
    pub(crate) fn rank(self) -> Result<u64, Fault> {
        let digits = self.bytes.strip_prefix(b"p").unwrap_or(self.bytes);
        let number = Word {
            bytes: digits,
            ..self
        };
        match number.parse::<u64>() {
            Some(rank) if digits[0].is_ascii_digit() && rank < MAX_RANKS => Ok(rank),
            Some(rank) if rank >= MAX_RANKS => Err(Fault::new(
                self.at,
                format!("expected a rank below {MAX_RANKS}, found {rank}"),
            )),
            _ => Err(self.fault("a rank")),
        }
    }

    /// Parses a peer or a tag. Returns `None` for a wildcard, which SimGrid writes as a negative number.
    pub(crate) fn peer_or_tag(self, expected: &str) -> Result<Option<u64>, Fault> {
        let digits = self.bytes.strip_prefix(b"p").unwrap_or(self.bytes);
        let number = Word {
            bytes: digits,
            ..self
        };
        match number.parse::<i32>() {
            Some(number) => Ok(u64::try_from(number).ok()),
            None => Err(self.fault(expected)),
        }
    }

    /// Parses a number of elements, in any notation. Returns `None` for a negative number, which means unknown.
    #[inline]
    pub(crate) fn count(self) -> Result<Option<u64>, Fault> {
        if let Some(count) = self.parse::<u64>() {
            return Ok(Some(count));
        }
        /// The smallest number that exceeds 64 bits.
        const END: f64 = 18_446_744_073_709_551_616.0;
        match self.parse::<f64>() {
            Some(count) if (0.0..END).contains(&count) => Ok(Some(count.round() as u64)),
            Some(count) if count.is_finite() && count < 0.0 => Ok(None),
            _ => Err(self.fault("a size")),
        }
    }

    /// Parses an amount of flops or seconds.
    pub(crate) fn amount(self, expected: &str) -> Result<f64, Fault> {
        match self.parse::<f64>() {
            Some(amount) if amount.is_finite() && amount >= 0.0 => Ok(amount.abs()),
            _ => Err(self.fault(expected)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8]) -> Word<'_> {
        Lexer::new(bytes).next()
    }

    #[test]
    fn words_have_their_offsets() {
        let mut words = Lexer::new(b" 0\tsend  1 ");
        assert_eq!(words.remaining(), 3);
        let all: Vec<_> = std::iter::from_fn(|| words.next().non_empty())
            .map(|word| (word.bytes, word.at))
            .collect();
        assert_eq!(all, [(b"0".as_slice(), 1), (b"send", 3), (b"1", 9)]);
        assert_eq!(words.next().at, 11);
    }

    #[test]
    fn numbers_of_all_notations() {
        assert_eq!(word(b"p12").rank().unwrap(), 12);
        assert_eq!(word(b"-333").peer_or_tag("a rank").unwrap(), None);
        assert_eq!(word(b"1e6").count().unwrap(), Some(1_000_000));
        assert_eq!(word(b"-1").count().unwrap(), None);
        assert_eq!(word(b"0.90054").amount("flops").unwrap(), 0.90054);
        assert_eq!(word(b"-0").amount("flops").unwrap().to_bits(), 0);
        for bad in [b"".as_slice(), b"p", b"+1", b"-1", b"65536", b"1.5", b"x"] {
            assert!(word(bad).rank().is_err(), "{bad:?}");
        }
        for bad in [b"".as_slice(), b"nan", b"inf", b"x", b"2e19"] {
            assert!(word(bad).count().is_err(), "{bad:?}");
        }
        for bad in [b"".as_slice(), b"nan", b"inf", b"-1", b"1e999"] {
            assert!(word(bad).amount("flops").is_err(), "{bad:?}");
        }
        let fault = word(b"  x").count().unwrap_err();
        assert_eq!(
            (fault.message.as_str(), fault.at),
            ("expected a size, found 'x'", 2)
        );
    }
}

//! Parses the attributes of a record: numbers, words, names in quotes, lists, typed values.
//!
//! otf2-print does not escape names, which may contain quotes and newlines. A name ends at the first quote that is
//! followed by an id in angle brackets, and then by the end of the record or one of its separators.

use std::borrow::Cow;

use foldtrace_input::Fault;
use foldtrace_notation::{is_blank, number};
use foldtrace_trace::{UNDEFINED, ValueType, Vocabulary};

use crate::words;

/// The reason why a record cannot be parsed.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A name continues after the end of the line.
    Unfinished,
    /// The record does not match the grammar.
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A number as printed: possibly with the name of the definition it is an id of, or as a word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PrintedNumber<'a> {
    /// The number; for a word, its code in the vocabulary.
    pub(crate) number: u64,
    /// The name printed with the id.
    pub(crate) name: Option<&'a [u8]>,
    /// The location that a rank refers to, and its name.
    pub(crate) location: Option<(u64, &'a [u8])>,
}

impl PrintedNumber<'_> {
    /// Returns the number as a value of a field of `bits` bits, in which the greatest value means undefined.
    pub(crate) fn field_value(&self, bits: u32) -> u64 {
        if bits < 64 && self.number == u64::MAX >> (64 - bits) {
            UNDEFINED
        } else {
            self.number
        }
    }
}

/// A position in a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a [u8], at: usize) -> Self {
        Self { line, at }
    }

    /// Returns the offset in the record.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.line[self.at..]
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.line.len()
    }

    /// Returns a cursor at the end of the record.
    pub(crate) fn end(&self) -> Self {
        Self::new(self.line, self.line.len())
    }

    pub(crate) fn skip_blanks(&mut self) {
        while self.line.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
        }
    }

    /// Skips `literal` if it is next, and returns whether it was.
    #[inline]
    pub(crate) fn eat(&mut self, literal: &str) -> bool {
        let is_next = self.rest().starts_with(literal.as_bytes());
        if is_next {
            self.at += literal.len();
        }
        is_next
    }

    pub(crate) fn expect(&mut self, literal: &str) -> Result<(), Stop> {
        if self.eat(literal) {
            return Ok(());
        }
        Err(self.expected(&format!("'{literal}'")))
    }

    /// Returns the error that `expected` was not found at the cursor.
    #[cold]
    pub(crate) fn expected(&self, expected: &str) -> Stop {
        Fault::expected(expected, self.rest(), self.at).into()
    }

    /// Reads the next word, up to a blank.
    pub(crate) fn word(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| is_blank(byte));
        let word = &rest[..length.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// Reads a number of decimal digits.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<u64, Stop> {
        let rest = self.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let Some(value) = number(&rest[..digits]) else {
            return Err(self.expected("a number of at most 64 bits"));
        };
        self.at += digits;
        Ok(value)
    }

    /// Reads a signed number, as two's complement.
    pub(crate) fn signed(&mut self) -> Result<u64, Stop> {
        let (start, is_negative) = (self.at, self.eat("-"));
        self.eat("+");
        let value = self.number()?;
        if value > (i64::MAX as u64) + u64::from(is_negative) {
            self.at = start;
            return Err(self.expected("a signed number of at most 64 bits"));
        }
        Ok(if is_negative {
            value.wrapping_neg()
        } else {
            value
        })
    }

    pub(crate) fn double(&mut self) -> Result<f64, Stop> {
        let text = self.plain();
        let parsed = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok());
        parsed
            .ok_or_else(|| self.expected("a number with a decimal point"))
            .inspect(|_| self.at += text.len())
    }

    /// Returns the text up to the next separator.
    fn plain(&self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b' ' | b',' | b';' | b')' | b'}' | b'\t'));
        &rest[..length.unwrap_or(rest.len())]
    }

    /// Reads an id in angle brackets.
    fn id(&mut self) -> Result<u64, Stop> {
        self.expect("<")?;
        let value = if self.eat("0x") {
            let digits = self
                .rest()
                .iter()
                .take_while(|byte| byte.is_ascii_hexdigit())
                .count();
            let text = std::str::from_utf8(&self.rest()[..digits]).unwrap_or_default();
            let value = u64::from_str_radix(text, 16)
                .map_err(|_| self.expected("a hexadecimal number of at most 64 bits"))?;
            self.at += digits;
            value
        } else {
            self.number()?
        };
        self.expect(">")?;
        Ok(value)
    }

    /// Reads a name in quotes and its id.
    pub(crate) fn named(&mut self) -> Result<(&'a [u8], u64), Stop> {
        let start = self.at;
        self.expect("\"")?;
        let text = self.at;
        for quote in memchr::memchr_iter(b'"', &self.line[text..]) {
            self.at = text + quote + 1;
            if self.eat(" ")
                && let Ok(id) = self.id()
                && (self.is_at_end() || matches!(self.line[self.at], b',' | b')' | b';' | b' '))
            {
                return Ok((&self.line[text..text + quote], id));
            }
        }
        self.at = start;
        Err(Stop::Unfinished)
    }

    /// Reads a number in any of its forms; `words` are the words that may replace it.
    #[inline]
    pub(crate) fn printed_number(&mut self, words: &Vocabulary) -> Result<PrintedNumber<'a>, Stop> {
        match self.line.get(self.at) {
            Some(b'0'..=b'9') => {
                let number = self.number()?;
                let mut item = PrintedNumber {
                    number,
                    ..PrintedNumber::default()
                };
                if self.rest().starts_with(b" (") && !self.rest().starts_with(b" (Aka.") {
                    self.at += 2;
                    item.location = self.location()?;
                    self.expect(")")?;
                }
                Ok(item)
            }
            Some(b'"') => {
                let (name, number) = self.named()?;
                let name = Some(name);
                Ok(PrintedNumber {
                    number,
                    name,
                    location: None,
                })
            }
            _ => self.word_number(words),
        }
    }

    /// Reads the location in brackets after a rank.
    fn location(&mut self) -> Result<Option<(u64, &'a [u8])>, Stop> {
        if self.rest().starts_with(b"\"") {
            let (name, id) = self.named()?;
            return Ok(Some((id, name)));
        }
        if self.eat("INVALID") {
            if self.eat(" ") {
                self.id()?;
            }
            return Ok(None);
        }
        // The location has no name.
        Ok(Some((self.printed_number(&words::NONE)?.number, b"")))
    }

    /// Reads a word in place of a number.
    fn word_number(&mut self, words: &Vocabulary) -> Result<PrintedNumber<'a>, Stop> {
        let item = |number| {
            Ok(PrintedNumber {
                number,
                ..PrintedNumber::default()
            })
        };
        if self.eat("UNDEFINED") {
            return item(UNDEFINED);
        }
        if self.eat("TYPE MISMATCH ") || self.eat("INVALID ") {
            return item(self.id()?);
        }
        let word = self.plain();
        let code = std::str::from_utf8(word)
            .ok()
            .and_then(|word| words.code(word));
        match code {
            Some(code) => {
                self.at += word.len();
                item(code)
            }
            None if self.eat("INVALID") => item(UNDEFINED),
            None => Err(self.expected("a number or a name for one")),
        }
    }

    /// Reads flags: `NONE`, or words in braces.
    pub(crate) fn flags(&mut self, words: &Vocabulary) -> Result<u64, Stop> {
        if self.eat("NONE") {
            return Ok(0);
        }
        self.expect("{")?;
        let mut flags = 0;
        while !self.eat("}") {
            flags |= self.printed_number(words)?.number;
            self.eat(", ");
        }
        Ok(flags)
    }

    /// Reads the word for a type of values.
    pub(crate) fn value_type(&mut self) -> Result<u64, Stop> {
        if self.eat("BOOLEAN") {
            return Ok(u64::from(ValueType::Uint8 as u8));
        }
        let word = self.plain();
        let is_word = |value_type: &&ValueType| {
            let name = value_type.name().as_bytes();
            name.eq_ignore_ascii_case(word) && **value_type != ValueType::Argument
        };
        match ValueType::ALL.iter().find(is_word) {
            Some(&value_type) => {
                self.at += word.len();
                Ok(u64::from(value_type as u8))
            }
            None => Ok(self.printed_number(&words::NONE)?.field_value(8)),
        }
    }

    /// Reads a value of that type, as its bits.
    pub(crate) fn value(&mut self, value_type: ValueType) -> Result<PrintedNumber<'a>, Stop> {
        use ValueType::{
            Double, Float, Int8, Int16, Int32, Int64, Location, Uint8, Uint16, Uint32, Uint64,
        };
        let item = |number| PrintedNumber {
            number,
            ..PrintedNumber::default()
        };
        if self.rest().starts_with(b"TYPE MISMATCH ") {
            // otf2-print prints the bits in memory, of which only the lower ones were set.
            let bits = self.printed_number(&words::NONE)?.number;
            return Ok(item(match value_type {
                Uint8 => bits & 0xff,
                Uint16 => bits & 0xffff,
                Uint32 | Float => bits & 0xffff_ffff,
                Int8 => i64::from(bits as i8).cast_unsigned(),
                Int16 => i64::from(bits as i16).cast_unsigned(),
                Int32 => i64::from(bits as i32).cast_unsigned(),
                Uint64 | Int64 | Double | Location => bits,
                _ => item(bits & 0xffff_ffff).field_value(32),
            }));
        }
        Ok(match value_type {
            Int8 | Int16 | Int32 | Int64 => item(self.signed()?),
            Float => item(u64::from((self.double()? as f32).to_bits())),
            Double => item(self.double()?.to_bits()),
            Uint8 | Uint16 | Uint32 | Uint64 => self.printed_number(&words::TRUTH)?,
            _ => self.printed_number(&words::NONE)?,
        })
    }

    /// Reads the number of members of a list, such as `3 Members`, followed by a colon and a blank if it is not 0.
    pub(crate) fn member_count(&mut self, noun: &str) -> Result<u64, Stop> {
        let count = self.number()?;
        self.expect(" ")?;
        self.expect(noun)?;
        self.eat("s");
        if self.eat(":") {
            self.expect(" ")?;
        }
        Ok(count)
    }
}

/// Returns a name as text. Invalid UTF-8 is replaced.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

//! Splits a record into its numbers, which colons separate.

use foldtrace_input::Fault;

/// The numbers of a line that have not been read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    /// Returns the numbers from offset `at` of a line.
    pub(crate) fn new(line: &'a [u8], at: usize) -> Self {
        Self { line, at }
    }

    /// Returns whether all numbers have been read.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.at >= self.line.len()
    }

    /// Returns the offset of the next number.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Reads the next number. `what` describes it in the message about a fault.
    #[inline]
    pub(crate) fn number(&mut self, what: &str) -> Result<u64, Fault> {
        /// The number of digits that always fit.
        const DIGITS: usize = 19;
        let start = self.at;
        let rest = self.line.get(start..).unwrap_or_default();
        let mut value: u64 = 0;
        let mut length = 0;
        for digit in rest.iter().map(|byte| byte.wrapping_sub(b'0')) {
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            length += 1;
        }
        if length > DIGITS {
            value = large(&rest[..length]).ok_or_else(|| self.fault(what, start))?;
        }
        let at = start + length;
        match self.line.get(at) {
            _ if at == start => Err(self.fault(what, start)),
            None => {
                self.at = at;
                Ok(value)
            }
            Some(b':') => {
                self.at = at + 1;
                Ok(value)
            }
            Some(_) => Err(self.fault(what, start)),
        }
    }

    /// Reads the next number, which may be negative. Its bits are those of two's complement.
    #[inline]
    pub(crate) fn signed(&mut self, what: &str) -> Result<u64, Fault> {
        if self.line.get(self.at) != Some(&b'-') {
            return self.number(what);
        }
        let start = self.at;
        self.at += 1;
        match self.number(what) {
            Ok(value) if value <= 1 << 63 => Ok(value.wrapping_neg()),
            _ => Err(self.fault(what, start)),
        }
    }

    /// Checks that all numbers have been read.
    pub(crate) fn end(&self) -> Result<(), Fault> {
        if self.is_empty() {
            return Ok(());
        }
        Err(Fault::expected(
            "the end of the record",
            &self.line[self.at..],
            self.at,
        ))
    }

    #[cold]
    fn fault(&self, what: &str, at: usize) -> Fault {
        let rest = self.line.get(at..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == b':');
        let found = &rest[..end.unwrap_or(rest.len())];
        Fault::expected(what, found, at)
    }
}

/// Parses many digits.
#[cold]
fn large(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_sign_and_size() {
        let mut fields = Fields::new(b"2:18446744073709551615:-7:-9223372036854775808:5", 2);
        assert_eq!(fields.number("a number").unwrap(), u64::MAX);
        assert_eq!(fields.signed("a number").unwrap() as i64, -7);
        assert_eq!(fields.signed("a number").unwrap() as i64, i64::MIN);
        assert!(fields.end().is_err());
        assert_eq!(fields.signed("a number").unwrap(), 5);
        assert!(fields.is_empty() && fields.end().is_ok());
        assert!(fields.number("a number").is_err());
    }

    #[test]
    fn faults_show_the_field_and_its_place() {
        for (line, found) in [
            ("2:x:1", "found 'x'"),
            ("2::1", "found nothing"),
            ("2:18446744073709551616", "found '18446744073709551616'"),
            ("2:-9223372036854775809", "found '-9223372036854775809'"),
            ("2:1.5:3", "found '1.5'"),
        ] {
            let fault = Fields::new(line.as_bytes(), 2)
                .signed("a value")
                .unwrap_err();
            assert_eq!(fault.at, 2);
            assert_eq!(fault.message, format!("expected a value, {found}"));
        }
    }
}

//! Finds the end of a JSON value by its brackets and quotes, one block at a time.

/// Marks the bytes that are brackets or quotes.
const COUNTS: [bool; 256] = {
    let mut counts = [false; 256];
    let mut at = 0;
    while at < b"\"{}[]".len() {
        counts[b"\"{}[]"[at] as usize] = true;
        at += 1;
    }
    counts
};

/// The nesting of brackets and quotes at the current position in a value.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
}

/// The outcome of a search for the end of a value.
pub(crate) enum ScanOutcome {
    /// The value ends after the given number of bytes.
    End(usize),
    /// A line ends within a string, which JSON does not allow, after the given number of bytes.
    LineInText(usize),
    /// The value does not end in these bytes.
    Incomplete,
}

impl Nesting {
    /// Searches for the end of the value in `bytes`, which continue the earlier bytes.
    pub(crate) fn find_end(&mut self, bytes: &[u8]) -> ScanOutcome {
        let mut at = 0;
        if self.is_escaped && !bytes.is_empty() {
            self.is_escaped = false;
            at = 1;
        }
        while at < bytes.len() {
            if self.in_text {
                while at < bytes.len() && !matches!(bytes[at], b'"' | b'\\' | b'\n') {
                    at += 1;
                }
                match bytes.get(at) {
                    Some(b'"') => {
                        self.in_text = false;
                        at += 1;
                        if self.depth == 0 {
                            return ScanOutcome::End(at);
                        }
                    }
                    Some(b'\n') => return ScanOutcome::LineInText(at),
                    Some(_) => {
                        self.is_escaped = at + 1 == bytes.len();
                        at += 2;
                    }
                    None => {}
                }
                continue;
            }
            // Within brackets, only brackets and quotes matter.
            while self.depth > 0 && at < bytes.len() && !COUNTS[bytes[at] as usize] {
                at += 1;
            }
            let Some(byte) = bytes.get(at) else {
                break;
            };
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    if self.depth <= 1 {
                        // The closing bracket of the surrounding value ends a number, and does not belong to it.
                        return ScanOutcome::End(at + self.depth);
                    }
                    self.depth -= 1;
                }
                b',' | b' ' | b'\t' | b'\n' | b'\r' if self.depth == 0 => {
                    return ScanOutcome::End(at);
                }
                _ => {}
            }
            at += 1;
        }
        ScanOutcome::Incomplete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_wherever_they_are_cut() {
        for (value, next) in [
            (r#"{"a":["}",{"b\":"\""}],"c":1}"#, ",{"),
            (r#""a \" b\\""#, "}"),
            ("-1.5e3", ","),
            ("true", "]"),
            ("[[],{}]", " "),
        ] {
            let text = [value, next].concat();
            for cut in 0..=text.len() {
                let mut nesting = Nesting::default();
                let (first, second) = text.as_bytes().split_at(cut);
                let end = match nesting.find_end(first) {
                    ScanOutcome::End(end) => end,
                    ScanOutcome::Incomplete => match nesting.find_end(second) {
                        ScanOutcome::End(end) => cut + end,
                        _ => panic!("no end of {value} found"),
                    },
                    ScanOutcome::LineInText(_) => panic!("{value} has only one line"),
                };
                assert_eq!(end, value.len(), "{value} cut at {cut}");
            }
        }
    }
}

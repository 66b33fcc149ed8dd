//! Splits TSDL into tokens.

use crate::fault::Fault;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a keyword.
    Word(String),
    Number(u64),
    Text(String),
    /// A punctuation mark: `{`, `:=`, `...`, …
    Mark(&'static str),
    End,
}

/// The marks; longer ones precede their beginnings.
const MARKS: [&str; 19] = [
    "...", ":=", "->", "[", "]", "(", ")", "{", "}", "<", ">", "*", "+", "-", ":", ";", ".", "=",
    ",",
];

/// Returns the tokens of a text with their lines. The last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, u64)>, Fault> {
    let mut lexer = Lexer {
        rest: text,
        line: 1,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let line = lexer.line;
        let token = lexer.token().map_err(|fault| fault.at_line(line))?;
        let is_end = token == Token::End;
        tokens.push((token, line));
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: u64,
}

impl<'a> Lexer<'a> {
    /// Removes bytes from the rest and returns them.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count() as u64;
        self.rest = rest;
        taken
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            let blanks = self.rest.len() - self.rest.trim_ascii_start().len();
            self.take(blanks);
            if self.rest.starts_with("/*") {
                let Some(end) = self.rest[2..].find("*/") else {
                    return Err(Fault::truncated("a comment has no end").at_line(self.line));
                };
                self.take(end + 4);
            } else if self.rest.starts_with("//") {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Fault> {
        let Some(first) = self.rest.chars().next() else {
            return Ok(Token::End);
        };
        if let Some(quoted) = self.rest.strip_prefix('L')
            && quoted.starts_with(['"', '\''])
        {
            self.take(1);
            return self.quoted();
        }
        match first {
            '"' | '\'' => self.quoted(),
            '0'..='9' => self.number(),
            'A'..='Z' | 'a'..='z' | '_' => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = self.rest.find(|c| !is_part(c));
                let word = self.take(end.unwrap_or(self.rest.len()));
                Ok(Token::Word(word.to_owned()))
            }
            _ => {
                let mark = MARKS.iter().find(|mark| self.rest.starts_with(**mark));
                let mark =
                    mark.ok_or_else(|| Fault::new(format!("expected a token, found {first:?}")))?;
                self.take(mark.len());
                Ok(Token::Mark(mark))
            }
        }
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric());
        let word = self.take(end.unwrap_or(self.rest.len()));
        let (digits, radix) = match word.strip_prefix("0x").or(word.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None if word.len() > 1 && word.starts_with('0') => (&word[1..], 8),
            None => (word, 10),
        };
        // Suffixes as in C have no meaning.
        let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
        let digits = if digits.is_empty() && radix == 8 {
            "0"
        } else {
            digits
        };
        u64::from_str_radix(digits, radix)
            .map(Token::Number)
            .map_err(|_| {
                Fault::new(format!(
                    "expected a number of at most 64 bits, found '{word}'"
                ))
            })
    }

    fn quoted(&mut self) -> Result<Token, Fault> {
        let quote = self.rest.chars().next().unwrap_or('"');
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '\0' => return Err(Fault::new("a text contains a null character")),
                '\\' => {
                    let escaped = escape(&mut chars);
                    text.push(
                        escaped.ok_or_else(|| {
                            Fault::new("a text contains an unknown escape sequence")
                        })?,
                    );
                }
                c if c == quote => {
                    self.take(at + 1);
                    return Ok(Token::Text(text));
                }
                c => text.push(c),
            }
        }
        Err(Fault::truncated("a text has no end"))
    }
}

/// Returns the character of an escape sequence after its backslash.
fn escape(chars: &mut std::iter::Peekable<impl Iterator<Item = (usize, char)>>) -> Option<char> {
    let (_, c) = chars.next()?;
    let mut digits = |first: u32, radix: u32, most: usize| {
        let mut value = first;
        for _ in 0..most {
            let Some(digit) = chars.peek().and_then(|(_, c)| c.to_digit(radix)) else {
                break;
            };
            value = value * radix + digit;
            chars.next();
        }
        char::from_u32(value).filter(|&c| c != '\0')
    };
    match c {
        'a' => Some('\x07'),
        'b' => Some('\x08'),
        'f' => Some('\x0c'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\x0b'),
        '\\' | '\'' | '"' | '?' => Some(c),
        'x' => digits(0, 16, 2),
        '0'..='7' => digits(c.to_digit(8)?, 8, 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_lines() {
        let tokens =
            tokens("/* CTF\n1.8 */ a := 0x1F; // b\n\"c\\n\\x41\\101\" -010 0 12UL ...").unwrap();
        let word = |text: &str| Token::Word(text.to_owned());
        let expected = [
            (word("a"), 2),
            (Token::Mark(":="), 2),
            (Token::Number(31), 2),
            (Token::Mark(";"), 2),
            (Token::Text("c\nAA".to_owned()), 3),
            (Token::Mark("-"), 3),
            (Token::Number(8), 3),
            (Token::Number(0), 3),
            (Token::Number(12), 3),
            (Token::Mark("..."), 3),
            (Token::End, 3),
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn what_is_no_token_has_a_line() {
        for (text, line) in [
            ("\n\"a", 2),
            ("99999999999999999999", 1),
            ("\n\n§", 3),
            ("/*\n", 1),
            ("\"\\o\"", 1),
            ("0x", 1),
        ] {
            assert_eq!(tokens(text).unwrap_err().line, Some(line), "{text}");
        }
    }
}

//! The state of a parser of TSDL: tokens, and the types that are in scope.

use super::lexer::{Token, tokens};
use super::scopes::Scopes;
use crate::fault::Fault;

/// A parser of TSDL.
pub(super) struct Parser {
    tokens: Vec<(Token, u64)>,
    next: usize,
    pub scopes: Scopes,
    /// The number of blocks and types around the current token.
    levels: u32,
}

impl Parser {
    /// The greatest number of blocks within each other.
    const MOST_LEVELS: u32 = 100;

    pub(super) fn new(text: &str) -> Result<Self, Fault> {
        Ok(Self {
            tokens: tokens(text)?,
            next: 0,
            scopes: Scopes::default(),
            levels: 0,
        })
    }

    /// Returns the line of the next token.
    pub(super) fn line(&self) -> u64 {
        self.tokens
            .get(self.next)
            .or(self.tokens.last())
            .map_or(1, |(_, line)| *line)
    }

    /// Returns the token after the next `skip` ones.
    pub(super) fn peek(&self, skip: usize) -> &Token {
        self.tokens
            .get(self.next + skip)
            .map_or(&Token::End, |(token, _)| token)
    }

    /// Removes the next token and returns it.
    pub(super) fn next(&mut self) -> Token {
        let token = self.peek(0).clone();
        self.next += 1;
        token
    }

    /// Returns whether the next token is a mark or a word.
    pub(super) fn is(&self, expected: &str) -> bool {
        match self.peek(0) {
            Token::Mark(mark) => *mark == expected,
            Token::Word(word) => word == expected,
            _ => false,
        }
    }

    /// Removes the next token if it is a certain mark or word. Returns whether it was.
    pub(super) fn accept(&mut self, expected: &str) -> bool {
        let is = self.is(expected);
        self.next += usize::from(is);
        is
    }

    /// Removes the next token, which must be a certain mark or word.
    pub(super) fn expect(&mut self, expected: &str) -> Result<(), Fault> {
        if self.accept(expected) {
            return Ok(());
        }
        let line = self.line();
        let found = self.next();
        Err(self
            .unexpected(&format!("'{expected}'"), &found)
            .at_line(line))
    }

    /// Removes the next token, which must be a word, and returns it.
    pub(super) fn word(&mut self) -> Result<String, Fault> {
        let line = self.line();
        match self.next() {
            Token::Word(word) => Ok(word),
            other => Err(self.unexpected("a name", &other).at_line(line)),
        }
    }

    /// Returns the fault of an unexpected token, which was just removed.
    pub(super) fn unexpected(&self, expected: &str, found: &Token) -> Fault {
        let found = match found {
            Token::Word(word) => format!("'{word}'"),
            Token::Number(number) => number.to_string(),
            Token::Text(text) => format!("{text:?}"),
            Token::Mark(mark) => format!("'{mark}'"),
            Token::End => {
                return Fault::truncated(format!("expected {expected}, but the metadata end"));
            }
        };
        let before = self.next.saturating_sub(1);
        let line = self.tokens.get(before).map_or(1, |(_, line)| *line);
        Fault::new(format!("expected {expected}, found {found}")).at_line(line)
    }

    /// Runs `parse` in a scope of types of its own, between braces.
    pub(super) fn block<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.expect("{")?;
        self.scopes.open();
        let parsed = self.nested(parse)?;
        self.scopes.close();
        self.expect("}")?;
        Ok(parsed)
    }

    /// Runs `parse`, which may call itself, unless it has done so too often.
    pub(super) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.levels += 1;
        if self.levels > Self::MOST_LEVELS {
            return Err(Fault::new("types are nested too deeply").at_line(self.line()));
        }
        let parsed = parse(self)?;
        self.levels -= 1;
        Ok(parsed)
    }

    /// Parses entries with `parse` up to a closing brace.
    pub(super) fn entries(
        &mut self,
        mut parse: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.block(|parser| {
            while !parser.is("}") {
                let line = parser.line();
                parse(parser).map_err(|fault| fault.at_line(line))?;
            }
            Ok(())
        })
    }
}

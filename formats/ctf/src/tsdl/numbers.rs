//! Values of attributes in TSDL: numbers, texts, names.

use super::lexer::Token;
use super::parser::Parser;
use crate::fault::Fault;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Number(i128),
    Text(String),
    /// A name, with its parts separated by dots.
    Name(String),
}

impl Value {
    /// Returns the value as a number.
    pub(super) fn number(&self) -> Result<i128, Fault> {
        match self {
            Self::Number(number) => Ok(*number),
            _ => Err(Fault::new(format!(
                "expected a number, found '{}'",
                self.text()
            ))),
        }
    }

    /// Returns the value as a number that is not negative and has at most 64 bits.
    pub(super) fn unsigned(&self) -> Result<u64, Fault> {
        let number = self.number()?;
        u64::try_from(number).map_err(|_| {
            Fault::new(format!(
                "expected a number from 0 to 2^64 - 1, found {number}"
            ))
        })
    }

    /// Returns the value as it is written.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) | Self::Name(text) => text.clone(),
        }
    }

    /// Returns the value as a truth value.
    pub(super) fn truth(&self) -> Result<bool, Fault> {
        match self.text().to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => match self {
                Self::Number(number) => Ok(*number != 0),
                _ => Err(Fault::new(format!(
                    "expected true or false, found '{}'",
                    self.text()
                ))),
            },
        }
    }
}

impl Parser {
    /// Parses the value of an attribute.
    pub(super) fn value(&mut self) -> Result<Value, Fault> {
        let (mut is_signed, mut is_negative) = (false, false);
        while self.is("-") || self.is("+") {
            is_signed = true;
            is_negative ^= self.is("-");
            self.next();
        }
        let value = self.unsigned_value()?;
        if !is_signed {
            return Ok(value);
        }
        let number = value.number()?;
        Ok(Value::Number(if is_negative { -number } else { number }))
    }

    fn unsigned_value(&mut self) -> Result<Value, Fault> {
        match self.next() {
            Token::Number(number) => Ok(Value::Number(number.into())),
            Token::Text(text) => Ok(Value::Text(text)),
            Token::Word(mut name) => {
                while self.accept(".") || self.accept("->") {
                    name.push('.');
                    name.push_str(&self.word()?);
                }
                Ok(Value::Name(name))
            }
            other => Err(self.unexpected("a value", &other)),
        }
    }
}

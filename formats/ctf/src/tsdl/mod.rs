//! Parses TSDL, the language of the metadata of CTF 1.8.
//!
//! Types are declared before they are used, so that one pass over the tokens yields field classes. What may come later, the
//! byte order of the trace and the fields that others depend on, is looked up when the classes are compiled.

mod blocks;
mod lexer;
mod numbers;
mod parser;
mod scopes;
mod specifiers;

pub(crate) use blocks::parse;

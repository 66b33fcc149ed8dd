//! Reads and writes the neutral model as text: definitions, and the fields of events.
//!
//! The text format is based on this notation. Other text formats cannot express parts of the model, so they carry
//! these parts in comments and additional fields that their own readers ignore. foldtrace therefore reads back
//! everything it wrote. `schemas/text.md` describes the grammar.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod definition;
mod fields;
mod lexer;
mod symbol_texts;

pub use definition::{Definition, MARK, parse_definition, push_definition, string_ids};
pub use fields::{EventField, parse_field, push_fields};
pub use lexer::{
    LineWords, Word, expected, is_blank, number, number_or_unknown, plain_text, push_number,
    push_quoted, signed_number,
};
pub use symbol_texts::SymbolTexts;

//! How the neutral model is written down: definitions, and the fields of events.
//!
//! The text format is made of this. Other formats of text, which have no words for much of the
//! model, carry it along where their own readers pass over it, in comments and further fields, so
//! that what foldtrace wrote comes back whole. The grammar stands in `schemas/text.md`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod definition;
mod fields;
mod lexer;

pub use definition::{Definition, MARK, parse_definition, push_definition, string_ids};
pub use fields::{EventField, parse_field, push_fields};
pub use lexer::{
    Word, Words, expected, is_blank, number, number_or_unknown, plain_text, push_number,
    push_quoted, signed_number,
};

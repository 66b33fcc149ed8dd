//! Writes arrays, and everything within them, as JSON.

use std::fmt::Write as _;

use crate::cursor::{Cursor, Stop};
use crate::fault::Fault;
use crate::program::{Choice, Element, IntegerOp};
use crate::scalar::{bytes, float, integer, length, text};
use crate::state::State;

/// The greatest length of the texts of an event, in bytes.
const LONGEST: usize = 1 << 24;
/// The greatest number of elements that occupy no space.
const MOST_EMPTY: u64 = 1 << 16;

/// Returns the fault of a selector without an option.
#[cold]
pub(crate) fn unselected(choice: &Choice, bits: u64) -> Fault {
    let value = if choice.is_signed {
        (bits as i64).to_string()
    } else {
        bits.to_string()
    };
    Fault::new(format!(
        "the variant '{}' has no option for its selector {value}",
        choice.name
    ))
}

/// Appends a field as JSON. `is_valid` becomes false if a text is not valid in its encoding.
pub(crate) fn write(
    element: &Element,
    cursor: &mut Cursor<'_>,
    state: &mut State,
    out: &mut String,
    is_valid: &mut bool,
) -> Result<(), Stop> {
    if out.len().saturating_sub(state.first_text) > LONGEST {
        let message =
            format!("expected an event with texts of at most {LONGEST} bytes, found more");
        return Err(Fault::new(message).into());
    }
    match element {
        Element::Integer(op) => write_integer(op, cursor, state, out),
        Element::Float(op) => {
            let value = float(op, cursor)?;
            if value.is_finite() {
                let _ = write!(out, "{value:?}");
            } else {
                let _ = write!(out, "\"{value}\"");
            }
            Ok(())
        }
        Element::Text(op) => {
            let mut plain = String::new();
            *is_valid &= text(op, cursor, state, &mut plain)?;
            quote(&plain, out);
            Ok(())
        }
        Element::Bytes(length) => {
            out.push('"');
            bytes(*length, cursor, state, out)?;
            out.push('"');
            Ok(())
        }
        Element::Structure(alignment, members) => {
            cursor.align(*alignment)?;
            out.push('{');
            for (number, (name, member)) in members.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                quote(name, out);
                out.push(':');
                write(member, cursor, state, out, is_valid)?;
            }
            out.push('}');
            Ok(())
        }
        Element::Array {
            alignment,
            length: count,
            element,
        } => {
            cursor.align(*alignment)?;
            let (count, start) = (length(*count, state)?, cursor.at);
            out.push('[');
            for number in 0..count {
                if number > 0 {
                    out.push(',');
                }
                if number == MOST_EMPTY && cursor.at == start {
                    return Err(Fault::new(format!(
                        "an array has {count} elements without content"
                    ))
                    .into());
                }
                write(element, cursor, state, out, is_valid)?;
            }
            out.push(']');
            Ok(())
        }
        Element::Select(choice, options) => {
            let value = state.slots[choice.slot as usize];
            let selected = choice
                .select(value)
                .ok_or_else(|| unselected(choice, value))?;
            match options.get(selected as usize) {
                Some(option) => write(option, cursor, state, out, is_valid),
                None => {
                    out.push_str("null");
                    Ok(())
                }
            }
        }
    }
}

#[inline]
fn write_integer(
    op: &IntegerOp,
    cursor: &mut Cursor<'_>,
    state: &mut State,
    out: &mut String,
) -> Result<(), Stop> {
    let value = integer(op, cursor, state)?;
    // Writing to a string cannot fail.
    let _ = if op.meaning.is_boolean {
        write!(out, "{}", value != 0)
    } else if op.is_signed {
        write!(out, "{}", value as i64)
    } else {
        write!(out, "{value}")
    };
    Ok(())
}

/// Appends a text in quotes.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

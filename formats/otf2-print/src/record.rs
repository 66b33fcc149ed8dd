//! Parses the line of an event, without the attributes on the following line.

use foldtrace_input::Fault;
use foldtrace_trace::{Carried, MAX_OPERANDS, Operand, UNDEFINED, ValueType};

use crate::cursor::{Cursor, PrintedNumber, Stop};
use crate::events::{Destination, EventRow, Form, TrailingList};
use crate::words;

/// The text before the attributes of the preceding event.
const ADDITIONAL: &str = "ADDITIONAL ATTRIBUTES: ";

/// A member of a metric: its id, its name and its type.
pub(crate) type Member<'a> = (u64, &'a [u8], ValueType);

/// A parsed event. Its quantities, metric values and attributes are stored by the caller.
pub(crate) struct ParsedEvent<'a> {
    pub(crate) location: u64,
    pub(crate) time: u64,
    pub(crate) operands: [u64; MAX_OPERANDS],
    items: [(Operand, PrintedNumber<'a>); MAX_OPERANDS],
    /// Number of elements of `items` that are set.
    item_count: usize,
    /// Members of a metric that have names.
    pub(crate) members: Vec<Member<'a>>,
    /// Strings that are arguments of a program.
    pub(crate) strings: Vec<PrintedNumber<'a>>,
}

impl<'a> ParsedEvent<'a> {
    /// Returns the operands as printed.
    pub(crate) fn items(&self) -> &[(Operand, PrintedNumber<'a>)] {
        &self.items[..self.item_count]
    }
}

/// Parses an event after its first word; `carried` is cleared first.
#[inline]
pub(crate) fn parse<'a>(
    row: &EventRow,
    cursor: &mut Cursor<'a>,
    carried: &mut Carried,
) -> Result<ParsedEvent<'a>, Stop> {
    carried.clear();
    cursor.skip_blanks();
    let location = cursor.number()?;
    cursor.skip_blanks();
    let time = cursor.number()?;
    cursor.skip_blanks();
    let mut record = ParsedEvent {
        location,
        time,
        operands: [UNDEFINED; MAX_OPERANDS],
        items: [(Operand::Region, PrintedNumber::default()); MAX_OPERANDS],
        item_count: 0,
        members: Vec::new(),
        strings: Vec::new(),
    };
    let mut missing = None;
    let mut is_first = true;
    for field in row.fields {
        let before = *cursor;
        if !is_first {
            cursor.eat(", ");
        }
        if !cursor.eat(field.label) {
            missing = missing.or(Some(field.label));
            *cursor = before;
            continue;
        }
        is_first = false;
        let mut item = PrintedNumber::default();
        let value = match field.form {
            Form::Number(bits, words) => {
                item = cursor.printed_number(words)?;
                item.field_value(bits)
            }
            Form::Set(words) => match cursor.flags(words)? {
                ALL_FLAGS => UNDEFINED,
                flags => flags,
            },
            Form::Signed if cursor.eat("UNDEFINED") => NO_SIGNED,
            Form::Signed => cursor.signed()?,
        };
        match field.destination {
            Destination::Operand(slot, operand) => {
                record.operands[slot] = value;
                record.items[record.item_count] = (operand, item);
                record.item_count += 1;
            }
            Destination::Quantity(quantity) => carried.quantities[quantity as usize] = value,
        }
    }
    if row.trailing_list != TrailingList::None {
        if !is_first {
            cursor.eat(", ");
        }
        parse_list(row.trailing_list, cursor, carried, &mut record)?;
    }
    cursor.skip_blanks();
    match missing {
        // If one of its numbers is missing, the event has a different meaning.
        Some(label) => Err(cursor.expected(&format!("'{label}'"))),
        None if !cursor.is_at_end() => Err(cursor.expected("the end of the line")),
        None => Ok(record),
    }
}

const ALL_FLAGS: u64 = u32::MAX as u64;
/// The value of a signed number that the program did not set.
const NO_SIGNED: u64 = 1 << 63;

/// Parses the list after the fields.
fn parse_list<'a>(
    list: TrailingList,
    cursor: &mut Cursor<'a>,
    carried: &mut Carried,
    record: &mut ParsedEvent<'a>,
) -> Result<(), Stop> {
    let count = cursor.member_count(match list {
        TrailingList::Values => "Value",
        TrailingList::Arguments | TrailingList::None => "Argument",
    })?;
    for number in 0..count {
        if number > 0 {
            cursor.expect(", ")?;
        }
        if list == TrailingList::Arguments {
            let item = cursor.printed_number(&words::NONE)?;
            let string = item.field_value(32);
            carried
                .attributes
                .push((number, ValueType::Argument, string));
            record.strings.push(item);
            continue;
        }
        let (member, value_type, value) = typed_value(cursor)?;
        if let Some(name) = member.name {
            record.members.push((member.number, name, value_type));
        }
        let number = u32::try_from(number)
            .map_err(|_| Fault::new(cursor.at(), "expected at most 2^32 values of a metric"))?;
        carried
            .metrics
            .push((number, value_type, value.field_value(64)));
    }
    Ok(())
}

/// Reads an id, a type and a value in brackets.
fn typed_value<'a>(
    cursor: &mut Cursor<'a>,
) -> Result<(PrintedNumber<'a>, ValueType, PrintedNumber<'a>), Stop> {
    cursor.expect("(")?;
    let item = cursor.printed_number(&words::NONE)?;
    cursor.expect("; ")?;
    let code = cursor.value_type()?;
    let value_type = u8::try_from(code).ok().and_then(ValueType::from_code);
    let value_type = value_type.unwrap_or_default();
    cursor.expect("; ")?;
    let value = cursor.value(value_type)?;
    cursor.expect(")")?;
    Ok((item, value_type, value))
}

/// Returns whether a line contains attributes of the preceding event.
pub(crate) fn is_additional(line: &[u8]) -> bool {
    line.starts_with(ADDITIONAL.trim_end().as_bytes())
}

/// Parses the attributes of the preceding event; `visit` gets the attribute, the type and the value of each.
pub(crate) fn parse_additional<'a>(
    line: &'a [u8],
    mut visit: impl FnMut(PrintedNumber<'a>, ValueType, PrintedNumber<'a>),
) -> Result<(), Stop> {
    let mut cursor = Cursor::new(line, 0);
    cursor.expect(ADDITIONAL)?;
    loop {
        let (attribute, value_type, value) = typed_value(&mut cursor)?;
        visit(attribute, value_type, value);
        if cursor.is_at_end() {
            return Ok(());
        }
        cursor.expect(", ")?;
    }
}

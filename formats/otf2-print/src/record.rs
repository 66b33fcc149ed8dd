//! Parses the line of an event, without the attributes on the following line.

use foldtrace_input::Fault;
use foldtrace_trace::{Carried, MAX_OPERANDS, Operand, UNDEFINED, ValueType};

use crate::cursor::{Cursor, Item, Stop};
use crate::events::{EventRow, Form, Goes, Rest};
use crate::words;

/// The text before the attributes of the preceding event.
const ADDITIONAL: &str = "ADDITIONAL ATTRIBUTES: ";

/// A member of a metric: its id, its name and its type.
pub(crate) type Member<'a> = (u64, &'a [u8], ValueType);

/// A parsed event. Its quantities, metric values and attributes are stored by the caller.
pub(crate) struct Record<'a> {
    pub(crate) location: u64,
    pub(crate) time: u64,
    pub(crate) operands: [u64; MAX_OPERANDS],
    items: [(Operand, Item<'a>); MAX_OPERANDS],
    known: usize,
    /// Members of a metric that have names.
    pub(crate) members: Vec<Member<'a>>,
    /// Strings that are arguments of a program.
    pub(crate) strings: Vec<Item<'a>>,
}

impl<'a> Record<'a> {
    /// Returns the operands as printed.
    pub(crate) fn items(&self) -> &[(Operand, Item<'a>)] {
        &self.items[..self.known]
    }
}

/// Parses an event after its first word; `carried` is cleared first.
#[inline]
pub(crate) fn parse<'a>(
    row: &EventRow,
    cursor: &mut Cursor<'a>,
    carried: &mut Carried,
) -> Result<Record<'a>, Stop> {
    carried.clear();
    cursor.skip_blanks();
    let location = cursor.number()?;
    cursor.skip_blanks();
    let time = cursor.number()?;
    cursor.skip_blanks();
    let mut record = Record {
        location,
        time,
        operands: [UNDEFINED; MAX_OPERANDS],
        items: [(Operand::Region, Item::default()); MAX_OPERANDS],
        known: 0,
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
        let mut item = Item::default();
        let value = match field.form {
            Form::Number(bits, words) => {
                item = cursor.item(words)?;
                item.of_bits(bits)
            }
            Form::Set(words) => match cursor.set(words)? {
                ALL_FLAGS => UNDEFINED,
                flags => flags,
            },
            Form::Signed if cursor.eat("UNDEFINED") => NO_SIGNED,
            Form::Signed => cursor.signed()?,
        };
        match field.goes {
            Goes::Operand(slot, operand) => {
                record.operands[slot] = value;
                record.items[record.known] = (operand, item);
                record.known += 1;
            }
            Goes::Quantity(quantity) => carried.quantities[quantity as usize] = value,
        }
    }
    if row.rest != Rest::Nothing {
        if !is_first {
            cursor.eat(", ");
        }
        rest(row.rest, cursor, carried, &mut record)?;
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

fn rest<'a>(
    rest: Rest,
    cursor: &mut Cursor<'a>,
    carried: &mut Carried,
    record: &mut Record<'a>,
) -> Result<(), Stop> {
    let count = cursor.counted(match rest {
        Rest::Values => "Value",
        Rest::Arguments | Rest::Nothing => "Argument",
    })?;
    for number in 0..count {
        if number > 0 {
            cursor.expect(", ")?;
        }
        if rest == Rest::Arguments {
            let item = cursor.item(&words::NONE)?;
            let string = item.of_bits(32);
            carried
                .attributes
                .push((number, ValueType::Argument, string));
            record.strings.push(item);
            continue;
        }
        let (member, value_type, value) = typed(cursor)?;
        if let Some(name) = member.name {
            record.members.push((member.number, name, value_type));
        }
        let number = u32::try_from(number)
            .map_err(|_| Fault::new(cursor.at(), "expected fewer values of a metric"))?;
        carried
            .metrics
            .push((number, value_type, value.of_bits(64)));
    }
    Ok(())
}

/// Reads an id, a type and a value in brackets.
fn typed<'a>(cursor: &mut Cursor<'a>) -> Result<(Item<'a>, ValueType, Item<'a>), Stop> {
    cursor.expect("(")?;
    let item = cursor.item(&words::NONE)?;
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
pub(crate) fn additional<'a>(
    line: &'a [u8],
    mut visit: impl FnMut(Item<'a>, ValueType, Item<'a>),
) -> Result<(), Stop> {
    let mut cursor = Cursor::new(line, 0);
    cursor.expect(ADDITIONAL)?;
    loop {
        let (attribute, value_type, value) = typed(&mut cursor)?;
        visit(attribute, value_type, value);
        if cursor.is_at_end() {
            return Ok(());
        }
        cursor.expect(", ")?;
    }
}

//! Fields of events, `KEY=VALUE`: operands, quantities, metric values and attributes.

use foldtrace_input::{Fault, show};
use foldtrace_trace::{
    AttributeColumns, EventKind, EventRef, MetricColumns, Operand, Quantity, Symbol, UNDEFINED,
    ValueType,
};

use crate::lexer::{Word, expected, number, number_or_unknown, push_number, signed_number};

/// A field of an event and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventField {
    /// An operand.
    Operand(Operand, u64),
    /// A quantity.
    Quantity(Quantity, u64),
    /// A value of a metric: its member, its type and its bits.
    Metric(u32, ValueType, u64),
    /// An attribute: its id, its type and its bits.
    Attribute(u64, ValueType, u64),
}

/// Parses a field of an event of `kind`.
///
/// # Errors
/// If the word does not have the form `KEY=VALUE`, or the kind has no such field.
pub fn parse_field(kind: EventKind, word: Word<'_>) -> Result<EventField, Fault> {
    let Some((key, value)) = word.key_value() else {
        return Err(expected("KEY=VALUE", word).hint(
            "put names with blanks, quotes or '=' in double quotes; a comment begins with #",
        ));
    };
    if let Some(member) = key.strip_prefix(b"value.") {
        let member = number(member).and_then(|member| u32::try_from(member).ok());
        let member = member.ok_or_else(|| expected("the number of a member", word))?;
        let (value_type, bits) = typed(value)?;
        return Ok(EventField::Metric(member, value_type, bits));
    }
    if let Some(id) = key.strip_prefix(b"attribute.") {
        let id = number(id).ok_or_else(|| expected("the id of an attribute", word))?;
        let (value_type, bits) = typed(value)?;
        return Ok(EventField::Attribute(id, value_type, bits));
    }
    let name = std::str::from_utf8(key).unwrap_or("");
    if let Some(quantity) = Quantity::from_name(name).filter(|q| kind.quantities().contains(q)) {
        let parse = match quantity {
            Quantity::Value | Quantity::Offset => signed_number,
            _ => number_or_unknown,
        };
        return Ok(EventField::Quantity(quantity, numeric(value, parse)?));
    }
    let operand = if name == "comm" {
        Some(Operand::Communicator)
    } else {
        Operand::from_name(name)
    };
    let Some(operand) = operand.filter(|&operand| kind.slot(operand).is_some()) else {
        let message = format!("expected a field of {kind}, found {}", show(word.bytes));
        return Err(Fault::new(word.at, message)
            .hint("'schemas/text.md' lists the fields; put names with '=' in double quotes"));
    };
    Ok(EventField::Operand(
        operand,
        numeric(value, number_or_unknown)?,
    ))
}

fn numeric(word: Word<'_>, parse: impl Fn(&[u8]) -> Option<u64>) -> Result<u64, Fault> {
    parse(word.bytes).ok_or_else(|| expected("a number of at most 64 bits", word))
}

fn typed(word: Word<'_>) -> Result<(ValueType, u64), Fault> {
    let colon = memchr::memchr(b':', word.bytes);
    let parts = colon.and_then(|colon| {
        let value_type = ValueType::from_name(std::str::from_utf8(&word.bytes[..colon]).ok()?)?;
        Some((value_type, number(&word.bytes[colon + 1..])?))
    });
    parts.ok_or_else(|| {
        expected("TYPE:BITS", word).hint("types have the names of OTF2, as in 'uint64:5'")
    })
}

/// Appends all fields of an event, without its kind and its time, each preceded by a blank. Undefined fields are
/// omitted. [`parse_field`] reads the fields back.
pub fn push_fields(
    out: &mut Vec<u8>,
    symbol: &Symbol,
    event: &EventRef,
    metrics: &MetricColumns,
    attributes: &AttributeColumns,
) {
    for (slot, operand) in symbol.kind.operands().iter().enumerate() {
        if symbol.operands[slot] != UNDEFINED {
            push_key(out, operand.name());
            push_number(out, symbol.operands[slot]);
        }
    }
    for &quantity in symbol.kind.quantities() {
        let value = event.quantities[quantity as usize];
        if value != UNDEFINED {
            push_key(out, quantity.name());
            push_number(out, value);
        }
    }
    for row in metrics.rows(event.index) {
        out.extend_from_slice(b" value.");
        push_number(out, u64::from(metrics.member[row]));
        push_typed(out, metrics.value_type[row], metrics.value[row]);
    }
    for row in attributes.rows(event.index) {
        out.extend_from_slice(b" attribute.");
        push_number(out, attributes.attribute[row]);
        push_typed(out, attributes.value_type[row], attributes.value[row]);
    }
}

fn push_key(out: &mut Vec<u8>, name: &str) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.push(b'=');
}

fn push_typed(out: &mut Vec<u8>, value_type: ValueType, bits: u64) {
    out.push(b'=');
    out.extend_from_slice(value_type.name().as_bytes());
    out.push(b':');
    push_number(out, bits);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::LineWords;
    use foldtrace_trace::{Position, SymbolId, Timestamp};
    use proptest::prelude::*;

    fn value_type() -> impl Strategy<Value = ValueType> {
        prop::sample::select(ValueType::ALL)
    }

    fn bits() -> impl Strategy<Value = u64> {
        prop_oneof![Just(UNDEFINED), 0u64..9, any::<u64>()]
    }

    proptest! {
        #[test]
        fn fields_of_every_kind_come_back(
            kind in prop::sample::select(EventKind::ALL),
            operands in prop::collection::vec(bits(), 4),
            quantities in prop::array::uniform5(bits()),
            metrics in prop::collection::vec((any::<u32>(), value_type(), any::<u64>()), 0..3),
            attributes in prop::collection::vec((any::<u64>(), value_type(), any::<u64>()), 0..3),
        ) {
            let symbol = Symbol::new(kind, &operands);
            let event = EventRef {
                index: 0,
                position: Position(0),
                time: Timestamp(0),
                symbol: SymbolId::new(0),
                quantities,
            };
            let (mut m, mut a) = (MetricColumns::default(), AttributeColumns::default());
            metrics.iter().for_each(|&(member, t, v)| m.push(0, member, t, v));
            attributes.iter().for_each(|&(id, t, v)| a.push(0, id, t, v));
            let mut out = Vec::new();
            push_fields(&mut out, &symbol, &event, &m, &a);

            let mut back = Symbol::new(kind, &[]);
            let mut quantities_back = [UNDEFINED; Quantity::COUNT];
            let (mut metrics_back, mut attributes_back) = (Vec::new(), Vec::new());
            let mut words = LineWords::new(&out, 0);
            while let Some(word) = words.next().unwrap() {
                match parse_field(kind, word).unwrap() {
                    EventField::Operand(operand, value) => {
                        back.operands[kind.slot(operand).unwrap()] = value;
                    }
                    EventField::Quantity(quantity, value) => {
                        quantities_back[quantity as usize] = value;
                    }
                    EventField::Metric(member, t, v) => metrics_back.push((member, t, v)),
                    EventField::Attribute(id, t, v) => attributes_back.push((id, t, v)),
                }
            }
            prop_assert_eq!(back, symbol);
            for &quantity in kind.quantities() {
                prop_assert_eq!(quantities_back[quantity as usize], quantities[quantity as usize]);
            }
            prop_assert_eq!(metrics_back, metrics);
            prop_assert_eq!(attributes_back, attributes);
        }
    }
}

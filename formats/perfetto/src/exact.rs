//! The exact content of an event, as bytes that only foldtrace reads: everything but its location and its time, which
//! the rest of its packet has.

use foldtrace_trace::{
    AttributeColumns, Carried, EventKind, EventRef, MAX_OPERANDS, MetricColumns, Symbol, UNDEFINED,
    ValueType,
};
use prost::encoding::encode_varint;

use crate::read::wire::take_number;

/// Whether the packet's nanoseconds do not determine the ticks.
const HAS_TICKS: u64 = 1;
/// Whether there are metric values or attributes.
const HAS_EXTRAS: u64 = 2;
/// Number of bits for these flags.
const FLAGS: u32 = 2;

/// Appends an event, with its ticks if nanoseconds do not determine them. Kinds are numbered as in
/// [`EventKind::ALL`].
#[inline]
pub(crate) fn push_event(
    out: &mut Vec<u8>,
    symbol: &Symbol,
    event: &EventRef,
    ticks: Option<u64>,
    (metrics, attributes): (&MetricColumns, &AttributeColumns),
) {
    let metric_rows = metrics.rows(event.index);
    let attribute_rows = attributes.rows(event.index);
    let has_extras = !metric_rows.is_empty() || !attribute_rows.is_empty();
    let mut first = (symbol.kind as u64) << FLAGS;
    first |= if ticks.is_some() { HAS_TICKS } else { 0 };
    first |= if has_extras { HAS_EXTRAS } else { 0 };
    encode_varint(first, out);
    if let Some(ticks) = ticks {
        encode_varint(ticks, out);
    }
    for &operand in &symbol.operands[..symbol.kind.operands().len()] {
        encode_varint(shifted(operand), out);
    }
    for &quantity in symbol.kind.quantities() {
        encode_varint(shifted(event.quantities[quantity as usize]), out);
    }
    if !has_extras {
        return;
    }
    encode_varint(metric_rows.len() as u64, out);
    for row in metric_rows {
        encode_varint(u64::from(metrics.member[row]), out);
        push_value(out, metrics.value_type[row], metrics.value[row]);
    }
    for row in attribute_rows {
        encode_varint(shifted(attributes.attribute[row]), out);
        push_value(out, attributes.value_type[row], attributes.value[row]);
    }
}

fn push_value(out: &mut Vec<u8>, value_type: ValueType, bits: u64) {
    out.push(value_type as u8);
    // The upper bits of doubles are the ones that are set.
    let bits = if is_double(value_type) {
        bits.swap_bytes()
    } else {
        bits
    };
    encode_varint(bits, out);
}

const fn is_double(value_type: ValueType) -> bool {
    matches!(value_type, ValueType::Double)
}

/// Returns a number that is 0 for an undefined value, so that it has few bytes.
const fn shifted(value: u64) -> u64 {
    value.wrapping_sub(UNDEFINED)
}

/// Decodes an event: its symbol, and its ticks unless the nanoseconds of the packet determine them. Everything else is
/// stored in `carried`. `kinds` are the kinds by number. Returns `None` if the bytes are invalid.
#[inline]
pub(crate) fn take_event(
    mut bytes: &[u8],
    kinds: &[Option<EventKind>],
    carried: &mut Carried,
) -> Option<(Symbol, Option<u64>)> {
    carried.clear();
    let first = take_number(&mut bytes)?;
    let kind = usize::try_from(first >> FLAGS).ok()?;
    let kind = (*kinds.get(kind)?)?;
    let ticks = if first & HAS_TICKS == 0 {
        None
    } else {
        Some(take_number(&mut bytes)?)
    };
    let mut operands = [UNDEFINED; MAX_OPERANDS];
    let count = kind.operands().len();
    for operand in &mut operands[..count] {
        *operand = take_number(&mut bytes)?.wrapping_add(UNDEFINED);
    }
    for &quantity in kind.quantities() {
        let value = take_number(&mut bytes)?;
        carried.quantities[quantity as usize] = value.wrapping_add(UNDEFINED);
    }
    if first & HAS_EXTRAS != 0 {
        for _ in 0..take_number(&mut bytes)? {
            let member = u32::try_from(take_number(&mut bytes)?).ok()?;
            let (value_type, bits) = take_value(&mut bytes)?;
            carried.metrics.push((member, value_type, bits));
        }
        while !bytes.is_empty() {
            let attribute = take_number(&mut bytes)?.wrapping_add(UNDEFINED);
            let (value_type, bits) = take_value(&mut bytes)?;
            carried.attributes.push((attribute, value_type, bits));
        }
    }
    let symbol = Symbol::new(kind, &operands[..count]);
    bytes.is_empty().then_some((symbol, ticks))
}

fn take_value(rest: &mut &[u8]) -> Option<(ValueType, u64)> {
    let (&code, bytes) = rest.split_first()?;
    *rest = bytes;
    let value_type = ValueType::from_code(code)?;
    let bits = take_number(rest)?;
    let bits = if is_double(value_type) {
        bits.swap_bytes()
    } else {
        bits
    };
    Some((value_type, bits))
}

//! Writes events as JSON: the fields of each kind, and the arguments.
//!
//! The arguments are the operands and quantities under their names, and the other data of an event. Operands that
//! follow from the name of the event are omitted.

use std::ops::Range;

use foldtrace_notation::push_number;
use foldtrace_trace::{
    EventBatch, EventKind, EventRef, Operand, Quantity, Symbol, UNDEFINED, ValueType,
};

use crate::json::{push_signed, push_text, push_typed, push_unsigned, push_value};
use crate::vocabulary::Vocabulary;

/// Appends the process and the thread of an event.
pub(crate) fn push_place(out: &mut Vec<u8>, (process, thread): (u64, u64)) {
    out.extend_from_slice(b",\"pid\":");
    push_number(out, process);
    out.extend_from_slice(b",\"tid\":");
    push_number(out, thread);
}

fn push_key(out: &mut Vec<u8>, key: &str) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

fn push_numbered(out: &mut Vec<u8>, key: &str, number: u64) {
    push_key(out, key);
    out.truncate(out.len() - b"\":".len());
    push_number(out, number);
    out.extend_from_slice(b"\":");
}

/// Appends the fields of a symbol, including the opening brace of the arguments and the arguments that belong to the
/// symbol.
pub(crate) fn push_symbol(
    out: &mut Vec<u8>,
    at: (u64, u64),
    symbol: &Symbol,
    vocabulary: &Vocabulary,
) {
    let kind = symbol.kind;
    let name = vocabulary.event_name(symbol);
    push_place(out, at);
    match kind {
        EventKind::Enter => out.extend_from_slice(b",\"ph\":\"B\""),
        EventKind::Metric => {
            out.extend_from_slice(b",\"ph\":\"C\"");
            // Counters belong to a process, so an id distinguishes the counters of its other threads.
            if at.1 > 0 {
                out.extend_from_slice(b",\"id\":\"");
                push_number(out, at.1);
                out.push(b'"');
            }
        }
        _ => {
            let phase: &[u8] = match kind {
                EventKind::CallingContextEnter => b",\"ph\":\"B\"",
                _ => b",\"ph\":\"i\",\"s\":\"t\"",
            };
            out.extend_from_slice(phase);
            out.extend_from_slice(b",\"cat\":\"");
            out.extend_from_slice(kind.name().as_bytes());
            out.push(b'"');
        }
    }
    out.extend_from_slice(b",\"name\":");
    push_text(out, name);
    if kind == EventKind::Metric {
        return;
    }
    out.extend_from_slice(b",\"args\":{");
    let named_operand = Vocabulary::named_operand(kind);
    for (slot, operand) in kind.operands().iter().enumerate() {
        let value = symbol.operands[slot];
        if named_operand == Some(*operand) {
            let named_value = vocabulary.operand_value(kind, name).unwrap_or(UNDEFINED);
            if named_value == value {
                continue;
            }
            if value == UNDEFINED {
                push_key(out, operand.name());
                out.extend_from_slice(b"null");
                continue;
            }
        }
        if value != UNDEFINED {
            push_key(out, operand.name());
            push_unsigned(out, value);
        }
    }
}

/// Appends the known quantities of an event.
pub(crate) fn push_quantities(out: &mut Vec<u8>, kind: EventKind, event: &EventRef) {
    for &quantity in kind.quantities() {
        let value = event.quantities[quantity as usize];
        if value == UNDEFINED {
            continue;
        }
        push_key(out, quantity.name());
        if quantity == Quantity::Value && kind.has_signed_value() {
            push_signed(out, value as i64);
        } else {
            push_unsigned(out, value);
        }
    }
}

/// Iterates over the metric values and attributes of a batch along with its events.
#[derive(Default)]
pub(crate) struct Extras {
    metric: usize,
    attribute: usize,
}

impl Extras {
    /// Returns the rows of the metric values of event number `event`.
    pub(crate) fn metrics(&mut self, batch: &EventBatch, event: u32) -> Range<usize> {
        let start = self.metric;
        while batch.metrics.event.get(self.metric) == Some(&event) {
            self.metric += 1;
        }
        start..self.metric
    }

    /// Appends the attributes of event number `event`.
    pub(crate) fn push_attributes(
        &mut self,
        out: &mut Vec<u8>,
        batch: &EventBatch,
        event: u32,
        vocabulary: &Vocabulary,
    ) {
        let attributes = &batch.attributes;
        while attributes.event.get(self.attribute) == Some(&event) {
            let row = self.attribute;
            self.attribute += 1;
            let (id, bits) = (attributes.attribute[row], attributes.value[row]);
            push_attribute(out, id, attributes.value_type[row], bits, vocabulary);
        }
    }
}

/// Appends an attribute: under its name if name and value identify the attribute, otherwise under its id.
fn push_attribute(
    out: &mut Vec<u8>,
    id: u64,
    value_type: ValueType,
    bits: u64,
    vocabulary: &Vocabulary,
) {
    let length = out.len();
    if let Some(attribute) = vocabulary.attribute(id)
        && attribute.name_identifies
        && attribute.value_type == value_type
    {
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        push_text(out, &attribute.name);
        out.push(b':');
        let text = vocabulary.names.string(bits);
        if value_type == ValueType::String && vocabulary.string(text) == Some(bits) {
            return push_text(out, text);
        }
        let start = out.len();
        let is_value = push_value(out, value_type, bits);
        // A number too large for JavaScript is a string, and would be mistaken for the string attribute of the same
        // name.
        let is_ambiguous = || vocabulary.attribute_named(&attribute.name, true).is_some();
        if is_value && (out[start] != b'"' || !is_ambiguous()) {
            return;
        }
        out.truncate(length);
    }
    push_numbered(out, "attribute.", id);
    push_typed(out, value_type, bits);
}

/// Appends the values of metric members with their types.
pub(crate) fn push_values(out: &mut Vec<u8>, batch: &EventBatch, rows: Range<usize>) {
    let metrics = &batch.metrics;
    for row in rows {
        push_numbered(out, "value.", u64::from(metrics.member[row]));
        push_typed(out, metrics.value_type[row], metrics.value[row]);
    }
}

/// Appends the arguments of a metric event: numbers for viewers, and the data that these numbers do not contain.
pub(crate) fn push_metric(
    out: &mut Vec<u8>,
    batch: &EventBatch,
    rows: Range<usize>,
    symbol: &Symbol,
    vocabulary: &Vocabulary,
    attributes: impl FnOnce(&mut Vec<u8>),
) {
    let metrics = &batch.metrics;
    let id = symbol.get(Operand::Metric);
    let metric = id.and_then(|id| vocabulary.metric(id));
    let members = metric.map_or(&[][..], |metric| metric.members.as_slice());
    let is_alone = members.len() == 1;
    // Whether the numbers represent all values, in the order of the members.
    let mut is_complete = rows.is_empty()
        || metric.is_some_and(|metric| metric.is_distinct && rows.len() == members.len());
    out.extend_from_slice(b",\"args\":{");
    for (index, row) in rows.clone().enumerate() {
        let (member, value_type) = (metrics.member[row] as usize, metrics.value_type[row]);
        let length = out.len();
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        match members.get(member) {
            Some((name, member_type)) => {
                is_complete &= member == index && *member_type == value_type;
                push_text(out, if is_alone { "value" } else { name });
            }
            None => {
                is_complete = false;
                push_text(out, &member.to_string());
            }
        }
        out.push(b':');
        if !push_value(out, value_type, metrics.value[row]) {
            out.truncate(length);
            is_complete = false;
        }
    }
    out.push(b'}');
    let start = out.len();
    out.extend_from_slice(b",\"foldtrace\":{");
    let empty = out.len();
    let name = vocabulary.event_name(symbol);
    if vocabulary.operand_value(EventKind::Metric, name) != id {
        push_key(out, Operand::Metric.name());
        match id {
            Some(id) => push_unsigned(out, id),
            None => out.extend_from_slice(b"null"),
        }
    }
    if !is_complete {
        push_values(out, batch, rows);
    }
    attributes(out);
    if out.len() == empty {
        out.truncate(start);
    } else {
        out.push(b'}');
    }
    out.push(b'}');
}

/// Closes the event and its arguments, or removes the arguments if there are none.
pub(crate) fn close(out: &mut Vec<u8>) {
    const EMPTY: &[u8] = b",\"args\":{";
    if out.ends_with(EMPTY) {
        out.truncate(out.len() - EMPTY.len());
        out.push(b'}');
    } else {
        out.extend_from_slice(b"}}");
    }
}

//! The fields that only foldtrace writes, so that its traces can be read back unchanged: the symbol of an event, and
//! all values that the event carries.

use foldtrace_input::Fault;
use foldtrace_notation::{EventField, LineWords, expected, number, parse_field};
use foldtrace_trace::{Carried, EventKind, Symbol};

use crate::lexer::Word;

/// Parses the text of a symbol, such as `mpi_send peer=1 communicator=0 tag=17`.
pub(crate) fn parse_symbol(text: Word<'_>) -> Result<Symbol, Fault> {
    within(text, || {
        let mut words = LineWords::new(text.bytes, 0);
        let name = words.next()?.map_or(b"".as_slice(), |word| word.bytes);
        let kind = std::str::from_utf8(name)
            .ok()
            .and_then(EventKind::from_name);
        let Some(kind) = kind else {
            return Err(Fault::expected("a kind of event", name, 0));
        };
        let mut symbol = Symbol::new(kind, &[]);
        while let Some(word) = words.next()? {
            match parse_field(kind, word)? {
                EventField::Operand(operand, value) => {
                    if let Some(slot) = kind.slot(operand) {
                        symbol.operands[slot] = value;
                    }
                }
                _ => return Err(expected("an operand", word)),
            }
        }
        Ok(symbol)
    })
}

/// Parses the values that an event of `kind` carries, such as `bytes=800 request=3`, into `carried`. Returns the
/// ticks of the event, if the text contains them because the time of the line is not exact.
pub(crate) fn parse_carried(
    text: Word<'_>,
    kind: EventKind,
    carried: &mut Carried,
) -> Result<Option<u64>, Fault> {
    within(text, || {
        let mut ticks = None;
        let mut words = LineWords::new(text.bytes, 0);
        while let Some(word) = words.next()? {
            if let Some(value) = word.bytes.strip_prefix(TICKS) {
                let value = number(value);
                ticks = Some(value.ok_or_else(|| expected("ticks", word))?);
                continue;
            }
            match parse_field(kind, word)? {
                EventField::Quantity(quantity, value) => {
                    carried.quantities[quantity as usize] = value;
                }
                EventField::Metric(member, value_type, bits) => {
                    carried.metrics.push((member, value_type, bits));
                }
                EventField::Attribute(id, value_type, bits) => {
                    carried.attributes.push((id, value_type, bits));
                }
                EventField::Operand(..) => {
                    return Err(expected("a quantity, a metric value or an attribute", word));
                }
            }
        }
        Ok(ticks)
    })
}

/// The prefix of the ticks of an event.
pub(crate) const TICKS: &[u8] = b"ticks=";

/// Converts the offsets of faults in a field to offsets in its line.
fn within<T>(text: Word<'_>, parse: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    parse().map_err(|mut fault| {
        fault.at += text.at;
        fault
    })
}

//! Turns fields into attributes of events.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{Carried, Minter, ValueType};

use crate::leaf::{EventFields, Field, Leaf, LeafKind};

/// What is known of the attributes of a leaf.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The id and the type of the attribute, if the bits of each field are its value.
    plain: Option<(u64, ValueType)>,
    /// The ids of the attributes: of the value, of the number next to a label, and of a number without a label.
    attributes: [Option<u64>; 3],
    /// The ids of labels as strings, by the indices of the labels.
    strings: HashMap<u32, u64, RandomState>,
}

/// Returns the id of an attribute, which is known after the first time.
fn attribute(
    known: &mut Option<u64>,
    name: &str,
    value_type: ValueType,
    minter: &mut Minter,
) -> u64 {
    *known.get_or_insert_with(|| minter.attribute(name, value_type))
}

const fn number_type(is_signed: bool) -> ValueType {
    if is_signed {
        ValueType::Int64
    } else {
        ValueType::Uint64
    }
}

/// Adds the attribute of one field.
#[inline]
pub(crate) fn add(
    field: Field,
    fields: EventFields<'_>,
    leaves: &[Leaf],
    known: &mut [Known],
    minter: &mut Minter,
    carried: &mut Carried,
) {
    let index = field.leaf.0 as usize;
    let Some(known) = known.get_mut(index) else {
        return;
    };
    if let Some((id, value_type)) = known.plain {
        carried.attributes.push((id, value_type, field.bits));
    } else if let Some(leaf) = leaves.get(index) {
        add_other(field, fields, leaf, known, minter, carried);
    }
}

/// Adds the attribute of a field whose bits are not its value, or of the first field of its leaf.
#[inline(never)]
fn add_other(
    field: Field,
    fields: EventFields<'_>,
    Leaf { name, kind }: &Leaf,
    known: &mut Known,
    minter: &mut Minter,
    carried: &mut Carried,
) {
    let Known {
        plain,
        attributes: [known, known_number, known_plain],
        strings,
    } = known;
    let (value_type, bits) = match kind {
        LeafKind::Unsigned => (ValueType::Uint64, field.bits),
        LeafKind::Signed => (ValueType::Int64, field.bits),
        LeafKind::Boolean => (ValueType::Uint8, field.bits),
        LeafKind::Double => (ValueType::Double, field.bits),
        LeafKind::Text => (ValueType::String, minter.string(fields.text(field))),
        LeafKind::Labelled(labels) => {
            let value_type = number_type(labels.is_signed);
            let found = labels.find(field.bits).filter(|_| !labels.are_flags);
            let string = match found {
                _ if labels.are_flags => Some(minter.string(&labels.flags(field.bits))),
                Some(index) => {
                    let new = || minter.string(labels.text(index));
                    Some(*strings.entry(index).or_insert_with(new))
                }
                None => None,
            };
            let Some(string) = string else {
                let id = attribute(known_plain, name, value_type, minter);
                carried.attributes.push((id, value_type, field.bits));
                return;
            };
            if !found.is_some_and(|index| labels.is_exact(index)) {
                // The label alone would not tell the number.
                let new = || minter.attribute(&format!("{name}.value"), value_type);
                let id = *known_number.get_or_insert_with(new);
                carried.attributes.push((id, value_type, field.bits));
            }
            (ValueType::String, string)
        }
    };
    let id = attribute(known, name, value_type, minter);
    if !matches!(kind, LeafKind::Text | LeafKind::Labelled(_)) {
        *plain = Some((id, value_type));
    }
    carried.attributes.push((id, value_type, bits));
}

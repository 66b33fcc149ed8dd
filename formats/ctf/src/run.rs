//! Executes decoding steps.

use crate::compound;
use crate::cursor::{Cursor, Stop};
use crate::description::Uuid;
use crate::leaf::Fields;
use crate::program::Op;
use crate::scalar::{block, bytes, float, integer, text};
use crate::state::State;

/// Decodes the fields of a scope.
pub(crate) fn run(
    ops: &[Op],
    cursor: &mut Cursor<'_>,
    state: &mut State,
    fields: &mut Fields,
) -> Result<(), Stop> {
    let mut at = 0;
    while let Some(op) = ops.get(at) {
        at += 1;
        match op {
            Op::Integer(op, leaf) => {
                let value = integer(op, cursor, state)?;
                if let Some(leaf) = *leaf {
                    fields.number(leaf, value);
                }
            }
            Op::Block(op) => block(op, cursor, state, fields)?,
            Op::Align(alignment) => cursor.align(*alignment)?,
            Op::Text(op, leaf) => {
                let start = fields.texts().len();
                if !text(op, cursor, state, fields.texts())? {
                    fields.damaged_texts += 1;
                }
                fields.text_from(*leaf, start);
            }
            Op::Float(op, leaf) => {
                let value = float(op, cursor)?;
                fields.number(*leaf, value.to_bits());
            }
            Op::Bytes(length, leaf) => {
                let start = fields.texts().len();
                bytes(*length, cursor, state, fields.texts())?;
                fields.text_from(*leaf, start);
            }
            Op::Compound(element, leaf) => {
                let start = fields.texts().len();
                let mut is_valid = true;
                compound::write(element, cursor, state, fields.texts(), &mut is_valid)?;
                fields.damaged_texts += u64::from(!is_valid);
                fields.text_from(*leaf, start);
            }
            Op::Select(choice) => {
                let value = state.slots[choice.slot as usize];
                let Some(target) = choice.select(value) else {
                    return Err(compound::unselected(choice, value).into());
                };
                at = target as usize;
            }
            Op::Jump(target) => at = *target as usize,
            Op::Uuid => check_uuid(cursor, state)?,
        }
    }
    Ok(())
}

fn check_uuid(cursor: &mut Cursor<'_>, state: &mut State) -> Result<(), Stop> {
    cursor.align(8)?;
    let mut found = Uuid::default();
    found.copy_from_slice(cursor.take(16)?);
    state.is_foreign |= state.uuid.is_some_and(|expected| expected != found);
    Ok(())
}

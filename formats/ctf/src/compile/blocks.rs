//! Joins integers that follow each other into blocks, which are decoded at once.

use crate::program::{Block, IntegerOp, LeafId, Op, Part};

/// The least alignment of a block, in bits: its parts must be at known bytes.
const LEAST_ALIGNMENT: u64 = 8;
/// The greatest size of a block, in bits.
const MOST_BITS: u64 = 1 << 16;

/// A block that may still grow.
#[derive(Debug, Default)]
struct Growing {
    alignment: u64,
    bits: u64,
    parts: Vec<Part>,
}

/// Joins integers of a scope into blocks. Steps that others lead to begin a block.
pub(super) fn join(ops: Vec<Op>) -> Vec<Op> {
    let mut is_target = vec![false; ops.len() + 1];
    for op in &ops {
        op.targets(|target| is_target[target as usize] = true);
    }
    let (mut joined, mut places) = (Vec::with_capacity(ops.len()), Vec::new());
    let mut open: Option<Growing> = None;
    for (op, is_target) in ops.into_iter().zip(&is_target) {
        let grows = !is_target && open.as_mut().is_some_and(|open| open.add(&op));
        if !grows {
            close(open.take(), &mut joined);
        }
        places.push(joined.len() as u32);
        if grows {
            continue;
        }
        let mut new = Growing::default();
        if new.add(&op) {
            open = Some(new);
        } else {
            joined.push(op);
        }
    }
    close(open, &mut joined);
    places.push(joined.len() as u32);
    for op in &mut joined {
        op.renumber(|target| places[target as usize]);
    }
    joined
}

fn close(open: Option<Growing>, joined: &mut Vec<Op>) {
    let Some(Growing {
        alignment,
        bits,
        parts,
    }) = open
    else {
        return;
    };
    joined.push(if parts.is_empty() {
        Op::Align(alignment)
    } else {
        Op::Block(Box::new(Block {
            alignment,
            bits,
            parts,
        }))
    });
}

impl Growing {
    /// Adds a step. Returns whether it fits in.
    fn add(&mut self, op: &Op) -> bool {
        match op {
            Op::Align(alignment) => self.align(*alignment),
            Op::Integer(op, leaf) => self.add_integer(op, *leaf),
            _ => false,
        }
    }

    /// Moves to a multiple of `alignment` bits, if it is known where that is.
    fn align(&mut self, alignment: u64) -> bool {
        if self.parts.is_empty() {
            self.alignment = self.alignment.max(alignment);
            return self.alignment >= LEAST_ALIGNMENT;
        }
        let bits = self.bits.next_multiple_of(alignment);
        let fits = alignment <= self.alignment && bits <= MOST_BITS;
        if fits {
            self.bits = bits;
        }
        fits
    }

    fn add_integer(&mut self, op: &IntegerOp, leaf: Option<LeafId>) -> bool {
        let before = self.bits;
        if op.bits == 0 || op.is_reversed || !self.align(op.alignment) {
            return false;
        }
        let (shift, bits) = (self.bits % 8, u64::from(op.bits));
        if shift + bits > 64 {
            self.bits = before;
            return false;
        }
        let unused = 64 - bits;
        self.parts.push(Part {
            byte: (self.bits / 8) as u32,
            slot: op.slot,
            leaf,
            above: if op.is_big { shift } else { unused - shift } as u8,
            unused: unused as u8,
            is_big: op.is_big,
            is_signed: op.is_signed,
            meaning: op.meaning,
        });
        self.bits += bits;
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cursor::Cursor;
    use crate::leaf::Fields;
    use crate::program::Meaning;
    use crate::run::run;
    use crate::state::State;

    fn integer() -> impl Strategy<Value = IntegerOp> {
        let flags = (any::<[bool; 4]>(), 0_u32..4);
        (1_u32..=64, 0_u32..6, flags).prop_map(|(bits, alignment, (flags, slot))| IntegerOp {
            bits,
            alignment: 1 << alignment,
            is_big: flags[0],
            is_reversed: false,
            is_signed: flags[1],
            meaning: Meaning {
                is_boolean: flags[2],
                is_clock: flags[3],
                role: None,
            },
            slot,
        })
    }

    proptest! {
        /// Blocks decode what single steps decode, up to any end of the packet.
        #[test]
        fn blocks_decode_the_same(
            integers in prop::collection::vec(integer(), 1..12),
            first in 0_u32..6,
            bytes in prop::collection::vec(any::<u8>(), 0..80),
            at in 0_u64..3,
        ) {
            let ops = || {
                let steps = integers.iter().zip(0..);
                let steps = steps.map(|(op, leaf)| Op::Integer(op.clone(), Some(LeafId(leaf))));
                Vec::from_iter([Op::Align(1 << first)].into_iter().chain(steps))
            };
            let decode = |ops: &[Op]| {
                let mut cursor = Cursor::new(&bytes, 0, 8 * at, 8 * bytes.len() as u64, true);
                let (mut state, mut fields) = (State::new(4, None), Fields::default());
                let is_done = run(ops, &mut cursor, &mut state, &mut fields).is_ok();
                is_done.then(|| {
                    let values = fields.values.iter().map(|field| (field.leaf.0, field.bits));
                    (cursor.at, state.clock, state.slots.clone(), Vec::from_iter(values))
                })
            };
            prop_assert_eq!(decode(&ops()), decode(&join(ops())));
        }
    }

    #[test]
    fn jumps_lead_to_the_same_steps() {
        let integer = |leaf| {
            let op = IntegerOp {
                bits: 8,
                alignment: 8,
                is_big: false,
                is_reversed: false,
                is_signed: false,
                meaning: Meaning {
                    is_boolean: false,
                    is_clock: false,
                    role: None,
                },
                slot: 0,
            };
            Op::Integer(op, Some(LeafId(leaf)))
        };
        let ops = vec![
            integer(0),
            integer(1),
            Op::Jump(5),
            integer(2),
            integer(3),
            integer(4),
            integer(5),
        ];
        let joined = join(ops);
        let mut cursor = Cursor::new(&[7, 8, 9, 10, 11], 0, 0, 40, true);
        let (mut state, mut fields) = (State::new(1, None), Fields::default());
        run(&joined, &mut cursor, &mut state, &mut fields).unwrap();
        let leaves = Vec::from_iter(fields.values.iter().map(|field| (field.leaf.0, field.bits)));
        assert_eq!(leaves, [(0, 7), (1, 8), (4, 9), (5, 10)]);
        assert_eq!(joined.len(), 4);
    }
}

//! Joins integers that follow each other into blocks, which are decoded at once.

use super::places::{Place, places};
use crate::program::{Block, BlockLeaf, IntegerOp, LeafId, Meaning, Op, Part, Remembered, Slot};

/// The bits of a byte. A block begins at a known bit of a byte, so that its integers are in known bytes.
const BYTE: u64 = 8;
/// The greatest size of a block, in bits.
const MOST_BITS: u64 = 1 << 16;

/// A block that may still grow.
#[derive(Debug)]
struct Growing {
    /// The alignment of its beginning; 1 if it begins where the step before it ends.
    alignment: u64,
    /// Where it begins.
    first: Place,
    /// Its size in bits.
    bits: u64,
    remembered: Vec<Remembered>,
    leaves: Vec<BlockLeaf>,
}

/// Joins integers of a scope into blocks. Steps that others lead to begin a block. Integers are remembered if their slots `are_read`.
pub(super) fn join(ops: Vec<Op>, are_read: impl Fn(Slot) -> bool) -> Vec<Op> {
    let mut is_target = vec![false; ops.len() + 1];
    for op in &ops {
        op.targets(|target| is_target[target as usize] = true);
    }
    let begins = places(&ops);
    let (mut joined, mut numbers) = (Vec::with_capacity(ops.len()), Vec::new());
    let mut open: Option<Growing> = None;
    for (at, op) in ops.into_iter().enumerate() {
        let grows = !is_target[at] && open.as_mut().is_some_and(|open| open.add(&op, &are_read));
        if !grows {
            joined.extend(open.take().and_then(Growing::close));
        }
        numbers.push(joined.len() as u32);
        if grows {
            continue;
        }
        let mut new = Growing::new(begins[at]);
        if new.add(&op, &are_read) {
            open = Some(new);
        } else {
            joined.push(op);
        }
    }
    joined.extend(open.and_then(Growing::close));
    numbers.push(joined.len() as u32);
    for op in &mut joined {
        op.renumber(|target| numbers[target as usize]);
    }
    joined
}

impl Growing {
    fn new(first: Place) -> Self {
        Self {
            alignment: 1,
            first,
            bits: 0,
            remembered: Vec::new(),
            leaves: Vec::new(),
        }
    }

    /// Returns the step; `None` if nothing is left to do.
    fn close(self) -> Option<Op> {
        if self.bits == 0 {
            return (self.alignment > 1).then_some(Op::Align(self.alignment));
        }
        Some(Op::Block(Box::new(Block {
            alignment: self.alignment,
            bits: self.bits,
            remembered: self.remembered,
            leaves: self.leaves,
        })))
    }

    /// Adds a step. Returns whether it fits in.
    fn add(&mut self, op: &Op, are_read: impl Fn(Slot) -> bool) -> bool {
        match op {
            Op::Align(alignment) => self.align(*alignment),
            Op::Integer(op, leaf) => self.add_integer(op, *leaf, are_read),
            _ => false,
        }
    }

    /// Moves to a multiple of `alignment` bits, if it is known where that is.
    fn align(&mut self, alignment: u64) -> bool {
        if self.bits == 0 {
            let aligned = self.first.aligned(alignment);
            if aligned != self.first {
                self.alignment = self.alignment.max(alignment);
                self.first = aligned;
            }
            return true;
        }
        let at = self.first.remainder + self.bits;
        let bits = at.next_multiple_of(alignment) - self.first.remainder;
        let fits = alignment <= self.first.modulus && bits <= MOST_BITS;
        if fits {
            self.bits = bits;
        }
        fits
    }

    fn add_integer(
        &mut self,
        op: &IntegerOp,
        leaf: Option<LeafId>,
        are_read: impl Fn(Slot) -> bool,
    ) -> bool {
        let before = (self.alignment, self.first, self.bits);
        let is_fixed = op.bits > 0 && !op.is_reversed && self.align(op.alignment);
        let at = self.first.remainder % BYTE + self.bits;
        let (shift, bits) = (at % BYTE, u64::from(op.bits));
        if !is_fixed || self.first.modulus < BYTE || shift + bits > 64 {
            (self.alignment, self.first, self.bits) = before;
            return false;
        }
        let unused = 64 - bits;
        let part = Part {
            byte: (at / BYTE) as u32,
            above: if op.is_big { shift } else { unused - shift } as u8,
            unused: unused as u8,
            is_big: op.is_big,
            is_boolean: op.meaning.is_boolean,
            sign: u64::from(op.is_signed) << (bits - 1),
        };
        let Meaning { is_clock, role, .. } = op.meaning;
        let slot = op.slot;
        if is_clock || role.is_some() || are_read(slot) {
            self.remembered.push(Remembered {
                part,
                slot,
                is_clock,
                role,
            });
        }
        self.leaves
            .extend(leaf.map(|leaf| BlockLeaf { part, leaf }));
        self.bits += bits;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use proptest::prelude::*;

    use super::*;
    use crate::cursor::Cursor;
    use crate::leaf::Fields;
    use crate::program::Choice;
    use crate::range::Range;
    use crate::run::run;
    use crate::segments::Segments;
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

    /// Returns the state after steps that begin at a byte, with the values of the leaves; `None` if they fail.
    fn decode(ops: &[Op], bytes: &[u8], at: u64) -> Option<impl PartialEq + Debug> {
        let mut cursor = Cursor::new(bytes, 0, 8 * at, 8 * bytes.len() as u64, true);
        let (mut state, mut fields) = (State::new(4, None), Fields::default());
        run(ops, &mut cursor, &mut state, &mut fields).ok()?;
        let values = fields.values.iter().map(|field| (field.leaf.0, field.bits));
        let values = Vec::from_iter(values);
        Some((cursor.at, state.clock, state.slots, values))
    }

    fn steps(integers: &[IntegerOp], first_leaf: u32) -> impl Iterator<Item = Op> {
        let steps = integers.iter().zip(first_leaf..);
        steps.map(|(op, leaf)| Op::Integer(op.clone(), Some(LeafId(leaf))))
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
            let ops = Vec::from_iter([Op::Align(1 << first)].into_iter().chain(steps(&integers, 0)));
            let joined = join(ops.clone(), |_| true);
            prop_assert_eq!(decode(&ops, &bytes, at), decode(&joined, &bytes, at));
        }

        /// The same for a variant with two options, which may begin and end within bytes.
        #[test]
        fn blocks_of_options_decode_the_same(
            (before, after) in (prop::collection::vec(integer(), 1..4), prop::collection::vec(integer(), 0..4)),
            options in prop::array::uniform2(prop::collection::vec(integer(), 0..4)),
            (first, slot, least) in (0_u32..6, 0_u32..4, 0_i128..4),
            bytes in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            let mut ops = vec![Op::Align(1 << first)];
            ops.extend(steps(&before, 0));
            let select = ops.len();
            ops.push(Op::Jump(0));
            ops.extend(steps(&options[0], 4));
            let jump = ops.len();
            ops.push(Op::Jump(0));
            ops.extend(steps(&options[1], 8));
            let end = ops.len() as u32;
            ops.extend(steps(&after, 12));
            ops[jump] = Op::Jump(end);
            let range = Range { low: least, high: u64::MAX.into() };
            ops[select] = Op::Select(Box::new(Choice {
                slot,
                is_signed: false,
                ranges: Segments::new([(range, select as u32 + 1)], false),
                otherwise: Some(jump as u32 + 1),
                name: String::new(),
            }));
            let joined = join(ops.clone(), |_| true);
            prop_assert_eq!(decode(&ops, &bytes, 1), decode(&joined, &bytes, 1));
        }
    }

    #[test]
    fn integers_that_nothing_needs_are_passed_over() {
        let ops = vec![
            Op::Integer(IntegerOp::byte(0), Some(LeafId(0))),
            Op::Integer(IntegerOp::byte(1), None),
            Op::Integer(IntegerOp::byte(2), None),
        ];
        let joined = join(ops, |slot| slot == 2);
        let [Op::Block(block)] = &joined[..] else {
            panic!("{joined:?}");
        };
        assert_eq!((block.leaves.len(), block.remembered.len()), (1, 1));
        let (mut state, mut fields) = (State::new(3, None), Fields::default());
        let mut cursor = Cursor::new(&[7, 8, 9], 0, 0, 24, true);
        run(&joined, &mut cursor, &mut state, &mut fields).unwrap();
        assert_eq!((cursor.at, &state.slots[..]), (24, &[0, 0, 9][..]));
    }

    #[test]
    fn jumps_lead_to_the_same_steps() {
        let integer = |leaf| Op::Integer(IntegerOp::byte(0), Some(LeafId(leaf)));
        let ops = vec![
            integer(0),
            integer(1),
            Op::Jump(5),
            integer(2),
            integer(3),
            integer(4),
            integer(5),
        ];
        let joined = join(ops, |_| true);
        let mut cursor = Cursor::new(&[7, 8, 9, 10, 11], 0, 0, 40, true);
        let (mut state, mut fields) = (State::new(1, None), Fields::default());
        run(&joined, &mut cursor, &mut state, &mut fields).unwrap();
        let leaves = Vec::from_iter(fields.values.iter().map(|field| (field.leaf.0, field.bits)));
        assert_eq!(leaves, [(0, 7), (1, 8), (4, 9), (5, 10)]);
        assert_eq!(joined.len(), 4);
    }
}

//! Decoding steps: what the field classes of a scope compile to.
//!
//! The fields of a scope are a list of [`Op`]s. Structures need no step of their own except for their alignment, variants jump.
//! Fields within arrays are [`Element`]s, which become text.

use crate::class::{ByteOrder, Encoding, Role};
use crate::segments::Segments;

/// The number of a field that may become an attribute, see [`Leaf`](crate::leaf::Leaf).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeafId(pub u32);

/// The number of an integer that later steps may refer to.
pub(crate) type Slot = u32;

/// A decoding step.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Align(u64),
    Integer(IntegerOp, Option<LeafId>),
    /// Integers at fixed places.
    Block(Box<Block>),
    Float(FloatOp, LeafId),
    Text(TextOp, LeafId),
    Bytes(LengthOp, LeafId),
    /// The UUID of the metadata to which the packet belongs.
    Uuid,
    /// A field that becomes a text in JSON.
    Compound(Box<Element>, LeafId),
    /// Continues at the step that the value of a slot selects.
    Select(Box<Choice>),
    Jump(u32),
}

impl Op {
    /// Tells which steps may come after this one, besides the one that follows it.
    pub(crate) fn targets(&self, mut tell: impl FnMut(u32)) {
        match self {
            Self::Select(choice) => choice.targets().for_each(tell),
            Self::Jump(target) => tell(*target),
            _ => {}
        }
    }

    /// Gives other numbers to the steps that may come after this one.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        match self {
            Self::Select(choice) => {
                choice.otherwise = choice.otherwise.map(&number);
                choice.ranges.renumber(number);
            }
            Self::Jump(target) => *target = number(*target),
            _ => {}
        }
    }

    /// Returns whether a value of the clock is decoded.
    pub(crate) fn has_clock(&self) -> bool {
        match self {
            Self::Integer(op, _) => op.meaning.is_clock,
            Self::Block(block) => block.remembered.iter().any(|it| it.is_clock),
            _ => false,
        }
    }

    /// Tells the slots whose values this step needs.
    pub(crate) fn reads(&self, mut tell: impl FnMut(Slot)) {
        match self {
            Self::Text(op, _) => op.length.into_iter().for_each(|it| it.reads(&mut tell)),
            Self::Bytes(length, _) => length.reads(&mut tell),
            Self::Compound(element, _) => element.reads(&mut tell),
            Self::Select(choice) => tell(choice.slot),
            _ => {}
        }
    }
}

/// What an integer is besides a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning {
    pub is_boolean: bool,
    /// Whether this is a value of the clock.
    pub is_clock: bool,
    pub role: Option<Role>,
}

/// An integer.
#[derive(Clone, Debug)]
pub(crate) struct IntegerOp {
    /// The number of bits; 0 if it is variable.
    pub bits: u32,
    pub alignment: u64,
    pub is_big: bool,
    pub is_reversed: bool,
    pub is_signed: bool,
    pub meaning: Meaning,
    pub slot: Slot,
}

#[cfg(test)]
impl IntegerOp {
    /// Returns an unsigned byte.
    pub(crate) const fn byte(slot: Slot) -> Self {
        Self {
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
            slot,
        }
    }
}

/// Integers at fixed places.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The alignment of its beginning in bits.
    pub alignment: u64,
    pub bits: u64,
    /// The integers that decoding needs later.
    pub remembered: Vec<Remembered>,
    /// The integers that become attributes.
    pub leaves: Vec<BlockLeaf>,
}

/// Where an integer of a block is: within 8 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The first of these bytes, counted from the one with the first bit of the block.
    pub byte: u32,
    /// The number of bits above the integer within the 8 bytes.
    pub above: u8,
    /// The number of bits of the 8 bytes that are not the integer's.
    pub unused: u8,
    pub is_big: bool,
    pub is_boolean: bool,
    /// The bit of the sign; 0 if it has none.
    pub sign: u64,
}

/// An integer of a block that decoding needs later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remembered {
    pub part: Part,
    pub slot: Slot,
    pub is_clock: bool,
    pub role: Option<Role>,
}

/// An integer of a block that becomes an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockLeaf {
    pub part: Part,
    pub leaf: LeafId,
}

/// A floating-point number.
#[derive(Clone, Debug)]
pub(crate) struct FloatOp {
    pub bits: u32,
    pub alignment: u64,
    pub is_big: bool,
    pub is_reversed: bool,
}

/// A text; one without a length ends with a null character.
#[derive(Clone, Debug)]
pub(crate) struct TextOp {
    pub length: Option<LengthOp>,
    pub encoding: Encoding,
}

/// A number of elements or bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LengthOp {
    Static(u64),
    Dynamic { slot: Slot, is_signed: bool },
}

impl LengthOp {
    fn reads(self, tell: &mut impl FnMut(Slot)) {
        if let Self::Dynamic { slot, .. } = self {
            tell(slot);
        }
    }
}

/// A choice by the value of a slot.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub slot: Slot,
    pub is_signed: bool,
    /// The values, each with the number of what it selects.
    pub ranges: Segments,
    /// What any other value selects; `None` if there must be no other value.
    pub otherwise: Option<u32>,
    /// The name of the variant, for messages.
    pub name: String,
}

impl Choice {
    /// Returns the numbers of everything that can be selected.
    fn targets(&self) -> impl Iterator<Item = u32> {
        self.ranges.numbers().chain(self.otherwise)
    }

    /// Returns what a value selects.
    #[inline]
    pub(crate) fn select(&self, bits: u64) -> Option<u32> {
        self.ranges.find(bits, self.is_signed).or(self.otherwise)
    }
}

/// A field within an array.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    Integer(IntegerOp),
    Float(FloatOp),
    Text(TextOp),
    Bytes(LengthOp),
    /// Members with their names, as they are written in JSON.
    Structure(u64, Vec<(String, Self)>),
    Array {
        alignment: u64,
        length: LengthOp,
        element: Box<Self>,
    },
    /// An optional field or a variant.
    Select(Box<Choice>, Vec<Self>),
}

impl Element {
    fn reads(&self, tell: &mut impl FnMut(Slot)) {
        match self {
            Self::Integer(_) | Self::Float(_) => {}
            Self::Text(op) => op.length.into_iter().for_each(|it| it.reads(tell)),
            Self::Bytes(length) => length.reads(tell),
            Self::Structure(_, members) => members.iter().for_each(|(_, it)| it.reads(tell)),
            Self::Array {
                length, element, ..
            } => {
                length.reads(tell);
                element.reads(tell);
            }
            Self::Select(choice, options) => {
                tell(choice.slot);
                options.iter().for_each(|option| option.reads(tell));
            }
        }
    }
}

/// Returns whether an order is big-endian, if fields without one have the order `native`.
pub(crate) fn is_big(order: ByteOrder, native: ByteOrder) -> bool {
    let order = if order == ByteOrder::Native {
        native
    } else {
        order
    };
    order == ByteOrder::Big
}

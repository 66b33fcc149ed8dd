//! Codes numbers as bits, under contexts: the preceding bits and the context predict how likely each bit is.
//!
//! A number is coded as its length in bits, followed by the bits below the highest one, from the top. The
//! probabilities of the length and of the first bits are learned per context. The low bits of a long number either
//! repeat those of the last long number in the context, or are coded as noise, without a model.

use super::coder::{Bit, Coder};

/// The data on which a number depends, as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context(u32);

impl Context {
    /// A context in which nothing is coded.
    pub const NONE: Self = Self(0);

    /// Creates a context from the reason for which a number is coded.
    pub const fn new(reason: u32) -> Self {
        Self(mix(reason))
    }

    /// Returns the context narrowed by another value.
    #[must_use]
    pub const fn and(self, value: u32) -> Self {
        Self(mix(self.0.rotate_left(9) ^ mix(value)))
    }

    /// Returns the slot of the context among `slots`, a power of two.
    pub const fn slot(self, slots: usize) -> usize {
        self.0 as usize & (slots - 1)
    }
}

/// Spreads differences over all bits. The factor is 2^32 divided by the golden ratio, made odd.
pub(super) const fn mix(bits: u32) -> u32 {
    const FACTOR: u32 = 0x9e37_79b1;
    let once = (bits ^ 0x5bd1_0000 ^ bits >> 15).wrapping_mul(FACTOR);
    let twice = (once ^ once >> 13).wrapping_mul(FACTOR);
    twice ^ twice >> 16
}

/// The number of consecutive bits that share 16 models, one for each path through the preceding bits.
const GROUP: u32 = 4;

/// The number of bits below the highest one that are learned per context and length.
const LEARNED: u32 = 4;

/// The addition to a context for coding whether a number repeats the last one. It is greater than any length.
const AGAIN: u32 = 128;

/// Models of bits, found by hashes. Contexts that collide only cost some compression, so the memory is bounded for
/// any trace.
#[derive(Debug)]
pub(super) struct Numbers {
    bits: Vec<Bit>,
    /// The last long number of each context.
    last: Vec<u64>,
}

impl Numbers {
    const FEWEST: usize = 1 << 8;
    const MOST: usize = 1 << 14;

    /// Creates models for about `numbers` numbers. Encoder and decoder must use the same number.
    pub fn new(numbers: usize) -> Self {
        let groups = numbers.next_power_of_two().clamp(Self::FEWEST, Self::MOST);
        Self {
            bits: vec![Bit::default(); groups << GROUP],
            last: vec![0; groups],
        }
    }

    /// Returns the models of four bits in a context.
    fn group(&mut self, context: Context) -> &mut [Bit] {
        let first = context.slot(self.last.len()) << GROUP;
        &mut self.bits[first..first + (1 << GROUP)]
    }

    /// Codes a number of `bits` bits; each bit depends on the preceding ones.
    pub fn small<C: Coder>(
        &mut self,
        coder: &mut C,
        context: Context,
        bits: u32,
        number: u32,
    ) -> u32 {
        let mut coded = 0;
        let mut left = bits;
        while left > 0 {
            let now = left.min(GROUP);
            // The first bits select the models of the following ones.
            let group = self.group(context.and(left << 16 | coded));
            let mut path = 1;
            for place in (left - now..left).rev() {
                let bit = coder.bit(&mut group[path], number >> place & 1 == 1);
                path = path << 1 | usize::from(bit);
                coded = coded << 1 | u32::from(bit);
            }
            left -= now;
        }
        coded
    }

    /// Codes any number; `length` is the context of its length, `context` that of its first bits.
    pub fn number<C: Coder>(
        &mut self,
        coder: &mut C,
        length: Context,
        context: Context,
        number: u64,
    ) -> u64 {
        let bits = self.small(coder, length, 7, length_of(number)).min(64);
        if bits <= 1 {
            return u64::from(bits);
        }
        let mut left = bits - 1;
        let mut coded = 1;
        let learned = left.min(LEARNED);
        left -= learned;
        let part = (number >> left) as u32 & ((1 << learned) - 1);
        let first = self.small(coder, context.and(bits), learned, part);
        coded = coded << learned | u64::from(first);
        // In any context, the length and the first bits help to predict the next bits.
        let shared = if left < 4 { left } else { 2 };
        left -= shared;
        let part = (number >> left) as u32 & ((1 << shared) - 1);
        let next = Context::new(bits).and(first);
        coded = coded << shared | u64::from(self.small(coder, next, shared, part));
        if left == 0 {
            return coded;
        }
        // Simulated clocks repeat long times to the tick; other clocks hardly ever do.
        let slot = context.slot(self.last.len());
        let last = self.last[slot];
        if last >> left == coded {
            let again = u32::from(number == last);
            if self.small(coder, context.and(AGAIN), 1, again) == 1 {
                return last;
            }
        }
        while left > 0 {
            let now = left.min(16);
            left -= now;
            let part = (number >> left) as u32 & 0xffff;
            coded = coded << now | u64::from(coder.plain(part, now));
        }
        self.last[slot] = coded;
        coded
    }
}

/// Returns the number of bits without leading zeros.
pub(super) fn length_of(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::coder::{Decoder, Encoder};
    use super::*;

    fn number() -> impl Strategy<Value = u64> {
        (0..=64_u32, any::<u64>()).prop_map(|(bits, n)| n.checked_shr(64 - bits).unwrap_or(0))
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((0..3_u32, number()), 0..500)) {
            let mut models = Numbers::new(numbers.len());
            let mut encoder = Encoder::new(Vec::new());
            let (length, first) = (Context::new(1), Context::new(2));
            for &(context, number) in &numbers {
                let (length, first) = (length.and(context), first.and(context));
                models.number(&mut encoder, length, first, number);
            }
            let bytes = encoder.finish();
            let mut models = Numbers::new(numbers.len());
            let mut decoder = Decoder::new(&bytes);
            for &(context, number) in &numbers {
                let (length, first) = (length.and(context), first.and(context));
                prop_assert_eq!(models.number(&mut decoder, length, first, 0), number);
            }
        }
    }
}

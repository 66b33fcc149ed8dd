//! Numbers as bits, under contexts: what came before tells how likely each bit is.
//!
//! A number is its length in bits, then the bits below the highest, from the top. The length and
//! the first bits are learned for each context; the last bits of long numbers are those of the last
//! number in the context, or noise that is taken as it is.

use super::coder::{Bit, Coder};

/// What a number depends on, as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context(u32);

impl Context {
    /// A context from nothing but the reason why a number is coded.
    pub const fn new(reason: u32) -> Self {
        Self(mix(reason))
    }

    /// The context narrowed by something else that is known.
    #[must_use]
    pub const fn and(self, known: u32) -> Self {
        Self(mix(self.0.rotate_left(9) ^ mix(known)))
    }
}

/// Spreads what differs over all bits. The factor is 2^32 by the golden ratio, made odd.
const fn mix(bits: u32) -> u32 {
    const FACTOR: u32 = 0x9e37_79b1;
    let once = (bits ^ 0x5bd1_0000 ^ bits >> 15).wrapping_mul(FACTOR);
    let twice = (once ^ once >> 13).wrapping_mul(FACTOR);
    twice ^ twice >> 16
}

/// Bits that are decided one after the other have 16 models together: one for each path.
const GROUP: u32 = 4;

/// Bits below the highest that are learned for each context and length.
const LEARNED: u32 = 4;

/// Added to the context of a number: whether it is the last one again. Lengths are less.
const AGAIN: u32 = 128;

/// Models of bits, found by hashes. Contexts that meet in a place only cost some precision, so the
/// memory is bounded whatever the trace is like.
#[derive(Debug)]
pub(super) struct Numbers {
    bits: Vec<Bit>,
    groups: u32,
    /// The last long number of each context.
    last: Vec<u64>,
}

impl Numbers {
    const FEWEST: usize = 1 << 8;
    const MOST: usize = 1 << 14;

    /// Models for about so many numbers. Both directions must agree on how many.
    pub fn new(numbers: usize) -> Self {
        let groups = numbers.next_power_of_two().clamp(Self::FEWEST, Self::MOST);
        Self {
            bits: vec![Bit::default(); groups << GROUP],
            groups: groups as u32,
            last: vec![0; groups],
        }
    }

    /// The models of four bits in a context.
    fn group(&mut self, context: Context) -> &mut [Bit] {
        let first = ((context.0 & (self.groups - 1)) << GROUP) as usize;
        &mut self.bits[first..first + (1 << GROUP)]
    }

    /// Codes a number of `bits` bits, each bit after those before it.
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
            // The first bits choose the models of the next.
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

    /// Codes any number; `length` is what its length depends on, `context` its first bits.
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
        // Whatever the context, lengths and first bits say something of the next.
        let shared = if left < 4 { left } else { 2 };
        left -= shared;
        let part = (number >> left) as u32 & ((1 << shared) - 1);
        let next = Context::new(bits).and(first);
        coded = coded << shared | u64::from(self.small(coder, next, shared, part));
        if left == 0 {
            return coded;
        }
        // Simulated clocks repeat long times to the tick; others nearly never do.
        let slot = (context.0 & (self.groups - 1)) as usize;
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

/// Bits of a number without leading zeros.
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

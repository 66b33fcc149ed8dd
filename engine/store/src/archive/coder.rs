//! An adaptive binary range coder, in which likely bits take little space.
//!
//! Follows G. N. N. Martin, "Range encoding" (1979), with probabilities that are learned bit by bit. Both directions
//! implement [`Coder`], so that the code that chooses the models is written once: a [`Decoder`] returns the bits that
//! were passed to an [`Encoder`].

/// An estimate of the probability of a one, in units of 1/65,536: the mean of a quick and a slow average.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bit {
    quick: u16,
    slow: u16,
    seen: u16,
}

impl Default for Bit {
    fn default() -> Self {
        Self {
            quick: 1 << 15,
            slow: 1 << 15,
            seen: 0,
        }
    }
}

impl Bit {
    /// The number of bits after which the weight of the next bit in the quick average stays constant; `SLOW` is the
    /// same for the slow average.
    const QUICK: usize = 24;
    const SLOW: usize = 400;

    /// The weight of the next bit, in units of 1/65,536, by the number of bits seen.
    const WEIGHTS: [u16; Self::SLOW] = {
        let mut weights = [0; Self::SLOW];
        let mut seen = 0;
        while seen < Self::SLOW {
            weights[seen] = ((1 << 17) / (2 * seen + 3)) as u16;
            seen += 1;
        }
        weights
    };

    /// Returns the probability of a one, in units of 1/65,536. It is never 0 or 1.
    fn probability(self) -> u32 {
        ((u32::from(self.quick) + u32::from(self.slow)) / 2).clamp(24, (1 << 16) - 24)
    }

    fn learn(&mut self, bit: bool) {
        let seen = usize::from(self.seen);
        let target = if bit { i32::from(u16::MAX) } else { 0 };
        let towards = |value: u16, weight: u16| {
            let step = (target - i32::from(value)) * i32::from(weight >> 1) / (1 << 15);
            (i32::from(value) + step) as u16
        };
        self.quick = towards(self.quick, Self::WEIGHTS[seen.min(Self::QUICK - 1)]);
        self.slow = towards(self.slow, Self::WEIGHTS[seen.min(Self::SLOW - 1)]);
        self.seen += u16::from(seen < Self::SLOW - 1);
    }
}

/// One direction of the coder.
pub(super) trait Coder {
    /// Codes a bit with the probability of `model`, which learns from it. A decoder ignores `bit` and returns the bit
    /// that was coded.
    fn bit(&mut self, model: &mut Bit, bit: bool) -> bool;

    /// Codes the lowest `bits` bits of a number, at most 16, which are all equally likely. A decoder returns the bits
    /// that were coded.
    fn plain(&mut self, number: u32, bits: u32) -> u32;
}

/// The minimum width of the range before a bit is coded.
const NARROW: u32 = 1 << 24;

/// An encoder of bits to bytes.
#[derive(Debug)]
pub(super) struct Encoder {
    low: u64,
    range: u32,
    bytes: Vec<u8>,
}

impl Encoder {
    /// Creates an encoder that appends to `bytes`, which must be empty.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self {
            low: 0,
            range: u32::MAX,
            bytes,
        }
    }

    /// Returns the bytes of all bits. Trailing zeros are omitted.
    pub fn finish(mut self) -> Vec<u8> {
        for _ in 0..4 {
            self.shift();
        }
        let end = self.bytes.iter().rposition(|&byte| byte != 0);
        self.bytes.truncate(end.map_or(0, |last| last + 1));
        self.bytes
    }

    fn widen(&mut self) {
        while self.range < NARROW {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Moves out the highest byte, and adds its carry to the preceding bytes.
    fn shift(&mut self) {
        if self.low >> 32 != 0 {
            for byte in self.bytes.iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
        self.bytes.push((self.low >> 24) as u8);
        self.low = (self.low << 8) & u64::from(u32::MAX);
    }
}

impl Coder for Encoder {
    fn bit(&mut self, model: &mut Bit, bit: bool) -> bool {
        let bound = (self.range >> 16) * model.probability();
        if bit {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        model.learn(bit);
        self.widen();
        bit
    }

    fn plain(&mut self, number: u32, bits: u32) -> u32 {
        let number = number & ((1 << bits) - 1);
        self.range >>= bits;
        self.low += u64::from(number) * u64::from(self.range);
        self.widen();
        number
    }
}

/// A decoder of bytes to bits.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    code: u32,
    range: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    /// Creates a decoder of the bytes of a finished [`Encoder`].
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self {
            code: 0,
            range: u32::MAX,
            bytes: bytes.iter(),
        };
        for _ in 0..4 {
            decoder.shift();
        }
        decoder
    }

    /// Returns whether all bytes have been read.
    pub fn is_done(&self) -> bool {
        self.bytes.as_slice().is_empty()
    }

    fn widen(&mut self) {
        while self.range < NARROW {
            self.range <<= 8;
            self.shift();
        }
    }

    fn shift(&mut self) {
        let byte = self.bytes.next().copied().unwrap_or(0);
        self.code = self.code << 8 | u32::from(byte);
    }
}

impl Coder for Decoder<'_> {
    fn bit(&mut self, model: &mut Bit, _: bool) -> bool {
        let bound = (self.range >> 16) * model.probability();
        let bit = self.code < bound;
        if bit {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        model.learn(bit);
        self.widen();
        bit
    }

    fn plain(&mut self, _: u32, bits: u32) -> u32 {
        self.range >>= bits;
        let number = (self.code / self.range).min((1 << bits) - 1);
        self.code -= number * self.range;
        self.widen();
        number
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An item to code: a bit with a model, or a number with a number of bits.
    #[derive(Clone, Debug)]
    enum Item {
        Bit(u8, bool),
        Plain(u32, u32),
    }

    fn item() -> impl Strategy<Value = Item> {
        prop_oneof![
            4 => (0..8_u8, prop::bool::weighted(0.98)).prop_map(|(model, bit)| Item::Bit(model, bit)),
            1 => (0..8_u8, any::<bool>()).prop_map(|(model, bit)| Item::Bit(model, bit)),
            1 => (0..=16_u32, any::<u32>())
                .prop_map(|(bits, number)| Item::Plain(number & ((1 << bits) - 1), bits)),
        ]
    }

    proptest! {
        #[test]
        fn decoding_reverses_encoding(items in prop::collection::vec(item(), 0..3000)) {
            let mut models = [Bit::default(); 8];
            let mut encoder = Encoder::new(Vec::new());
            for item in &items {
                match *item {
                    Item::Bit(model, bit) => _ = encoder.bit(&mut models[model as usize], bit),
                    Item::Plain(number, bits) => _ = encoder.plain(number, bits),
                }
            }
            let bytes = encoder.finish();
            let mut models = [Bit::default(); 8];
            let mut decoder = Decoder::new(&bytes);
            for item in &items {
                match *item {
                    Item::Bit(model, bit) => {
                        prop_assert_eq!(decoder.bit(&mut models[model as usize], false), bit);
                    }
                    Item::Plain(number, bits) => prop_assert_eq!(decoder.plain(0, bits), number),
                }
            }
            prop_assert!(decoder.is_done());
        }
    }

    #[test]
    fn likely_bits_take_little_space() {
        let mut model = Bit::default();
        let mut encoder = Encoder::new(Vec::new());
        for _ in 0..80_000 {
            encoder.bit(&mut model, true);
        }
        let bytes = encoder.finish().len();
        assert!(bytes < 20, "{bytes} bytes");
    }
}

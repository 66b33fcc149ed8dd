//! Codes the values of a quantity in a segment.
//!
//! Programs repeat sequences of values, so the value that followed the same values before is probably the next one. A
//! value that was not expected is coded as the difference from the last value of the same symbol.

use foldtrace_trace::Quantity;

use super::coder::Coder;
use super::number::{Context, Numbers, mix};
use crate::encode::zigzag;

const VALUE: Context = Context::new(4);
const EXPECTED: Context = Context::new(6);

/// The numbers of preceding values by which a value is expected.
const LENGTHS: [usize; 2] = [LONGEST, 2];
const LONGEST: usize = 8;

/// The maximum number of expectations that are counted as met in succession.
const STREAK: u32 = 7;

/// The symbol of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    /// The fingerprint of the symbol.
    pub print: u32,
    /// The row of the symbol among the different symbols.
    pub row: u32,
}

/// Codes the values of `quantity` of events with these symbols, which are among `rows` different ones.
pub(super) fn code_values<C: Coder>(
    coder: &mut C,
    quantity: Quantity,
    owners: impl Iterator<Item = Owner>,
    rows: usize,
    values: &mut [u64],
) {
    if values.is_empty() {
        return;
    }
    let reason = VALUE.and(quantity as u32);
    let mut numbers = Numbers::new(16 * values.len());
    let mut followers = Followers::new(values.len());
    let mut history = History::default();
    let mut streaks = [0; LENGTHS.len()];
    let mut last = vec![0_u64; rows];
    for (owner, value) in owners.zip(values) {
        let context = reason.and(owner.print);
        let last = &mut last[owner.row as usize];
        let keys = history.hashes.map(|hash| context.and(hash));
        let mut missed = None;
        let mut expected = None;
        for (index, key) in keys.into_iter().enumerate() {
            let Some(follower) = followers.get(key) else {
                continue;
            };
            if missed == Some(follower) {
                continue;
            }
            let streak = &mut streaks[index];
            let context = EXPECTED.and(index as u32).and(*streak);
            if numbers.small(coder, context, 1, u32::from(*value == follower)) == 1 {
                *streak = (*streak + 1).min(STREAK);
                expected = Some(follower);
                break;
            }
            *streak = 0;
            missed = Some(follower);
        }
        *value = expected.unwrap_or_else(|| {
            let step = zigzag(value.wrapping_sub(*last) as i64);
            last.wrapping_add(unzigzag(numbers.number(coder, context, context, step)))
        });
        *last = *value;
        for key in keys {
            followers.set(key, *value);
        }
        history.append(*value);
    }
}

/// Returns the difference, modulo 2^64, that [`zigzag`] has coded.
pub(super) fn unzigzag(coded: u64) -> u64 {
    coded >> 1 ^ (coded & 1).wrapping_neg()
}

/// The value that followed last in each of the last contexts. Contexts that collide only cost some compression.
#[derive(Debug)]
struct Followers {
    slots: Vec<(Context, u64)>,
}

impl Followers {
    const FEWEST: usize = 1 << 8;
    const MOST: usize = 1 << 14;

    /// Creates the followers for a number of values.
    fn new(values: usize) -> Self {
        let slots = (2 * values).next_power_of_two();
        let slots = slots.clamp(Self::FEWEST, Self::MOST);
        Self {
            slots: vec![(Context::NONE, 0); slots],
        }
    }

    fn get(&self, key: Context) -> Option<u64> {
        let (context, value) = self.slots[key.slot(self.slots.len())];
        (context == key).then_some(value)
    }

    fn set(&mut self, key: Context, value: u64) {
        let slot = key.slot(self.slots.len());
        self.slots[slot] = (key, value);
    }
}

/// The last values, as hashes.
#[derive(Debug, Default)]
struct History {
    mixed: [u32; LONGEST],
    count: usize,
    /// A polynomial of the last values, for each of the [`LENGTHS`].
    hashes: [u32; LENGTHS.len()],
}

impl History {
    const FACTOR: u32 = 0x9e37_79b1;

    fn append(&mut self, value: u64) {
        let mixed = mix(value as u32 ^ (value >> 32) as u32);
        for (hash, length) in self.hashes.iter_mut().zip(LENGTHS) {
            let oldest = self.mixed[(self.count + LONGEST - length) % LONGEST];
            let oldest = oldest.wrapping_mul(Self::FACTOR.wrapping_pow(length as u32));
            *hash = hash
                .wrapping_mul(Self::FACTOR)
                .wrapping_add(mixed)
                .wrapping_sub(oldest);
        }
        self.mixed[self.count % LONGEST] = mixed;
        self.count += 1;
    }
}

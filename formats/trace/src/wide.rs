//! Records which numbers of a trace need all 64 bits and do not fit into a signed column.

use serde::{Deserialize, Serialize};

use crate::{Quantity, Timestamp, UNDEFINED};

/// The set of fields of a trace, time and quantities, that have a value of 2^63 or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WideFields {
    /// Whether a time needs all 64 bits.
    pub time: bool,
    /// The quantities in the set, one bit per quantity.
    quantities: u8,
}

/// Returns whether one of the numbers needs all 64 bits.
fn has_wide(numbers: impl Iterator<Item = u64>) -> bool {
    numbers.fold(0, |all, number| all | number) > i64::MAX as u64
}

impl WideFields {
    /// Adds the time to the set if one of `times` needs all 64 bits.
    pub fn add_times(&mut self, times: &[Timestamp]) {
        self.time |= has_wide(times.iter().map(|time| time.0));
    }

    /// Adds `quantity` to the set if one of its defined values needs all 64 bits. [`Quantity::Value`] is
    /// signed already and is never added.
    pub fn add(&mut self, quantity: Quantity, values: &[u64]) {
        let defined = values.iter().filter(|&&value| value != UNDEFINED);
        if quantity != Quantity::Value && has_wide(defined.copied()) {
            self.insert(quantity);
        }
    }

    /// Returns a set without quantities, which contains the time if `time` is true.
    #[must_use]
    pub fn with_times(time: bool) -> Self {
        Self {
            time,
            ..Self::default()
        }
    }

    /// Adds `quantity` to the set.
    pub fn insert(&mut self, quantity: Quantity) {
        self.quantities |= quantity.bit();
    }

    /// Returns whether a value of `quantity` needs all 64 bits.
    #[must_use]
    pub fn has(self, quantity: Quantity) -> bool {
        self.quantities & quantity.bit() != 0
    }

    /// Returns the fields that are in one of the sets or in both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            time: self.time | other.time,
            quantities: self.quantities | other.quantities,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_values_and_signed_ones_are_not_wide() {
        let mut fields = WideFields::default();
        fields.add(Quantity::Bytes, &[0, UNDEFINED, i64::MAX as u64]);
        fields.add(Quantity::Value, &[u64::MAX - 1]);
        fields.add_times(&[Timestamp(i64::MAX as u64)]);
        assert_eq!(fields, WideFields::default());
        fields.add(Quantity::Bytes, &[UNDEFINED - 1, 3]);
        assert!(fields.has(Quantity::Bytes) && !fields.has(Quantity::Offset));
        fields.add_times(&[Timestamp(1 << 63), Timestamp(0)]);
        assert!(fields.union(WideFields::default()).time);
    }
}

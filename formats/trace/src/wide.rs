//! Numbers of events that need all 64 bits, which no signed column has room for.

use crate::{Quantity, Timestamp, UNDEFINED};

/// The times and quantities of a trace of which some value needs the 64th bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WideFields {
    /// Whether a time does.
    pub time: bool,
    /// Quantities, a bit each.
    quantities: u8,
}

/// Whether one of some numbers needs the 64th bit.
fn has_wide(numbers: impl Iterator<Item = u64>) -> bool {
    numbers.fold(0, |all, number| all | number) > i64::MAX as u64
}

impl WideFields {
    /// Takes times.
    pub fn add_times(&mut self, times: &[Timestamp]) {
        self.time |= has_wide(times.iter().map(|time| time.0));
    }

    /// Takes values of a quantity, some of which may be undefined. Those of [`Quantity::Value`] have a sign
    /// already.
    pub fn add(&mut self, quantity: Quantity, values: &[u64]) {
        let defined = values.iter().filter(|&&value| value != UNDEFINED);
        if quantity != Quantity::Value && has_wide(defined.copied()) {
            self.insert(quantity);
        }
    }

    /// The fields of a trace whose times need all 64 bits, or do not; no quantity does.
    #[must_use]
    pub fn with_times(time: bool) -> Self {
        Self {
            time,
            ..Self::default()
        }
    }

    /// Takes a quantity.
    pub fn insert(&mut self, quantity: Quantity) {
        self.quantities |= quantity.bit();
    }

    /// Whether a value of this quantity needs the 64th bit.
    #[must_use]
    pub fn has(self, quantity: Quantity) -> bool {
        self.quantities & quantity.bit() != 0
    }

    /// The fields of two traces.
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

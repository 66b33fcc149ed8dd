//! Generates the values of the fields of a record: ordinary, extreme and undefined values, in all fields at once and in
//! one field at a time, so that tests detect a reader that confuses two fields or widths.

/// A number that a field can contain.
pub(super) trait Sample: Copy {
    /// The number that is farthest from zero without being undefined.
    const EXTREME: Self;
    /// The undefined number.
    const UNDEFINED: Self;
    /// Returns a small number that fits into any field.
    fn small(number: u8) -> Self;
}

macro_rules! unsigned {
    ($($type:ty)*) => {$(
        impl Sample for $type {
            const EXTREME: Self = <$type>::MAX - 1;
            const UNDEFINED: Self = <$type>::MAX;

            fn small(number: u8) -> Self {
                Self::from(number)
            }
        }
    )*};
}

unsigned! { u8 u32 u64 }

impl Sample for i64 {
    const EXTREME: Self = Self::MIN;
    const UNDEFINED: Self = Self::MAX;

    fn small(number: u8) -> Self {
        -Self::from(number)
    }
}

/// The choice of fields with unusual values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Ordinary,
    Zero,
    AllExtreme,
    AllUndefined,
    Extreme(usize),
    Undefined(usize),
}

/// The fields of one record, which are taken one after the other.
#[derive(Debug)]
pub(super) struct Fields {
    variant: Variant,
    taken: usize,
}

impl Fields {
    /// Returns all variants of a record with that many fields.
    pub(super) fn variants(fields: usize) -> impl Iterator<Item = Self> {
        let whole: &[Variant] = match fields {
            0 => &[Variant::Ordinary],
            _ => &[
                Variant::Ordinary,
                Variant::Zero,
                Variant::AllExtreme,
                Variant::AllUndefined,
            ],
        };
        let alone = if fields > 1 { fields } else { 0 };
        let single =
            (0..alone).flat_map(|field| [Variant::Extreme(field), Variant::Undefined(field)]);
        let variants = whole.iter().copied().chain(single);
        variants.map(|variant| Self { variant, taken: 0 })
    }

    /// Returns the value of the next field. Ordinary values count from one, so that no two fields of a record have the
    /// same value.
    pub(super) fn take<T: Sample>(&mut self, _name: &str) -> T {
        let field = self.taken;
        self.taken += 1;
        match self.variant {
            Variant::Zero => T::small(0),
            Variant::AllExtreme => T::EXTREME,
            Variant::AllUndefined => T::UNDEFINED,
            Variant::Extreme(one) if one == field => T::EXTREME,
            Variant::Undefined(one) if one == field => T::UNDEFINED,
            _ => T::small(u8::try_from(self.taken).unwrap_or(u8::MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_extreme_and_undefined_once_alone() {
        let taken =
            |mut fields: Fields| -> (u32, i64) { (fields.take("first"), fields.take("second")) };
        let all: Vec<_> = Fields::variants(2).map(taken).collect();
        let expected = [
            (1, -2),
            (0, 0),
            (u32::MAX - 1, i64::MIN),
            (u32::MAX, i64::MAX),
            (u32::MAX - 1, -2),
            (u32::MAX, -2),
            (1, i64::MIN),
            (1, i64::MAX),
        ];
        assert_eq!(all, expected);
        assert_eq!(Fields::variants(0).count(), 1);
        assert_eq!(Fields::variants(1).count(), 4);
    }
}

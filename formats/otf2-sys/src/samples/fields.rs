//! Which values the fields of a record take: ordinary ones, extreme ones, and undefined ones, all
//! at once and one at a time, so that a reader that confuses two fields or widths is found out.

/// A number that a record can hold.
pub(super) trait Sample: Copy {
    /// As far from zero as it goes without being undefined.
    const EXTREME: Self;
    /// What stands for "not known".
    const UNDEFINED: Self;
    /// A small number that fits any field.
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

/// Which fields of a record are out of the ordinary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Ordinary,
    Zero,
    AllExtreme,
    AllUndefined,
    Extreme(usize),
    Undefined(usize),
}

/// The fields of one record, taken one after the other.
#[derive(Debug)]
pub(super) struct Fields {
    variant: Variant,
    taken: usize,
}

impl Fields {
    /// All variants of a record with so many fields.
    pub(super) fn variants(fields: usize) -> impl Iterator<Item = Self> {
        let of_all: &[Variant] = match fields {
            0 => &[Variant::Ordinary],
            _ => &[
                Variant::Ordinary,
                Variant::Zero,
                Variant::AllExtreme,
                Variant::AllUndefined,
            ],
        };
        let alone = if fields > 1 { fields } else { 0 };
        let of_one =
            (0..alone).flat_map(|field| [Variant::Extreme(field), Variant::Undefined(field)]);
        let variants = of_all.iter().copied().chain(of_one);
        variants.map(|variant| Self { variant, taken: 0 })
    }

    /// The next field, of that name; ordinary ones count from one, so that no two of a record are
    /// the same.
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

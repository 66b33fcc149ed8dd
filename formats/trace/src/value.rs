//! Typed values of metrics, attributes and properties: a type and 64 bits.

macro_rules! value_types {
    ($($(#[$doc:meta])* $variant:ident $text:literal $code:literal,)*) => {
        /// The type of a 64-bit value. Codes and meanings are those of OTF2's `OTF2_Type`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum ValueType {
            /// No type.
            #[default]
            None = 0,
            $($(#[$doc])* $variant = $code,)*
            /// An argument of the program: the attribute is its index, the value a string.
            Argument = 255,
        }

        impl ValueType {
            /// All types.
            pub const ALL: &'static [Self] = &[Self::None, $(Self::$variant,)* Self::Argument];

            /// Returns the type with that code.
            #[must_use]
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { 0 => Some(Self::None), $($code => Some(Self::$variant),)* 255 => Some(Self::Argument), _ => None }
            }

            /// Returns the name used in files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { Self::None => "none", $(Self::$variant => $text,)* Self::Argument => "argument" }
            }
        }
    };
}

value_types! {
    /// Unsigned, 8 bits.
    Uint8 "uint8" 1,
    /// Unsigned, 16 bits.
    Uint16 "uint16" 2,
    /// Unsigned, 32 bits.
    Uint32 "uint32" 3,
    /// Unsigned, 64 bits.
    Uint64 "uint64" 4,
    /// Signed, 8 bits.
    Int8 "int8" 5,
    /// Signed, 16 bits.
    Int16 "int16" 6,
    /// Signed, 32 bits.
    Int32 "int32" 7,
    /// Signed, 64 bits.
    Int64 "int64" 8,
    /// IEEE single precision, in the low 32 bits.
    Float "float" 9,
    /// IEEE double precision.
    Double "double" 10,
    /// Reference to a string.
    String "string" 11,
    /// Reference to an attribute.
    Attribute "attribute" 12,
    /// Reference to a location.
    Location "location" 13,
    /// Reference to a region.
    Region "region" 14,
    /// Reference to a group.
    Group "group" 15,
    /// Reference to a metric.
    Metric "metric" 16,
    /// Reference to a communicator.
    Comm "comm" 17,
    /// Reference to a parameter.
    Parameter "parameter" 18,
    /// Reference to an RMA window.
    RmaWin "rma_win" 19,
    /// Reference to a source code location.
    SourceCodeLocation "source_code_location" 20,
    /// Reference to a calling context.
    CallingContext "calling_context" 21,
    /// Reference to an interrupt generator.
    InterruptGenerator "interrupt_generator" 22,
    /// Reference to an I/O file.
    IoFile "io_file" 23,
    /// Reference to an I/O handle.
    IoHandle "io_handle" 24,
    /// Reference to a location group.
    LocationGroup "location_group" 25,
}

impl ValueType {
    /// Returns the type with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.name() == name)
    }

    /// Returns whether the value is a two's complement integer.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::Int8 | Self::Int16 | Self::Int32 | Self::Int64)
    }

    /// Returns the bits of a value of this type for the double that [`as_double`](Self::as_double) returned for it.
    #[must_use]
    pub fn from_double(self, double: f64) -> u64 {
        match self {
            Self::Float => u64::from(narrow(double)),
            _ => double.to_bits(),
        }
    }

    /// Converts the bits of a floating-point value to a double; `None` for other types.
    #[must_use]
    pub fn as_double(self, bits: u64) -> Option<f64> {
        match self {
            Self::Float => Some(widen(bits as u32)),
            Self::Double => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// Converts the bits of a value to the nearest double.
    #[must_use]
    pub fn number(self, bits: u64) -> f64 {
        match self.as_double(bits) {
            Some(double) => double,
            None if self.is_signed() => bits as i64 as f64,
            None => bits as f64,
        }
    }
}

const PAYLOAD_SHIFT: u32 = 52 - 23;

/// Converts a single to a double. The payload of a NaN, and whether it signals, are kept in the upper bits.
fn widen(single: u32) -> f64 {
    let value = f32::from_bits(single);
    if !value.is_nan() {
        return f64::from(value);
    }
    let sign = u64::from(single >> 31) << 63;
    let payload = u64::from(single & 0x007f_ffff) << PAYLOAD_SHIFT;
    f64::from_bits(sign | 0x7ff0_0000_0000_0000 | payload)
}

/// Converts a double to a single; the inverse of [`widen`].
fn narrow(double: f64) -> u32 {
    if !double.is_nan() {
        return (double as f32).to_bits();
    }
    let bits = double.to_bits();
    let payload = (bits >> PAYLOAD_SHIFT) as u32 & 0x007f_ffff;
    ((bits >> 63) as u32) << 31 | 0x7f80_0000 | payload
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_single_keeps_its_bits(bits in any::<u32>(), nan in any::<bool>()) {
            let bits = if nan { bits | 0x7f80_0001 } else { bits };
            let double = ValueType::Float.as_double(u64::from(bits)).unwrap();
            prop_assert_eq!(ValueType::Float.from_double(double), u64::from(bits));
        }
    }
}

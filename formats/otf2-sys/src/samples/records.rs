//! What records of events and of snapshots have in common: a time, attributes, and fields that are
//! tried out in every variant.

use super::fields::Fields;
use super::values::Attributed;
use crate::bindings::*;
use crate::safe::LibraryError;
use crate::safe::errors::check;

/// Writes records with a writer of the library, each a bit later than the one before.
#[derive(Debug)]
pub(super) struct Records<W> {
    writer: *mut W,
    /// Time of the next record.
    pub(super) time: u64,
    /// How many were written.
    pub(super) written: u64,
}

impl<W> Records<W> {
    /// Records of `writer`, which must be valid as long as they are written.
    pub(super) fn new(writer: *mut W, time: u64) -> Self {
        Self {
            writer,
            time,
            written: 0,
        }
    }

    /// Writes a record as `write` does, with these attributes. Of every eight, two are at
    /// the same time.
    pub(super) fn one(
        &mut self,
        attributed: Attributed,
        write: impl FnOnce(*mut W, *mut OTF2_AttributeList, u64) -> OTF2_ErrorCode,
    ) -> Result<(), LibraryError> {
        let list = attributed.list()?;
        check(write(self.writer, list.as_ptr(), self.time))?;
        self.time = self.time.saturating_add(self.written % 8);
        self.written += 1;
        Ok(())
    }

    /// Writes a record as `write` does: without attributes, with one, and with every kind.
    pub(super) fn attributed(
        &mut self,
        mut write: impl FnMut(*mut W, *mut OTF2_AttributeList, u64) -> OTF2_ErrorCode,
    ) -> Result<(), LibraryError> {
        self.one(Attributed::No, &mut write)?;
        self.one(Attributed::One(self.written / 3), &mut write)?;
        self.one(Attributed::Every, &mut write)
    }

    /// Writes a record as `write` does in all variants of so many fields.
    pub(super) fn variants(
        &mut self,
        fields: usize,
        write: impl Fn(*mut W, *mut OTF2_AttributeList, u64, &mut Fields) -> OTF2_ErrorCode,
    ) -> Result<(), LibraryError> {
        for attributed in [
            Attributed::No,
            Attributed::One(self.written),
            Attributed::Every,
        ] {
            for mut fields in Fields::variants(fields) {
                self.one(attributed, |writer, list, time| {
                    write(writer, list, time, &mut fields)
                })?;
            }
        }
        Ok(())
    }
}

/// Writes all variants of every kind of record named: a function of the library and its fields.
macro_rules! every_variant {
    ($records:ident: $($write:ident($($field:ident)*);)*) => {$(
        let names: &[&str] = &[$(stringify!($field)),*];
        $records.variants(names.len(), |writer, list, time, _fields| {
            // SAFETY: the writer and the list are valid, all else are numbers.
            unsafe { $write(writer, list, time, $(_fields.take(stringify!($field))),*) }
        })?;
    )*};
}
pub(super) use every_variant;

/// Values of a metric with so many members: their types, and bits of each kind of number.
pub(super) fn metric_values(members: u8) -> (Vec<OTF2_Type>, Vec<OTF2_MetricValue>) {
    const VALUES: [(u32, OTF2_MetricValue); 9] = [
        (
            OTF2_Type_enum_OTF2_TYPE_UINT64,
            OTF2_MetricValue {
                unsigned_int: u64::MAX,
            },
        ),
        (
            OTF2_Type_enum_OTF2_TYPE_INT64,
            OTF2_MetricValue {
                signed_int: i64::MIN,
            },
        ),
        (
            OTF2_Type_enum_OTF2_TYPE_DOUBLE,
            OTF2_MetricValue {
                floating_point: f64::NAN,
            },
        ),
        (
            OTF2_Type_enum_OTF2_TYPE_UINT64,
            OTF2_MetricValue { unsigned_int: 300 },
        ),
        (
            OTF2_Type_enum_OTF2_TYPE_INT64,
            OTF2_MetricValue { signed_int: -1 },
        ),
        (
            OTF2_Type_enum_OTF2_TYPE_DOUBLE,
            OTF2_MetricValue {
                floating_point: -0.0,
            },
        ),
        (
            OTF2_Type_enum_OTF2_TYPE_UINT64,
            OTF2_MetricValue { unsigned_int: 0 },
        ),
        (
            OTF2_Type_enum_OTF2_TYPE_INT64,
            OTF2_MetricValue {
                signed_int: 1 << 40,
            },
        ),
        (
            OTF2_Type_enum_OTF2_TYPE_DOUBLE,
            OTF2_MetricValue {
                floating_point: f64::NEG_INFINITY,
            },
        ),
    ];
    let values = VALUES.iter().cycle().take(usize::from(members));
    values
        .map(|&(value_type, value)| (value_type as OTF2_Type, value))
        .unzip()
}

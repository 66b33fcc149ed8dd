//! Writes records of events and of snapshots: both have a time, attributes, and fields, which are written in every
//! variant.

use super::fields::Fields;
use super::values::Attributed;
use crate::bindings::*;
use crate::safe::LibraryError;
use crate::safe::errors::check;

/// A writer of records with increasing times.
#[derive(Debug)]
pub(super) struct RecordWriter<W> {
    writer: *mut W,
    /// Time of the next record.
    pub(super) time: u64,
    /// Number of written records.
    pub(super) written: u64,
}

impl<W> RecordWriter<W> {
    /// Creates a writer that begins at `time`. `writer` must be valid while records are written.
    pub(super) fn new(writer: *mut W, time: u64) -> Self {
        Self {
            writer,
            time,
            written: 0,
        }
    }

    /// Writes a record with `write`, which gets these attributes. Two of eight records have the same time.
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

    /// Writes a record with `write` three times: without attributes, with one, and with every type of attribute.
    pub(super) fn attributed(
        &mut self,
        mut write: impl FnMut(*mut W, *mut OTF2_AttributeList, u64) -> OTF2_ErrorCode,
    ) -> Result<(), LibraryError> {
        self.one(Attributed::None, &mut write)?;
        self.one(Attributed::One(self.written / 3), &mut write)?;
        self.one(Attributed::Every, &mut write)
    }

    /// Writes a record with `write` in all variants of that many fields.
    pub(super) fn variants(
        &mut self,
        fields: usize,
        write: impl Fn(*mut W, *mut OTF2_AttributeList, u64, &mut Fields) -> OTF2_ErrorCode,
    ) -> Result<(), LibraryError> {
        for attributed in [
            Attributed::None,
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

/// Writes all variants of the given records, which are functions of the library with the names of their fields.
macro_rules! every_variant {
    ($records:ident: $($write:ident($($field:ident)*);)*) => {$(
        let names: &[&str] = &[$(stringify!($field)),*];
        $records.variants(names.len(), |writer, list, time, _fields| {
            // SAFETY: the writer and the list are valid; all other arguments are numbers.
            unsafe { $write(writer, list, time, $(_fields.take(stringify!($field))),*) }
        })?;
    )*};
}
pub(super) use every_variant;

/// Returns the types and the values of a metric with that many members.
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

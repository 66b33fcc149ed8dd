//! Typed values of properties and of the attributes of events.

use crate::bindings::*;
use crate::safe::LibraryError;
use crate::safe::errors::{check, null_error};

/// Every type of values; the library refuses to write a value without a type.
pub(super) const TYPES: std::ops::RangeInclusive<OTF2_Type> = OTF2_Type_enum_OTF2_TYPE_UINT8
    as OTF2_Type
    ..=OTF2_Type_enum_OTF2_TYPE_LOCATION_GROUP as OTF2_Type;

/// Returns an ordinary value of that type, or the most extreme one. Extreme references are undefined.
#[allow(non_upper_case_globals)] // The names are the library's.
pub(super) fn value(value_type: OTF2_Type, extreme: bool) -> OTF2_AttributeValue {
    let mut value = OTF2_AttributeValue { uint64: 0 };
    match (u32::from(value_type), extreme) {
        (OTF2_Type_enum_OTF2_TYPE_UINT8, false) => value.uint8 = 200,
        (OTF2_Type_enum_OTF2_TYPE_UINT8, true) => value.uint8 = u8::MAX,
        (OTF2_Type_enum_OTF2_TYPE_UINT16, false) => value.uint16 = 1000,
        (OTF2_Type_enum_OTF2_TYPE_UINT16, true) => value.uint16 = u16::MAX,
        (OTF2_Type_enum_OTF2_TYPE_UINT32, false) => value.uint32 = 100_000,
        (OTF2_Type_enum_OTF2_TYPE_UINT32, true) => value.uint32 = u32::MAX,
        (OTF2_Type_enum_OTF2_TYPE_UINT64, false) => value.uint64 = 1 << 40,
        (OTF2_Type_enum_OTF2_TYPE_UINT64, true) => value.uint64 = u64::MAX,
        (OTF2_Type_enum_OTF2_TYPE_INT8, false) => value.int8 = -1,
        (OTF2_Type_enum_OTF2_TYPE_INT8, true) => value.int8 = i8::MIN,
        (OTF2_Type_enum_OTF2_TYPE_INT16, false) => value.int16 = -1,
        (OTF2_Type_enum_OTF2_TYPE_INT16, true) => value.int16 = i16::MIN,
        (OTF2_Type_enum_OTF2_TYPE_INT32, false) => value.int32 = -1,
        (OTF2_Type_enum_OTF2_TYPE_INT32, true) => value.int32 = i32::MIN,
        (OTF2_Type_enum_OTF2_TYPE_INT64, false) => value.int64 = -1,
        (OTF2_Type_enum_OTF2_TYPE_INT64, true) => value.int64 = i64::MIN,
        (OTF2_Type_enum_OTF2_TYPE_FLOAT, false) => value.float32 = -0.5,
        (OTF2_Type_enum_OTF2_TYPE_FLOAT, true) => value.float32 = f32::INFINITY,
        (OTF2_Type_enum_OTF2_TYPE_DOUBLE, false) => value.float64 = 1e-300,
        (OTF2_Type_enum_OTF2_TYPE_DOUBLE, true) => value.float64 = f64::NAN,
        (OTF2_Type_enum_OTF2_TYPE_LOCATION, false) => value.locationRef = 1,
        (OTF2_Type_enum_OTF2_TYPE_LOCATION, true) => value.locationRef = u64::MAX,
        // All other references have the same width.
        (_, false) => value.stringRef = 1,
        (_, true) => value.stringRef = u32::MAX,
    }
    value
}

/// The attributes of a record.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attributed {
    /// No attributes.
    None,
    /// One attribute. Consecutive numbers have consecutive types.
    One(u64),
    /// Two attributes of every type: one with an ordinary and one with an extreme value.
    Every,
}

impl Attributed {
    /// Returns the list of attributes for one record.
    pub(super) fn list(self) -> Result<AttributeList, LibraryError> {
        let mut list = AttributeList::new()?;
        let types = u64::from(TYPES.end() - TYPES.start()) + 1;
        match self {
            Self::None => {}
            Self::One(number) => {
                let value_type = TYPES.start() + (number % types) as OTF2_Type;
                list.add(u32::from(value_type), value_type, number / types % 2 == 1)?;
            }
            Self::Every => {
                for value_type in TYPES {
                    let attribute = u32::from(value_type);
                    list.add(attribute, value_type, false)?;
                    list.add(u32::MAX - 1 - attribute, value_type, true)?;
                }
            }
        }
        Ok(list)
    }
}

/// A list of attributes of the library.
#[derive(Debug)]
pub(super) struct AttributeList(*mut OTF2_AttributeList);

impl AttributeList {
    fn new() -> Result<Self, LibraryError> {
        // SAFETY: the function has no preconditions; null is checked.
        let list = unsafe { OTF2_AttributeList_New() };
        if list.is_null() {
            Err(null_error())
        } else {
            Ok(Self(list))
        }
    }

    fn add(
        &mut self,
        attribute: u32,
        value_type: OTF2_Type,
        extreme: bool,
    ) -> Result<(), LibraryError> {
        let value = value(value_type, extreme);
        // SAFETY: the list is valid, and `value` set the member of that type.
        check(unsafe { OTF2_AttributeList_AddAttribute(self.0, attribute, value_type, value) })
    }

    /// Returns the list for functions of the library.
    pub(super) fn as_ptr(&self) -> *mut OTF2_AttributeList {
        self.0
    }
}

impl Drop for AttributeList {
    fn drop(&mut self) {
        // SAFETY: the list is valid and not used any more.
        unsafe { OTF2_AttributeList_Delete(self.0) };
    }
}

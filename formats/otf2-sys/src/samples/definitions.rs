//! Writes every kind of definition, global and local, with ordinary, undefined and extreme fields.

use super::archive::{c_string, text};
use super::values::{TYPES, value};
use crate::bindings::*;
use crate::safe::LibraryError;
use crate::safe::errors::check;

/// An undefined reference or number.
const NONE: u32 = u32::MAX;

/// The largest id.
const FAR: u32 = u32::MAX - 1;

/// Lists without members.
static NOTHING: [u64; 0] = [];
static NO_IDS: [u32; 0] = [];

/// Lists with more members than a byte can count.
static MANY: [u64; 300] = many();
static MANY_IDS: [u32; 300] = many_ids();

const fn many() -> [u64; 300] {
    let mut all = [0; 300];
    let mut index = 0;
    while index < all.len() {
        all[index] = (index as u64) << (index % 56);
        index += 1;
    }
    all
}

const fn many_ids() -> [u32; 300] {
    let mut all = [0; 300];
    let mut index = 0;
    while index < all.len() {
        all[index] = index as u32;
        index += 1;
    }
    all
}

/// Defines functions that write the rows of the table as global and as local definitions.
macro_rules! definitions {
    ($($global:ident $local:ident: $(($($value:expr),*))+;)*) => {
        fn plain_global(writer: *mut OTF2_GlobalDefWriter) -> Result<(), LibraryError> {
            // SAFETY: the writer is valid, and arrays have as many members as the row declares.
            $($(check(unsafe { $global(writer, $($value),*) })?;)+)*
            Ok(())
        }

        fn plain_local(writer: *mut OTF2_DefWriter) -> Result<(), LibraryError> {
            // SAFETY: as in `plain_global`.
            $($(check(unsafe { $local(writer, $($value),*) })?;)+)*
            Ok(())
        }
    };
}

/// Writes definitions that end with a type and a value, with ordinary and extreme values of every type.
macro_rules! typed {
    ($writer:ident: $($write:ident($($value:expr),*);)*) => {
        for value_type in TYPES {
            for extreme in [false, true] {
                // SAFETY: the writer is valid, and `value` sets the member of that type.
                $(check(unsafe {
                    $write($writer, $($value,)* value_type, value(value_type, extreme))
                })?;)*
            }
        }
    };
}

/// Writes all global definitions; `locations` are pairs of an id and a number of events.
pub(super) fn global(
    writer: *mut OTF2_GlobalDefWriter,
    locations: &[(u64, u64)],
) -> Result<(), LibraryError> {
    strings(|id, string| {
        // SAFETY: the writer is valid, the string ends with a zero.
        unsafe { OTF2_GlobalDefWriter_WriteString(writer, id, string) }
    })?;
    attributes(|id, name, description, value_type| {
        // SAFETY: the writer is valid.
        unsafe { OTF2_GlobalDefWriter_WriteAttribute(writer, id, name, description, value_type) }
    })?;
    only_global(writer)?;
    plain_global(writer)?;
    for (&(location, events), number) in locations.iter().zip(0..) {
        // SAFETY: the writer is valid.
        check(unsafe {
            match location {
                super::EMPTY => {
                    OTF2_GlobalDefWriter_WriteLocation(writer, location, NONE, 255, events, NONE)
                }
                _ => {
                    let (name, kind) = (12 + number, 1 + number as OTF2_LocationType % 3);
                    OTF2_GlobalDefWriter_WriteLocation(writer, location, name, kind, events, 0)
                }
            }
        })?;
    }
    typed! { writer:
        OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(0, 1);
        OTF2_GlobalDefWriter_WriteLocationGroupProperty(0, 1);
        OTF2_GlobalDefWriter_WriteLocationProperty(1 << 40, 1);
        OTF2_GlobalDefWriter_WriteCallingContextProperty(0, 1);
        OTF2_GlobalDefWriter_WriteIoFileProperty(0, 1);
        OTF2_GlobalDefWriter_WriteCallpathParameter(0, 1);
        OTF2_GlobalDefWriter_WriteParadigmProperty(4, 0);
    }
    Ok(())
}

/// Writes every kind of local definition.
pub(super) fn local(writer: *mut OTF2_DefWriter) -> Result<(), LibraryError> {
    strings(|id, string| {
        // SAFETY: the writer is valid, the string ends with a zero.
        unsafe { OTF2_DefWriter_WriteString(writer, id, string) }
    })?;
    attributes(|id, name, description, value_type| {
        // SAFETY: the writer is valid.
        unsafe { OTF2_DefWriter_WriteAttribute(writer, id, name, description, value_type) }
    })?;
    plain_local(writer)?;
    let locations = [
        (0, 1, 1, 10, 0),
        (1, NONE, 255, u64::MAX, NONE),
        (u64::MAX - 1, FAR, 254, u64::MAX - 1, FAR),
    ];
    for (id, name, kind, events, group) in locations {
        // SAFETY: the writer is valid.
        check(unsafe { OTF2_DefWriter_WriteLocation(writer, id, name, kind, events, group) })?;
    }
    typed! { writer:
        OTF2_DefWriter_WriteSystemTreeNodeProperty(0, 1);
        OTF2_DefWriter_WriteLocationGroupProperty(0, 1);
        OTF2_DefWriter_WriteLocationProperty(1 << 40, 1);
        OTF2_DefWriter_WriteCallingContextProperty(0, 1);
        OTF2_DefWriter_WriteIoFileProperty(0, 1);
        OTF2_DefWriter_WriteCallpathParameter(0, 1);
    }
    Ok(())
}

/// Writes empty, short and long strings, including strings that fill a chunk.
fn strings(
    write: impl Fn(u32, *const std::ffi::c_char) -> OTF2_ErrorCode,
) -> Result<(), LibraryError> {
    let named = ["", "a name", "größer als λ", "line\nand \"quote\""].map(c_string);
    let numbered = (4..=20).map(|id| c_string(format!("string {id}")));
    let long = [253, 254, 255, 256, 70_000, 200_000].map(text);
    for (id, string) in (0..).zip(named.into_iter().chain(numbered).chain(long)) {
        check(write(id, string?.as_ptr()))?;
    }
    check(write(FAR, c"the last string".as_ptr()))
}

/// Writes attributes of every type, with the ids that the attributes of events have, and unusual ones.
fn attributes(
    write: impl Fn(u32, u32, u32, OTF2_Type) -> OTF2_ErrorCode,
) -> Result<(), LibraryError> {
    check(write(0, 1, 2, 0))?;
    for value_type in TYPES {
        let id = u32::from(value_type);
        check(write(id, 1, 2, value_type))?;
        check(write(FAR - id, NONE, NONE, value_type))?;
    }
    check(write(FAR, FAR, FAR, 254))
}

/// Writes the kinds of definitions that are always global.
fn only_global(writer: *mut OTF2_GlobalDefWriter) -> Result<(), LibraryError> {
    const FAR_TIME: u64 = u64::MAX - 1;
    // SAFETY: the writer is valid, and arrays have as many members as declared.
    unsafe {
        check(OTF2_GlobalDefWriter_WriteClockProperties(
            writer, FAR_TIME, FAR_TIME, FAR_TIME, FAR_TIME,
        ))?;
        let (second, length, start) = (1_000_000_000, 1 << 41, 1_700_000_000_123_456_789);
        check(OTF2_GlobalDefWriter_WriteClockProperties(
            writer, second, 0, length, start,
        ))?;
        check(OTF2_GlobalDefWriter_WriteClockProperties(
            writer,
            second,
            0,
            length,
            u64::MAX,
        ))?;
        check(OTF2_GlobalDefWriter_WriteParadigm(writer, 4, 1, 0))?;
        check(OTF2_GlobalDefWriter_WriteParadigm(writer, 3, 2, 1))?;
        check(OTF2_GlobalDefWriter_WriteParadigm(writer, 7, NONE, 255))?;
        check(OTF2_GlobalDefWriter_WriteParadigm(writer, 254, FAR, 254))?;
    }
    for (id, text, class, flags, members) in [
        (0, 1, 0, 1, 0),
        (1, 2, 1, 0, 1),
        (2, NONE, 255, NONE, 50),
        (254, FAR, 254, FAR, 255),
    ] {
        let (types, values): (Vec<OTF2_Type>, Vec<OTF2_AttributeValue>) = TYPES
            .cycle()
            .zip((0..usize::from(u8::MAX)).map(|number| number >= 25))
            .map(|(value_type, extreme)| (value_type, value(value_type, extreme)))
            .unzip();
        let properties = [0; u8::MAX as usize];
        // SAFETY: the writer is valid, and the arrays have at least that many members.
        check(unsafe {
            OTF2_GlobalDefWriter_WriteIoParadigm(
                writer,
                id,
                text,
                text,
                class,
                flags,
                members,
                properties.as_ptr(),
                types.as_ptr(),
                values.as_ptr(),
            )
        })?;
    }
    Ok(())
}

definitions! {
    OTF2_GlobalDefWriter_WriteSystemTreeNode OTF2_DefWriter_WriteSystemTreeNode:
        (0, 1, 2, NONE)
        (1, 6, 0, 0)
        (2, 2, 1, NONE)
        (FAR, FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain OTF2_DefWriter_WriteSystemTreeNodeDomain:
        (0, 0)
        (0, 1)
        (1, 8)
        (FAR, 254);
    OTF2_GlobalDefWriter_WriteLocationGroup OTF2_DefWriter_WriteLocationGroup:
        (0, 7, 1, 0, NONE)
        (1, 8, 2, 1, 0)
        (2, NONE, 0, NONE, NONE)
        (FAR, FAR, 254, FAR, FAR);
    OTF2_GlobalDefWriter_WriteRegion OTF2_DefWriter_WriteRegion:
        (0, 9, 9, 0, 1, 2, 0, 10, 1, 20)
        (1, 10, 11, 2, 38, 4, 3, NONE, 0, 0)
        (2, NONE, NONE, NONE, 255, 255, NONE, NONE, NONE, NONE)
        (FAR, FAR, FAR, FAR, 254, 254, FAR, FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteCallsite OTF2_DefWriter_WriteCallsite:
        (0, 1, 5, 0, 1)
        (1, NONE, NONE, NONE, NONE)
        (FAR, FAR, FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteCallpath OTF2_DefWriter_WriteCallpath:
        (0, NONE, 0)
        (1, 0, 1)
        (2, NONE, NONE)
        (FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteGroup OTF2_DefWriter_WriteGroup:
        (0, 0, 4, 4, 0, 3, [0, 1, 1 << 40].as_ptr())
        (1, 6, 5, 4, 0, 3, [0, 1, 2].as_ptr())
        (2, 7, 6, 4, 0, 0, NOTHING.as_ptr())
        (3, 8, 1, 22, 1, 300, MANY.as_ptr())
        (4, 9, 2, 1, 0, 2, [0, 1].as_ptr())
        (5, 10, 3, 10, 0, 1, [1].as_ptr())
        (6, NONE, 0, 0, 0, 2, [u64::MAX, u64::MAX - 1].as_ptr())
        (FAR, FAR, 254, 254, FAR, 0, NOTHING.as_ptr());
    OTF2_GlobalDefWriter_WriteMetricMember OTF2_DefWriter_WriteMetricMember:
        (0, 1, 2, 1, 0, 4, 0, 0, 1)
        (1, 6, 0, 2, 33, 8, 1, -9, 7)
        (2, NONE, NONE, 3, 18, 10, 1, i64::MAX, NONE)
        (FAR, FAR, FAR, 254, 254, 254, 254, i64::MIN, FAR);
    OTF2_GlobalDefWriter_WriteMetricClass OTF2_DefWriter_WriteMetricClass:
        (0, 0, NO_IDS.as_ptr(), 0, 0)
        (1, 1, [0].as_ptr(), 1, 2)
        (2, 2, [0, 1].as_ptr(), 2, 3)
        (3, 9, MANY_IDS.as_ptr(), 0, 1)
        (4, 255, MANY_IDS.as_ptr(), 255, 255)
        (FAR, 1, [FAR].as_ptr(), 254, 254);
    OTF2_GlobalDefWriter_WriteMetricInstance OTF2_DefWriter_WriteMetricInstance:
        (5, 1, 0, 0, 1)
        (6, 1, 1, 1, 0)
        (7, 2, u64::MAX, 2, u64::MAX)
        (FAR - 1, FAR, u64::MAX - 1, 254, u64::MAX - 1);
    OTF2_GlobalDefWriter_WriteMetricClassRecorder OTF2_DefWriter_WriteMetricClassRecorder:
        (1, 0)
        (2, 1 << 40)
        (FAR, u64::MAX - 1);
    OTF2_GlobalDefWriter_WriteComm OTF2_DefWriter_WriteComm:
        (0, 1, 1, NONE, 0)
        (1, 6, 2, 0, 1)
        (2, NONE, 1, NONE, 0)
        (3, NONE, NONE, NONE, NONE)
        (FAR, FAR, FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteInterComm OTF2_DefWriter_WriteInterComm:
        (4, 7, 1, 2, 0, 0)
        (5, NONE, NONE, NONE, NONE, 1)
        (FAR - 1, FAR, FAR, FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteParameter OTF2_DefWriter_WriteParameter:
        (0, 1, 0)
        (1, 2, 1)
        (2, 6, 2)
        (3, NONE, 255)
        (FAR, FAR, 254);
    OTF2_GlobalDefWriter_WriteRmaWin OTF2_DefWriter_WriteRmaWin:
        (0, 1, 0, 0)
        (1, NONE, NONE, 1)
        (FAR, FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteCartDimension OTF2_DefWriter_WriteCartDimension:
        (0, 1, 3, 1)
        (1, 2, 0, 0)
        (2, NONE, NONE, 255)
        (FAR, FAR, FAR, 254);
    OTF2_GlobalDefWriter_WriteCartTopology OTF2_DefWriter_WriteCartTopology:
        (0, 1, 0, 2, [0, 1].as_ptr())
        (1, NONE, NONE, 0, NO_IDS.as_ptr())
        (2, 2, 0, 255, MANY_IDS.as_ptr())
        (FAR, FAR, FAR, 1, [FAR].as_ptr());
    OTF2_GlobalDefWriter_WriteCartCoordinate OTF2_DefWriter_WriteCartCoordinate:
        (0, 0, 2, [1, 2].as_ptr())
        (1, 1, 0, NO_IDS.as_ptr())
        (2, 2, 255, MANY_IDS.as_ptr())
        (FAR, FAR, 1, [NONE].as_ptr());
    OTF2_GlobalDefWriter_WriteSourceCodeLocation OTF2_DefWriter_WriteSourceCodeLocation:
        (0, 1, 10)
        (1, 2, NONE)
        (FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteCallingContext OTF2_DefWriter_WriteCallingContext:
        (0, 0, 0, NONE)
        (1, 1, 1, 0)
        (2, NONE, NONE, NONE)
        (FAR, FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteInterruptGenerator OTF2_DefWriter_WriteInterruptGenerator:
        (0, 1, 0, 0, -3, 100)
        (1, NONE, 1, 1, i64::MAX, u64::MAX)
        (FAR, FAR, 254, 254, i64::MIN, u64::MAX - 1);
    OTF2_GlobalDefWriter_WriteIoRegularFile OTF2_DefWriter_WriteIoRegularFile:
        (0, 1, 0)
        (1, 2, NONE)
        (FAR - 1, FAR, FAR);
    OTF2_GlobalDefWriter_WriteIoDirectory OTF2_DefWriter_WriteIoDirectory:
        (2, 1, 0)
        (3, 2, NONE)
        (FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteIoHandle OTF2_DefWriter_WriteIoHandle:
        (0, 1, 0, 0, 0, NONE, NONE)
        (1, 6, 1, 1, 1, 0, 0)
        (2, NONE, 1, 0, NONE, NONE, NONE)
        (FAR, FAR, FAR, 254, FAR, FAR, FAR);
    OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState OTF2_DefWriter_WriteIoPreCreatedHandleState:
        (0, 0, 0)
        (1, 2, 511)
        (FAR, 254, FAR);
}

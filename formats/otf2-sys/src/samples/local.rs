//! Writes mapping tables and clock offsets, which only local definitions have.

use crate::bindings::*;
use crate::safe::LibraryError;
use crate::safe::errors::{check, null_error};

/// The representation of the mapping tables of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Tables of even kinds list all ids from zero on, and tables of odd kinds list pairs of ids.
    EvenDense,
    /// Tables of odd kinds list all ids from zero on, and tables of even kinds list pairs of ids.
    OddDense,
}

/// Writes a mapping table of every kind.
pub(super) fn mapping_tables(writer: *mut OTF2_DefWriter, mode: Mode) -> Result<(), LibraryError> {
    for kind in 0..OTF2_MappingType_enum_OTF2_MAPPING_MAX as OTF2_MappingType {
        let dense = (kind % 2 == 0) == (mode == Mode::EvenDense);
        let map = if dense {
            IdMap::dense(kind)?
        } else {
            IdMap::sparse(kind)?
        };
        // SAFETY: the writer and the map are valid.
        check(unsafe { OTF2_DefWriter_WriteMappingTable(writer, kind, map.0) })?;
    }
    Ok(())
}

/// Writes clock offsets: time, offset and standard deviation.
pub(super) fn clock_offsets(
    writer: *mut OTF2_DefWriter,
    offsets: &[(u64, i64, f64)],
) -> Result<(), LibraryError> {
    for &(time, offset, deviation) in offsets {
        // SAFETY: the writer is valid.
        check(unsafe { OTF2_DefWriter_WriteClockOffset(writer, time, offset, deviation) })?;
    }
    Ok(())
}

/// A map of ids of the library.
struct IdMap(*mut OTF2_IdMap);

impl IdMap {
    /// Creates a map of the ids 0 to 7 that is different for each kind.
    fn dense(kind: OTF2_MappingType) -> Result<Self, LibraryError> {
        let ids: Vec<u64> = (0..8).map(|id| (id + u64::from(kind)) % 8).collect();
        // SAFETY: the array has 8 members and is copied. Without "optimize", the map stays dense.
        let map = unsafe { OTF2_IdMap_CreateFromUint64Array(8, ids.as_ptr(), false) };
        if map.is_null() {
            Err(null_error())
        } else {
            Ok(Self(map))
        }
    }

    /// Creates a map of a few ids, some of them large.
    fn sparse(kind: OTF2_MappingType) -> Result<Self, LibraryError> {
        let far = u64::from(u32::MAX - 1);
        let pairs = [(1, u64::from(kind)), (2, far), (5, 0), (1000, 3), (far, 2)];
        // SAFETY: the function has no preconditions; null is checked.
        let map = unsafe {
            OTF2_IdMap_Create(OTF2_IdMapMode_enum_OTF2_ID_MAP_SPARSE as OTF2_IdMapMode, 5)
        };
        if map.is_null() {
            return Err(null_error());
        }
        let map = Self(map);
        for (local, global) in pairs {
            // SAFETY: the map is valid.
            check(unsafe { OTF2_IdMap_AddIdPair(map.0, local, global) })?;
        }
        Ok(map)
    }
}

impl Drop for IdMap {
    fn drop(&mut self) {
        // SAFETY: the map is valid and not used any more.
        unsafe { OTF2_IdMap_Free(self.0) };
    }
}

//! Translates fields of earlier versions of OTF2.
//!
//! Up to 1.1, a region had one type; since then, it has a role, a paradigm and flags. Up to 1.2, a group had one
//! type; since then, it has a type, a paradigm and flags. Up to 2.0, a property was a string. Every record still
//! contains both: the old field for old readers, followed by the new fields.

use foldtrace_trace::{DefinitionKind, UNDEFINED, ValueType};

/// The flag of an RMA window whose creation and destruction are events; before 3.0 they always were.
const CREATE_DESTROY_EVENTS: u64 = 1;

/// Codes of paradigms.
const UNKNOWN: u64 = 0;
const USER: u64 = 1;
const OPENMP: u64 = 3;
const MPI: u64 = 4;

/// Flags of regions.
const DYNAMIC: u64 = 1;
const PHASE: u64 = 2;

/// Role, paradigm and flags of a region, indexed by the region type of earlier versions.
pub(crate) const REGIONS: [(u64, u64, u64); 36] = [
    (0, UNKNOWN, 0),
    (1, UNKNOWN, 0),
    (3, USER, 0),
    (1, UNKNOWN, 0),
    (27, USER, 0),
    (5, OPENMP, 0),
    (3, OPENMP, 0),
    (6, OPENMP, 0),
    (7, OPENMP, 0),
    (8, OPENMP, 0),
    (9, OPENMP, 0),
    (11, OPENMP, 0),
    (12, OPENMP, 0),
    (14, OPENMP, 0),
    (15, OPENMP, 0),
    (16, OPENMP, 0),
    (17, OPENMP, 0),
    (13, OPENMP, 0),
    (10, OPENMP, 0),
    (2, OPENMP, 0),
    (20, OPENMP, 0),
    (22, OPENMP, 0),
    (15, MPI, 0),
    (23, MPI, 0),
    (24, MPI, 0),
    (25, MPI, 0),
    (26, MPI, 0),
    (4, USER, 0),
    (4, USER, DYNAMIC),
    (4, USER, DYNAMIC | PHASE),
    (3, USER, DYNAMIC),
    (1, USER, DYNAMIC),
    (3, USER, DYNAMIC | PHASE),
    (21, OPENMP, 0),
    (18, OPENMP, 0),
    (19, OPENMP, 0),
];

/// Type and paradigm of a group, indexed by the group type of earlier versions. Such a group has no flags.
pub(crate) const GROUPS: [(u64, u64); 7] = [
    (0, UNKNOWN),
    (1, UNKNOWN),
    (2, UNKNOWN),
    // A group of metrics of earlier versions is read as a group of regions, as in libotf2.
    (2, UNKNOWN),
    (5, MPI),
    (6, MPI),
    (4, MPI),
];

/// Fills in the fields that a record of an earlier version does not have; `earlier` is the field it has instead.
pub(crate) fn complete(kind: DefinitionKind, fields: &mut [u64], earlier: u64) {
    let row_of = |rows: usize| usize::try_from(earlier).ok().filter(|&row| row < rows);
    let mut set = |name: &str, value: u64| {
        let index = kind.slot(name);
        if let Some(field) = index.and_then(|index| fields.get_mut(index)) {
            *field = value;
        }
    };
    match kind {
        DefinitionKind::Region => {
            let (role, paradigm, flags) =
                row_of(REGIONS.len()).map_or((0, UNKNOWN, 0), |row| REGIONS[row]);
            set("role", role);
            set("paradigm", paradigm);
            set("flags", flags);
            // Regions of earlier versions have only one name.
            let name = fields.get(1).copied().unwrap_or(UNDEFINED);
            if let Some(canonical) = fields.get_mut(2) {
                *canonical = name;
            }
        }
        DefinitionKind::Group => {
            let (group, paradigm) = row_of(GROUPS.len()).map_or((0, UNKNOWN), |row| GROUPS[row]);
            set("type", group);
            set("paradigm", paradigm);
            set("flags", 0);
        }
        DefinitionKind::SystemTreeNodeProperty
        | DefinitionKind::LocationGroupProperty
        | DefinitionKind::LocationProperty => {
            set("type", ValueType::String as u64);
            set("value", earlier);
        }
        DefinitionKind::Comm => set("flags", 0),
        DefinitionKind::MetricClass => set("recorder_kind", 0),
        DefinitionKind::RmaWin => set("flags", CREATE_DESTROY_EVENTS),
        // A description, a creator and a date stay undefined.
        _ => {}
    }
}

/// Returns the field of a record for readers of earlier versions.
pub(super) fn earlier(kind: DefinitionKind, fields: &[u64]) -> u64 {
    let get = |name: &str| {
        let index = kind.slot(name);
        index
            .and_then(|index| fields.get(index))
            .copied()
            .unwrap_or(UNDEFINED)
    };
    let row = match kind {
        DefinitionKind::Region => {
            let columns = (get("role"), get("paradigm"), get("flags"));
            REGIONS.iter().position(|&row| row == columns)
        }
        DefinitionKind::Group => {
            let columns = (get("type"), get("paradigm"));
            let known = GROUPS.iter().position(|&row| row == columns);
            known.filter(|_| get("flags") == 0)
        }
        _ if get("type") == ValueType::String as u64 => return get("value"),
        _ => return UNDEFINED,
    };
    row.unwrap_or(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(kind: DefinitionKind, values: &[(&str, u64)]) -> Vec<u64> {
        let value = |name| values.iter().find(|(known, _)| *known == name);
        let fields = kind.fields().iter();
        fields
            .map(|field| value(field.name).map_or(UNDEFINED, |(_, value)| *value))
            .collect()
    }

    #[test]
    fn earlier_fields_come_back() {
        for (row, old) in REGIONS.iter().enumerate() {
            let mut region = fields(DefinitionKind::Region, &[("name", 8)]);
            complete(DefinitionKind::Region, &mut region, row as u64);
            let first = REGIONS.iter().position(|columns| columns == old);
            let written = earlier(DefinitionKind::Region, &region);
            assert_eq!(Some(written as usize), first, "type {row}");
            assert_eq!(region[2], 8);
        }
        for row in 0..GROUPS.len() {
            let mut group = fields(DefinitionKind::Group, &[]);
            complete(DefinitionKind::Group, &mut group, row as u64);
            let written = earlier(DefinitionKind::Group, &group);
            assert_eq!(written, if row == 3 { 2 } else { row as u64 });
        }
        let mut property = fields(DefinitionKind::LocationProperty, &[]);
        complete(DefinitionKind::LocationProperty, &mut property, 12);
        assert_eq!(property[2..], [ValueType::String as u64, 12]);
        assert_eq!(earlier(DefinitionKind::LocationProperty, &property), 12);
    }

    #[test]
    fn an_unknown_earlier_type_is_none() {
        let mut region = fields(DefinitionKind::Region, &[]);
        complete(DefinitionKind::Region, &mut region, 99);
        assert_eq!(region[4..7], [0, UNKNOWN, 0]);
    }
}

//! References between definitions: which numbers of definitions and events are ids of definitions.

use crate::{DefinitionKind, FieldType, Operand, UNDEFINED, ValueType};

impl DefinitionKind {
    /// Returns the kind that represents all kinds that share the same ids.
    #[must_use]
    pub const fn numbering(self) -> Self {
        match self {
            Self::InterComm => Self::Comm,
            Self::MetricInstance => Self::MetricClass,
            Self::IoDirectory => Self::IoRegularFile,
            kind => kind,
        }
    }

    /// Returns whether a record only describes another record or the trace, so that no record refers to it.
    #[must_use]
    pub const fn is_property(self) -> bool {
        matches!(
            self,
            Self::ClockProperties
                | Self::Paradigm
                | Self::ParadigmProperty
                | Self::MetricClassRecorder
                | Self::SystemTreeNodeDomain
                | Self::SystemTreeNodeProperty
                | Self::LocationGroupProperty
                | Self::LocationProperty
                | Self::CallingContextProperty
                | Self::CallpathParameter
                | Self::CartCoordinate
                | Self::IoFileProperty
                | Self::IoPreCreatedHandleState
        )
    }

    /// Replaces every id of another definition in a record of this kind by the result of `map`. The record's own id
    /// and undefined ids are not replaced.
    pub fn map_references(
        self,
        fields: &mut [u64],
        list: &mut [u64],
        mut map: impl FnMut(Self, u64) -> u64,
    ) {
        let mut replace = |target: Option<Self>, id: &mut u64| {
            if let Some(target) = target
                && *id != UNDEFINED
            {
                *id = map(target.numbering(), *id);
            }
        };
        let listed = self.listed(fields);
        let mut before = UNDEFINED;
        for (index, field) in self.fields().iter().enumerate() {
            let scope = self.scope(index, before);
            let Some(value) = fields.get_mut(index) else {
                return;
            };
            let target = match field.field_type {
                FieldType::Ref(target) => Some(target),
                FieldType::Value => value_type(before).refers_to(),
                _ => scope,
            };
            before = *value;
            replace(target, value);
        }
        if self == Self::IoParadigm {
            for property in list.chunks_exact_mut(3) {
                if let [_, code, value] = property {
                    replace(value_type(*code).refers_to(), value);
                }
            }
            return;
        }
        for member in list {
            replace(listed, member);
        }
    }

    /// Returns the kind of definition that the members of a record's list refer to.
    fn listed(self, fields: &[u64]) -> Option<Self> {
        const LOCATIONS: u64 = 1;
        const REGIONS: u64 = 2;
        const METRICS: u64 = 3;
        const LOCATIONS_OF_RANKS: u64 = 4;
        match (self, fields) {
            (Self::Group, &[_, _, LOCATIONS | LOCATIONS_OF_RANKS, ..]) => Some(Self::Location),
            (Self::Group, &[_, _, REGIONS, ..]) => Some(Self::Region),
            (Self::Group, &[_, _, METRICS, ..]) => Some(Self::MetricClass),
            (Self::MetricClass, _) => Some(Self::MetricMember),
            (Self::CartTopology, _) => Some(Self::CartDimension),
            (Self::Thumbnail, &[_, kind, ..]) => match kind {
                0 => Some(Self::Region),
                1 => Some(Self::MetricMember),
                2 => Some(Self::Attribute),
                3 => Some(Self::Comm),
                4 => Some(Self::RmaWin),
                5 => Some(Self::IoHandle),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the kind of definition that a field refers to if its kind depends on the preceding field.
    const fn scope(self, field: usize, before: u64) -> Option<Self> {
        match (self, field, before) {
            (Self::MetricInstance, 4, 0) | (Self::Marker, 4, 1) => Some(Self::Location),
            (Self::MetricInstance, 4, 1) | (Self::Marker, 4, 2) => Some(Self::LocationGroup),
            (Self::MetricInstance, 4, 2) | (Self::Marker, 4, 3) => Some(Self::SystemTreeNode),
            (Self::MetricInstance, 4, 3) | (Self::Marker, 4, 4) => Some(Self::Group),
            (Self::Marker, 4, 5) => Some(Self::Comm),
            _ => None,
        }
    }
}

fn value_type(code: u64) -> ValueType {
    u8::try_from(code)
        .ok()
        .and_then(ValueType::from_code)
        .unwrap_or_default()
}

impl Operand {
    /// Returns the kind of definition that the operand refers to.
    #[must_use]
    pub const fn refers_to(self) -> Option<DefinitionKind> {
        Some(match self {
            Self::Region => DefinitionKind::Region,
            Self::Communicator => DefinitionKind::Comm,
            Self::Window => DefinitionKind::RmaWin,
            Self::Group => DefinitionKind::Group,
            Self::Metric => DefinitionKind::MetricClass,
            Self::Parameter => DefinitionKind::Parameter,
            Self::String => DefinitionKind::String,
            Self::CallingContext => DefinitionKind::CallingContext,
            Self::InterruptGenerator => DefinitionKind::InterruptGenerator,
            Self::Handle | Self::NewHandle => DefinitionKind::IoHandle,
            Self::File => DefinitionKind::IoRegularFile,
            Self::IoParadigm => DefinitionKind::IoParadigm,
            _ => return None,
        })
    }
}

impl ValueType {
    /// Returns the kind of definition that a value of this type refers to.
    #[must_use]
    pub const fn refers_to(self) -> Option<DefinitionKind> {
        Some(match self {
            Self::String | Self::Argument => DefinitionKind::String,
            Self::Attribute => DefinitionKind::Attribute,
            Self::Location => DefinitionKind::Location,
            Self::Region => DefinitionKind::Region,
            Self::Group => DefinitionKind::Group,
            Self::Metric => DefinitionKind::MetricClass,
            Self::Comm => DefinitionKind::Comm,
            Self::Parameter => DefinitionKind::Parameter,
            Self::RmaWin => DefinitionKind::RmaWin,
            Self::SourceCodeLocation => DefinitionKind::SourceCodeLocation,
            Self::CallingContext => DefinitionKind::CallingContext,
            Self::InterruptGenerator => DefinitionKind::InterruptGenerator,
            Self::IoFile => DefinitionKind::IoRegularFile,
            Self::IoHandle => DefinitionKind::IoHandle,
            Self::LocationGroup => DefinitionKind::LocationGroup,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(
        kind: DefinitionKind,
        fields: &[u64],
        list: &[u64],
    ) -> Vec<(DefinitionKind, u64)> {
        let (mut fields, mut list, mut seen) = (fields.to_vec(), list.to_vec(), Vec::new());
        kind.map_references(&mut fields, &mut list, |target, id| {
            seen.push((target, id));
            id + 100
        });
        seen
    }

    #[test]
    fn references_are_found_in_fields_values_scopes_and_lists() {
        use DefinitionKind::{
            Comm, Group, IoParadigm, Location, LocationProperty, MetricClass, MetricInstance,
            MetricMember, Region, String,
        };
        assert_eq!(
            references(Comm, &[1, 2, 3, UNDEFINED, 0], &[]),
            [(String, 2), (Group, 3)]
        );
        assert_eq!(
            references(LocationProperty, &[5, 6, ValueType::Region as u64, 7], &[]),
            [(Location, 5), (String, 6), (Region, 7)]
        );
        assert_eq!(
            references(LocationProperty, &[5, 6, ValueType::Uint8 as u64, 7], &[]),
            [(Location, 5), (String, 6)]
        );
        assert_eq!(
            references(MetricInstance, &[1, 2, 3, 3, 4], &[]),
            [(MetricClass, 2), (Location, 3), (Group, 4)]
        );
        assert_eq!(
            references(Group, &[1, UNDEFINED, 2, 0, 0], &[8, 9]),
            [(Region, 8), (Region, 9)]
        );
        assert_eq!(references(Group, &[1, UNDEFINED, 5, 0, 0], &[8, 9]), []);
        assert_eq!(
            references(MetricClass, &[1, 0, 0], &[4]),
            [(MetricMember, 4)]
        );
        assert_eq!(
            references(
                IoParadigm,
                &[1, 2, 3, 0, 0],
                &[0, ValueType::String as u64, 4]
            ),
            [(String, 2), (String, 3), (String, 4)]
        );
    }
}

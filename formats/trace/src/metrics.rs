//! Looks up the members of metrics, which describe the values of metric events.

use std::collections::HashMap;

use crate::{DefinitionKind, DefinitionRecord, Definitions};

impl Definitions {
    /// Returns the member ids of each metric class and each metric instance, by the id of the class or
    /// instance. A value of an event refers to a member by its index in that list.
    #[must_use]
    pub fn metric_members(&self) -> HashMap<u64, Vec<u64>> {
        let mut members: HashMap<u64, Vec<u64>> = self
            .records(DefinitionKind::MetricClass)
            .map(|class| (class.get(0), class.list().to_vec()))
            .collect();
        for instance in self.records(DefinitionKind::MetricInstance) {
            if let Some(class) = members.get(&instance.get(1)).cloned() {
                members.insert(instance.get(0), class);
            }
        }
        members
    }
}

/// What the values of a metric mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricMode {
    /// A value counts from the beginning of the measurement.
    Accumulated,
    /// A value is a measurement at a time.
    Absolute,
    /// A value counts from the previous one.
    Relative,
}

/// The name, unit and scale of one measured number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricMember {
    /// The id of its definition.
    pub id: u64,
    /// The name.
    pub name: String,
    /// The unit; empty if values have none.
    pub unit: String,
    /// What a value means.
    pub mode: MetricMode,
    /// Whether the values are scaled by powers of 2 instead of 10.
    pub is_binary: bool,
    /// The power by which values are scaled.
    pub exponent: i64,
}

impl MetricMember {
    fn new(record: DefinitionRecord<'_>, string: impl Fn(u64) -> String) -> Self {
        /// The bits of OTF2's mode that say what a value means; the others say for which time.
        const MEANING: u64 = 0xf;
        let unit = string(record.get(8));
        // An exponent of −1 has the same bits as one that is not defined.
        let has_base = record.get(6) <= 1;
        Self {
            id: record.get(0),
            name: string(record.get(1)),
            unit: if unit == "#" { String::new() } else { unit },
            mode: match record.get(4) & MEANING {
                0 => MetricMode::Accumulated,
                2 => MetricMode::Relative,
                _ => MetricMode::Absolute,
            },
            is_binary: record.get(6) == 0,
            exponent: if has_base { record.get(7) as i64 } else { 0 },
        }
    }

    /// Returns the factor that converts recorded values to values in `unit`.
    #[must_use]
    pub fn scale(&self) -> f64 {
        let base: f64 = if self.is_binary { 2.0 } else { 10.0 };
        base.powi(self.exponent.clamp(-1_000, 1_000) as i32)
    }
}

/// The metrics that a trace defines.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    members: HashMap<u64, MetricMember>,
    /// The members of each metric class and of each metric instance. An instance has the members of its class.
    of_metrics: HashMap<u64, Vec<u64>>,
}

impl Metrics {
    /// Collects the metrics of `definitions`. If an id is defined twice, the later definition applies.
    #[must_use]
    pub fn new(definitions: &Definitions) -> Self {
        let strings = definitions.records(DefinitionKind::String);
        let strings: HashMap<u64, &str> = strings.map(|s| (s.get(0), s.text())).collect();
        let string = |id| strings.get(&id).copied().unwrap_or_default().to_owned();
        let members = definitions.records(DefinitionKind::MetricMember);
        let members = members.map(|record| (record.get(0), MetricMember::new(record, string)));
        Self {
            members: members.collect(),
            of_metrics: definitions.metric_members(),
        }
    }

    /// Returns the member with this index of a metric class or instance; `None` if it is not defined.
    #[must_use]
    pub fn member(&self, metric: u64, index: u32) -> Option<&MetricMember> {
        let members = self.of_metrics.get(&metric)?;
        self.members.get(members.get(index as usize)?)
    }

    /// Returns the members of a metric class or instance. Members that are not defined are `None`.
    pub fn members(&self, metric: u64) -> impl Iterator<Item = Option<&MetricMember>> {
        let members = self.of_metrics.get(&metric).into_iter().flatten();
        members.map(|member| self.members.get(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_member_with_a_base_has_an_exponent() {
        let mut definitions = Definitions::default();
        let base_and_exponent = |base| [7, 0, 0, 0, 0, 0, base, -3_i64 as u64];
        definitions.push(DefinitionKind::MetricMember, &base_and_exponent(1), &[], "");
        definitions.push(DefinitionKind::MetricMember, &[8, 0], &[], "");
        let member = |id| {
            let mut records = definitions.records(DefinitionKind::MetricMember);
            let record = records.find(|record| record.get(0) == id);
            let member = record.map(|record| MetricMember::new(record, |_| String::new()));
            member.map(|member| (member.is_binary, member.scale()))
        };
        assert_eq!(member(7), Some((false, 0.001)));
        assert_eq!(member(8), Some((false, 1.0)));
    }
}

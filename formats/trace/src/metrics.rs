//! Looks up the members of metrics, which describe the values of metric events.

use std::collections::HashMap;

use crate::{DefinitionKind, Definitions};

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

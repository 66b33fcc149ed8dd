//! Names of events and operands, taken from the definitions.

use std::collections::HashMap;

use foldtrace_trace::{DefinitionKind, Definitions, Names, Operand, Ranks, Symbol};

/// A member of a metric.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) unit: String,
}

/// The names and relations of definitions that the writer needs.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) names: Names,
    pub(crate) ranks: Ranks,
    /// The region of each calling context.
    regions: HashMap<u64, u64>,
    /// The members of metric classes, and of their instances.
    metrics: HashMap<u64, Vec<Member>>,
}

impl Vocabulary {
    pub(crate) fn new(definitions: &Definitions) -> Self {
        let names = Names::new(definitions);
        let ranks = Ranks::new(definitions, &names);
        let contexts = definitions.records(DefinitionKind::CallingContext);
        let regions = contexts
            .map(|context| (context.get(0), context.get(1)))
            .collect();
        let members: HashMap<u64, Member> = definitions
            .records(DefinitionKind::MetricMember)
            .map(|member| {
                let name = names.string(member.get(1)).to_owned();
                let unit = names.string(member.get(8)).to_owned();
                (member.get(0), Member { name, unit })
            })
            .collect();
        let mut metrics: HashMap<u64, Vec<Member>> = HashMap::new();
        for class in definitions.records(DefinitionKind::MetricClass) {
            let unnamed = |id: &u64| Member {
                name: format!("metric {id}"),
                unit: String::new(),
            };
            let class_members = (class.list().iter())
                .map(|id| members.get(id).cloned().unwrap_or_else(|| unnamed(id)));
            metrics.insert(class.get(0), class_members.collect());
        }
        for instance in definitions.records(DefinitionKind::MetricInstance) {
            if let Some(class_members) = metrics.get(&instance.get(1)).cloned() {
                metrics.insert(instance.get(0), class_members);
            }
        }
        Self {
            names,
            ranks,
            regions,
            metrics,
        }
    }

    /// Returns the name of an event: the name of its region or of another object it refers to, or else that of its
    /// kind.
    pub(crate) fn event_name(&self, symbol: &Symbol) -> &str {
        let context = symbol.get(Operand::CallingContext);
        let region = context.and_then(|context| self.regions.get(&context));
        let region = region.and_then(|&region| self.names.name(DefinitionKind::Region, region));
        let called = self.names.called(symbol).or(region);
        called.unwrap_or_else(|| symbol.kind.name())
    }

    /// Returns the name of the object whose id is the value of an operand.
    pub(crate) fn operand_name(&self, operand: Operand, value: u64) -> Option<&str> {
        match operand.refers_to()? {
            DefinitionKind::String => Some(self.names.string(value)),
            kind => self.names.name(kind, value),
        }
        .filter(|name| !name.is_empty())
    }

    /// Returns a member of a metric.
    pub(crate) fn member(&self, metric: u64, member: u32) -> Option<&Member> {
        self.metrics.get(&metric)?.get(member as usize)
    }
}

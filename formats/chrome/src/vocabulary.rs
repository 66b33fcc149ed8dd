//! Maps names back to ids, so that the writer can omit the ids and the reader can restore them.
//!
//! Writer and reader create the same vocabulary, because they create it from the same definitions.

use std::collections::HashMap;

use foldtrace_notation::string_ids;
use foldtrace_trace::{
    DefinitionKind, Definitions, EventKind, Names, Operand, Quantity, Symbol, ValueType,
};

/// A metric.
#[derive(Debug)]
pub(crate) struct Metric {
    pub name: String,
    /// The names and types of the members.
    pub members: Vec<(String, ValueType)>,
    /// Whether all members have different names.
    pub is_distinct: bool,
}

/// An attribute.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub value_type: ValueType,
    /// Whether the name identifies the attribute.
    pub name_identifies: bool,
}

/// The names of a trace, mapped in both directions.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    pub names: Names,
    strings: HashMap<String, u64>,
    attributes: HashMap<String, u64>,
    attribute_of: HashMap<u64, Attribute>,
    metrics: HashMap<String, u64>,
    metric_of: HashMap<u64, Metric>,
    /// The regions of calling contexts.
    regions: HashMap<u64, u64>,
}

impl Vocabulary {
    pub(crate) fn new(definitions: &Definitions) -> Self {
        let names = Names::new(definitions);
        let mut vocabulary = Self {
            strings: string_ids(definitions, &names),
            names,
            ..Self::default()
        };
        vocabulary.resolve_attributes(definitions);
        vocabulary.resolve_metrics(definitions);
        for context in definitions.records(DefinitionKind::CallingContext) {
            vocabulary.regions.insert(context.get(0), context.get(1));
        }
        vocabulary
    }

    fn resolve_attributes(&mut self, definitions: &Definitions) {
        for record in definitions.records(DefinitionKind::Attribute) {
            let attribute = Attribute {
                name: self.names.string(record.get(1)).to_owned(),
                value_type: value_type(record.get(3)),
                name_identifies: false,
            };
            self.attribute_of.insert(record.get(0), attribute);
        }
        for record in definitions.records(DefinitionKind::Attribute) {
            let id = record.get(0);
            let Some(attribute) = self.attribute_of.get_mut(&id) else {
                continue;
            };
            if attribute.name.is_empty() || is_reserved(&attribute.name) {
                continue;
            }
            // Two attributes may share a name if exactly one of them is a string: the value then identifies the
            // attribute.
            let key = attribute_key(&attribute.name, attribute.value_type == ValueType::String);
            let first = *self.attributes.entry(key).or_insert(id);
            attribute.name_identifies = first == id;
        }
    }

    fn resolve_metrics(&mut self, definitions: &Definitions) {
        let member = |record: foldtrace_trace::DefinitionRecord<'_>| {
            let name = self.names.string(record.get(1)).to_owned();
            (record.get(0), (name, value_type(record.get(5))))
        };
        let members = definitions.records(DefinitionKind::MetricMember);
        let members: HashMap<u64, (String, ValueType)> = members.map(member).collect();
        let classes = definitions.records(DefinitionKind::MetricClass);
        let classes: HashMap<u64, Vec<u64>> = classes
            .map(|class| (class.get(0), class.list().to_vec()))
            .collect();
        let instances = definitions.records(DefinitionKind::MetricInstance);
        let of_instances = instances.map(|instance| (instance.get(0), instance.get(1)));
        let of_classes = definitions.records(DefinitionKind::MetricClass);
        let of_classes = of_classes.map(|class| (class.get(0), class.get(0)));
        for (id, class) in of_classes.chain(of_instances) {
            let list = classes.get(&class).map_or(&[][..], Vec::as_slice);
            let of_list = list
                .iter()
                .filter_map(|member| members.get(member).cloned());
            let members: Vec<_> = of_list.collect();
            let name = match members.as_slice() {
                [(name, _)] if !name.is_empty() => name.clone(),
                _ => format!("metric {id}"),
            };
            let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let is_distinct = names.len() == members.len() && members.len() == list.len();
            self.metrics.entry(name.clone()).or_insert(id);
            let metric = Metric {
                name,
                is_distinct,
                members,
            };
            self.metric_of.insert(id, metric);
        }
        // If an id is defined twice, a name may refer to an older definition, which no longer applies.
        let metric_of = &self.metric_of;
        self.metrics
            .retain(|name, id| metric_of.get(id).is_some_and(|metric| metric.name == *name));
    }

    /// Returns the name of an event.
    pub(crate) fn event_name(&self, symbol: &Symbol) -> &str {
        let name = match symbol.kind {
            EventKind::Metric => {
                let metric = symbol.get(Operand::Metric);
                let metric = metric.and_then(|id| self.metric(id));
                metric.map(|metric| metric.name.as_str())
            }
            kind => match symbol.get(Operand::CallingContext) {
                Some(context) if kind != EventKind::CallingContextSample => {
                    let region = self.regions.get(&context);
                    let name = |&id| self.names.name(DefinitionKind::Region, id);
                    region.and_then(name).filter(|name| !name.is_empty())
                }
                _ => self.names.called(symbol),
            },
        };
        name.unwrap_or(symbol.kind.name())
    }

    /// Returns the operand that the name of an event of this kind denotes.
    pub(crate) fn named_operand(kind: EventKind) -> Option<Operand> {
        match kind {
            EventKind::Enter | EventKind::Leave => Some(Operand::Region),
            EventKind::Local => Some(Operand::String),
            EventKind::Metric => Some(Operand::Metric),
            kind if kind.is_collective() => Some(Operand::Operation),
            _ => None,
        }
    }

    /// Returns the operand value that the name of an event of this kind denotes.
    pub(crate) fn operand_value(&self, kind: EventKind, name: &str) -> Option<u64> {
        match Self::named_operand(kind)? {
            Operand::Region => self.names.region_called(name),
            Operand::String => self.strings.get(name).copied(),
            Operand::Metric => self.metrics.get(name).copied(),
            _ => foldtrace_trace::COLLECTIVES.code(name),
        }
    }

    /// Returns the id of the string with that text.
    pub(crate) fn string(&self, text: &str) -> Option<u64> {
        self.strings.get(text).copied()
    }

    /// Returns the metric class or instance with that id.
    pub(crate) fn metric(&self, id: u64) -> Option<&Metric> {
        self.metric_of.get(&id)
    }

    /// Returns the attribute with that id.
    pub(crate) fn attribute(&self, id: u64) -> Option<&Attribute> {
        self.attribute_of.get(&id)
    }

    /// Returns the attribute with that name, whose value is a string or not.
    pub(crate) fn attribute_named(&self, name: &str, is_string: bool) -> Option<u64> {
        self.attributes
            .get(&attribute_key(name, is_string))
            .copied()
    }
}

fn attribute_key(name: &str, is_string: bool) -> String {
    let mark = if is_string { "\"" } else { "#" };
    [mark, name].concat()
}

/// Returns whether a key of `args` denotes a field, and so cannot denote an attribute.
fn is_reserved(name: &str) -> bool {
    name.starts_with("value.")
        || name.starts_with("attribute.")
        || Operand::from_name(name).is_some()
        || Quantity::from_name(name).is_some()
}

fn value_type(code: u64) -> ValueType {
    let code = u8::try_from(code).ok();
    code.and_then(ValueType::from_code).unwrap_or_default()
}

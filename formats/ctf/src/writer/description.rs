//! What the metadata of a trace says, whatever its syntax.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use foldtrace_notation::push_definition;
use foldtrace_trace::{
    COLLECTIVES, DefinitionKind, Definitions, Metrics, Names, UNDEFINED, ValueType,
};

use super::classes::{Named, Used};
use super::events::named_by;
use crate::ours::layout::{CLASSES, DEFINITIONS, Layout, Stored, TRACER};

/// The type of a field. Fields begin at a byte, in little-endian order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldClass {
    Integer {
        bits: u32,
        is_signed: bool,
    },
    Real(u32),
    /// An id of this number of bits, with labels.
    Id(Named, u32),
}

/// What the locations of packets name.
pub(super) const LOCATION: Named = Named::Definition(DefinitionKind::Location);

/// A field of an event.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    pub class: FieldClass,
}

/// A class of events.
#[derive(Clone, Debug)]
pub(super) struct EventClass {
    pub name: &'static str,
    pub fields: Vec<Field>,
}

/// A trace.
#[derive(Clone, Debug)]
pub(super) struct Description {
    pub ticks_per_second: u64,
    /// The date of tick 0: seconds since 1970, and further ticks.
    pub origin: (i64, u64),
    /// Names and texts about the trace.
    pub environment: Vec<(&'static str, String)>,
    /// The labels of the ids of each type of field.
    pub labels: BTreeMap<(Named, u32), Vec<(u64, String)>>,
    /// The classes of events, by their ids.
    pub events: Vec<EventClass>,
}

impl Description {
    pub(super) fn new(definitions: &Definitions, layouts: &[Layout], used: &Used) -> Self {
        let words = Words {
            names: Names::new(definitions),
            metrics: Metrics::new(definitions),
        };
        let lines = |lines: Vec<String>| lines.join("\n");
        let classes = layouts.iter().map(Layout::to_string).collect();
        let events: Vec<_> = layouts.iter().map(|layout| words.class(layout)).collect();
        let fields = events.iter().flat_map(|class| &class.fields);
        let of_fields = fields.filter_map(|field| match field.class {
            FieldClass::Id(named, bits) => Some((named, bits)),
            _ => None,
        });
        let of_packets = [(LOCATION, 64), (Named::Process, 64)];
        // Many fields have the same class.
        let classes_of_ids: BTreeSet<_> = of_packets.into_iter().chain(of_fields).collect();
        let labels = classes_of_ids.into_iter().map(|class| {
            let ids = used.get(&class.0).into_iter().flatten();
            (class, words.labels(class, ids))
        });
        Self {
            ticks_per_second: definitions.clock().ticks_per_second.max(1),
            origin: origin(definitions),
            environment: vec![
                ("tracer_name", TRACER.to_owned()),
                (CLASSES, lines(classes)),
                (DEFINITIONS, lines(texts(definitions))),
            ],
            labels: labels.collect(),
            events,
        }
    }
}

/// Returns definitions as lines.
fn texts(definitions: &Definitions) -> Vec<String> {
    let records = definitions.in_order().into_iter();
    let texts = records.map(|record| {
        let mut line = Vec::new();
        push_definition(&mut line, &record);
        String::from_utf8_lossy(line.trim_ascii_end()).into_owned()
    });
    texts.collect()
}

/// Returns the date of tick 0. Dates and frequencies with which readers cannot count nanoseconds in 64 bits are left to the
/// definitions.
fn origin(definitions: &Definitions) -> (i64, u64) {
    const MOST_SECONDS: i128 = 9_000_000_000;
    const MOST_PER_SECOND: i128 = 1_000_000_000_000;
    let mut clocks = definitions.records(DefinitionKind::ClockProperties);
    let date = clocks
        .next_back()
        .and_then(|clock| clock.field("realtime_timestamp"));
    let date = i128::from(date.filter(|&date| date != UNDEFINED).unwrap_or(0));
    let clock = definitions.clock();
    let per_second = i128::from(clock.ticks_per_second.max(1));
    if date == 0 || per_second > MOST_PER_SECOND {
        return (0, 0);
    }
    let ticks = date * per_second / 1_000_000_000 - i128::from(clock.global_offset);
    let seconds = ticks.div_euclid(per_second);
    if seconds.abs() > MOST_SECONDS {
        return (0, 0);
    }
    (seconds as i64, ticks.rem_euclid(per_second) as u64)
}

/// The words of a trace.
struct Words {
    names: Names,
    metrics: Metrics,
}

impl Words {
    /// Returns the label of an id.
    fn label(&self, named: Named, id: u64) -> String {
        if id == UNDEFINED {
            return "undefined".to_owned();
        }
        let name = match named {
            Named::Definition(DefinitionKind::String) => Some(self.names.string(id)),
            Named::Definition(kind) => self.names.name(kind, id),
            Named::Operation => COLLECTIVES.name(id),
            Named::Process => {
                let process = self.names.process(id);
                process.and_then(|it| self.names.name(DefinitionKind::LocationGroup, it.group))
            }
        };
        let name = name.filter(|name| !name.is_empty());
        // TSDL has no null characters. The definition of the name keeps them.
        name.map_or_else(
            || format!("{} {id}", noun(named)),
            |name| name.replace('\0', "\u{fffd}"),
        )
    }

    /// Returns the labels of those of the ids that fit into a type of field. Undefined ones have its largest number.
    fn labels<'a>(
        &self,
        (named, bits): (Named, u32),
        ids: impl Iterator<Item = &'a u64>,
    ) -> Vec<(u64, String)> {
        let most = u64::MAX >> (64 - bits);
        let fitting = ids.filter(|&&id| id < most || id == UNDEFINED);
        fitting
            .map(|&id| (id.min(most), self.label(named, id)))
            .collect()
    }

    /// Returns the fields of the events of a class.
    fn class(&self, layout: &Layout) -> EventClass {
        let kind = layout.kind;
        let bits = if layout.is_wide { 64 } else { 32 };
        let mut fields = Fields::default();
        if layout.is_late {
            let class = FieldClass::Integer {
                bits: 64,
                is_signed: false,
            };
            fields.push("time", class);
        }
        for &operand in kind.operands() {
            let number = FieldClass::Integer {
                bits,
                is_signed: true,
            };
            let class = named_by(operand).map_or(number, |named| FieldClass::Id(named, bits));
            fields.push(operand.name(), class);
        }
        for &quantity in kind.quantities() {
            let class = FieldClass::Integer {
                bits: 64,
                is_signed: true,
            };
            fields.push(quantity.name(), class);
        }
        for &(member, value_type) in &layout.members {
            let known = layout.metric.and_then(|id| self.metrics.member(id, member));
            let name = known.map_or("value", |member| &member.name);
            fields.push(name, stored(value_type, layout.is_wide));
        }
        for &(id, value_type) in &layout.attributes {
            let name = match value_type {
                ValueType::Argument => "argument",
                _ => {
                    let name = self.names.name(DefinitionKind::Attribute, id);
                    name.unwrap_or("attribute")
                }
            };
            fields.push(name, stored(value_type, layout.is_wide));
        }
        EventClass {
            name: kind.name(),
            fields: fields.fields,
        }
    }
}

/// Returns the type of the field of a value.
fn stored(value_type: ValueType, is_wide: bool) -> FieldClass {
    let bits = if is_wide { 64 } else { 32 };
    match (Stored::new(value_type, is_wide), value_type.refers_to()) {
        (Stored::Id, Some(kind)) => FieldClass::Id(Named::Definition(kind.numbering()), bits),
        (Stored::Real(bits), _) => FieldClass::Real(bits),
        _ => FieldClass::Integer {
            bits: 64,
            is_signed: value_type.is_signed(),
        },
    }
}

/// Returns the name of the type of ids of some bits.
pub(super) fn id_name(named: Named, bits: u32) -> String {
    format!("{}_id{bits}", noun(named))
}

/// Returns the noun for what is named.
fn noun(named: Named) -> &'static str {
    match named {
        Named::Definition(kind) => kind.name(),
        Named::Operation => "operation",
        Named::Process => "process",
    }
}

/// The fields of a class, whose names differ.
#[derive(Default)]
struct Fields {
    fields: Vec<Field>,
    taken: HashSet<String>,
}

impl Fields {
    /// Adds a field. Letters that identifiers do not have become underscores, so that all versions of the format have the
    /// same names.
    fn push(&mut self, name: &str, class: FieldClass) {
        let plain = name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let plain = if plain.is_empty() {
            "value".to_owned()
        } else {
            plain
        };
        let mut name = plain.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        self.fields.push(Field { name, class });
    }
}

//! The tables of records, for documentation and tests.
//!
//! `schemas/otf2.md` publishes the tables, and a test generates its tables from them and compares them with the
//! headers of libotf2. The reader and the writer do not use this module.

use foldtrace_trace::{DefinitionKind, FieldType, UNDEFINED};

use crate::ids::IdKind;
use crate::records::definitions::{DefinitionRecord, Part, SHARED, Scope};
use crate::records::events::{self, EVENTS, EventField, EventRecord, TrailingList};
use crate::records::optional_parts::{MARKER, MARKER_CATEGORY, THUMBNAIL, THUMBNAIL_SAMPLE};
use crate::records::{legacy, snapshots};
use crate::wire::Wire;

/// The files of an archive that consist of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// The events of a location.
    Events,
    /// The definitions of all locations.
    GlobalDefinitions,
    /// The definitions of one location.
    LocalDefinitions,
    /// Both kinds of definition files.
    Definitions,
    /// The markers.
    Markers,
    /// The snapshots of a location.
    Snapshots,
    /// A thumbnail.
    Thumbnails,
}

/// The layout of one type of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The file that contains the record.
    pub file: File,
    /// Its type, which is the first byte.
    pub code: u8,
    /// Its name in OTF2.
    pub name: String,
    /// The kind of event or definition that it is decoded as.
    pub kind: &'static str,
    /// Whether it is a single number without a preceding length.
    pub bare: bool,
    /// Its fields, in the order of the file.
    pub fields: Vec<Field>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the operand, quantity or field that it is decoded as.
    pub name: &'static str,
    /// Its encoding in the file, such as `u32` or `text`. For a list: the encodings of its count and of its members,
    /// such as `u8 × u32`.
    pub wire: String,
    /// The destination of the field.
    pub destination: Destination,
    /// The mapping type whose table of the location applies to the field.
    pub ids: Option<String>,
    /// The value of the field in an archive of an earlier version, which does not have it.
    pub without: Option<String>,
}

/// The destination of a field in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// An operand of the event.
    Operand,
    /// A quantity of the event.
    Quantity,
    /// A quantity of the event, after the clock correction of the location.
    Time,
    /// The metrics of the event.
    Metrics,
    /// The attributes of the event.
    Attributes,
    /// A field of the definition.
    Field,
    /// No destination: the field is for readers of earlier versions, and follows from other fields.
    Nowhere,
}

/// Returns all records of OTF2, grouped by file and sorted by type.
#[must_use]
pub fn records() -> Vec<Record> {
    let definitions = |file, records: &'static [DefinitionRecord]| {
        let records = records.iter();
        records.map(move |record| definition(file, record))
    };
    let mut all: Vec<Record> = EVENTS.iter().map(event).collect();
    all.extend(definitions(File::GlobalDefinitions, Scope::Global.own()));
    all.extend(definitions(File::LocalDefinitions, Scope::Local.own()));
    all.extend(definitions(File::Definitions, SHARED));
    all.extend((snapshots::FIRST..).zip(snapshots::RECORDS).map(snapshot));
    all.extend(optional_parts());
    all
}

/// Returns the role, paradigm and flags of a region, indexed by the region type of earlier versions.
#[must_use]
pub fn region_types() -> Vec<[u64; 3]> {
    let rows = legacy::REGIONS.iter();
    rows.map(|&(role, paradigm, flags)| [role, paradigm, flags])
        .collect()
}

/// Returns the type and paradigm of a group, indexed by the group type of earlier versions.
#[must_use]
pub fn group_types() -> Vec<[u64; 2]> {
    let rows = legacy::GROUPS.iter();
    rows.map(|&(group, paradigm)| [group, paradigm]).collect()
}

const fn wire_name(wire: Wire) -> &'static str {
    match wire {
        Wire::U8 => "u8",
        Wire::U16 => "u16",
        Wire::U32 => "u32",
        Wire::U64 => "u64",
        Wire::I8 => "i8",
        Wire::I16 => "i16",
        Wire::I32 => "i32",
        Wire::I64 => "i64",
        Wire::Full32 => "full32",
        Wire::Full64 => "full64",
    }
}

fn field(name: &'static str, wire: impl Into<String>, destination: Destination) -> Field {
    Field {
        name,
        wire: wire.into(),
        destination,
        ids: None,
        without: None,
    }
}

fn mapped(ids: IdKind) -> Option<String> {
    Some(format!("{ids:?}"))
}

fn event(record: &EventRecord) -> Record {
    let mut fields: Vec<Field> = record
        .fields
        .iter()
        .map(|part| event_field(record, part))
        .collect();
    match record.trailing_list {
        TrailingList::None => {}
        TrailingList::MetricValues => {
            fields.push(field("values", "u8 × (type, u64)", Destination::Metrics))
        }
        TrailingList::Arguments => fields.push(Field {
            ids: mapped(IdKind::String),
            ..field("arguments", "u32 × u32", Destination::Attributes)
        }),
    }
    Record {
        file: File::Events,
        code: record.code,
        name: format!("{:?}", record.kind),
        kind: record.kind.name(),
        bare: record.single,
        fields,
    }
}

fn event_field(record: &EventRecord, part: &EventField) -> Field {
    let wire = wire_name(part.wire);
    match part.destination {
        events::Destination::Operand(slot, ids) => {
            let operand = record.kind.operands().get(slot);
            let name = operand.map_or("", |operand| operand.name());
            Field {
                ids: ids.and_then(mapped),
                ..field(name, wire, Destination::Operand)
            }
        }
        events::Destination::Quantity(quantity) => {
            let is_time = part.wire == Wire::Full64;
            let destination = if is_time {
                Destination::Time
            } else {
                Destination::Quantity
            };
            field(quantity.name(), wire, destination)
        }
    }
}

fn definition(file: File, record: &DefinitionRecord) -> Record {
    let name = |index: usize| record.kind.fields().get(index).map_or("", |f| f.name);
    let list = record.kind.list().unwrap_or_default();
    let fields = record.parts.iter().map(|part| match *part {
        Part::Field(wire, index) => field(name(index), wire_name(wire), Destination::Field),
        Part::Later(wire, index) => Field {
            without: Some(without(record.kind, index)),
            ..field(name(index), wire_name(wire), Destination::Field)
        },
        // A value can only be missing together with its type, if a later version added the type.
        Part::Value(index) => Field {
            without: has_later(record).then(|| without(record.kind, index)),
            ..field(name(index), "value", Destination::Field)
        },
        Part::Earlier(wire) => field("earlier", wire_name(wire), Destination::Nowhere),
        Part::List(count, member) => {
            let wire = format!("{} × {}", wire_name(count), wire_name(member));
            field(list, wire, Destination::Field)
        }
        Part::Text => field("text", "text", Destination::Field),
        Part::Properties => field(list, "u8 × (u8, type, value)", Destination::Field),
        Part::IdMap => field(list, "ids", Destination::Field),
    });
    Record {
        file,
        code: record.code,
        name: format!("{:?}", record.kind),
        kind: record.kind.name(),
        bare: false,
        fields: fields.collect(),
    }
}

fn has_later(record: &DefinitionRecord) -> bool {
    let mut parts = record.parts.iter();
    parts.any(|part| matches!(part, Part::Later(..)))
}

/// Returns the value of a field in an archive that does not have it. The value is computed as the reader does.
fn without(kind: DefinitionKind, index: usize) -> String {
    // Each field that is present has a value that identifies it.
    const KNOWN: u64 = 1 << 32;
    let complete = |earlier: u64| {
        let mut fields: Vec<u64> = (KNOWN..).take(kind.fields().len()).collect();
        if let Some(field) = fields.get_mut(index) {
            *field = UNDEFINED;
        }
        legacy::complete(kind, &mut fields, earlier);
        fields.get(index).copied().unwrap_or(UNDEFINED)
    };
    let found = complete(0);
    if (1..64).any(|earlier| complete(earlier) != found) {
        return "earlier".to_owned();
    }
    let copied = found.checked_sub(KNOWN).map(|index| index as usize);
    match copied.and_then(|index| kind.fields().get(index)) {
        Some(field) => field.name.to_owned(),
        None if found == UNDEFINED => "undefined".to_owned(),
        None => {
            let types = kind.fields().get(index);
            let is_type = types.is_some_and(|field| field.field_type == FieldType::Type);
            let code = u8::try_from(found).ok().filter(|_| is_type);
            let known = code.and_then(foldtrace_trace::ValueType::from_code);
            known.map_or_else(|| found.to_string(), |known| known.name().to_owned())
        }
    }
}

fn snapshot(
    (code, &(about, wires)): (u8, &(Option<foldtrace_trace::EventKind>, &[Wire])),
) -> Record {
    let record = about.and_then(events::by_kind);
    let names = record.map(event).map(|event| event.fields);
    let names = names.unwrap_or_default();
    let mut fields = Vec::new();
    if about.is_some() {
        fields.push(field(
            "event_time",
            wire_name(Wire::Full64),
            Destination::Field,
        ));
    }
    fields.extend(wires.iter().enumerate().map(|(index, &wire)| {
        let name = names.get(index).map_or("number", |field| field.name);
        field(name, wire_name(wire), Destination::Field)
    }));
    if record.is_some_and(|record| record.trailing_list == TrailingList::MetricValues) {
        fields.push(field("values", "u8 × (type, u64)", Destination::Field));
    }
    let name = match (about, code) {
        (Some(kind), _) => format!("{kind:?}"),
        (None, snapshots::FIRST) => "SnapshotStart".to_owned(),
        (None, _) => "SnapshotEnd".to_owned(),
    };
    Record {
        file: File::Snapshots,
        code,
        name,
        kind: DefinitionKind::Snapshot.name(),
        bare: false,
        fields,
    }
}

/// Returns the records that have no table of their own.
fn optional_parts() -> [Record; 4] {
    let record = |file, code, name: &str, kind: DefinitionKind, fields: &[(&'static str, &str)]| {
        let fields = fields.iter();
        Record {
            file,
            code,
            name: name.to_owned(),
            kind: kind.name(),
            bare: false,
            fields: fields
                .map(|&(name, wire)| field(name, wire, Destination::Field))
                .collect(),
        }
    };
    [
        record(
            File::Markers,
            MARKER_CATEGORY,
            "DefMarker",
            DefinitionKind::MarkerCategory,
            &[
                ("id", "u32"),
                ("group", "text"),
                ("text", "text"),
                ("severity", "u8"),
            ],
        ),
        record(
            File::Markers,
            MARKER,
            "Marker",
            DefinitionKind::Marker,
            &[
                ("time", "u64"),
                ("duration", "u64"),
                ("marker_category", "u32"),
                ("scope_type", "u8"),
                ("scope", "u64"),
                ("text", "text"),
            ],
        ),
        record(
            File::Thumbnails,
            THUMBNAIL,
            "Header",
            DefinitionKind::Thumbnail,
            &[
                ("text", "text"),
                ("description", "text"),
                ("type", "u8"),
                ("samples", "u32"),
                ("references", "u32 × u64"),
            ],
        ),
        record(
            File::Thumbnails,
            THUMBNAIL_SAMPLE,
            "Sample",
            DefinitionKind::ThumbnailSample,
            &[("baseline", "u64"), ("samples", "u32 × u64")],
        ),
    ]
}

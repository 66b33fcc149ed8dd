//! The records of definitions, global and local, and of markers: their types, and the mapping of their fields to the
//! model. `schemas/otf2.md` publishes them.
//!
//! The reader and the writer use the same table. Fields that later versions of OTF2 added are at the end of a record.
//! Archives of earlier versions do not have them, and [`complete`](legacy::complete) fills them in.

use foldtrace_trace::{DefinitionKind, FieldType, UNDEFINED, ValueType};

use super::legacy;
use crate::wire::{Cursor, Encoder, Fault, TooWide, Wire, read_value, write_value};

/// The layout of a definition's record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefinitionRecord {
    /// The record's type in the file.
    pub(crate) code: u8,
    /// The record's kind in the model.
    pub(crate) kind: DefinitionKind,
    /// The record's parts, in the order of the file.
    pub(crate) parts: &'static [Part],
}

/// A part of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// A number, with the index of its field.
    Field(Wire, usize),
    /// A number that archives of earlier versions do not have.
    Later(Wire, usize),
    /// A number that only readers of earlier versions use; it follows from other fields.
    Earlier(Wire),
    /// The number of members of a list, then the members.
    List(Wire, Wire),
    /// A value whose type is in the preceding field; archives of earlier versions do not have it.
    Value(usize),
    /// The text.
    Text,
    /// A byte with the number of properties, then a number, a type and a value for each property.
    Properties,
    /// A mapping table: the number of ids, whether the local ids are consecutive, and the ids.
    IdMap,
}

macro_rules! part {
    ($kind:ident text) => {
        Part::Text
    };
    ($kind:ident properties) => {
        Part::Properties
    };
    ($kind:ident id_map) => {
        Part::IdMap
    };
    ($kind:ident list $count:ident $wire:ident) => {
        Part::List(Wire::$count, Wire::$wire)
    };
    ($kind:ident earlier $wire:ident) => {
        Part::Earlier(Wire::$wire)
    };
    ($kind:ident later $wire:ident $field:ident) => {
        Part::Later(
            Wire::$wire,
            DefinitionKind::$kind.slot(stringify!($field)).unwrap(),
        )
    };
    ($kind:ident value $field:ident) => {
        Part::Value(DefinitionKind::$kind.slot(stringify!($field)).unwrap())
    };
    ($kind:ident $wire:ident $field:ident) => {
        Part::Field(
            Wire::$wire,
            DefinitionKind::$kind.slot(stringify!($field)).unwrap(),
        )
    };
}

macro_rules! definitions {
    ($($table:ident { $($code:literal $kind:ident [$($($token:ident)+),*];)* })*) => {$(
        pub(crate) const $table: &[DefinitionRecord] = &[$(DefinitionRecord {
            code: $code,
            kind: DefinitionKind::$kind,
            parts: &[$(part!($kind $($token)+)),*],
        },)*];
    )*};
}

definitions! {
    // Only in the file of all locations.
    GLOBAL {
        5 ClockProperties [U64 ticks_per_second, U64 global_offset, U64 trace_length, later U64 realtime_timestamp];
        6 Paradigm [U8 paradigm, U32 name, U8 class];
        7 ParadigmProperty [U8 paradigm, U8 property, U8 type, value value];
        8 IoParadigm [U8 id, U32 identification, U32 name, U8 class, U32 flags, properties];
    }
    // Only in the files of single locations.
    LOCAL {
        5 MappingTable [U8 type, id_map];
        6 ClockOffset [Full64 time, I64 offset, Full64 standard_deviation];
    }
    // In both files.
    SHARED {
        10 String [U32 id, text];
        11 Attribute [U32 id, U32 name, U8 type, later U32 description];
        12 SystemTreeNode [U32 id, U32 name, U32 class, U32 parent];
        13 LocationGroup [U32 id, U32 name, U8 type, U32 system_tree_parent, later U32 creator];
        14 Location [U64 id, U32 name, U8 type, U64 number_of_events, U32 location_group];
        15 Region [U32 id, U32 name, U32 description, earlier U8, U32 source_file, U32 begin_line, U32 end_line,
            later U32 canonical_name, later U8 role, later U8 paradigm, later U32 flags];
        16 Callsite [U32 id, U32 source_file, U32 line, U32 entered_region, U32 left_region];
        17 Callpath [U32 id, U32 parent, U32 region];
        18 Group [U32 id, U32 name, earlier U8, list U32 U64, later U8 type, later U8 paradigm, later U32 flags];
        19 MetricMember [U32 id, U32 name, U32 description, U8 type, U8 mode, U8 value_type, U8 base, I64 exponent, U32 unit];
        20 MetricClass [U32 id, list U8 U32, U8 occurrence, later U8 recorder_kind];
        21 MetricInstance [U32 id, U32 metric_class, U64 recorder, U8 scope_type, U64 scope];
        22 Comm [U32 id, U32 name, U32 group, U32 parent, later U32 flags];
        23 Parameter [U32 id, U32 name, U8 type];
        24 RmaWin [U32 id, U32 name, U32 comm, later U32 flags];
        25 MetricClassRecorder [U32 metric, U64 recorder];
        26 SystemTreeNodeProperty [U32 system_tree_node, U32 name, earlier U32, later U8 type, value value];
        27 SystemTreeNodeDomain [U32 system_tree_node, U8 domain];
        28 LocationGroupProperty [U32 location_group, U32 name, earlier U32, later U8 type, value value];
        29 LocationProperty [U64 location, U32 name, earlier U32, later U8 type, value value];
        30 CartDimension [U32 id, U32 name, U32 size, U8 periodicity];
        31 CartTopology [U32 id, U32 name, U32 communicator, list U8 U32];
        32 CartCoordinate [U32 cart_topology, U32 rank, list U8 U32];
        33 SourceCodeLocation [U32 id, U32 file, U32 line];
        34 CallingContext [U32 id, U32 region, U32 source_code_location, U32 parent];
        35 CallingContextProperty [U32 calling_context, U32 name, U8 type, value value];
        36 InterruptGenerator [U32 id, U32 name, U8 mode, U8 base, I64 exponent, U64 period];
        37 IoFileProperty [U32 io_file, U32 name, U8 type, value value];
        38 IoRegularFile [U32 id, U32 name, U32 scope];
        39 IoDirectory [U32 id, U32 name, U32 scope];
        40 IoHandle [U32 id, U32 name, U32 file, U8 io_paradigm, U32 flags, U32 comm, U32 parent];
        41 IoPreCreatedHandleState [U32 io_handle, U8 mode, U32 status_flags];
        42 CallpathParameter [U32 callpath, U32 parameter, U8 type, value value];
        43 InterComm [U32 id, U32 name, U32 group_a, U32 group_b, U32 common_communicator, U32 flags];
    }
}

/// The file that contains a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The file of all locations.
    Global,
    /// The file of one location.
    Local,
}

impl Scope {
    /// Returns the records that occur only in files of this scope.
    pub(crate) const fn own(self) -> &'static [DefinitionRecord] {
        match self {
            Self::Global => GLOBAL,
            Self::Local => LOCAL,
        }
    }

    /// Returns the record of that type.
    pub(crate) fn by_code(self, code: u64) -> Option<&'static DefinitionRecord> {
        let mut all = SHARED.iter().chain(self.own());
        all.find(|record| u64::from(record.code) == code)
    }

    /// Returns the record of that kind.
    pub(crate) fn by_kind(self, kind: DefinitionKind) -> Option<&'static DefinitionRecord> {
        SHARED
            .iter()
            .chain(self.own())
            .find(|record| record.kind == kind)
    }
}

/// The fields of a definition as read from a file.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    /// The values of the fields, in the order of the model.
    pub(crate) fields: Vec<u64>,
    pub(crate) list: Vec<u64>,
    pub(crate) text: &'a [u8],
}

impl DefinitionRecord {
    /// Reads the fields of a record.
    ///
    /// # Errors
    /// Returns an error if the record is too short for its fields or for a list.
    pub(crate) fn read<'a>(&self, mut cursor: Cursor<'a>) -> Result<Fields<'a>, Fault> {
        let mut read = Fields {
            fields: vec![UNDEFINED; self.kind.fields().len()],
            ..Fields::default()
        };
        let mut earlier = UNDEFINED;
        for part in self.parts {
            match *part {
                Part::Later(..) | Part::Value(_) if cursor.is_at_end() => {
                    legacy::complete(self.kind, &mut read.fields, earlier);
                    break;
                }
                Part::Field(wire, field) | Part::Later(wire, field) => {
                    put(&mut read.fields, field, cursor.number(wire)?);
                }
                Part::Earlier(wire) => earlier = cursor.number(wire)?,
                Part::List(count, wire) => {
                    let count = match (count, cursor) {
                        // A count of 255 members is not undefined.
                        (Wire::U8, _) => u64::from(cursor.byte()?),
                        _ => cursor.number(count)?,
                    };
                    let count = cursor.count(count)?;
                    read.list.reserve_exact(count);
                    for _ in 0..count {
                        read.list.push(cursor.number(wire)?);
                    }
                }
                Part::Value(field) => {
                    let code = field.checked_sub(1).and_then(|f| read.fields.get(f));
                    let value = read_value(&mut cursor, value_type(code.copied()))?;
                    put(&mut read.fields, field, value);
                }
                Part::Text => read.text = cursor.text()?,
                Part::Properties => {
                    for _ in 0..cursor.byte()? {
                        let property = cursor.number(Wire::U8)?;
                        let code = u64::from(cursor.byte()?);
                        let value = read_value(&mut cursor, value_type(Some(code)))?;
                        read.list.extend([property, code, value]);
                    }
                }
                Part::IdMap => read_id_map(&mut cursor, &mut read.list)?,
            }
        }
        Ok(read)
    }

    /// Writes all fields of a record that the newest version has.
    ///
    /// # Errors
    /// Returns an error if a number does not fit into its field.
    pub(crate) fn write(
        &self,
        encoder: &mut Encoder,
        fields: &[u64],
        list: &[u64],
        text: &str,
    ) -> Result<(), TooWide> {
        let get = |field: usize| fields.get(field).copied().unwrap_or(UNDEFINED);
        for part in self.parts {
            match *part {
                Part::Field(wire, field) | Part::Later(wire, field) => {
                    encoder.number(wire, get(field))?;
                }
                Part::Earlier(wire) => {
                    encoder.number(wire, legacy::earlier(self.kind, fields))?;
                }
                Part::List(count, wire) => {
                    match count {
                        Wire::U8 => encoder.byte(byte(list.len() as u64)?),
                        _ => encoder.number(count, list.len() as u64)?,
                    }
                    for &member in list {
                        encoder.number(wire, member)?;
                    }
                }
                Part::Value(field) => {
                    let code = field.checked_sub(1).map(get);
                    write_value(encoder, value_type(code), get(field))?;
                }
                Part::Text => encoder.text(text),
                Part::Properties => {
                    encoder.byte(byte(list.len() as u64 / 3)?);
                    for property in list.chunks_exact(3) {
                        if let &[property, code, value] = property {
                            encoder.number(Wire::U8, property)?;
                            encoder.byte(byte(code)?);
                            write_value(encoder, value_type(Some(code)), value)?;
                        }
                    }
                }
                Part::IdMap => write_id_map(encoder, list)?,
            }
        }
        Ok(())
    }
}

fn byte(number: u64) -> Result<u8, TooWide> {
    u8::try_from(number).map_err(|_| TooWide(number))
}

fn put(fields: &mut [u64], field: usize, value: u64) {
    if let Some(slot) = fields.get_mut(field) {
        *slot = value;
    }
}

/// Returns the type with that code, or [`ValueType::None`] if the code is unknown.
fn value_type(code: Option<u64>) -> ValueType {
    code.and_then(|code| u8::try_from(code).ok())
        .and_then(ValueType::from_code)
        .unwrap_or_default()
}

/// The local ids are consecutive from 0 and omitted.
const DENSE: u8 = 0;
/// Each entry has a local id.
const SPARSE: u8 = 1;

/// Reads a mapping table as pairs of local and global id.
fn read_id_map(cursor: &mut Cursor<'_>, pairs: &mut Vec<u64>) -> Result<(), Fault> {
    let entries = cursor.number(Wire::U64)?;
    let mode = cursor.byte()?;
    let entries = cursor.count(entries)? as u64;
    for entry in 0..entries {
        let local = match mode {
            DENSE => entry,
            SPARSE => cursor.number(Wire::U64)?,
            _ => return Err(Fault::Contained("a mapping table has an unknown mode")),
        };
        pairs.extend([local, cursor.number(Wire::U64)?]);
    }
    Ok(())
}

fn write_id_map(encoder: &mut Encoder, pairs: &[u64]) -> Result<(), TooWide> {
    encoder.number(Wire::U64, pairs.len() as u64 / 2)?;
    encoder.byte(SPARSE);
    for &id in pairs {
        encoder.number(Wire::U64, id)?;
    }
    Ok(())
}

/// Returns whether a record has a value of a type that the model does not know.
pub(crate) fn has_unknown_type(kind: DefinitionKind, fields: &[u64]) -> bool {
    let typed = kind.fields().iter().zip(fields);
    typed
        .filter(|(field, _)| field.field_type == FieldType::Type)
        .any(|(_, &code)| {
            code != UNDEFINED
                && u8::try_from(code)
                    .ok()
                    .and_then(ValueType::from_code)
                    .is_none()
        })
}

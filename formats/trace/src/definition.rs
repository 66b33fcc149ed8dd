//! Definitions: the meaning of the ids of a trace.
//!
//! Each kind has one columnar table, generated from the list below, so that every record of a source can be stored
//! and the same code writes, reads and prints all tables. Records keep their order in the source, across kinds, and
//! repeated ids are kept: real traces contain definitions that are repeated, out of order, or late.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, UNDEFINED};

/// The content of a field of a definition. All fields are 64 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// The id that this record defines, in the source's own numbering.
    Id,
    /// The id of a definition, of another kind or of the same one.
    Ref(DefinitionKind),
    /// A number, or the code of an enumeration.
    Number,
    /// A signed number, two's complement.
    Signed,
    /// An IEEE double.
    Double,
    /// A [`ValueType`](crate::ValueType) code.
    Type,
    /// A value whose type is in the preceding field.
    Value,
}

/// A field of a kind of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name used in files.
    pub name: &'static str,
    /// The content of the field.
    pub field_type: FieldType,
}

macro_rules! field_type {
    (id) => {
        FieldType::Id
    };
    (number) => {
        FieldType::Number
    };
    (signed) => {
        FieldType::Signed
    };
    (double) => {
        FieldType::Double
    };
    (value_type) => {
        FieldType::Type
    };
    (value) => {
        FieldType::Value
    };
    ($kind:ident) => {
        FieldType::Ref(DefinitionKind::$kind)
    };
}

/// Returns whether two strings are the same, at compile time.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

macro_rules! definition_kinds {
    ($($(#[$doc:meta])* $variant:ident $text:literal { $($field:ident: $type:ident),* } $([$list:ident])? $(text $has_text:ident)?;)*) => {
        /// The kind of a definition. The names follow OTF2's records.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum DefinitionKind { $($(#[$doc])* $variant,)* }

        impl DefinitionKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name used in files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the fields of a record of this kind.
            #[must_use]
            pub const fn fields(self) -> &'static [Field] {
                match self { $(Self::$variant => &[$(Field { name: stringify!($field), field_type: field_type!($type) }),*],)* }
            }

            /// Returns the index of the field with that name in a record.
            #[must_use]
            pub const fn slot(self, name: &str) -> Option<usize> {
                let fields = self.fields();
                let mut index = 0;
                while index < fields.len() {
                    if is_same(fields[index].name, name) {
                        return Some(index);
                    }
                    index += 1;
                }
                None
            }

            /// Returns the name of the list of numbers that a record has in addition to its fields.
            #[must_use]
            pub const fn list(self) -> Option<&'static str> {
                match self { $($(Self::$variant => Some(stringify!($list)),)?)* #[allow(unreachable_patterns)] _ => None }
            }

            /// Returns whether a record has a text in addition to its fields.
            #[must_use]
            pub const fn has_text(self) -> bool {
                match self { $($(Self::$variant => stringify!($has_text).len() > 0,)?)* #[allow(unreachable_patterns)] _ => false }
            }
        }
    };
}

definition_kinds! {
    /// A string that other definitions refer to.
    String "string" { id: id } text yes;
    /// A property of the whole trace; the text is `name=value`.
    TraceProperty "trace_property" { } text yes;
    /// The clock: ticks per second, first tick, length, and the date of the first tick.
    ClockProperties "clock_properties" { ticks_per_second: number, global_offset: number, trace_length: number, realtime_timestamp: number };
    /// A node of the machine: host, blade, device.
    SystemTreeNode "system_tree_node" { id: id, name: String, class: String, parent: SystemTreeNode };
    /// A process, or a group of accelerator streams.
    LocationGroup "location_group" { id: id, name: String, type: number, system_tree_parent: SystemTreeNode, creator: LocationGroup };
    /// A stream of events; the number of events is as declared by the source.
    Location "location" { id: id, name: String, type: number, number_of_events: number, location_group: LocationGroup };
    /// A region of the source code.
    Region "region" { id: id, name: String, canonical_name: String, description: String, role: number, paradigm: number, flags: number, source_file: String, begin_line: number, end_line: number };
    /// A group of locations, ranks, regions or metrics.
    Group "group" { id: id, name: String, type: number, paradigm: number, flags: number } [members];
    /// A communicator.
    Comm "comm" { id: id, name: String, group: Group, parent: Comm, flags: number };
    /// A communicator between two groups.
    InterComm "inter_comm" { id: id, name: String, group_a: Group, group_b: Group, common_communicator: Comm, flags: number };
    /// An RMA window.
    RmaWin "rma_win" { id: id, name: String, comm: Comm, flags: number };
    /// A parameter of events.
    Parameter "parameter" { id: id, name: String, type: number };
    /// An attribute of events.
    Attribute "attribute" { id: id, name: String, description: String, type: value_type };
    /// A metric: one measured number.
    MetricMember "metric_member" { id: id, name: String, description: String, type: number, mode: number, value_type: value_type, base: number, exponent: signed, unit: String };
    /// Metrics that are recorded together.
    MetricClass "metric_class" { id: id, occurrence: number, recorder_kind: number } [members];
    /// A metric class recorded by one location for a scope.
    MetricInstance "metric_instance" { id: id, metric_class: MetricClass, recorder: Location, scope_type: number, scope: number };
    /// A location that records a metric class.
    MetricClassRecorder "metric_class_recorder" { metric: MetricClass, recorder: Location };
    /// A paradigm used by the program.
    Paradigm "paradigm" { paradigm: number, name: String, class: number };
    /// A property of a paradigm.
    ParadigmProperty "paradigm_property" { paradigm: number, property: number, type: value_type, value: value };
    /// A domain that a system tree node represents.
    SystemTreeNodeDomain "system_tree_node_domain" { system_tree_node: SystemTreeNode, domain: number };
    /// A property of a system tree node.
    SystemTreeNodeProperty "system_tree_node_property" { system_tree_node: SystemTreeNode, name: String, type: value_type, value: value };
    /// A property of a location group.
    LocationGroupProperty "location_group_property" { location_group: LocationGroup, name: String, type: value_type, value: value };
    /// A property of a location.
    LocationProperty "location_property" { location: Location, name: String, type: value_type, value: value };
    /// A place in the source code.
    SourceCodeLocation "source_code_location" { id: id, file: String, line: number };
    /// A node of the tree of calling contexts.
    CallingContext "calling_context" { id: id, region: Region, source_code_location: SourceCodeLocation, parent: CallingContext };
    /// A property of a calling context.
    CallingContextProperty "calling_context_property" { calling_context: CallingContext, name: String, type: value_type, value: value };
    /// A source of interrupts.
    InterruptGenerator "interrupt_generator" { id: id, name: String, mode: number, base: number, exponent: signed, period: number };
    /// A place of a call.
    Callsite "callsite" { id: id, source_file: String, line: number, entered_region: Region, left_region: Region };
    /// A node of the tree of call paths.
    Callpath "callpath" { id: id, parent: Callpath, region: Region };
    /// A parameter of a call path.
    CallpathParameter "callpath_parameter" { callpath: Callpath, parameter: Parameter, type: value_type, value: value };
    /// A dimension of a Cartesian topology.
    CartDimension "cart_dimension" { id: id, name: String, size: number, periodicity: number };
    /// A Cartesian topology.
    CartTopology "cart_topology" { id: id, name: String, communicator: Comm } [dimensions];
    /// Coordinates of a rank.
    CartCoordinate "cart_coordinate" { cart_topology: CartTopology, rank: number } [coordinates];
    /// An I/O paradigm; its properties are triples of property, type and value.
    IoParadigm "io_paradigm" { id: id, identification: String, name: String, class: number, flags: number } [properties];
    /// A regular file.
    IoRegularFile "io_regular_file" { id: id, name: String, scope: SystemTreeNode };
    /// A directory.
    IoDirectory "io_directory" { id: id, name: String, scope: SystemTreeNode };
    /// A property of a file.
    IoFileProperty "io_file_property" { io_file: IoRegularFile, name: String, type: value_type, value: value };
    /// An I/O handle.
    IoHandle "io_handle" { id: id, name: String, file: IoRegularFile, io_paradigm: IoParadigm, flags: number, comm: Comm, parent: IoHandle };
    /// State of a handle that the program did not open.
    IoPreCreatedHandleState "io_pre_created_handle_state" { io_handle: IoHandle, mode: number, status_flags: number };
    /// A mapping from a location's local ids to global ids, as pairs; applied by the reader.
    MappingTable "mapping_table" { location: Location, type: number } [pairs];
    /// A clock offset of a location; applied by the reader.
    ClockOffset "clock_offset" { location: Location, time: number, offset: signed, standard_deviation: double };
    /// A definition local to a location: code of the record, its fields, then its list.
    LocalDefinition "local_definition" { location: Location, record: number } [values] text yes;
    /// The group of the marker category that follows.
    MarkerGroup "marker_group" { marker_category: MarkerCategory } text yes;
    /// A category of markers.
    MarkerCategory "marker_category" { id: id, severity: number } text yes;
    /// A remark on a point in time or on an interval.
    Marker "marker" { marker_category: MarkerCategory, time: number, duration: number, scope_type: number, scope: number } text yes;
    /// A record of a location's snapshot: state that still held at a time, and the time of the event that began it.
    Snapshot "snapshot" { location: Location, index: number, record: number, time: number, event_time: number } [values];
    /// An attribute of a snapshot record.
    SnapshotAttribute "snapshot_attribute" { location: Location, snapshot: number, attribute: Attribute, type: value_type, value: value };
    /// An overview of a trace over time, in samples; the text is its name.
    Thumbnail "thumbnail" { id: id, type: number, samples: number } [references] text yes;
    /// A description of the content of a thumbnail.
    ThumbnailDescription "thumbnail_description" { thumbnail: Thumbnail } text yes;
    /// A sample of a thumbnail: one number per reference of the thumbnail.
    ThumbnailSample "thumbnail_sample" { thumbnail: Thumbnail, baseline: number } [samples];
}

/// A definition, borrowed from its table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefinitionRecord<'a> {
    /// The kind of the definition.
    pub kind: DefinitionKind,
    /// Number of the record among all definitions of the trace.
    pub order: u64,
    table: &'a DefinitionTable,
    row: usize,
}

impl<'a> DefinitionRecord<'a> {
    /// Returns the value of field number `field`, or [`UNDEFINED`] if the source left it out.
    #[must_use]
    pub fn get(&self, field: usize) -> u64 {
        self.table
            .columns
            .get(field)
            .and_then(|column| column.get(self.row))
            .copied()
            .unwrap_or(UNDEFINED)
    }

    /// Returns the value of the field with that name, or `None` if it is undefined or the kind has no such field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<u64> {
        let value = self.get(self.kind.slot(name)?);
        (value != UNDEFINED).then_some(value)
    }

    /// Returns the record's list, which is empty if its kind has none.
    #[must_use]
    pub fn list(&self) -> &'a [u64] {
        self.table.lists.get(self.row).map_or(&[], Vec::as_slice)
    }

    /// Returns the record's text, which is empty if its kind has none.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.table.texts.get(self.row).map_or("", String::as_str)
    }
}

/// All definitions of one kind, in columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DefinitionTable {
    order: Vec<u64>,
    columns: Vec<Vec<u64>>,
    lists: Vec<Vec<u64>>,
    texts: Vec<String>,
}

impl DefinitionTable {
    /// Returns the number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

/// The clock of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Ticks per second.
    pub ticks_per_second: u64,
    /// First tick of the trace.
    pub global_offset: u64,
    /// Length of the trace in ticks.
    pub trace_length: u64,
}

impl Clock {
    /// Returns the time from the first tick of the trace to `time` in whole nanoseconds, rounded toward zero; `None`
    /// if it does not fit into 64 bits.
    #[must_use]
    pub fn nanoseconds(&self, time: Timestamp) -> Option<i64> {
        let ticks = i128::from(time.0) - i128::from(self.global_offset);
        if self.ticks_per_second == 1_000_000_000 {
            return i64::try_from(ticks).ok();
        }
        let per_second = self.ticks_per_second.max(1);
        // Two divisions of 64 bits are faster than one of 128.
        if let Ok(ticks) = u64::try_from(ticks)
            && per_second <= u64::MAX / 1_000_000_000
        {
            let whole = (ticks / per_second).checked_mul(1_000_000_000)?;
            let rest = ticks % per_second * 1_000_000_000 / per_second;
            return i64::try_from(whole.checked_add(rest)?).ok();
        }
        let nanoseconds = ticks * 1_000_000_000 / i128::from(per_second);
        i64::try_from(nanoseconds).ok()
    }
}

impl Default for Clock {
    /// Returns a clock that counts nanoseconds from zero.
    fn default() -> Self {
        Self {
            ticks_per_second: 1_000_000_000,
            global_offset: 0,
            trace_length: 0,
        }
    }
}

/// All definitions of a trace, or those that arrive with a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Definitions {
    tables: Vec<DefinitionTable>,
    next: u64,
}

impl Definitions {
    /// Appends a record and returns its number. `fields` are in the order of [`DefinitionKind::fields`]; missing ones
    /// are set to [`UNDEFINED`].
    pub fn push(&mut self, kind: DefinitionKind, fields: &[u64], list: &[u64], text: &str) -> u64 {
        let order = self.next;
        self.insert(order, kind, fields, list, text);
        order
    }

    /// Appends a record with a known number, for example when a table is read back.
    pub fn insert(
        &mut self,
        order: u64,
        kind: DefinitionKind,
        fields: &[u64],
        list: &[u64],
        text: &str,
    ) {
        self.next = self.next.max(order.saturating_add(1));
        if self.tables.is_empty() {
            self.tables
                .resize_with(DefinitionKind::ALL.len(), DefinitionTable::default);
        }
        let table = &mut self.tables[kind as usize];
        table.columns.resize_with(kind.fields().len(), Vec::new);
        table.order.push(order);
        for (i, column) in table.columns.iter_mut().enumerate() {
            column.push(fields.get(i).copied().unwrap_or(UNDEFINED));
        }
        if kind.list().is_some() {
            table.lists.push(list.to_vec());
        }
        if kind.has_text() {
            table.texts.push(text.to_owned());
        }
    }

    /// Returns the table of a kind.
    #[must_use]
    pub fn table(&self, kind: DefinitionKind) -> &DefinitionTable {
        static EMPTY: DefinitionTable = DefinitionTable {
            order: Vec::new(),
            columns: Vec::new(),
            lists: Vec::new(),
            texts: Vec::new(),
        };
        self.tables.get(kind as usize).unwrap_or(&EMPTY)
    }

    /// Returns the records of a kind, in order.
    pub fn records(
        &self,
        kind: DefinitionKind,
    ) -> impl DoubleEndedIterator<Item = DefinitionRecord<'_>> {
        let table = self.table(kind);
        (0..table.len()).map(move |row| DefinitionRecord {
            kind,
            order: table.order[row],
            table,
            row,
        })
    }

    /// Returns all records in the order of the source. The tables are mostly in order, so that sorting only has to
    /// merge them.
    #[must_use]
    pub fn in_order(&self) -> Vec<DefinitionRecord<'_>> {
        let mut all: Vec<_> = DefinitionKind::ALL
            .iter()
            .flat_map(|&kind| self.records(kind))
            .collect();
        all.sort_by_key(|record| record.order);
        all
    }

    /// Appends all records of `other` after the existing ones.
    pub fn append(&mut self, other: &Self) {
        for record in other.in_order() {
            let fields: Vec<u64> = (0..record.kind.fields().len())
                .map(|i| record.get(i))
                .collect();
            self.push(record.kind, &fields, record.list(), record.text());
        }
    }

    /// Returns the number of records of all kinds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tables.iter().map(DefinitionTable::len).sum()
    }

    /// Returns whether there is no definition.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all definitions.
    pub fn clear(&mut self) {
        self.tables.clear();
        self.next = 0;
    }

    /// Returns the clock. If there are several definitions of it, the last one applies.
    #[must_use]
    pub fn clock(&self) -> Clock {
        let or_zero = |value: u64| if value == UNDEFINED { 0 } else { value };
        self.records(DefinitionKind::ClockProperties)
            .next_back()
            .map_or_else(Clock::default, |record| Clock {
                ticks_per_second: or_zero(record.get(0)).max(1),
                global_offset: or_zero(record.get(1)),
                trace_length: or_zero(record.get(2)),
            })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn records_keep_their_order_across_kinds_and_stay_repeated() {
        let mut definitions = Definitions::default();
        definitions.push(DefinitionKind::String, &[0], &[], "main");
        definitions.push(DefinitionKind::Region, &[7, 0], &[], "");
        definitions.push(DefinitionKind::String, &[0], &[], "main again");
        definitions.push(DefinitionKind::Group, &[1, 0], &[4, 5], "");
        let mut copy = Definitions::default();
        copy.append(&definitions);
        assert_eq!(copy, definitions);
        let kinds: Vec<_> = copy.in_order().iter().map(|r| r.kind.name()).collect();
        assert_eq!(kinds, ["string", "region", "string", "group"]);
        let group = copy.records(DefinitionKind::Group).next();
        assert_eq!(group.map(|g| g.list().to_vec()), Some(vec![4, 5]));
        let region = copy.records(DefinitionKind::Region).next();
        assert_eq!(region.and_then(|r| r.field("name")), Some(0));
        assert_eq!(
            region.and_then(|r| r.field("role")),
            None,
            "an omitted field is undefined"
        );
    }

    #[test]
    fn half_a_million_records_come_in_order() {
        const RECORDS: u64 = 500_000;
        let kinds = DefinitionKind::ALL;
        let mut definitions = Definitions::default();
        for number in 0..RECORDS {
            // Runs of one kind, as sources have them, and all kinds again and again.
            let kind = kinds[(number / 7) as usize % kinds.len()];
            definitions.push(kind, &[number], &[], "");
        }
        let all = definitions.in_order();
        assert_eq!(all.len() as u64, RECORDS);
        for (number, record) in (0..).zip(&all) {
            assert_eq!(record.order, number);
            if !record.kind.fields().is_empty() {
                assert_eq!(record.get(0), number);
            }
        }
    }

    #[test]
    fn records_with_known_numbers_come_in_order() {
        let mut definitions = Definitions::default();
        for (order, kind) in [
            (4, DefinitionKind::String),
            (1, DefinitionKind::Marker),
            (3, DefinitionKind::Marker),
            (0, DefinitionKind::Thumbnail),
        ] {
            definitions.insert(order, kind, &[order], &[], "");
        }
        let orders: Vec<_> = definitions.in_order().iter().map(|r| r.order).collect();
        assert_eq!(orders, [0, 1, 3, 4]);
        let next = definitions.push(DefinitionKind::Marker, &[], &[], "");
        assert_eq!(next, 5, "new definitions come after all others");
    }

    #[test]
    fn lists_and_texts_are_no_fields() {
        for kind in DefinitionKind::ALL {
            let mut names: Vec<_> = kind.fields().iter().map(|field| field.name).collect();
            names.extend(kind.list());
            names.extend(kind.has_text().then_some("text"));
            let distinct: std::collections::HashSet<_> = names.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{kind:?}: {names:?}");
        }
    }

    proptest! {
        #[test]
        fn times_in_nanoseconds_are_exact(
            ticks_per_second in prop_oneof![1..u64::MAX, 1_000_000..5_000_000_000u64, Just(1_000_000_000)],
            global_offset in prop_oneof![0..u64::MAX, 0..1_000_000_000u64],
            time in prop_oneof![0..u64::MAX, 0..2_000_000_000u64],
        ) {
            let clock = Clock { ticks_per_second, global_offset, trace_length: 0 };
            let ticks = i128::from(time) - i128::from(global_offset);
            let expected = ticks * 1_000_000_000 / i128::from(ticks_per_second);
            prop_assert_eq!(clock.nanoseconds(Timestamp(time)), i64::try_from(expected).ok());
        }
    }

    #[test]
    fn every_kind_has_a_name_of_its_own_and_at_most_one_id() {
        let mut names = std::collections::HashSet::new();
        for kind in DefinitionKind::ALL {
            assert!(names.insert(kind.name()));
            let ids = kind
                .fields()
                .iter()
                .filter(|f| f.field_type == FieldType::Id)
                .count();
            assert!(ids <= 1, "{kind:?}");
        }
    }
}

//! Repairs traces for strict readers: makes definitions unique, sorted and shared.
//!
//! Real traces define an id twice, refer to later definitions, and define the same region anew for every process.
//! Readers that rely on the rules for definitions reject them. A repaired trace has the same events and the same
//! meaning:
//!
//! - a repeated definition is left out; a definition whose id was redefined gets an id of its own;
//! - strings with the same text become one string, and regions with the same names, kind and place in the source
//!   become one region;
//! - a definition comes before the definitions that refer to it, and a reference to an undefined id is removed;
//! - ids are renumbered consecutively in the order of the definitions. Only locations keep their ids.

use std::collections::{HashMap, HashSet};

use foldtrace_trace::{
    DefinitionKind, DefinitionRecord, Definitions, Diagnostic, Diagnostics, ErrorKind, EventBatch,
    EventStream, FieldType, Names, Place, Remedy, Severity, Step, StreamInfo, Symbol, SymbolId,
    SymbolTable, TraceError, TraceReader, UNDEFINED, ValueType,
};

/// A trace that satisfies strict readers.
///
/// All definitions must be known before the first event, because ids are assigned to all of them together. Streams
/// with further definitions are rejected.
pub struct Repaired {
    reader: Box<dyn TraceReader>,
    definitions: Definitions,
    diagnostics: Diagnostics,
    ids: Translation,
}

impl Repaired {
    /// Repairs the trace that `reader` reads.
    #[must_use]
    pub fn new(reader: Box<dyn TraceReader>) -> Self {
        let completed = with_ranks(reader.definitions());
        let repair = Repair::new(&completed);
        let mut diagnostics = reader.diagnostics().clone();
        let (definitions, ids, counts) = repair.run();
        counts.report(&mut diagnostics);
        Self {
            reader,
            definitions,
            diagnostics,
            ids,
        }
    }
}

impl TraceReader for Repaired {
    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    fn streams(&self) -> &[StreamInfo] {
        self.reader.streams()
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Ok(Box::new(RepairedStream {
            stream: self.reader.open_stream(index)?,
            ids: &self.ids,
            symbols: SymbolTable::default(),
            map: Vec::new(),
        }))
    }
}

/// The types of groups.
const LOCATIONS_OF_RANKS: u64 = 4;
const RANKS: u64 = 5;
const ONE_RANK: u64 = 6;

/// Returns the definitions, preceded by a group of the ranks' locations for each paradigm that has groups of ranks
/// but no such group.
fn with_ranks(definitions: &Definitions) -> Definitions {
    let groups: Vec<(u64, u64)> = definitions
        .records(DefinitionKind::Group)
        .map(|group| (group.get(2), group.get(3)))
        .collect();
    let mut missing: Vec<u64> = groups
        .iter()
        .filter(|(kind, _)| matches!(*kind, RANKS | ONE_RANK))
        .map(|(_, paradigm)| *paradigm)
        .filter(|paradigm| !groups.contains(&(LOCATIONS_OF_RANKS, *paradigm)))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    let used = definitions
        .records(DefinitionKind::Group)
        .map(|group| group.get(0));
    let used: HashSet<u64> = used.collect();
    let free = (0..).filter(|id| !used.contains(id));
    let names = Names::new(definitions);
    let processes = names.processes().iter();
    let ranks: Vec<u64> = processes
        .filter_map(|process| process.locations.first())
        .map(|location| location.0)
        .collect();
    let mut completed = Definitions::default();
    for (paradigm, id) in missing.into_iter().zip(free) {
        let fields = [id, UNDEFINED, LOCATIONS_OF_RANKS, paradigm, 0];
        completed.push(DefinitionKind::Group, &fields, &ranks, "");
    }
    completed.append(definitions);
    completed
}

/// A stream with translated ids.
struct RepairedStream<'a> {
    stream: Box<dyn EventStream + 'a>,
    ids: &'a Translation,
    symbols: SymbolTable,
    /// The translated symbols, by symbol of the source stream.
    map: Vec<SymbolId>,
}

impl EventStream for RepairedStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        let step = self.stream.next_batch(batch, diagnostics);
        if !batch.definitions.is_empty() {
            let message = "what is defined among the events cannot be repaired";
            let place = Place::default().location(batch.location);
            let refused = TraceError::new(ErrorKind::Usage, message);
            return Err(refused.at(place).remedy(Remedy::StoreThenRepair));
        }
        // Even if the step is an error, the batch contains the complete events before it.
        let known = self.stream.symbols();
        for index in self.map.len()..known.len() {
            let symbol = self.ids.symbol(known.symbol(SymbolId(index as u32)));
            self.map.push(self.symbols.intern(symbol));
        }
        for symbol in &mut batch.symbols {
            if let Some(&mapped) = self.map.get(symbol.index()) {
                *symbol = mapped;
            }
        }
        let attributes = &mut batch.attributes;
        for attribute in &mut attributes.attribute {
            *attribute = self.ids.apply(DefinitionKind::Attribute, *attribute);
        }
        let values = attributes.value_type.iter().zip(&mut attributes.value);
        for (&value_type, value) in values {
            *value = self.ids.value(value_type, *value);
        }
        step
    }

    fn batch_at_most(&mut self, events: usize) {
        self.stream.batch_at_most(events);
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }
}

/// A map from old to new ids.
#[derive(Debug, Default)]
struct Translation {
    /// The new ids, by the kind that numbers them and the old id.
    ids: HashMap<(DefinitionKind, u64), u64>,
}

impl Translation {
    fn apply(&self, kind: DefinitionKind, id: u64) -> u64 {
        let key = (kind.numbering(), id);
        self.ids.get(&key).copied().unwrap_or(id)
    }

    fn value(&self, value_type: ValueType, value: u64) -> u64 {
        match value_type.refers_to() {
            Some(kind) => self.apply(kind, value),
            None => value,
        }
    }

    fn symbol(&self, mut symbol: Symbol) -> Symbol {
        let operands = symbol.kind.operands().iter();
        for (operand, value) in operands.zip(&mut symbol.operands) {
            if let Some(kind) = operand.refers_to() {
                *value = self.apply(kind, *value);
            }
        }
        symbol
    }
}

/// The numbers of repairs, which are reported to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    repeated: u64,
    unified: u64,
    renumbered: u64,
    dangling: u64,
}

impl Counts {
    fn report(self, diagnostics: &mut Diagnostics) {
        let cases = [
            (
                self.repeated,
                "definitions that were there twice and are left out",
            ),
            (
                self.unified,
                "strings and regions that have the id of another one like them",
            ),
            (
                self.renumbered,
                "definitions that had the id of another and have their own",
            ),
            (
                self.dangling,
                "references to what is not defined that are left out",
            ),
        ];
        for (count, what) in cases.into_iter().filter(|(count, _)| *count > 0) {
            let message = format!("{what}: {count}");
            diagnostics.report(Diagnostic::new(
                Severity::Note,
                "repair.definition",
                message,
            ));
        }
    }
}

/// A definition that is being repaired.
struct Record<'a> {
    source: DefinitionRecord<'a>,
    /// The fields, with the ids of the result.
    fields: Vec<u64>,
    list: Vec<u64>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not yet ordered.
    Waiting,
    /// Waiting for the definitions to which it refers.
    Begun,
    /// Already ordered, or left out.
    Done,
}

/// Returns whether the records of a kind use ids that a location numbers itself.
fn has_own_ids(kind: DefinitionKind) -> bool {
    matches!(
        kind,
        DefinitionKind::LocalDefinition
            | DefinitionKind::MappingTable
            | DefinitionKind::Snapshot
            | DefinitionKind::SnapshotAttribute
    )
}

/// Returns the index of the field that contains the id of a record.
fn id_field(kind: DefinitionKind) -> Option<usize> {
    let is_id = |field: &foldtrace_trace::Field| field.field_type == FieldType::Id;
    kind.fields().iter().position(is_id)
}

struct Repair<'a> {
    records: Vec<Record<'a>>,
    /// The record to which an id refers: the last one with this id.
    last: HashMap<(DefinitionKind, u64), usize>,
    ids: Translation,
    counts: Counts,
}

impl<'a> Repair<'a> {
    fn new(definitions: &'a Definitions) -> Self {
        let mut repair = Self {
            records: Vec::with_capacity(definitions.len()),
            last: HashMap::new(),
            ids: Translation::default(),
            counts: Counts::default(),
        };
        for (index, source) in definitions.in_order().into_iter().enumerate() {
            let fields = source.kind.fields().len();
            let fields: Vec<u64> = (0..fields).map(|field| source.get(field)).collect();
            if let Some(&id) = id_field(source.kind).and_then(|field| fields.get(field)) {
                repair.last.insert((source.kind.numbering(), id), index);
            }
            repair.records.push(Record {
                source,
                fields,
                list: source.list().to_vec(),
                state: State::Waiting,
            });
        }
        repair
    }

    fn run(mut self) -> (Definitions, Translation, Counts) {
        self.unify(DefinitionKind::String);
        self.translate();
        self.unify(DefinitionKind::Region);
        self.translate();
        self.drop_repeated();
        let order = self.order();
        let ids = self.number(&order);
        let definitions = self.write(&order, &ids);
        (definitions, ids, self.counts)
    }

    /// Returns the key of a record that has an id.
    fn key(&self, index: usize) -> Option<(DefinitionKind, u64)> {
        let record = &self.records[index];
        let id = record.source.get(id_field(record.source.kind)?);
        Some((record.source.kind.numbering(), id))
    }

    fn is_last(&self, index: usize) -> bool {
        self.key(index)
            .is_some_and(|key| self.last.get(&key) == Some(&index))
    }

    /// Gives records of `kind` that differ only in their ids the id of the first of them.
    fn unify(&mut self, kind: DefinitionKind) {
        let mut first: HashMap<(Vec<u64>, &'a str), u64> = HashMap::new();
        for index in 0..self.records.len() {
            let record = &self.records[index];
            if record.source.kind != kind || !self.is_last(index) {
                continue;
            }
            let id = record.source.get(0);
            let same = (record.fields[1..].to_vec(), record.source.text());
            let canonical = *first.entry(same).or_insert(id);
            if canonical != id {
                self.ids.ids.insert((kind, id), canonical);
                self.records[index].state = State::Done;
                self.counts.unified += 1;
            }
        }
    }

    /// Translates all references, and removes references to undefined ids.
    fn translate(&mut self) {
        let (last, ids, counts) = (&self.last, &self.ids, &mut self.counts);
        for record in &mut self.records {
            let kind = record.source.kind;
            if has_own_ids(kind) {
                continue;
            }
            let Record { fields, list, .. } = record;
            kind.map_references(fields, list, |target, id| {
                if last.contains_key(&(target, id)) {
                    return ids.apply(target, id);
                }
                counts.dangling += 1;
                UNDEFINED
            });
        }
    }

    /// Drops repeated definitions. If an id has several different definitions, the last one counts.
    fn drop_repeated(&mut self) {
        let mut seen = HashSet::new();
        for index in 0..self.records.len() {
            let Some(key) = self.key(index) else {
                self.drop_repeated_property(index, &mut seen);
                continue;
            };
            let last = self.last.get(&key).copied().unwrap_or(index);
            if last == index {
                continue;
            }
            let (record, other) = (&self.records[index], &self.records[last]);
            let same = record.source.kind == other.source.kind
                && record.fields == other.fields
                && record.list == other.list
                && record.source.text() == other.source.text();
            // A string or a location to which nothing can refer has no meaning.
            if same || matches!(key.0, DefinitionKind::String | DefinitionKind::Location) {
                self.records[index].state = State::Done;
                self.counts.repeated += 1;
            } else {
                self.counts.renumbered += 1;
            }
        }
    }

    /// Drops a record without an id that repeats an earlier one: a property, or the clock.
    fn drop_repeated_property(
        &mut self,
        index: usize,
        seen: &mut HashSet<(DefinitionKind, Vec<u64>, Vec<u64>)>,
    ) {
        let record = &mut self.records[index];
        let kind = record.source.kind;
        if kind.has_text() || !kind.is_property() {
            return;
        }
        if !seen.insert((kind, record.fields.clone(), record.list.clone())) {
            record.state = State::Done;
            self.counts.repeated += 1;
        }
    }

    /// Returns the records that are kept, each after the records to which it refers.
    fn order(&mut self) -> Vec<usize> {
        let (mut order, mut open) = (Vec::with_capacity(self.records.len()), Vec::new());
        for index in 0..self.records.len() {
            open.push(index);
            while let Some(&top) = open.last() {
                if self.records[top].state == State::Waiting {
                    self.records[top].state = State::Begun;
                    self.push_references(top, &mut open);
                    continue;
                }
                open.pop();
                if self.records[top].state == State::Begun {
                    self.records[top].state = State::Done;
                    order.push(top);
                }
            }
        }
        order
    }

    /// Numbers the ids consecutively, and maps the ids of unified records to that of the first of them.
    fn number(&mut self, order: &[usize]) -> Translation {
        let mut next: HashMap<DefinitionKind, u64> = HashMap::new();
        let mut ids = Translation::default();
        for &index in order {
            let Some((numbering, old)) = self.key(index) else {
                continue;
            };
            if numbering == DefinitionKind::Location {
                continue;
            }
            let next = next.entry(numbering).or_default();
            if self.is_last(index) {
                ids.ids.insert((numbering, old), *next);
            }
            let record = &mut self.records[index];
            if let Some(id) = id_field(record.source.kind) {
                record.fields[id] = *next;
            }
            *next += 1;
        }
        for (&(kind, old), &first) in &self.ids.ids {
            let id = ids.apply(kind, first);
            ids.ids.insert((kind, old), id);
        }
        ids
    }

    fn write(&mut self, order: &[usize], ids: &Translation) -> Definitions {
        let mut definitions = Definitions::default();
        for &index in order {
            let Record {
                source,
                fields,
                list,
                ..
            } = &mut self.records[index];
            if has_own_ids(source.kind) {
                definitions.push(source.kind, fields, list, source.text());
                continue;
            }
            source
                .kind
                .map_references(fields, list, |target, id| ids.apply(target, id));
            promise_nothing(source.kind, fields);
            definitions.push(source.kind, fields, list, source.text());
        }
        definitions
    }

    fn push_references(&mut self, index: usize, open: &mut Vec<usize>) {
        let (last, records) = (&self.last, &mut self.records);
        let kind = records[index].source.kind;
        // A group of markers comes before its category.
        if has_own_ids(kind) || kind == DefinitionKind::MarkerGroup {
            return;
        }
        let mut wanted = Vec::new();
        let Record { fields, list, .. } = &mut records[index];
        kind.map_references(fields, list, |target, id| {
            wanted.extend(last.get(&(target, id)));
            id
        });
        // The first reference is ordered first, so it is pushed last.
        let waiting = |&target: &usize| records[target].state == State::Waiting;
        open.extend(wanted.into_iter().rev().filter(waiting));
    }
}

/// Clears the number of events in a location's definition, which the writer fills in.
fn promise_nothing(kind: DefinitionKind, fields: &mut [u64]) {
    let promised = kind
        .fields()
        .iter()
        .position(|field| field.name == "number_of_events");
    if let Some(events) = promised.and_then(|field| fields.get_mut(field)) {
        *events = UNDEFINED;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn repaired(
        records: &[(DefinitionKind, &[u64], &[u64], &str)],
    ) -> (Definitions, Translation, Counts) {
        let mut definitions = Definitions::default();
        for &(kind, fields, list, text) in records {
            definitions.push(kind, fields, list, text);
        }
        Repair::new(&definitions).run()
    }

    fn lines(definitions: &Definitions) -> Vec<(DefinitionKind, Vec<u64>, Vec<u64>)> {
        let records = definitions.in_order().into_iter();
        let fields =
            |r: &DefinitionRecord<'_>| (0..r.kind.fields().len()).map(|f| r.get(f)).collect();
        records
            .map(|r| (r.kind, fields(&r), r.list().to_vec()))
            .collect()
    }

    #[test]
    fn what_is_the_same_is_said_once_and_what_is_referred_to_comes_first() {
        use DefinitionKind::{Comm, Group, Parameter, String};
        let (definitions, ids, counts) = repaired(&[
            (Comm, &[0, 7, 0, UNDEFINED, 0], &[], ""),
            (String, &[5], &[], "world"),
            (String, &[7], &[], "world"),
            (String, &[7], &[], "world"),
            (Group, &[0, 5, 4, 4, 0], &[11, 12], ""),
            (Group, &[0, 7, 5, 4, 0], &[0, 1], ""),
            (Parameter, &[0, 99, 0], &[], ""),
        ]);
        let expected: Vec<(DefinitionKind, Vec<u64>, Vec<u64>)> = vec![
            (String, vec![0], vec![]),
            (Group, vec![0, 0, 5, 4, 0], vec![0, 1]),
            (Comm, vec![0, 0, 0, UNDEFINED, 0], vec![]),
            (Group, vec![1, 0, 4, 4, 0], vec![UNDEFINED, UNDEFINED]),
            (Parameter, vec![0, UNDEFINED, 0], vec![]),
        ];
        assert_eq!(lines(&definitions), expected);
        assert_eq!([5, 7].map(|id| ids.apply(String, id)), [0, 0]);
        assert_eq!(ids.apply(Group, 0), 0);
        let (repeated, unified, renumbered, dangling) = (1, 1, 1, 3);
        let counted = Counts {
            repeated,
            unified,
            renumbered,
            dangling,
        };
        assert_eq!(counts, counted);
    }

    #[test]
    fn regions_of_several_processes_become_one() {
        use DefinitionKind::{Region, String};
        let region = |id, name| [id, name, name, name, 1, 1, 0, name, 0, 0];
        let (definitions, ids, _) = repaired(&[
            (String, &[0], &[], "send"),
            (Region, &region(3, 0), &[], ""),
            (String, &[100], &[], "send"),
            (Region, &region(103, 100), &[], ""),
        ]);
        assert_eq!(definitions.len(), 2);
        let left = ids.symbol(Symbol::new(foldtrace_trace::EventKind::Leave, &[103]));
        assert_eq!(left.operands[0], 0);
    }

    #[test]
    fn ranks_have_locations() {
        use DefinitionKind::{Group, Location, LocationGroup};
        let mut definitions = Definitions::default();
        definitions.push(Group, &[0, UNDEFINED, RANKS, 4, 0], &[0, 1], "");
        for rank in 0..2 {
            definitions.push(LocationGroup, &[rank, UNDEFINED, 1], &[], "");
            definitions.push(Location, &[rank + 10, UNDEFINED, 1, 0, rank], &[], "");
        }
        let (completed, ..) = Repair::new(&with_ranks(&definitions)).run();
        let groups: Vec<_> = completed
            .records(Group)
            .map(|g| (g.get(2), g.list()))
            .collect();
        assert_eq!(
            groups,
            [(LOCATIONS_OF_RANKS, &[10, 11][..]), (RANKS, &[0, 1][..])]
        );
        assert_eq!(with_ranks(&completed).len(), completed.len());
    }

    #[test]
    fn a_circle_of_references_ends() {
        let (definitions, ..) = repaired(&[
            (DefinitionKind::Callpath, &[0, 1, UNDEFINED], &[], ""),
            (DefinitionKind::Callpath, &[1, 0, UNDEFINED], &[], ""),
        ]);
        assert_eq!(definitions.len(), 2);
    }
}

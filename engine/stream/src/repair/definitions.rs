//! Repairs definitions: makes them unique, orders them, and numbers them.

use std::collections::{HashMap, HashSet};

use foldtrace_trace::{
    DefinitionKind, DefinitionRecord, Definitions, Diagnostic, Diagnostics, Field, FieldType,
    Severity, UNDEFINED,
};

use super::translation::Translation;

/// The numbers of repairs, which are reported to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    repeated: u64,
    unified: u64,
    renumbered: u64,
    dangling: u64,
}

impl Counts {
    /// Reports each kind of repair that was made.
    pub fn report(self, diagnostics: &mut Diagnostics) {
        let cases = [
            (self.repeated, "repeated definitions left out"),
            (self.unified, "identical strings and regions merged"),
            (self.renumbered, "definitions with a reused id renumbered"),
            (self.dangling, "references to undefined ids removed"),
        ];
        for (count, repairs) in cases.into_iter().filter(|(count, _)| *count > 0) {
            let message = format!("{repairs}: {count}");
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
    let is_id = |field: &Field| field.field_type == FieldType::Id;
    kind.fields().iter().position(is_id)
}

/// The definitions of a trace while they are being repaired.
pub(super) struct Repair<'a> {
    records: Vec<Record<'a>>,
    /// The record to which an id refers: the last one with this id.
    last: HashMap<(DefinitionKind, u64), usize>,
    ids: Translation,
    counts: Counts,
}

impl<'a> Repair<'a> {
    pub fn new(definitions: &'a Definitions) -> Self {
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

    /// Returns the repaired definitions, the translation of ids to theirs, and the numbers of repairs.
    pub fn run(mut self) -> (Definitions, Translation, Counts) {
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
            clear_number_of_events(source.kind, fields);
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
        let mut targets = Vec::new();
        let Record { fields, list, .. } = &mut records[index];
        kind.map_references(fields, list, |target, id| {
            targets.extend(last.get(&(target, id)));
            id
        });
        // The first reference is ordered first, so it is pushed last.
        let waiting = |&target: &usize| records[target].state == State::Waiting;
        open.extend(targets.into_iter().rev().filter(waiting));
    }
}

/// Clears the number of events in a location's definition, which the writer fills in.
fn clear_number_of_events(kind: DefinitionKind, fields: &mut [u64]) {
    let field = kind
        .fields()
        .iter()
        .position(|field| field.name == "number_of_events");
    if let Some(events) = field.and_then(|field| fields.get_mut(field)) {
        *events = UNDEFINED;
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::Symbol;

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
    fn repeated_definitions_are_left_out_and_references_lead_backwards() {
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
    fn a_cycle_of_references_ends() {
        let (definitions, ..) = repaired(&[
            (DefinitionKind::Callpath, &[0, 1, UNDEFINED], &[], ""),
            (DefinitionKind::Callpath, &[1, 0, UNDEFINED], &[], ""),
        ]);
        assert_eq!(definitions.len(), 2);
    }
}

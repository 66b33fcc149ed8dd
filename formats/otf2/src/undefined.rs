//! Finds ids in events that are not defined.
//!
//! An archive can be intact but inconsistent: it may have the definitions of another run, or a mapping table may be
//! lost. The events are kept unchanged; their ids just have no names.

use std::collections::{BTreeMap, HashSet};

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Diagnostics, FieldType, Place, Position, Severity,
    Symbol, SymbolId, SymbolTable, UNDEFINED,
};

/// A definition that events can refer to: the kind that numbers it, and its id.
type Target = (DefinitionKind, u64);

/// The set of all defined ids: those of each kind that numbers definitions, in ascending order.
#[derive(Debug, Default)]
pub(crate) struct DefinedIds(BTreeMap<DefinitionKind, Vec<u64>>);

impl DefinedIds {
    /// Returns the set of ids that `definitions` define.
    pub(crate) fn new(definitions: &Definitions) -> Self {
        let has_id = |kind: &&DefinitionKind| {
            let id = kind.fields().first();
            id.is_some_and(|field| field.field_type == FieldType::Id)
        };
        let mut all: BTreeMap<_, Vec<u64>> = BTreeMap::new();
        for &kind in DefinitionKind::ALL.iter().filter(has_id) {
            let ids = definitions.records(kind).map(|record| record.get(0));
            all.entry(kind.numbering()).or_default().extend(ids);
        }
        all.values_mut().for_each(|ids| ids.sort_unstable());
        Self(all)
    }

    fn has(&self, (kind, id): Target) -> bool {
        let ids = self.0.get(&kind);
        ids.is_some_and(|ids| ids.binary_search(&id).is_ok())
    }

    /// Returns the ids of `symbol` that are not defined.
    fn missing(&self, symbol: Symbol) -> impl Iterator<Item = Target> + '_ {
        let operands = symbol.kind.operands().iter().zip(symbol.operands);
        operands.filter_map(|(operand, id)| {
            let target = (operand.refers_to()?.numbering(), id);
            (id != UNDEFINED && !self.has(target)).then_some(target)
        })
    }
}

/// A check of the ids in the symbols of one location.
#[derive(Debug)]
pub(crate) struct UndefinedIds<'a> {
    defined: &'a DefinedIds,
    /// Number of symbols that are already checked.
    checked: usize,
    reported: HashSet<Target>,
}

impl<'a> UndefinedIds<'a> {
    /// Creates a check for a location whose ids should be in `defined`.
    pub(crate) fn new(defined: &'a DefinedIds) -> Self {
        Self {
            defined,
            checked: 0,
            reported: HashSet::new(),
        }
    }

    /// Reports the undefined ids that occur for the first time in the events from position `first` on, each once. `file`
    /// is the file of the location.
    pub(crate) fn report(
        &mut self,
        first: Position,
        events: &[SymbolId],
        symbols: &SymbolTable,
        file: &Place,
        diagnostics: &mut Diagnostics,
    ) {
        let mut index = 0;
        for (row, symbol) in symbols.iter_from(self.checked) {
            for target in self.defined.missing(symbol) {
                if !self.reported.insert(target) {
                    continue;
                }
                // Rows are in the order of first occurrence, so none is before the last one that was found.
                index += events[index..]
                    .iter()
                    .position(|symbol| symbol.row() == row.row())
                    .unwrap_or_default();
                let place = Place {
                    position: Some(Position(first.0 + index as u64)),
                    ..file.clone()
                };
                let (kind, number) = (target.0.name(), target.1);
                let message = format!("an event refers to {kind} {number}, which is not defined");
                diagnostics.report(
                    Diagnostic::new(Severity::Warning, "otf2.undefined_id", message).at(place),
                );
            }
        }
        self.checked = symbols.len();
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{EventKind, LocationId};

    use super::*;

    #[test]
    fn an_id_without_a_definition_is_reported_once() {
        let mut definitions = Definitions::default();
        definitions.push(DefinitionKind::Region, &[7], &[], "");
        // Both kinds of communicators share one numbering.
        definitions.push(DefinitionKind::InterComm, &[1], &[], "");
        let defined = DefinedIds::new(&definitions);
        let mut undefined = UndefinedIds::new(&defined);
        let (mut symbols, mut diagnostics) = (SymbolTable::default(), Diagnostics::default());
        let events = [
            (EventKind::Enter, [7, 0, 0]),
            (EventKind::MpiSend, [2, 1, 5]),
            (EventKind::MpiSend, [2, UNDEFINED, 5]),
            (EventKind::MpiSend, [2, 9, 5]),
            (EventKind::MpiRecv, [2, 9, 5]),
            (EventKind::Leave, [9, 0, 0]),
        ]
        .map(|(kind, operands)| symbols.intern(Symbol::new(kind, &operands)));
        let file = Place::file("3.evt").location(LocationId(3));
        for _ in 0..2 {
            undefined.report(Position(10), &events, &symbols, &file, &mut diagnostics);
        }
        let cases: Vec<_> = diagnostics.groups().flat_map(|(_, g)| &g.cases).collect();
        let messages: Vec<_> = cases.iter().map(|case| case.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "an event refers to comm 9, which is not defined",
                "an event refers to region 9, which is not defined",
            ]
        );
        let positions: Vec<_> = cases.iter().map(|case| case.place.position).collect();
        assert_eq!(positions, [Some(Position(13)), Some(Position(15))]);
        assert_eq!(cases[0].place.location, Some(LocationId(3)));
    }
}

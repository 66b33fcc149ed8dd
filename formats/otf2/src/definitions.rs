//! Definitions from the library's callbacks into tables, and what is odd about them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Diagnostics, FieldType, Place, Severity, UNDEFINED,
};
use otf2_sys::safe::{Anchor, DefinitionCode, DefinitionVisitor, LocalVisitor};

use crate::kinds::definition_kind;

/// Puts what the anchor says among the definitions, as properties `KEY=VALUE` of the trace.
pub(crate) fn anchor_properties(anchor: &Anchor, definitions: &mut Definitions) {
    let (major, minor, bugfix) = anchor.version;
    let known = [
        ("otf2_version", format!("{major}.{minor}.{bugfix}")),
        ("creator", anchor.creator.clone()),
        ("description", anchor.description.clone()),
        ("machine_name", anchor.machine_name.clone()),
        ("trace_id", format!("{:016x}", anchor.trace_id)),
    ];
    let further = anchor
        .properties
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()));
    for (name, value) in known
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .chain(further)
    {
        let text = format!("{name}={value}");
        definitions.push(DefinitionKind::TraceProperty, &[], &[], &text);
    }
}

/// Collects the global definitions in the order of the source.
pub(crate) struct Collector<'a> {
    definitions: &'a mut Definitions,
    diagnostics: &'a mut Diagnostics,
    place: Place,
    defined: HashSet<(DefinitionKind, u64)>,
    latest: HashMap<DefinitionKind, u64>,
    /// References to what is not defined yet: from where, to what.
    early: Vec<(DefinitionKind, u64, DefinitionKind, u64)>,
    pub(crate) records: u64,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        file: &Path,
        definitions: &'a mut Definitions,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self {
            definitions,
            diagnostics,
            place: Place::file(file),
            defined: HashSet::new(),
            latest: HashMap::new(),
            early: Vec::new(),
            records: 0,
        }
    }

    fn report(&mut self, severity: Severity, key: &'static str, message: String) {
        let diagnostic = Diagnostic::new(severity, key, message).at(self.place.clone());
        self.diagnostics.report(diagnostic);
    }

    fn defines(&mut self, kind: DefinitionKind, id: u64) {
        let name = kind.name();
        if !self.defined.insert((numbering(kind), id)) {
            let message = format!("{name} {id} is defined again");
            self.report(Severity::Note, "otf2.duplicate_definition", message);
            return;
        }
        match self.latest.insert(kind, id) {
            Some(before) if before > id => {
                let message = format!("{name} {id} is defined behind {name} {before}");
                self.report(Severity::Note, "otf2.out_of_order_definition", message);
            }
            _ => {}
        }
    }

    /// Looks once more at references that came before what they refer to.
    pub(crate) fn finish(mut self) {
        for (kind, id, target, to) in std::mem::take(&mut self.early) {
            let (name, target_name) = (kind.name(), target.name());
            let from = if id == UNDEFINED {
                name.to_owned()
            } else {
                format!("{name} {id}")
            };
            if self.defined.contains(&(target, to)) {
                let message =
                    format!("{from} stands before {target_name} {to}, which it refers to");
                self.report(Severity::Note, "otf2.out_of_order_definition", message);
            } else {
                let message =
                    format!("{from} refers to {target_name} {to}, which is never defined");
                self.report(Severity::Warning, "otf2.undefined_reference", message);
            }
        }
    }
}

/// The kind that stands for all that share its ids.
const fn numbering(kind: DefinitionKind) -> DefinitionKind {
    match kind {
        DefinitionKind::InterComm => DefinitionKind::Comm,
        DefinitionKind::MetricInstance => DefinitionKind::MetricClass,
        DefinitionKind::IoDirectory => DefinitionKind::IoRegularFile,
        kind => kind,
    }
}

impl DefinitionVisitor for Collector<'_> {
    fn definition(&mut self, code: DefinitionCode, fields: &[u64], list: &[u64], text: &[u8]) {
        self.records += 1;
        let Some(kind) = definition_kind(code) else {
            let message =
                "a record of a type that the library does not know is left out".to_owned();
            self.report(Severity::Loss, "otf2.unknown_definition", message);
            return;
        };
        let mut id = UNDEFINED;
        for (field, &value) in kind.fields().iter().zip(fields) {
            match field.field_type {
                FieldType::Id => {
                    id = value;
                    self.defines(kind, value);
                }
                FieldType::Ref(target) if value != UNDEFINED => {
                    let target = numbering(target);
                    if !self.defined.contains(&(target, value)) {
                        self.early.push((kind, id, target, value));
                    }
                }
                _ => {}
            }
        }
        let text = String::from_utf8_lossy(text);
        if text.contains(char::REPLACEMENT_CHARACTER) {
            let message = format!("string {id} is not UTF-8; what is not was replaced");
            self.report(Severity::Warning, "otf2.invalid_text", message);
        }
        self.definitions.push(kind, fields, list, &text);
    }
}

/// Collects the definitions of one location: what the library applies to its events.
#[derive(Debug, Default)]
pub(crate) struct LocalCollector {
    location: u64,
    records: Vec<(DefinitionKind, Vec<u64>, Vec<u64>)>,
}

impl LocalCollector {
    pub(crate) fn new(location: u64) -> Self {
        Self {
            location,
            records: Vec::new(),
        }
    }

    /// Number of records that were understood.
    pub(crate) fn len(&self) -> u64 {
        self.records.len() as u64
    }

    /// Adds them to all definitions.
    pub(crate) fn append_to(self, definitions: &mut Definitions) {
        for (kind, fields, list) in self.records {
            definitions.push(kind, &fields, &list, "");
        }
    }
}

impl LocalVisitor for LocalCollector {
    fn mapping_table(&mut self, kind: u8, pairs: &[u64]) {
        let fields = vec![self.location, u64::from(kind)];
        self.records
            .push((DefinitionKind::MappingTable, fields, pairs.to_vec()));
    }

    fn clock_offset(&mut self, time: u64, offset: i64, standard_deviation: f64) {
        let fields = vec![
            self.location,
            time,
            offset.cast_unsigned(),
            standard_deviation.to_bits(),
        ];
        self.records
            .push((DefinitionKind::ClockOffset, fields, Vec::new()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(records: &[(DefinitionCode, &[u64])]) -> (Definitions, Diagnostics) {
        let (mut definitions, mut diagnostics) = (Definitions::default(), Diagnostics::default());
        let mut collector = Collector::new(Path::new("a.def"), &mut definitions, &mut diagnostics);
        for (code, fields) in records {
            collector.definition(*code, fields, &[], b"x");
        }
        collector.finish();
        (definitions, diagnostics)
    }

    #[test]
    fn repeated_and_unordered_definitions_are_kept_and_reported() {
        let (definitions, diagnostics) = collect(&[
            (DefinitionCode::String, &[0]),
            (DefinitionCode::String, &[0]),
            (DefinitionCode::Parameter, &[0, 1, 0]),
            (DefinitionCode::String, &[5]),
            (DefinitionCode::String, &[1]),
            (DefinitionCode::Parameter, &[1, 9, 0]),
        ]);
        assert_eq!(definitions.len(), 6);
        assert_eq!(diagnostics.count("otf2.duplicate_definition"), 1);
        assert_eq!(diagnostics.count("otf2.out_of_order_definition"), 2);
        assert_eq!(diagnostics.count("otf2.undefined_reference"), 1);
    }

    #[test]
    fn kinds_that_share_ids_can_be_referred_to_as_one() {
        let (_, diagnostics) = collect(&[
            (DefinitionCode::MetricClass, &[0, 0, 0]),
            (DefinitionCode::MetricInstance, &[1, 0, UNDEFINED, 0, 0]),
            (DefinitionCode::MetricClassRecorder, &[1, UNDEFINED]),
        ]);
        assert!(diagnostics.is_empty());
    }
}

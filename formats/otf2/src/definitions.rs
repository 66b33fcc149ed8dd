//! Reads definition files into tables, and reports problems with them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Diagnostics, FieldType, Place, Severity, UNDEFINED,
};

use crate::ids::{ClockCorrection, IdMaps};
use crate::records::definitions::{DefinitionRecord, Fields, Scope, has_unknown_type};
use crate::walk::Walk;

/// Collects the global definitions in the order of the source.
pub(crate) struct Collector<'a> {
    definitions: &'a mut Definitions,
    diagnostics: &'a mut Diagnostics,
    place: Place,
    defined: HashSet<(DefinitionKind, u64)>,
    latest: HashMap<DefinitionKind, u64>,
    /// References to ids that are not defined yet: kind and id of the referring record, then kind and id of the
    /// target.
    early: Vec<(DefinitionKind, u64, DefinitionKind, u64)>,
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
        }
    }

    fn report(&mut self, severity: Severity, key: &'static str, message: String) {
        let diagnostic = Diagnostic::new(severity, key, message).at(self.place.clone());
        self.diagnostics.report(diagnostic);
    }

    fn defines(&mut self, kind: DefinitionKind, id: u64) {
        let name = kind.name();
        if !self.defined.insert((kind.numbering(), id)) {
            let message = format!("{name} {id} is defined again");
            self.report(Severity::Note, "otf2.duplicate_definition", message);
            return;
        }
        match self.latest.insert(kind, id) {
            Some(before) if before > id => {
                let message = format!("{name} {id} is defined after {name} {before}");
                self.report(Severity::Note, "otf2.out_of_order_definition", message);
            }
            _ => {}
        }
    }

    /// Checks the references that came before their target was defined, and reports them.
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
                    format!("{from} refers to {target_name} {to}, which is defined later");
                self.report(Severity::Note, "otf2.out_of_order_definition", message);
            } else {
                let message =
                    format!("{from} refers to {target_name} {to}, which is never defined");
                self.report(Severity::Warning, "otf2.undefined_reference", message);
            }
        }
    }
}

impl Collector<'_> {
    /// Takes the next record, of type `code`; `read` is `None` if the type is unknown.
    pub(crate) fn definition(&mut self, code: u8, read: Option<(&DefinitionRecord, Fields<'_>)>) {
        let Some((record, read)) = read else {
            let message = format!("left out a record of the unknown type {code}");
            self.report(Severity::Loss, "otf2.unknown_definition", message);
            return;
        };
        let kind = record.kind;
        let mut id = UNDEFINED;
        for (field, &value) in kind.fields().iter().zip(&read.fields) {
            match field.field_type {
                FieldType::Id => {
                    id = value;
                    self.defines(kind, value);
                }
                FieldType::Ref(target) if value != UNDEFINED => {
                    let target = target.numbering();
                    if !self.defined.contains(&(target, value)) {
                        self.early.push((kind, id, target, value));
                    }
                }
                _ => {}
            }
        }
        if has_unknown_type(kind, &read.fields) {
            let message = format!(
                "a value in the record '{}' has an unknown type",
                kind.name()
            );
            self.report(Severity::Warning, "otf2.unknown_type", message);
        }
        let text = String::from_utf8_lossy(read.text);
        // A borrowed text is valid UTF-8; it may contain replacement characters of its own.
        if matches!(text, Cow::Owned(_)) {
            let message = format!("string {id} is not valid UTF-8; invalid bytes are replaced");
            self.report(Severity::Warning, "otf2.invalid_text", message);
        }
        self.definitions.push(kind, &read.fields, &read.list, &text);
    }
}

/// Reads a definition file record by record. `complete` is the number of its records, if known.
///
/// # Errors
/// Returns an error if the file cannot be opened.
pub(crate) fn read(
    path: &Path,
    chunk: u64,
    scope: Scope,
    complete: Option<u64>,
    mut visit: impl FnMut(u8, Option<(&'static DefinitionRecord, Fields<'_>)>),
) -> io::Result<Walk> {
    let complete = complete.unwrap_or(u64::MAX);
    Walk::through(path, chunk, complete, |code, _, file| {
        let cursor = file.record()?;
        let record = scope.by_code(u64::from(code));
        let read = record.map(|record| Ok((record, record.read(cursor)?)));
        visit(code, read.transpose()?);
        Ok(())
    })
}

/// The effect of a location's own definitions on its events: mapping tables, and clock correction.
#[derive(Debug, Default)]
pub(crate) struct Corrections {
    pub(crate) ids: IdMaps,
    pub(crate) clock: ClockCorrection,
    /// Number of records that contradict earlier ones and are ignored.
    pub(crate) contradictions: u64,
}

impl Corrections {
    /// Adds the corrections that a record of the location specifies.
    pub(crate) fn add(&mut self, record: &DefinitionRecord, read: &Fields<'_>) {
        let counts = match (record.kind, &read.fields[..]) {
            (DefinitionKind::MappingTable, &[_, kind]) => self.ids.add(kind, &read.list),
            (DefinitionKind::ClockOffset, &[_, time, offset, _]) => {
                self.clock.add(time, offset.cast_signed())
            }
            _ => true,
        };
        self.contradictions += u64::from(!counts);
    }
}

/// Adds a definition of one location to the global definitions: with its own kind if it specifies how to read the
/// location's events, otherwise as a `LocalDefinition`. Returns whether it was the latter.
pub(crate) fn push_local(
    definitions: &mut Definitions,
    location: u64,
    code: u8,
    record: &DefinitionRecord,
    mut read: Fields<'_>,
) -> bool {
    if let DefinitionKind::MappingTable | DefinitionKind::ClockOffset = record.kind {
        if let Some(field) = read.fields.first_mut() {
            *field = location;
        }
        definitions.push(record.kind, &read.fields, &read.list, "");
        return false;
    }
    let mut values = read.fields;
    values.extend(read.list);
    let fields = [location, u64::from(code)];
    let text = String::from_utf8_lossy(read.text);
    definitions.push(DefinitionKind::LocalDefinition, &fields, &values, &text);
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn collect(records: &[(DefinitionKind, &[u64])]) -> (Definitions, Diagnostics) {
        let (mut definitions, mut diagnostics) = (Definitions::default(), Diagnostics::default());
        let mut collector = Collector::new(Path::new("a.def"), &mut definitions, &mut diagnostics);
        for &(kind, fields) in records {
            let (fields, list, text) = (fields.to_vec(), Vec::new(), &b"x"[..]);
            let read = Fields { fields, list, text };
            let record = Scope::Global.by_kind(kind).unwrap();
            collector.definition(record.code, Some((record, read)));
        }
        collector.finish();
        (definitions, diagnostics)
    }

    #[test]
    fn repeated_and_unordered_definitions_are_kept_and_reported() {
        let (definitions, diagnostics) = collect(&[
            (DefinitionKind::String, &[0]),
            (DefinitionKind::String, &[0]),
            (DefinitionKind::Parameter, &[0, 1, 0]),
            (DefinitionKind::String, &[5]),
            (DefinitionKind::String, &[1]),
            (DefinitionKind::Parameter, &[1, 9, 0]),
        ]);
        assert_eq!(definitions.len(), 6);
        assert_eq!(diagnostics.count("otf2.duplicate_definition"), 1);
        assert_eq!(diagnostics.count("otf2.out_of_order_definition"), 2);
        assert_eq!(diagnostics.count("otf2.undefined_reference"), 1);
    }

    #[test]
    fn kinds_that_share_ids_can_be_referred_to_as_one() {
        let (_, diagnostics) = collect(&[
            (DefinitionKind::MetricClass, &[0, 0, 0]),
            (DefinitionKind::MetricInstance, &[1, 0, UNDEFINED, 0, 0]),
            (DefinitionKind::MetricClassRecorder, &[1, UNDEFINED]),
        ]);
        assert!(diagnostics.is_empty());
    }
}

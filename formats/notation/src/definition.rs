//! Definition lines: `#: KIND FIELD=VALUE … "TEXT"`, one record per line.
//!
//! One pair of functions reads and writes all kinds, based on the description of the fields of each kind. Programs
//! that do not support definition lines see comments.

use std::collections::HashMap;

use foldtrace_input::{Fault, show};
use foldtrace_trace::{
    DefinitionKind, DefinitionRecord, Definitions, FieldType, Names, UNDEFINED, format_set,
    parse_set,
};

use crate::lexer::{
    LineWords, expected, number_or_unknown, push_number, push_quoted, signed_number,
};

/// The beginning of a definition line.
pub const MARK: &[u8] = b"#:";

/// A parsed definition line.
#[derive(Debug)]
pub struct Definition {
    /// The kind of the definition.
    pub kind: DefinitionKind,
    /// The fields, in the order of the kind; omitted fields are undefined.
    pub fields: Vec<u64>,
    /// The list, if the kind has one.
    pub list: Vec<u64>,
    /// The text, if the kind has one.
    pub text: String,
}

impl Definition {
    /// Returns the id that the record defines.
    #[must_use]
    pub fn id(&self) -> Option<u64> {
        let first = self.kind.fields().first()?;
        (first.field_type == FieldType::Id && self.fields[0] != UNDEFINED).then(|| self.fields[0])
    }

    /// Appends the record to `definitions`.
    pub fn push_to(&self, definitions: &mut Definitions) {
        definitions.push(self.kind, &self.fields, &self.list, &self.text);
    }
}

/// Parses a definition line; `at` is the offset after the mark.
///
/// # Errors
/// If the line does not match the grammar.
pub fn parse_definition(line: &[u8], at: usize) -> Result<Definition, Fault> {
    let mut words = LineWords::new(line, at);
    let Some(word) = words.next()? else {
        return Err(Fault::new(
            words.at(),
            "expected a kind of definition, found the end of the line",
        )
        .hint("an ordinary comment must not begin with '#:'"));
    };
    let kind = DefinitionKind::ALL
        .iter()
        .copied()
        .find(|k| k.name().as_bytes() == word.bytes);
    let Some(kind) = kind else {
        return Err(expected("a kind of definition", word)
            .hint("an ordinary comment must not begin with '#:'"));
    };
    let fields = vec![UNDEFINED; kind.fields().len()];
    let mut definition = Definition {
        kind,
        fields,
        list: Vec::new(),
        text: String::new(),
    };
    let mut has_text = false;
    while let Some(word) = words.next()? {
        if word.is_quoted() && kind.has_text() && !has_text {
            definition.text = word.text()?.into_owned();
            has_text = true;
            continue;
        }
        let Some((key, value)) = word.key_value() else {
            return Err(expected("FIELD=VALUE", word));
        };
        if kind.list().is_some_and(|list| list.as_bytes() == key) && definition.list.is_empty() {
            let set = std::str::from_utf8(value.bytes).ok().and_then(parse_set);
            definition.list = set.ok_or_else(|| {
                expected("a list of numbers", value)
                    .hint("lists are written as in '0-3,8' and have at most 16777216 members")
            })?;
            continue;
        }
        let slot = kind
            .fields()
            .iter()
            .position(|field| field.name.as_bytes() == key);
        let Some(slot) = slot else {
            let message = format!("expected a field of {}, found {}", kind.name(), show(key));
            return Err(Fault::new(word.at, message));
        };
        if definition.fields[slot] != UNDEFINED {
            let message = format!("expected one field {}, found a second one", show(key));
            return Err(Fault::new(word.at, message));
        }
        let parse = match kind.fields()[slot].field_type {
            FieldType::Signed | FieldType::Value => signed_number,
            _ => number_or_unknown,
        };
        definition.fields[slot] =
            parse(value.bytes).ok_or_else(|| expected("a number of at most 64 bits", value))?;
    }
    Ok(definition)
}

/// Appends the line of a record to `out`.
pub fn push_definition(out: &mut Vec<u8>, record: &DefinitionRecord<'_>) {
    out.extend_from_slice(MARK);
    out.push(b' ');
    out.extend_from_slice(record.kind.name().as_bytes());
    for (slot, field) in record.kind.fields().iter().enumerate() {
        let value = record.get(slot);
        if value == UNDEFINED {
            continue;
        }
        push_key(out, field.name);
        if field.field_type == FieldType::Signed && value > i64::MAX as u64 {
            out.push(b'-');
            push_number(out, value.wrapping_neg());
        } else {
            push_number(out, value);
        }
    }
    if let Some(name) = record.kind.list().filter(|_| !record.list().is_empty()) {
        push_key(out, name);
        out.extend_from_slice(format_set(record.list()).as_bytes());
    }
    if record.kind.has_text() {
        out.push(b' ');
        push_quoted(out, record.text());
    }
    out.push(b'\n');
}

/// Returns the ids of strings by text. If several ids have the same text, the first one is used.
#[must_use]
pub fn string_ids(definitions: &Definitions, names: &Names) -> HashMap<String, u64> {
    let mut ids = HashMap::new();
    for record in definitions.records(DefinitionKind::String) {
        // If a string is defined twice, the later text applies.
        let text = names.string(record.get(0));
        if record.get(0) != UNDEFINED && text == record.text() {
            ids.entry(text.to_owned()).or_insert(record.get(0));
        }
    }
    ids
}

fn push_key(out: &mut Vec<u8>, name: &str) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.push(b'=');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_of_every_kind_come_back(
            kind in prop::sample::select(DefinitionKind::ALL),
            fields in prop::collection::vec(prop_oneof![Just(UNDEFINED), 0u64..9, any::<u64>()], 12),
            list in prop::collection::vec(0u64..9, 0..9),
            text in any::<String>(),
        ) {
            let fields = &fields[..kind.fields().len()];
            let mut before = Definitions::default();
            before.push(kind, fields, &list, &text);
            let mut line = Vec::new();
            push_definition(&mut line, &before.in_order()[0]);
            prop_assert_eq!(line.pop(), Some(b'\n'));
            prop_assert!(!line.contains(&b'\n'));
            let mut after = Definitions::default();
            parse_definition(&line, MARK.len()).unwrap().push_to(&mut after);
            prop_assert_eq!(after, before);
        }
    }

    #[test]
    fn a_signed_field_reads_as_a_human_writes_it() {
        let line = b"#: metric_member id=1 exponent=-9 # nano";
        let definition = parse_definition(line, 2).unwrap();
        let exponent = definition.kind.slot("exponent").unwrap();
        assert_eq!(definition.fields[exponent] as i64, -9);
        assert_eq!(definition.id(), Some(1));
    }
}

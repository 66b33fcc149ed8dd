//! Kinds of events, operands, quantities and collective operations as the schemas and `events.md` list them.

use std::collections::BTreeSet;

use foldtrace_trace::{COLLECTIVES, EventKind, Operand, Quantity};
use serde_json::json;

use crate::common::pages::{first, listed, page, schema, table};

#[test]
fn json_schemas_know_all_kinds_and_operands() {
    let kinds: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
    for name in [
        "info.schema.json",
        "loops.schema.json",
        "manifest.schema.json",
        "program.schema.json",
    ] {
        let (schema, _) = schema(name);
        assert_eq!(schema["$defs"]["kind"]["enum"], json!(kinds), "{name}");
    }
    let (loops, _) = schema("loops.schema.json");
    let (program, _) = schema("program.schema.json");
    for event in [
        &loops["$defs"]["EventJson"],
        &program["$defs"]["MemberJson"],
    ] {
        let event = event["properties"].as_object().unwrap();
        let mut properties: BTreeSet<_> = event.keys().map(String::as_str).collect();
        for other in ["symbol", "kind", "name", "text"] {
            assert!(properties.remove(other));
        }
        for of_member in ["ends", "synchronises"] {
            properties.remove(of_member);
        }
        let operands: BTreeSet<_> = Operand::ALL.iter().map(|o| o.name()).collect();
        assert_eq!(properties, operands);
        for operand in Operand::ALL {
            let affine = event[operand.name()]["$ref"] == "#/$defs/Affine";
            assert_eq!(affine, operand.is_number(), "{operand}");
        }
    }
}

#[test]
fn events_md_lists_all_kinds_operands_and_quantities() {
    let text = page("events.md");
    let kinds: Vec<[String; 3]> = first(table(&text, &["kind", "operands", "quantities"]));
    let expected: Vec<_> = EventKind::ALL
        .iter()
        .map(|kind| {
            [
                kind.name().to_owned(),
                listed(kind.operands()),
                listed(kind.quantities()),
            ]
        })
        .collect();
    assert_eq!(kinds, expected);

    let operands: Vec<[String; 2]> = first(table(&text, &["operand", "number"]));
    let yes = |is| if is { "yes" } else { "no" };
    let expected: Vec<_> = Operand::ALL
        .iter()
        .map(|o| [o.name().to_owned(), yes(o.is_number()).to_owned()])
        .collect();
    assert_eq!(operands, expected);

    let quantities: Vec<[String; 1]> = first(table(&text, &["quantity"]));
    let expected: Vec<_> = Quantity::ALL
        .iter()
        .map(|q| [q.name().to_owned()])
        .collect();
    assert_eq!(quantities, expected);
}

#[test]
fn events_md_says_which_kinds_communicate() {
    let text = page("events.md");
    let begin = text.find("The events that `--events comm` keeps").unwrap();
    let paragraph = text[begin..].split("\n\n").next().unwrap();
    let named: BTreeSet<_> = paragraph
        .split('`')
        .filter_map(EventKind::from_name)
        .collect();
    let communicate = |kind: &&EventKind| kind.is_communication();
    let expected: BTreeSet<_> = EventKind::ALL.iter().filter(communicate).copied().collect();
    assert_eq!(named, expected);
}

#[test]
fn events_md_lists_all_collective_operations() {
    let rows = table(&page("events.md"), &["code", "operation"]);
    for (code, row) in (0..).zip(&rows) {
        assert_eq!(row[0], code.to_string());
        assert_eq!(Some(&*row[1]), COLLECTIVES.name(code));
    }
    assert_eq!(COLLECTIVES.name(rows.len() as u64), None);
}

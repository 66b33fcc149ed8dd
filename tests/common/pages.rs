//! The pages in `schemas/`, and the tables that they have.

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a page says.
pub fn page(name: &str) -> String {
    let path = root().join("schemas").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of the tables that begin with these column heads, without code marks.
pub fn tables(text: &str, heads: &[&str]) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let Some(row) = line.strip_prefix('|') else {
            inside = false;
            continue;
        };
        let row = row.strip_suffix('|').unwrap_or(row);
        let cells: Vec<_> = row
            .split('|')
            .map(|cell| cell.trim().replace('`', ""))
            .collect();
        if inside && !line.starts_with("|---") {
            if let Some(table) = tables.last_mut() {
                table.push(cells);
            }
        } else if !inside && cells.iter().zip(heads).filter(|(a, b)| a == b).count() == heads.len()
        {
            inside = true;
            tables.push(Vec::new());
        }
    }
    tables
}

/// The rows of the only table that begins with these column heads.
pub fn table(text: &str, heads: &[&str]) -> Vec<Vec<String>> {
    let mut tables = tables(text, heads);
    assert_eq!(tables.len(), 1, "tables {heads:?}");
    tables.remove(0)
}

/// Items as a cell of a table has them.
pub fn listed<T: ToString>(items: &[T]) -> String {
    match items {
        [] => "–".to_owned(),
        items => items
            .iter()
            .map(T::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The first cells of rows, behind which more must stand.
pub fn first<const N: usize>(rows: Vec<Vec<String>>) -> Vec<[String; N]> {
    rows.into_iter()
        .map(|row| {
            assert!(
                row.len() > N && !row[N].is_empty(),
                "without meaning: {row:?}"
            );
            let mut cells = row.into_iter();
            std::array::from_fn(|_| cells.next().unwrap_or_default())
        })
        .collect()
}

/// A schema that is itself valid.
pub fn schema(name: &str) -> (Value, Validator) {
    let schema: Value = serde_json::from_str(&page(name)).unwrap();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert!(
        jsonschema::meta::is_valid(&schema),
        "{name} is no JSON Schema"
    );
    let validator = jsonschema::validator_for(&schema).unwrap();
    (schema, validator)
}

/// The instance is valid.
#[track_caller]
pub fn check(validator: &Validator, instance: &Value) {
    let errors: Vec<_> = validator
        .iter_errors(instance)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// The instance is valid, but neither without one of its fields nor with another one.
#[track_caller]
pub fn check_strictly(validator: &Validator, instance: &Value) {
    check(validator, instance);
    for key in instance.as_object().unwrap().keys() {
        let mut less = instance.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(!validator.is_valid(&less), "valid without '{key}'");
        let mut other = instance.clone();
        other[key] = json!([false]);
        assert!(!validator.is_valid(&other), "valid with any '{key}'");
    }
    let mut more = instance.clone();
    more["unheard_of"] = json!(1);
    assert!(
        !validator.is_valid(&more),
        "valid with a field unheard of: {more}"
    );
}

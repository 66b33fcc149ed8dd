//! The pages in `schemas/`, and the tables that they have.

#![allow(dead_code)]

use std::fs;
use std::path::Path;

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

//! Writes the SQL that finds the folder of a store when its views are created.
//!
//! DuckDB evaluates a variable in a view when the view is queried. A path in a variable would therefore be the path
//! of the store whose views were created last, and would be missing in another session. In contrast, an enum type can
//! be created from a query, belongs to a schema, and is kept in the database. The path is therefore stored as the
//! only value of an enum type.

use std::fmt::Write as _;

/// Returns the SQL that finds the store called `name`, one of whose files has the hash `fingerprint`.
pub(super) fn root(name: &str, fingerprint: &str) -> String {
    let shown = name.escape_debug();
    let in_folder = quoted(&format!("./{}/manifest.json", pattern(name)));
    let is_absent = quoted(&format!(
        "{name} is not here. Change to the folder that contains it, or say where it is: \
         SET VARIABLE foldtrace_store = '/path/to/{name}'; then run views.sql again"
    ));
    let is_another = quoted(&format!(
        " is another store, or {name} was written anew: run the views.sql that is in it"
    ));
    let mut text = String::new();
    // Writing to a `String` does not fail.
    let _ = write!(
        text,
        "-- Views for DuckDB. Run this file in the folder that contains the store, or in the store itself:\n\
         --   .read '{shown}/views.sql'\n\
         -- In any other folder, or after the store was renamed, first set its path:\n\
         --   SET VARIABLE foldtrace_store = '/data/{shown}';\n\
         -- The views keep the path of the store, either as set or relative to the working folder. Each schema has\n\
         -- the views of one store. For another store, create another schema first: CREATE SCHEMA a; USE a;\n\
         SET VARIABLE foldtrace_found = (\n\
         \x20 SELECT coalesce(min_by(regexp_replace(file[:-14], '([*?[\\]])', '[\\1]', 'g'), choice), error({is_absent}))\n\
         \x20 FROM (SELECT file, 1 AS choice FROM glob(regexp_replace(\n\
         \x20     coalesce(getvariable('foldtrace_store')::VARCHAR, '.'), '([*?[\\]])', '[\\1]', 'g') || '/manifest.json')\n\
         \x20     WHERE getvariable('foldtrace_store') IS NOT NULL\n\
         \x20   UNION ALL SELECT file, 2 FROM glob({in_folder}) WHERE getvariable('foldtrace_store') IS NULL\n\
         \x20   UNION ALL SELECT file, 3 FROM glob('./manifest.json') WHERE getvariable('foldtrace_store') IS NULL));\n\
         -- The path of {shown}, as the only value of an enum type.\n\
         CREATE OR REPLACE TYPE foldtrace_root AS ENUM (\n\
         \x20 SELECT CASE WHEN contains(content, '{fingerprint}') THEN getvariable('foldtrace_found')\n\
         \x20   ELSE error(getvariable('foldtrace_found') || {is_another}) END\n\
         \x20 FROM read_text(getvariable('foldtrace_found') || 'manifest.json'));\n\
         RESET VARIABLE foldtrace_found;\n\
         RESET VARIABLE foldtrace_store;\n"
    );
    text
}

/// Returns a table function over the tables of the store whose paths match `pattern`.
pub(super) fn files(pattern: &str) -> String {
    // Without the option, a folder called 'ranks=4' above the store would add a column.
    format!(
        "read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || '{pattern}', hive_partitioning = false)"
    )
}

/// Quotes a text as an SQL literal.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Escapes a name as a glob pattern of DuckDB that matches only this name.
fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for character in name.chars() {
        match character {
            '*' | '?' | '[' | ']' => pattern.extend(['[', character, ']']),
            _ => pattern.push(character),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_a_comment_or_a_literal() {
        let text = root("a'b\n; DROP TABLE x; --*.fold", "0123");
        for line in text.lines().filter(|line| line.starts_with("; DROP TABLE")) {
            assert!(
                line.contains('\''),
                "the line is outside of a literal: {line}"
            );
        }
        assert!(
            text.contains("'./a''b\n; DROP TABLE x; --[*].fold/manifest.json'"),
            "{text}"
        );
        assert!(!text.contains("-- The path of a'b\n"), "{text}");
    }

    #[test]
    fn characters_of_patterns_stand_for_themselves() {
        assert_eq!(pattern("a*b?[1].fold"), "a[*]b[?][[]1[]].fold");
        assert_eq!(pattern("run.fold"), "run.fold");
    }
}

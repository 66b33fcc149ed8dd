//! Writes a plan as SQL for DuckDB: loops are series, and events are numbered as in the model.

use std::fmt::Write;

use foldtrace_store::{Field, Manifest};
use foldtrace_trace::Quantity;

use super::super::plan::{Plan, Record};
use super::super::request::Attribute;
use super::super::scan::is_signed;

/// Writes the plan as a query on the store at `path`.
pub(super) fn program(plan: &Plan, store: &Manifest, path: &str) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "-- For DuckDB: one row per occurrence, as 'foldtrace extract' writes them. Positions of the model (first)\n\
         -- count {}. Change the path if the store is elsewhere:",
        super::counted(plan.selection)
    );
    let _ = writeln!(text, "SET VARIABLE foldtrace_store = {};", quoted(path));
    text.push_str("WITH wanted AS (\n");
    for (number, record) in plan.records.iter().enumerate() {
        if number > 0 {
            text.push_str("  UNION ALL\n");
        }
        write_wanted(&mut text, plan, number, record);
    }
    text.push_str("),\n");
    write_events(&mut text, plan);
    write_rows(&mut text, plan, store);
    text
}

/// Writes the positions of the occurrences of a record.
fn write_wanted(text: &mut String, plan: &Plan, number: usize, record: &Record) {
    let depth = record.counts.len();
    let _ = write!(
        text,
        "  SELECT {number} AS record, {} AS label, line, process, location",
        quoted(&record.label)
    );
    for index in 0..plan.depth() {
        let _ = if index < depth {
            write!(text, ", i{index}")
        } else {
            write!(text, ", CAST(NULL AS BIGINT) AS i{index}")
        };
    }
    let mut names = String::from("line, process, location");
    for point in 0..plan.points.len() {
        let steps: String = (0..depth)
            .map(|i| format!(" + step{point}_{i} * i{i}"))
            .collect();
        let _ = write!(
            text,
            ",\n    start{point}{steps} AS first{point}, length{point}"
        );
        let _ = write!(names, ", start{point}, length{point}");
        for index in 0..depth {
            let _ = write!(names, ", step{point}_{index}");
        }
    }
    text.push_str("\n  FROM (VALUES\n");
    for (line_number, line) in record.lines.iter().enumerate() {
        let _ = write!(
            text,
            "    ({line_number}, {}, {}::UBIGINT",
            quoted(&line.process),
            line.location
        );
        for point in &line.points {
            let _ = write!(text, ", {}::BIGINT, {}::BIGINT", point.start, point.length);
            for step in &point.steps {
                let _ = write!(text, ", {step}::BIGINT");
            }
        }
        let end = if line_number + 1 < record.lines.len() {
            ",\n"
        } else {
            ""
        };
        let _ = write!(text, "){end}");
    }
    let _ = write!(text, ") AS lines({names})");
    for (index, count) in record.counts.iter().enumerate() {
        let last = count.saturating_sub(1);
        let _ = write!(
            text,
            ",\n    generate_series(0, {last}) AS loop{index}(i{index})"
        );
    }
    text.push('\n');
}

/// Writes the events that the model counts, with the requested columns.
fn write_events(text: &mut String, plan: &Plan) {
    let mut columns = String::new();
    for field in plan.fields() {
        let name = column(field);
        let _ = if plan.has_runs && field != Field::Time {
            write!(
                columns,
                ",\n    coalesce(q.{name}, 0) AS {name}, sum(coalesce(q.{name}, 0)) OVER (PARTITION BY t.location ORDER BY t.position) AS {name}_until"
            )
        } else {
            write!(columns, ", q.{name}")
        };
    }
    let _ = write!(
        text,
        "events AS (\n  SELECT t.location, t.position,\n    row_number() OVER (PARTITION BY t.location ORDER BY t.position) - 1 AS ordinal{columns}\n  \
         FROM read_parquet(getvariable('foldtrace_store') || '/topology/*.parquet') AS t\n"
    );
    if plan.fields().next().is_some() {
        text.push_str(
            "  JOIN read_parquet(getvariable('foldtrace_store') || '/quantity/*.parquet') AS q\n    \
             ON t.location = q.location AND t.position = q.position\n",
        );
    }
    let kinds = super::kinds(plan.selection);
    if kinds.is_some() {
        text.push_str("  JOIN read_parquet(getvariable('foldtrace_store') || '/symbols.parquet') AS s USING (symbol)\n");
    }
    let locations: Vec<String> = plan.locations().iter().map(ToString::to_string).collect();
    let _ = write!(text, "  WHERE t.location IN ({})", locations.join(", "));
    if let Some(kinds) = kinds {
        let kinds: Vec<String> = kinds.iter().map(|kind| quoted(kind)).collect();
        let _ = write!(text, "\n    AND s.kind IN ({})", kinds.join(", "));
    }
    text.push_str(")\n");
}

/// Writes the selection of the rows, in their order.
fn write_rows(text: &mut String, plan: &Plan, store: &Manifest) {
    let indices: String = (0..plan.depth())
        .map(|index| format!(", i{index}"))
        .collect();
    let _ = write!(text, "SELECT label, process, w.location{indices}");
    for (point, name) in plan.points.iter().enumerate() {
        let named = |column: &str| match &**name {
            "" => identifier(column),
            name => identifier(&format!("{name}.{column}")),
        };
        let _ = write!(text, ",\n  a{point}.position AS {}", named("position"));
        if plan.has_runs {
            let _ = write!(
                text,
                ", CASE WHEN a{point}.position IS NOT NULL THEN length{point} END AS {}, z{point}.position AS {}",
                named("length"),
                named("end_position")
            );
        }
        for field in plan.fields() {
            let source = column(field);
            let name = named(Attribute::Field(field).name());
            let _ = match (plan.has_runs, field) {
                (false, _) => write!(text, ", a{point}.{source} AS {name}"),
                (true, Field::Time) => write!(
                    text,
                    ", a{point}.{source} AS {name}, z{point}.{source} AS {}",
                    named("end_time")
                ),
                (true, _) => write!(
                    text,
                    ",\n  CAST(z{point}.{source}_until - a{point}.{source}_until + a{point}.{source} AS {}) AS {name}",
                    if is_signed(store, field) {
                        "BIGINT"
                    } else {
                        "UBIGINT"
                    }
                ),
            };
        }
    }
    text.push_str("\nFROM wanted AS w\n");
    for point in 0..plan.points.len() {
        let _ = writeln!(
            text,
            "LEFT JOIN events AS a{point} ON a{point}.location = w.location AND a{point}.ordinal = first{point}"
        );
        if plan.has_runs {
            let _ = writeln!(
                text,
                "LEFT JOIN events AS z{point} ON z{point}.location = w.location AND z{point}.ordinal = first{point} + length{point} - 1"
            );
        }
    }
    let _ = writeln!(text, "ORDER BY record, line{indices};");
}

/// Returns the column of a field in the store.
fn column(field: Field) -> String {
    match field {
        Field::Quantity(Quantity::Offset) => identifier("offset"),
        field => Attribute::Field(field).name().to_owned(),
    }
}

/// Returns a quoted column name.
fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a text as a string literal.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

//! Writes a plan as Python over pyarrow and numpy: loops are grids of indices, and positions are expressions over
//! them.

use std::fmt::Write;

use super::super::plan::{Line, Plan, Record};
use super::super::request::Attribute;
use super::quoted;

/// The part of the program that is the same for all plans.
const READER: &str = include_str!("scanner.py");

/// Writes the plan as a program; `store` is the path of the store.
pub(super) fn program(plan: &Plan, store: &str) -> String {
    let mut settings = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(settings, "STORE = {}", quoted(store));
    let _ = writeln!(
        settings,
        "# Positions of the model count {}.",
        super::counted(plan.selection)
    );
    let kinds = super::kinds(plan.selection).map_or("None".to_owned(), |kinds| list(kinds.iter()));
    let _ = writeln!(settings, "KINDS = {kinds}");
    let names = plan.fields().map(|field| Attribute::Field(field).name());
    let _ = writeln!(settings, "ATTRIBUTES = {}", list(names));
    let _ = writeln!(settings, "POINTS = {}", list(plan.points.iter()));
    let _ = writeln!(
        settings,
        "HAS_RUNS = {}",
        if plan.has_runs { "True" } else { "False" }
    );
    let _ = writeln!(settings, "DEPTH = {}", plan.depth());
    let mut scan = String::new();
    for record in &plan.records {
        write_record(&mut scan, record);
    }
    READER
        .replace("# SETTINGS\n", &settings)
        .replace("    # RECORDS\n", &scan)
}

fn write_record(text: &mut String, record: &Record) {
    let loops: String = record
        .counts
        .iter()
        .map(|count| format!("0:{count}, "))
        .collect();
    let names: String = (0..record.counts.len())
        .map(|depth| format!("i{depth}, "))
        .collect();
    let grid = if loops.is_empty() {
        "()".to_owned()
    } else {
        format!("np.ogrid[{}]", loops.trim_end())
    };
    if names.is_empty() {
        text.push_str("    loops = ()\n");
    } else {
        let _ = writeln!(
            text,
            "    {}= loops = {grid}",
            names.trim_end().to_owned() + " "
        );
    }
    for line in &record.lines {
        write_line(text, record, line);
    }
}

fn write_line(text: &mut String, record: &Record, line: &Line) {
    let points = line.points.iter();
    let points: Vec<_> = points
        .map(|p| format!("({}, {})", p.expression(), p.length))
        .collect();
    let _ = writeln!(
        text,
        "    scan({}, loops, {}, {}, {}, [{}])",
        quoted(&record.label),
        quoted(&line.process),
        line.location,
        line.events,
        points.join(", ")
    );
}

fn list(texts: impl Iterator<Item = impl AsRef<str>>) -> String {
    let texts: Vec<String> = texts.map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

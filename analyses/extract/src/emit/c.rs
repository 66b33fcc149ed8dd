//! Writes a plan as C-like text, as in figure 8 of the paper.

use std::fmt::Write;

use super::super::plan::{Plan, Record};
use super::super::request::Attribute;
use super::quoted;

/// Writes the plan as loops that output the requested values.
pub(super) fn program(plan: &Plan) -> String {
    let mut text = format!(
        "/* Positions count {}. */\n",
        super::counted(plan.selection)
    );
    let lines = plan.records.iter().flat_map(|record| &record.lines);
    let has_ranks = lines
        .clone()
        .all(|line| line.process.parse::<u64>().is_ok());
    if !has_ranks {
        text.push_str("/* Processes are the ids of their locations. */\n");
    }
    for together in plan
        .records
        .chunk_by(|one, other| one.counts == other.counts)
    {
        let Some(first) = together.first() else {
            continue;
        };
        for (depth, count) in first.counts.iter().enumerate() {
            let last = count.saturating_sub(1);
            let indent = 2 * depth;
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{:indent$}for (i{depth}=0 ; i{depth}<={last} ; i{depth}++ ) {{",
                ""
            );
        }
        for record in together {
            write_record(&mut text, plan, record, has_ranks);
        }
        for depth in (0..first.counts.len()).rev() {
            let indent = 2 * depth;
            let _ = writeln!(text, "{:indent$}}}", "");
        }
    }
    text
}

fn write_record(text: &mut String, plan: &Plan, record: &Record, has_ranks: bool) {
    let indent = 2 * record.counts.len();
    let indices: String = (0..record.counts.len())
        .map(|depth| format!(",i{depth}"))
        .collect();
    let label = quoted(&record.label);
    let _ = writeln!(text, "{:indent$}output_start ({label}{indices});", "");
    for line in &record.lines {
        let process = if has_ranks {
            line.process.clone()
        } else {
            line.location.to_string()
        };
        for point in &line.points {
            for attribute in &plan.attributes {
                let name = attribute.name().to_uppercase();
                let position = point.expression();
                let _ = match (point.length, attribute) {
                    (0 | 1, _) => writeln!(
                        text,
                        "{:indent$}output_val ({process},{position},{name});",
                        ""
                    ),
                    (length, Attribute::Position | Attribute::Field(_)) => {
                        writeln!(
                            text,
                            "{:indent$}output_range ({process},{position},{length},{name});",
                            ""
                        )
                    }
                };
            }
        }
    }
    let _ = writeln!(text, "{:indent$}output_end ();", "");
}

//! Converts constructs to rows, and rows to constructs.

use std::path::Path;
use std::sync::Arc;

use foldtrace_columns::Column;
use foldtrace_columns::ColumnType::{Id, List, Number, Signed, UInt8, UInt16, UInt32};
use foldtrace_fold::{Construct, Count, EventConstruct, LoopConstruct, MAX_DEPTH, Step};
use foldtrace_trace::{SymbolId, TraceError};
use serde::{Deserialize, Serialize};

use crate::error::wrong;
use crate::schema::TAG;

/// The column by which rows are found.
pub(super) const LOCATION: &str = "location";

/// The columns of `models/loops.parquet`, in which each row is a construct, outer before inner. The last one is only in
/// stores with tagged symbols.
const ALL_COLUMNS: &[Column; 8] = &[
    Column::required(LOCATION, Id, "id of the location"),
    Column::required("depth", UInt16, "number of loops around the construct"),
    Column::optional(
        "symbol",
        UInt32,
        "for an event, its symbol where the indices of all enclosing loops are 0; null for a loop",
    ),
    Column::optional(
        "count",
        Signed,
        "for a loop, its iterations where the indices of all enclosing loops are 0; null for \
         an event",
    ),
    Column::required(
        "step_slot",
        List(&UInt8),
        "the number that grows: the index of an operand in its kind, 0 for the count of a loop",
    ),
    Column::required(
        "step_depth",
        List(&UInt16),
        "the loop with which it grows: its depth, 0 is the outermost",
    ),
    Column::required(
        "step_coefficient",
        List(&Signed),
        "the growth per iteration",
    ),
    Column::optional(
        TAG,
        Number,
        "for an event, its tag where these indices are 0, if the symbol is `tagged`; only in stores \
         with such symbols",
    ),
];

/// Returns the columns of `models/loops.parquet` in stores with or without tagged symbols.
pub(super) const fn columns(has_tags: bool) -> &'static [Column] {
    if has_tags {
        ALL_COLUMNS
    } else {
        ALL_COLUMNS.split_at(7).0
    }
}

/// A construct without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ConstructRow {
    /// The number of enclosing loops.
    pub depth: u16,
    pub content: RowContent,
    pub steps: Vec<Step>,
}

/// The event or loop of a row, with the indices of all enclosing loops at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RowContent {
    /// An event with the symbol in this row of the table of symbols, with this tag if the row's symbols differ in it.
    Event(u32, u32),
    /// A loop with this number of iterations.
    Loop(i64),
}

/// Appends the rows of constructs with `depth` loops around them.
pub(super) fn flatten(constructs: &[Construct], depth: u16, rows: &mut Vec<ConstructRow>) {
    for construct in constructs {
        let (content, steps) = match construct {
            Construct::Event(event) => {
                let symbol = event.symbol;
                let content = RowContent::Event(symbol.row_number(), symbol.tag());
                (content, &event.steps)
            }
            Construct::Loop(l) => (RowContent::Loop(l.count.base), &l.count.steps),
        };
        rows.push(ConstructRow {
            depth,
            content,
            steps: steps.clone(),
        });
        if let Construct::Loop(l) = construct {
            flatten(&l.body, depth + 1, rows);
        }
    }
}

/// Returns the constructs of rows.
///
/// # Errors
/// Returns an error if the depths do not form a nest.
pub(super) fn unflatten(
    mut rows: &[ConstructRow],
    path: &Path,
) -> Result<Arc<[Construct]>, TraceError> {
    if rows.iter().any(|row| usize::from(row.depth) > MAX_DEPTH) {
        let message = format!("loops are nested more than {MAX_DEPTH} levels deep");
        return Err(wrong(path, &message));
    }
    let constructs = gather(&mut rows, 0);
    if rows.is_empty() {
        Ok(constructs)
    } else {
        Err(wrong(
            path,
            "a construct is deeper than the loops around it",
        ))
    }
}

/// Removes the constructs at `depth` from the front of `rows` and returns them.
fn gather(rows: &mut &[ConstructRow], depth: u16) -> Arc<[Construct]> {
    let mut constructs = Vec::new();
    while let Some((row, rest)) = rows.split_first()
        && row.depth == depth
    {
        *rows = rest;
        let steps = row.steps.clone();
        constructs.push(match row.content {
            RowContent::Event(row, tag) => Construct::Event(EventConstruct {
                symbol: SymbolId::new(row).with_tag(tag),
                steps,
            }),
            RowContent::Loop(base) => Construct::Loop(LoopConstruct {
                count: Count { base, steps },
                body: gather(rows, depth.saturating_add(1)),
            }),
        });
    }
    constructs.into()
}

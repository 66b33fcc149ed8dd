//! Constructs as rows, and rows as constructs.

use std::path::Path;
use std::sync::Arc;

use foldtrace_fold::{Construct, Count, EventConstruct, LoopConstruct, MAX_DEPTH, Step};
use foldtrace_trace::{SymbolId, TraceError};
use serde::{Deserialize, Serialize};

use crate::error::wrong;

/// A construct without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Row {
    /// Number of loops around it.
    pub depth: u16,
    pub what: What,
    pub steps: Vec<Step>,
}

/// What a row is, where the indices of all enclosing loops are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum What {
    /// An event of a symbol.
    Event(u32),
    /// So many iterations.
    Loop(i64),
}

/// Appends the rows of constructs with `depth` loops around them.
pub(super) fn flatten(constructs: &[Construct], depth: u16, rows: &mut Vec<Row>) {
    for construct in constructs {
        let (what, steps) = match construct {
            Construct::Event(event) => (What::Event(event.symbol.0), &event.steps),
            Construct::Loop(l) => (What::Loop(l.count.base), &l.count.steps),
        };
        rows.push(Row {
            depth,
            what,
            steps: steps.clone(),
        });
        if let Construct::Loop(l) = construct {
            flatten(&l.body, depth + 1, rows);
        }
    }
}

/// The constructs of rows.
///
/// # Errors
/// If the depths are not those of a nest.
pub(super) fn unflatten(mut rows: &[Row], path: &Path) -> Result<Arc<[Construct]>, TraceError> {
    if rows.iter().any(|row| usize::from(row.depth) > MAX_DEPTH) {
        return Err(wrong(path, "loops are nested too deeply"));
    }
    let constructs = gather(&mut rows, 0);
    if rows.is_empty() {
        Ok(constructs)
    } else {
        Err(wrong(path, "a construct is deeper than any loop around it"))
    }
}

/// Takes the constructs at `depth` from the front of `rows`.
fn gather(rows: &mut &[Row], depth: u16) -> Arc<[Construct]> {
    let mut constructs = Vec::new();
    while let Some((row, rest)) = rows.split_first()
        && row.depth == depth
    {
        *rows = rest;
        let steps = row.steps.clone();
        constructs.push(match row.what {
            What::Event(symbol) => Construct::Event(EventConstruct {
                symbol: SymbolId(symbol),
                steps,
            }),
            What::Loop(base) => Construct::Loop(LoopConstruct {
                count: Count { base, steps },
                body: gather(rows, depth.saturating_add(1)),
            }),
        });
    }
    constructs.into()
}

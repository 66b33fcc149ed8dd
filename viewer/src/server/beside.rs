//! What is shown above the pages of several runs: how they are aligned, and what differs between them.

use foldtrace_compare::{Described, Options, Runs, compare, summary};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::TraceError;
use serde::Serialize;

use super::alignment::Alignment;

/// The greatest number of findings for a run.
const MOST_FINDINGS: usize = 6;

/// The runs after the first one, compared with it.
#[derive(Debug, Serialize)]
pub(super) struct Beside {
    pub alignments: Vec<Alignment>,
    pub comparisons: Vec<Compared>,
}

/// A run, compared with the first one.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
    summary: String,
    header: [&'static str; 6],
    rows: Vec<[String; 6]>,
}

/// Compares runs with the first one.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or the work was stopped.
pub(super) fn compared(
    stores: &[(&str, &StoreReader)],
    progress: &Progress,
) -> Result<Vec<Compared>, TraceError> {
    let readers: Vec<&StoreReader> = stores.iter().map(|&(_, store)| store).collect();
    let runs = Runs::measure(&readers, progress)?;
    let first = stores.first().map_or("", |&(title, _)| title);
    let others = stores.iter().enumerate().skip(1);
    let compared = others.map(|(number, &(title, _))| {
        let comparison = compare(&runs, number, &Options::default());
        let findings = comparison.findings.iter().take(MOST_FINDINGS);
        let rows = findings.map(|finding| {
            let Described {
                effect,
                share,
                before,
                after,
                what,
                place,
                ..
            } = Described::new(finding, comparison.durations[0]);
            [effect, share, before, after, what, place]
        });
        Compared {
            summary: summary(&comparison, [first, title]),
            header: ["effect", "share", "before", "after", "what", "where"],
            rows: rows.collect(),
        }
    });
    Ok(compared.collect())
}

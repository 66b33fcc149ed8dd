//! Writes comparisons as JSON.

use serde::Serialize;

use crate::{Comparison, Finding};

/// The comparison of two runs as JSON; `schemas/compare.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct CompareJson {
    /// The name of the first run.
    pub first: String,
    /// The name of the second run.
    pub second: String,
    /// Nanoseconds of the longest process in the first run and in the second.
    pub durations: [f64; 2],
    /// The number of processes in the first run and in the second.
    pub processes: [usize; 2],
    /// The differences: those with the greatest effect on the time of the run first, likely consequences of others last.
    pub findings: Vec<FindingJson>,
    /// The least difference that is a finding, as a fraction of the time of a construct.
    pub tolerance: f64,
    /// The number of constructs that were tested.
    pub tested: usize,
    /// The number of constructs that both runs execute too seldom for a test.
    pub untested: usize,
    /// Nanoseconds per process that these constructs take longer in the second run.
    pub untested_impact: f64,
    /// Nanoseconds per process that calls take longer in the second run, although the fastest calls do not.
    pub waiting_impact: f64,
}

/// A difference between two runs as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct FindingJson {
    /// The loop, call path or message size.
    pub construct: String,
    /// What has changed: `computation slower`, `more processes`, `new`, …
    pub what: String,
    /// The second run relative to the first; null if one of them has nothing of it.
    pub ratio: Option<f64>,
    /// The probability of a finding like this, or a stronger one, if the runs were the same, corrected for the number of
    /// tests; 0 for facts that need no test, such as the number of processes.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub significance: f64,
    /// The quantity that has changed.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["processes", "iterations", "bytes", "computation", "communication", "waiting"])))]
    pub quantity: String,
    /// How it has changed.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["slower", "faster", "new", "gone", "more", "fewer"])))]
    pub change: String,
    /// Nanoseconds per process that the second run takes longer because of it.
    pub impact: f64,
    /// The same as a share of the time of the first run, in percent.
    pub share: f64,
    /// The quantity in the first run and in the second: nanoseconds per process, or a number.
    pub amounts: [f64; 2],
    /// The standard deviation between iterations, as a fraction of the ratio.
    pub spread: f64,
    /// The number of the loop, such as `2.1`; null outside of loops.
    pub r#loop: Option<String>,
    /// The functions of the call path, outermost first.
    pub call_path: Vec<String>,
    /// The processes that differ, by their names on the command line; all if empty.
    pub processes: Vec<String>,
    /// The first iteration that differs, and the first one after it that does not; null if all differ.
    pub iterations: Option<[u64; 2]>,
    /// Whether another finding is likely to be the cause.
    pub is_consequence: bool,
}

/// Converts the comparison of two runs with these names to JSON.
#[must_use]
pub fn compare_json(comparison: &Comparison, [first, second]: [&str; 2]) -> CompareJson {
    let duration = comparison.durations[0].max(1.0);
    let findings = comparison.findings.iter();
    CompareJson {
        first: first.to_owned(),
        second: second.to_owned(),
        durations: comparison.durations,
        processes: comparison.processes,
        findings: findings
            .map(|finding| finding_json(finding, duration))
            .collect(),
        tolerance: comparison.tolerance,
        tested: comparison.tested,
        untested: comparison.untested,
        untested_impact: comparison.untested_impact,
        waiting_impact: comparison.waiting_impact,
    }
}

fn finding_json(finding: &Finding, duration: f64) -> FindingJson {
    FindingJson {
        construct: finding.construct.clone(),
        what: finding.what(),
        ratio: finding.ratio,
        significance: finding.significance,
        quantity: finding.quantity.name().to_owned(),
        change: finding.change.name().to_owned(),
        impact: finding.impact,
        share: 100.0 * finding.impact / duration,
        amounts: finding.amounts,
        spread: finding.spread,
        r#loop: finding.number.clone(),
        call_path: finding.call_path.clone(),
        processes: finding.processes.clone(),
        iterations: finding
            .iterations
            .clone()
            .map(|range| [range.start, range.end]),
        is_consequence: finding.is_consequence,
    }
}

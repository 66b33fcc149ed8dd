//! Compares two runs, and orders the differences by their effect on the time of the run.

use crate::comparing::{Comparing, Options};
use crate::facts::facts;
use crate::finding::{Finding, Quantity};
use crate::groups::join_common;
use crate::measure::{Run, Runs};
use crate::tested::{Tested, Tests};

/// How many times as long processes wait if iterations vary: more processes than cores wait for these, too.
const NOISE: f64 = 4.0;

/// The comparison of a run with the first one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The differences, the one with the greatest effect on the time of the run first, consequences last.
    pub findings: Vec<Finding>,
    /// The time of the longest process in both runs, in nanoseconds.
    pub durations: [f64; 2],
    /// The number of processes of both runs.
    pub processes: [usize; 2],
    /// The least difference that is a finding, as a fraction: 3 % if the iterations of both runs correspond exactly, as
    /// in simulations. No machine is equally fast twice, so it is at least 10 % otherwise, and three times the usual
    /// spread between iterations if that is more, but at most 25 %.
    pub tolerance: f64,
    /// The number of constructs that were tested.
    pub tested: usize,
    /// The number of constructs that are executed too seldom for a test.
    pub untested: usize,
    /// Nanoseconds per process that these constructs take longer in the second run.
    pub untested_impact: f64,
    /// Nanoseconds per process that calls take longer in the second run, although the fastest calls do not.
    pub waiting_impact: f64,
}

/// Compares run number `second` with the first one.
#[must_use]
pub fn compare(runs: &Runs, second: usize, options: &Options) -> Comparison {
    let (Some(before), Some(after)) = (runs.runs.first(), runs.runs.get(second)) else {
        return Comparison::default();
    };
    let comparing = Comparing::new(runs, [before, after], options);
    let tests = Tests::new(&comparing);
    let mut findings = facts(&comparing);
    findings.extend(significant(&comparing, &tests));
    let waiting = findings
        .iter()
        .filter(|finding| finding.quantity == Quantity::Waiting);
    let waiting_impact = waiting.fold(0.0, |sum, finding| sum + finding.impact);
    let chain = before.processes.len() as f64;
    let explained = if tests.tolerance.is_noisy {
        NOISE * chain
    } else {
        chain
    };
    mark_consequences(&mut findings, explained);
    sort(&mut findings);
    Comparison {
        findings,
        durations: [before, after].map(Run::duration),
        processes: [before, after].map(|run| run.processes.len()),
        tolerance: tests.tolerance.log.exp_m1(),
        tested: tests.tested.len(),
        untested: tests.untested,
        untested_impact: tests.untested_impact,
        waiting_impact,
    }
}

/// Returns the findings among tested constructs, those with a common cause joined.
fn significant(comparing: &Comparing<'_>, tests: &Tests) -> Vec<Finding> {
    let (mut findings, rest) = join_common(comparing, &tests.tested, tests.tolerance);
    findings.extend(rest.iter().map(|one| one.finding(comparing)));
    let is_message = |one: &&Tested| one.construct.is_message() && one.is_significant;
    let messages = tests.tested.iter().filter(is_message);
    let has_calls = findings
        .iter()
        .any(|finding| finding.quantity == Quantity::Communication);
    let messages = messages.filter(|one| one.is_intrinsic());
    let messages = messages.map(|one| Finding {
        is_consequence: has_calls,
        ..one.finding(comparing)
    });
    findings.extend(messages.collect::<Vec<_>>());
    findings
}

/// Marks findings that other findings explain. Waiting that nothing explains is not a finding, because processes wait
/// longer or shorter from run to run. A process waits at most `explained` times as long as computation takes longer: in a
/// chain of processes that wait for each other, each waits for the computation of all others.
fn mark_consequences(findings: &mut Vec<Finding>, explained: f64) {
    let computation = findings
        .iter()
        .filter(|finding| finding.quantity == Quantity::Computation);
    let computation: f64 = computation.map(|finding| finding.impact.abs()).sum();
    let has_bytes = findings
        .iter()
        .any(|finding| finding.quantity == Quantity::Bytes);
    for finding in findings.iter_mut() {
        finding.is_consequence |= match finding.quantity {
            Quantity::Waiting => true,
            Quantity::Communication => has_bytes || finding.impact.abs() <= explained * computation,
            _ => false,
        };
    }
    if findings.iter().all(|finding| finding.is_consequence) {
        findings.retain(|finding| finding.quantity != Quantity::Waiting);
    }
}

/// Sorts findings by their effect. Consequences come last. A different number of processes comes first, because it
/// affects everything.
fn sort(findings: &mut [Finding]) {
    let class = |finding: &Finding| {
        (
            finding.is_consequence,
            finding.quantity != Quantity::Processes,
        )
    };
    findings.sort_by(|one, two| {
        let by_impact = two.impact.abs().total_cmp(&one.impact.abs());
        let by_class = class(one).cmp(&class(two));
        by_class
            .then(by_impact)
            .then_with(|| one.construct.cmp(&two.construct))
    });
}

//! Describes comparisons and findings in texts for people.

use foldtrace_view::units::{Percent, Seconds, counted, grouped};

use crate::{Change, Comparison, Finding, Quantity};

/// Returns a sentence with the times of two runs of these names.
#[must_use]
pub fn summary(comparison: &Comparison, [first, second]: [&str; 2]) -> String {
    let [before, after] = comparison.durations;
    let change = signed_percent(after / before.max(1.0) - 1.0);
    let findings = match comparison.findings.len() {
        0 => "no finding".to_owned(),
        number => counted(number as u64, "finding"),
    };
    format!(
        "{second} compared with {first}: {} instead of {} ({change}); {findings} in {}; differences below {} are ignored",
        Seconds(after / 1e9),
        Seconds(before / 1e9),
        counted(comparison.tested as u64, "construct"),
        Percent(comparison.tolerance),
    )
}

/// Returns sentences about what is no finding.
#[must_use]
pub fn remarks(comparison: &Comparison) -> Vec<String> {
    let mut remarks = Vec::new();
    let has_waiting = comparison
        .findings
        .iter()
        .any(|finding| finding.quantity == Quantity::Waiting);
    if !has_waiting && comparison.waiting_impact != 0.0 {
        let impact = signed_seconds(comparison.waiting_impact);
        remarks.push(format!(
            "waiting, while the fastest calls are as fast as before: {impact} per process"
        ));
    }
    if comparison.untested > 0 {
        let constructs = counted(comparison.untested as u64, "construct");
        let impact = signed_seconds(comparison.untested_impact);
        remarks.push(format!(
            "{constructs} executed too seldom for a test: {impact} per process"
        ));
    }
    remarks
}

/// A finding as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The time that each process takes longer, such as `+3.2 ms`.
    pub effect: String,
    /// The same as a share of the time of the first run.
    pub share: String,
    /// The ratio, such as `×1.20`; empty if one of the runs has nothing of it.
    pub ratio: String,
    /// The quantity in the first run.
    pub before: String,
    /// The quantity in the second run.
    pub after: String,
    /// What has changed.
    pub what: String,
    /// The construct, with the processes and iterations that differ.
    pub place: String,
}

impl Described {
    /// Describes a finding; the first run takes `duration` nanoseconds.
    #[must_use]
    pub fn new(finding: &Finding, duration: f64) -> Self {
        let amount = |amount: f64| match finding.quantity {
            Quantity::Processes | Quantity::Iterations => grouped(amount.round() as u64),
            Quantity::Bytes => format!("{} B", grouped(amount.round() as u64)),
            Quantity::Computation | Quantity::Communication | Quantity::Waiting => {
                Seconds(amount / 1e9).to_string()
            }
        };
        let [mut before, mut after] = finding.amounts.map(amount);
        match finding.change {
            Change::New => before.clear(),
            Change::Gone => after.clear(),
            _ => {}
        }
        Self {
            effect: signed_seconds(finding.impact),
            share: signed_percent(finding.impact / duration.max(1.0)),
            ratio: finding.ratio.map_or_else(String::new, ratio),
            before,
            after,
            what: finding.what(),
            place: place(finding),
        }
    }
}

/// Returns the construct of a finding, with the processes and iterations that differ.
fn place(finding: &Finding) -> String {
    let mut place = finding.construct.clone();
    match &finding.processes[..] {
        [] => {}
        [one] => place += &format!(", process {one}"),
        several => place += &format!(", processes {}", several.join(",")),
    }
    if let Some(iterations) = &finding.iterations {
        place += &format!(", iterations {}–{}", iterations.start, iterations.end - 1);
    }
    place
}

fn signed_seconds(nanoseconds: f64) -> String {
    let sign = if nanoseconds > 0.0 { "+" } else { "" };
    format!("{sign}{}", Seconds(nanoseconds / 1e9))
}

fn signed_percent(fraction: f64) -> String {
    let sign = if fraction < 0.0 { "-" } else { "+" };
    format!("{sign}{}", Percent(fraction.abs()))
}

/// Formats a ratio, such as `×1.20`.
fn ratio(ratio: f64) -> String {
    match ratio {
        0.095..10.0 => format!("×{ratio:.2}"),
        10.0..1000.0 => format!("×{ratio:.1}"),
        _ => format!("×{ratio:.1e}"),
    }
}

//! Differences that need no test: the number of processes, iterations and bytes, and what only one run has.

use std::collections::HashMap;

use crate::comparing::Comparing;
use crate::finding::{Change, Finding, Quantity};
use crate::ids::NodeId;
use crate::measure::{OfProcess, Run};
use crate::tally::{Activity, Construct};

/// Returns the findings that need no test.
pub(crate) fn facts(comparing: &Comparing<'_>) -> Vec<Finding> {
    let [first, second] = comparing.runs;
    let amounts = comparing.processes().into_iter();
    let mut findings: Vec<Finding> = amounts.chain(comparing.iterations()).collect();
    for (&construct, of) in &first.constructs {
        findings.extend(match second.constructs.get(&construct) {
            Some(other) => comparing.bytes(construct, [of, other]),
            None => comparing.of_one_run(construct, of, Change::Gone),
        });
    }
    for (&construct, of) in &second.constructs {
        if !first.constructs.contains_key(&construct) {
            findings.extend(comparing.of_one_run(construct, of, Change::New));
        }
    }
    findings
}

/// Returns the time of a construct, in nanoseconds per process.
fn time(of: &[OfProcess]) -> f64 {
    let all: f64 = of.iter().map(|one| one.series.total() as f64).sum();
    all / of.len().max(1) as f64
}

impl Comparing<'_> {
    /// Returns the finding that a quantity has changed; `impact` is the additional time per process, in nanoseconds.
    fn amount(
        &self,
        quantity: Quantity,
        amounts: [f64; 2],
        impact: f64,
        subject: Finding,
    ) -> Option<Finding> {
        let ratio = amounts[1] / amounts[0];
        let is_equal = amounts[0] == amounts[1];
        let found = Finding {
            change: if ratio > 1.0 {
                Change::More
            } else {
                Change::Fewer
            },
            quantity,
            ratio: Some(ratio),
            significance: 0.0,
            impact,
            amounts,
            ..subject
        };
        (ratio.is_finite() && ratio > 0.0 && !is_equal).then_some(found)
    }

    /// Returns the finding that the runs have different numbers of processes.
    fn processes(&self) -> Option<Finding> {
        let amounts = self.runs.map(|run| run.processes.len() as f64);
        let [before, after] = self.runs.map(Run::duration);
        let impact = after - before;
        self.amount(
            Quantity::Processes,
            amounts,
            impact,
            self.labels.of_loop(NodeId::PROGRAM),
        )
    }

    /// Returns the findings that loops have more or fewer iterations.
    fn iterations(&self) -> Vec<Finding> {
        let mut times: HashMap<NodeId, f64> = HashMap::new();
        let timed = self.runs[1].constructs.iter();
        for (construct, of) in timed.filter(|(construct, _)| !construct.is_message()) {
            *times.entry(construct.node).or_default() += time(of);
        }
        let loops = (1..self.labels.runs.nodes.len()).map(|node| NodeId(node as u32));
        let found = loops.filter_map(|node| {
            let amounts = self.runs.map(|run| {
                let own = run
                    .processes
                    .iter()
                    .filter_map(|process| process.iterations.get(node.0 as usize));
                let own: Vec<u64> = own.copied().filter(|&number| number > 0).collect();
                own.iter().sum::<u64>() as f64 / own.len().max(1) as f64
            });
            let time = times.get(&node).copied().unwrap_or(0.0);
            let impact = time * (1.0 - amounts[0] / amounts[1]);
            let found = self.amount(
                Quantity::Iterations,
                amounts,
                impact,
                self.labels.of_loop(node),
            );
            found.filter(|_| self.matters(impact))
        });
        found.collect()
    }

    /// Returns the finding that calls transfer more or fewer bytes. On other numbers of processes, they do anyway.
    fn bytes(&self, construct: Construct, of: [&Vec<OfProcess>; 2]) -> Option<Finding> {
        let [first, second] = self.runs.map(|run| run.processes.len());
        if construct.activity != Activity::Call || first != second {
            return None;
        }
        let amounts = of.map(|of| {
            let bytes: u64 = of.iter().map(|one| one.bytes).sum();
            let calls: u64 = of.iter().map(|one| one.occurrences).sum();
            bytes as f64 / calls.max(1) as f64
        });
        let impact = time(of[1]) - time(of[0]);
        self.amount(
            Quantity::Bytes,
            amounts,
            impact,
            self.labels.finding(construct),
        )
    }

    /// Returns the finding that only one run has a construct.
    fn of_one_run(
        &self,
        construct: Construct,
        of: &[OfProcess],
        change: Change,
    ) -> Option<Finding> {
        let time = time(of);
        if construct.is_message() || !self.matters(time) {
            return None;
        }
        let is_new = change == Change::New;
        Some(Finding {
            change,
            ratio: None,
            significance: 0.0,
            impact: if is_new { time } else { -time },
            amounts: if is_new { [0.0, time] } else { [time, 0.0] },
            ..self.labels.finding(construct)
        })
    }
}

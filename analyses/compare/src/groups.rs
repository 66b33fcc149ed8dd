//! Joins findings with a common cause: a machine that computes or communicates more slowly everywhere, or a loop whose
//! first iteration is measured with the loop around it.

use std::collections::BTreeSet;

use crate::assess::{Part, Tolerance};
use crate::comparing::Comparing;
use crate::finding::{Change, Finding, Quantity};
use crate::ids::NodeId;
use crate::statistics::weighted_median;
use crate::tested::Tested;

/// The share of the time of an activity that has to differ in the same way to be a difference of the whole program.
const MOST_TIME: [(Quantity, f64); 2] = [
    (Quantity::Computation, 0.95),
    (Quantity::Communication, 0.75),
];

/// How far the difference of a construct may be from that of the whole program, as a fraction of it.
const NEAR: f64 = 0.25;

/// Joins significant differences of calls and computation. Returns the findings for the whole program, and the constructs
/// that are findings of their own.
pub(crate) fn join_common(
    comparing: &Comparing<'_>,
    tested: &[Tested],
    tolerance: Tolerance,
) -> (Vec<Finding>, Vec<Tested>) {
    let mut rest: Vec<Tested> = tested
        .iter()
        .filter(|one| !one.construct.is_message())
        .cloned()
        .collect();
    let mut findings = Vec::new();
    for (quantity, most) in MOST_TIME {
        let Some(everywhere) = Everywhere::new(comparing, &rest, quantity, most) else {
            continue;
        };
        findings.push(everywhere.finding(comparing, &rest));
        rest.retain(|one| !everywhere.contains(one));
    }
    rest.retain(|one| one.is_significant);
    join_first_iterations(comparing, &mut rest, tolerance);
    (findings, rest)
}

/// A difference that nearly all constructs of a quantity have.
#[derive(Clone, Copy, Debug)]
struct Everywhere {
    quantity: Quantity,
    /// The usual difference, as a logarithm.
    log: f64,
}

impl Everywhere {
    /// Finds the difference that nearly all constructs of a quantity have: at least two, which take at least a share of the
    /// time. Computation in only one loop is a difference of that loop.
    fn new(
        comparing: &Comparing<'_>,
        tested: &[Tested],
        quantity: Quantity,
        most: f64,
    ) -> Option<Self> {
        let is_of = |one: &&Tested| {
            one.quantity() == quantity
                || quantity == Quantity::Communication && one.quantity() == Quantity::Waiting
        };
        let all: f64 = tested.iter().filter(is_of).map(weight).sum();
        let differing = tested.iter().filter(|one| {
            one.is_significant && one.quantity() == quantity && one.difference.part == Part::Whole
        });
        let mut logs: Vec<(f64, f64)> = differing
            .map(|one| (one.difference.shift.log, weight(one)))
            .collect();
        let everywhere = Self {
            quantity,
            log: weighted_median(&mut logs),
        };
        let members: Vec<&Tested> = tested
            .iter()
            .filter(|one| one.is_significant && everywhere.contains(one))
            .collect();
        let loops: BTreeSet<NodeId> = members
            .iter()
            .map(|one| comparing.outermost(one.construct.node))
            .collect();
        let number = members.len();
        let time: f64 = members.into_iter().map(weight).sum();
        let is_common = number >= 2 && (loops.len() >= 2 || quantity == Quantity::Communication);
        (is_common && time >= most * all).then_some(everywhere)
    }

    /// Returns whether a construct differs in the same way. Computation becomes slower by one factor. Communication does
    /// not, because only parts of the time of a call depend on the size of its messages.
    fn contains(&self, one: &Tested) -> bool {
        let log = one.difference.shift.log;
        let is_near =
            (log - self.log).abs() <= (NEAR * self.log.abs()).max(one.difference.shift.spread);
        let is_same = log.signum() == self.log.signum() && one.difference.part == Part::Whole;
        one.quantity() == self.quantity
            && is_same
            && (is_near || self.quantity == Quantity::Communication)
    }

    fn finding(&self, comparing: &Comparing<'_>, tested: &[Tested]) -> Finding {
        let members = || tested.iter().filter(|one| self.contains(one));
        Finding {
            construct: match self.quantity {
                Quantity::Communication => {
                    "program: all communication (latency or bandwidth)".to_owned()
                }
                other => format!("program: all {}", other.name()),
            },
            change: Change::of(self.log),
            quantity: self.quantity,
            ratio: Some(self.log.exp()),
            significance: members().map(|one| one.significance).fold(1.0, f64::min),
            spread: members()
                .map(|one| one.difference.shift.spread)
                .fold(0.0, f64::max),
            impact: members().map(|one| one.difference.impact).sum(),
            amounts: [0, 1].map(|run| members().map(|one| one.times[run]).sum()),
            ..comparing.labels.of_loop(NodeId::PROGRAM)
        }
    }
}

fn weight(one: &Tested) -> f64 {
    one.times[0].max(0.0)
}

/// Joins the computation before a loop with that in it, if both differ in the same way: time before the first call in a
/// loop is measured with the loop around it, but is likely to be the first iteration.
fn join_first_iterations(
    comparing: &Comparing<'_>,
    tested: &mut Vec<Tested>,
    tolerance: Tolerance,
) {
    let parent = |node: NodeId| comparing.labels.runs.nodes.get(node.0 as usize)?.parent;
    let inner_of = |one: &Tested| {
        tested.iter().position(|inner| {
            let is_same = inner.construct.path == one.construct.path
                && inner.construct.activity == one.construct.activity
                && inner.difference.part == one.difference.part;
            let logs = [inner, one].map(|one| (one.times[1] / one.times[0]).ln());
            let apart = (logs[0] - logs[1]).abs();
            let spreads = inner
                .difference
                .shift
                .spread
                .max(one.difference.shift.spread);
            is_same
                && one.quantity() == Quantity::Computation
                && parent(inner.construct.node) == Some(one.construct.node)
                && apart <= tolerance.log.max(spreads)
                && inner.difference.impact.abs() >= one.difference.impact.abs()
        })
    };
    let joined: Vec<Option<usize>> = tested.iter().map(inner_of).collect();
    for (outer, inner) in joined.iter().enumerate() {
        let Some(inner) = *inner else { continue };
        let Some(outer) = tested.get(outer).cloned() else {
            continue;
        };
        if let Some(inner) = tested.get_mut(inner) {
            inner.difference.impact += outer.difference.impact;
            inner.times = [0, 1].map(|run| inner.times[run] + outer.times[run]);
        }
    }
    let mut joined = joined.into_iter();
    tested.retain(|_| joined.next().flatten().is_none());
}

//! Determines where a skeleton computes, and for how long.
//!
//! A process computes before the first call that it executes in a run of calls. For a process at the edge of a mesh,
//! this is a different call than for one in the interior. The time that is measured before a call is therefore of two
//! kinds: that of processes that begin the run with this call, which is the same for all processes, and that of
//! processes that have just executed another call of the run. The first is computed once, at the beginning of the
//! run; the second is computed before the call, by the processes that execute it.

use std::collections::BTreeMap;

use foldtrace_logical::model::{Logical, Measured, Number};
use foldtrace_topology::recognition::{DirectionId, Topology};

use super::count::visit;
use super::program::{Call, Computing, Construct, Doer, Loop};
use super::strata::{strata, with_mean};

/// The computing before calls: the phases, and where they belong.
pub(super) struct Phases<'a> {
    logical: &'a Logical,
    /// The nodes that execute each call at its first indices, by the number of the call.
    doers: BTreeMap<u32, Vec<bool>>,
    phases: Vec<Vec<f64>>,
}

impl<'a> Phases<'a> {
    pub fn new(logical: &'a Logical) -> Self {
        Self {
            logical,
            doers: BTreeMap::new(),
            phases: Vec::new(),
        }
    }

    /// Inserts computing into a program. Returns the phases, in ticks.
    pub fn place(mut self, program: &mut [Construct]) -> Vec<Vec<f64>> {
        visit(program, &mut |call, indices, _| {
            if let Some(origin) = call.origin {
                let doers = || doers(&Doer::of_call(call), &self.logical.topology, indices);
                self.doers.entry(origin).or_insert_with(doers);
            }
        });
        self.body(program);
        self.phases
    }

    fn body(&mut self, body: &mut [Construct]) {
        for run in body.chunk_by_mut(|one, other| is_call(one) && is_call(other)) {
            match run {
                [Construct::Loop(Loop { body, .. })] => self.body(body),
                _ => self.run(run),
            }
        }
    }

    /// Inserts computing into a run of calls.
    fn run(&mut self, run: &mut [Construct]) {
        let nodes = self.logical.topology.nodes();
        let mut has_begun = vec![false; nodes];
        let mut first = None;
        let mut executing = Vec::new();
        for construct in run.iter_mut() {
            let Construct::Call(call) = construct else {
                continue;
            };
            let Some((origin, measured)) = self.measured(call) else {
                continue;
            };
            let doers = self.doers.get(&origin).cloned().unwrap_or_default();
            let done = count(&doers);
            let begun: Vec<bool> = has_begun
                .iter()
                .zip(&doers)
                .map(|(had, does)| !had && *does)
                .collect();
            let begins = count(&begun);
            for (has, begins) in has_begun.iter_mut().zip(begun) {
                *has |= begins;
            }
            executing.push(Doer::of_call(call));
            let mean = measured.computing.sum as f64 / measured.computing.count.max(1) as f64;
            let quantiles = &measured.computing.quantiles;
            let Some(at_first) = first else {
                first = Some(mean);
                let phase = self.phase(strata(quantiles, (0.0, 1.0)), mean);
                call.computing = Some(Computing {
                    phase,
                    doers: Vec::new(),
                });
                continue;
            };
            let others = done - begins;
            let rest = mean * done as f64 - at_first * begins as f64;
            if others == 0 || rest <= 0.0 {
                continue;
            }
            let share = others as f64 / done as f64;
            let part = if at_first > mean {
                (0.0, share)
            } else {
                (1.0 - share, 1.0)
            };
            let phase = self.phase(strata(quantiles, part), rest / others as f64);
            // If all nodes execute the call, no condition is necessary.
            let doer = (done < nodes).then(|| Doer::of_call(call));
            call.computing = Some(Computing {
                phase,
                doers: doer.into_iter().collect(),
            });
        }
        if !has_begun.iter().all(|has| *has) {
            only_some(run, executing);
        }
    }

    fn measured(&self, call: &Call) -> Option<(u32, &'a Measured)> {
        let origin = call.origin?;
        Some((origin, self.logical.measured.get(origin as usize)?))
    }

    fn phase(&mut self, values: Vec<f64>, mean: f64) -> usize {
        self.phases.push(with_mean(values, mean));
        self.phases.len() - 1
    }
}

/// Restricts the computing at the beginning of a run to processes that execute any call of the run.
fn only_some(run: &mut [Construct], doers: Vec<Doer>) {
    let calls = run.iter_mut().filter_map(|construct| match construct {
        Construct::Call(call) => call.computing.as_mut(),
        Construct::Loop(_) => None,
    });
    if let Some(computing) = calls.into_iter().next() {
        let mut distinct: Vec<Doer> = Vec::new();
        for doer in doers {
            if !distinct.contains(&doer) {
                distinct.push(doer);
            }
        }
        computing.doers = distinct;
    }
}

const fn is_call(construct: &Construct) -> bool {
    matches!(construct, Construct::Call(_))
}

fn count(which: &[bool]) -> usize {
    which.iter().filter(|does| **does).count()
}

impl Doer {
    fn of_call(call: &Call) -> Self {
        let message = call.action.message();
        Self {
            direction: message.map(|message| message.direction.clone()),
            guard: call.guard,
        }
    }

    fn is(&self, node: u32, topology: &Topology, indices: &[i64]) -> bool {
        let has = |direction: &Number| {
            let direction = u32::try_from(direction.at(indices)).ok().map(DirectionId);
            direction.is_some_and(|direction| topology.neighbour(node, direction).is_some())
        };
        self.direction.as_ref().is_none_or(has)
            && self.guard.is_none_or(|guard| guard.holds(node, topology))
    }
}

/// Returns for each node whether it is one of the doers at these indices.
fn doers(doer: &Doer, topology: &Topology, indices: &[i64]) -> Vec<bool> {
    let nodes = 0..topology.nodes() as u32;
    nodes.map(|node| doer.is(node, topology, indices)).collect()
}

/// Returns the computing time of all processes in total, in the unit of the phases.
pub(super) fn computed(program: &[Construct], phases: &[Vec<f64>], topology: &Topology) -> f64 {
    let mut sum = 0.0;
    visit(program, &mut |call, indices, times| {
        if let Some(computing) = &call.computing {
            let values = &phases[computing.phase];
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let does = |node: &u32| {
                let mut doers = computing.doers.iter();
                computing.doers.is_empty() || doers.any(|it| it.is(*node, topology, indices))
            };
            let doers = (0..topology.nodes() as u32).filter(does).count();
            sum += mean * doers as f64 * times as f64;
        }
    });
    sum
}

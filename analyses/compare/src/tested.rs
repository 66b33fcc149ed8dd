//! Tests which constructs take longer in one run than in another.

use std::borrow::Cow;

use crate::assess::{Difference, Pair, Part, Tolerance};
use crate::comparing::Comparing;
use crate::finding::{Change, Finding, Quantity};
use crate::ids::NodeId;
use crate::measure::OfProcess;
use crate::statistics::{Shift, holm, weighted_median};
use crate::tally::{Activity, Construct};

/// The least tolerance.
const EXACT: f64 = 0.03;
/// The least tolerance for runs whose iterations vary.
const NOISY: f64 = 0.1;
/// The greatest tolerance. Iterations may vary for reasons other than noise, and each construct is also compared with its
/// own spread.
const MOST: f64 = 0.25;
/// The spread of ratios from which runs vary.
const LEAST_NOISE: f64 = 0.001;
/// The number of spreads that a difference has to exceed.
const SPREADS: f64 = 3.0;
/// The least share of the difference of a call that its fastest occurrences explain, in runs whose iterations vary.
const INTRINSIC: f64 = 0.25;
/// A duration that clocks resolve and that calls take at least, in nanoseconds.
const RESOLUTION: f64 = 100.0;

/// A construct that was tested.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    pub construct: Construct,
    pub difference: Difference,
    /// The difference of its fastest occurrences, and by how many nanoseconds per process these take longer altogether.
    pub fastest: Option<(Shift, f64)>,
    /// Nanoseconds per process in both runs.
    pub times: [f64; 2],
    /// Nanoseconds of all processes in blocks of iterations.
    pub series: [Vec<f64>; 2],
    /// The probability of the difference if the runs were the same, corrected for the number of tests.
    pub significance: f64,
    /// Whether the difference is significant, and large enough.
    pub is_significant: bool,
}

impl Tested {
    /// Returns whether calls are slower or faster in themselves, not only because processes wait for each other.
    pub fn is_intrinsic(&self) -> bool {
        let whole = self.difference.shift.log;
        self.fastest
            .is_some_and(|(fastest, _)| fastest.log.signum() == whole.signum())
    }

    /// Returns the finding that a construct differs.
    pub fn finding(&self, comparing: &Comparing<'_>) -> Finding {
        let Difference {
            part,
            shift,
            impact,
        } = &self.difference;
        let (mut processes, mut iterations) = (Vec::new(), None);
        match part {
            Part::Whole => {}
            Part::Iterations(range) => iterations = Some(range.clone()),
            Part::Processes(indices) => {
                let of = indices
                    .iter()
                    .filter_map(|&index| comparing.runs[0].processes.get(index));
                processes = of.map(|process| process.label.clone()).collect();
            }
        }
        Finding {
            change: Change::of(shift.log),
            quantity: self.quantity(),
            ratio: Some(shift.log.exp()),
            significance: self.significance,
            spread: shift.spread,
            impact: *impact,
            amounts: self.times,
            processes,
            iterations,
            series: self.series.clone(),
            ..comparing.labels.finding(self.construct)
        }
    }

    /// Returns the quantity that differs.
    pub fn quantity(&self) -> Quantity {
        match self.construct.activity {
            Activity::Computation(_) => Quantity::Computation,
            Activity::Call | Activity::Message(_) if self.is_intrinsic() => Quantity::Communication,
            Activity::Call | Activity::Message(_) => Quantity::Waiting,
        }
    }
}

/// The tests of all constructs of two runs.
#[derive(Clone, Debug)]
pub(crate) struct Tests {
    pub tested: Vec<Tested>,
    pub tolerance: Tolerance,
    /// The number of constructs that are executed too seldom for a test.
    pub untested: usize,
    /// Nanoseconds per process that these take longer in the second run.
    pub untested_impact: f64,
}

impl Tests {
    /// Tests the constructs that both runs have.
    pub fn new(comparing: &Comparing<'_>) -> Self {
        let [first, second] = comparing.runs;
        let constructs = first.constructs.iter();
        let both: Vec<Both<'_>> = constructs
            .filter_map(|(&construct, of)| {
                Some(Both::new(
                    comparing,
                    construct,
                    [of, second.constructs.get(&construct)?],
                ))
            })
            .collect();
        let tolerance = tolerance(comparing, &both);
        let mut tests = Self {
            tested: Vec::new(),
            tolerance,
            untested: 0,
            untested_impact: 0.0,
        };
        for one in both {
            let pair = one.pair(comparing);
            let times = pair.times();
            let Some(mut difference) = pair.difference(tolerance) else {
                if !one.construct.is_message() {
                    tests.untested += 1;
                    tests.untested_impact += times[1] - times[0];
                }
                continue;
            };
            let sums = |series: crate::series::Series| {
                series
                    .blocks()
                    .iter()
                    .map(|block| block.sum as f64)
                    .collect()
            };
            let fastest = one.fastest(comparing, tolerance).filter(|(_, longer)| {
                !tolerance.is_noisy || longer.abs() >= INTRINSIC * difference.impact.abs()
            });
            if let Some((fastest, _)) = fastest.filter(|_| difference.part == Part::Whole) {
                // Waiting varies more than the communication itself.
                let shift = &mut difference.shift;
                shift.probability = shift.probability.min(fastest.probability);
                shift.spread = shift.spread.min(fastest.spread);
            }
            // Single processes that differ are shown alone.
            let differing = one.only(&difference.part);
            let shown = differing.pair(comparing);
            tests.tested.push(Tested {
                construct: one.construct,
                difference,
                fastest,
                times: shown.times(),
                series: shown.series().map(sums),
                significance: 1.0,
                is_significant: false,
            });
        }
        tests.correct(comparing);
        tests
    }

    /// Corrects the probabilities for the number of tests.
    fn correct(&mut self, comparing: &Comparing<'_>) {
        let probabilities = self
            .tested
            .iter()
            .map(|one| one.difference.shift.probability);
        let corrected = holm(&probabilities.collect::<Vec<f64>>());
        for (one, significance) in self.tested.iter_mut().zip(corrected) {
            let Difference {
                shift,
                impact,
                part,
            } = &one.difference;
            let least = self.tolerance.log.max(shift.spread);
            // The waiting of single processes, or in some iterations, is different in each run.
            let is_stable =
                matches!(one.construct.activity, Activity::Computation(_)) || *part == Part::Whole;
            one.is_significant = significance <= comparing.options.significance
                && shift.log.abs() >= least
                && comparing.matters(*impact)
                && is_stable;
            one.significance = significance;
        }
    }
}

/// A construct of both runs.
#[derive(Clone)]
struct Both<'a> {
    construct: Construct,
    of: [Cow<'a, [OfProcess]>; 2],
    iterations: [Vec<u64>; 2],
}

impl<'a> Both<'a> {
    fn new(comparing: &Comparing<'_>, construct: Construct, of: [&'a Vec<OfProcess>; 2]) -> Self {
        let iterations = |run: usize| {
            let numbers = of[run].iter().map(|one| {
                if construct.node == NodeId::PROGRAM {
                    return one.occurrences;
                }
                let process = comparing.runs[run].processes.get(one.process);
                let number =
                    process.and_then(|process| process.iterations.get(construct.node.0 as usize));
                number.copied().unwrap_or(0)
            });
            numbers.collect()
        };
        Self {
            construct,
            of: of.map(|of| Cow::Borrowed(&of[..])),
            iterations: [iterations(0), iterations(1)],
        }
    }

    fn pair(&self, comparing: &Comparing<'_>) -> Pair<'_> {
        Pair {
            of: [&self.of[0], &self.of[1]],
            processes: comparing.runs.map(|run| run.processes.len()),
            iterations: [&self.iterations[0], &self.iterations[1]],
        }
    }

    /// Returns the construct in the processes that differ.
    fn only(&self, part: &Part) -> Self {
        let Part::Processes(processes) = part else {
            return self.clone();
        };
        let of = self.of.each_ref().map(|of| {
            let differing = of.iter().filter(|one| processes.contains(&one.process));
            differing.cloned().collect::<Vec<OfProcess>>().into()
        });
        Self { of, ..self.clone() }
    }

    /// Tests the fastest occurrences of a call. `None` if they do not differ significantly.
    fn fastest(&self, comparing: &Comparing<'_>, tolerance: Tolerance) -> Option<(Shift, f64)> {
        if let Activity::Computation(_) = self.construct.activity {
            return None;
        }
        let (shift, longer) = self.pair(comparing).fastest(tolerance, RESOLUTION)?;
        let calls = self.of[1]
            .iter()
            .map(|one| one.occurrences as f64)
            .sum::<f64>();
        let impact = longer * calls / self.of[1].len().max(1) as f64;
        let is_significant =
            shift.probability <= comparing.options.significance && shift.log.abs() >= tolerance.log;
        (is_significant && comparing.matters(impact)).then_some((shift, impact))
    }
}

/// Returns the tolerance of a comparison, which fits the noise of both runs unless the user has chosen it.
fn tolerance(comparing: &Comparing<'_>, both: &[Both<'_>]) -> Tolerance {
    let mut tolerance = Tolerance {
        log: EXACT.ln_1p(),
        floor: comparing.duration * comparing.options.least_impact / 10.0,
        is_noisy: false,
    };
    let computation = both
        .iter()
        .filter(|one| matches!(one.construct.activity, Activity::Computation(_)));
    let spreads = computation.filter_map(|one| {
        let pair = one.pair(comparing);
        Some((pair.spread(tolerance)?, pair.times()[0]))
    });
    let mut spreads: Vec<(f64, f64)> = spreads.collect();
    let noise = weighted_median(&mut spreads);
    if noise > LEAST_NOISE || spreads.is_empty() {
        tolerance.log = (SPREADS * noise).clamp(NOISY.ln_1p(), MOST.ln_1p());
        tolerance.is_noisy = true;
    }
    if let Some(chosen) = comparing.options.tolerance {
        tolerance.log = chosen.ln_1p();
    }
    tolerance
}

//! Compares the time of one construct in two runs: over all processes and iterations, in a part of the iterations, and
//! in single processes.

use std::ops::Range;

use crate::measure::OfProcess;
use crate::parts::{conspicuous, conspicuous_range};
use crate::series::{Block, Series};
use crate::statistics::{LEAST_VALUES, Shift, median, spread};

/// The limits below which differences do not matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The least difference that matters, as a logarithm.
    pub log: f64,
    /// Nanoseconds per process. Less time than this has no large ratio to other times.
    pub floor: f64,
    /// Whether corresponding iterations take different times.
    pub is_noisy: bool,
}

/// A construct in both runs.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The construct in each run.
    pub of: [&'a [OfProcess]; 2],
    /// The number of processes of each run.
    pub processes: [usize; 2],
    /// The number of iterations in each process, by run.
    pub iterations: [&'a [u64]; 2],
}

/// The part of a construct that differs.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// All processes, in all iterations.
    Whole,
    /// Some iterations.
    Iterations(Range<u64>),
    /// Some processes, by index.
    Processes(Vec<usize>),
}

/// A difference of a construct, not yet corrected for the number of tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The part that differs.
    pub part: Part,
    /// How much it differs.
    pub shift: Shift,
    /// Nanoseconds per process that the second run takes longer. For single processes, the greatest such difference.
    pub impact: f64,
}

/// The blocks of two series, of the same iterations.
struct Aligned {
    length: u64,
    blocks: Vec<[Block; 2]>,
}

impl Aligned {
    fn new(first: &Series, second: &Series) -> Self {
        let length = first.length().max(second.length());
        let both = [first, second].map(|series| series.with_length(length));
        let number = both[0].blocks().len().max(both[1].blocks().len());
        let at = |block: usize| {
            let at = |series: &Series| series.blocks().get(block).copied().unwrap_or_default();
            [at(&both[0]), at(&both[1])]
        };
        Self {
            length,
            blocks: (0..number).map(at).collect(),
        }
    }

    /// Returns the logarithm of the ratio of each block. `floor` nanoseconds are added to the sum of all blocks, so that
    /// negligible times have no large ratio.
    fn logs(&self, floor: f64) -> Vec<f64> {
        let floor = floor / self.blocks.len().max(1) as f64;
        let log = |[first, second]: &[Block; 2]| {
            let [first, second] = [first, second].map(|block| block.sum.max(0) as f64 + floor);
            (second / first).ln()
        };
        self.blocks.iter().map(log).collect()
    }

    /// Returns the time of some blocks in the first run.
    fn before(&self, range: Range<usize>) -> f64 {
        let blocks = self.blocks.get(range).unwrap_or_default();
        blocks.iter().map(|[first, _]| first.sum as f64).sum()
    }
}

impl Pair<'_> {
    /// Returns whether the iterations of both runs correspond to each other.
    fn is_paired(&self) -> bool {
        let [first, second] = self.of;
        let same = |(one, two): (&OfProcess, &OfProcess)| one.process == two.process;
        self.processes[0] == self.processes[1]
            && self.iterations[0] == self.iterations[1]
            && first.len() == second.len()
            && first.iter().zip(second).all(same)
    }

    /// Returns the time per process, by run.
    #[must_use]
    pub fn times(&self) -> [f64; 2] {
        self.of.map(|of| {
            let all: f64 = of.iter().map(|one| one.series.total() as f64).sum();
            all / of.len().max(1) as f64
        })
    }

    /// Returns the time of all processes.
    #[must_use]
    pub fn series(&self) -> [Series; 2] {
        self.of.map(|of| {
            let mut sum = Series::default();
            of.iter().for_each(|one| sum.add_all(&one.series));
            sum
        })
    }

    /// Finds the difference between the runs. Returns `None` if there are too few iterations for a test.
    #[must_use]
    pub fn difference(&self, tolerance: Tolerance) -> Option<Difference> {
        let [first, second] = self.series();
        if !self.is_paired() {
            let [first, second] = [(0, &first), (1, &second)]
                .map(|(run, series)| self.logs_of(run, series, tolerance));
            return Some(self.whole(Shift::unpaired(&first, &second)?, tolerance));
        }
        let aligned = Aligned::new(&first, &second);
        let logs = aligned.logs(tolerance.floor * self.of[0].len() as f64);
        let Some(shift) = Shift::paired(&logs) else {
            return self.seldom(tolerance);
        };
        let whole = self.whole(shift, tolerance);
        let in_processes = || self.in_processes(tolerance, whole.shift.log);
        let in_iterations = || self.in_iterations(&aligned, &logs, tolerance);
        in_processes().or_else(in_iterations).or(Some(whole))
    }

    /// Tests a construct with too few iterations by its processes. In noisy runs, they are not independent: all of them
    /// begin late, for instance.
    fn seldom(&self, tolerance: Tolerance) -> Option<Difference> {
        let ratios = self.ratios(tolerance);
        let shift = Shift::paired(&ratios).filter(|_| !tolerance.is_noisy)?;
        Some(self.whole(shift, tolerance))
    }

    /// Returns the logarithm of the ratio of each process.
    fn ratios(&self, tolerance: Tolerance) -> Vec<f64> {
        let [first, second] = self.of;
        let ratio = |(one, two): (&OfProcess, &OfProcess)| {
            let times = [one, two].map(|of| of.series.total().max(0) as f64 + tolerance.floor);
            (times[1] / times[0]).ln()
        };
        first.iter().zip(second).map(ratio).collect()
    }

    /// Returns the difference of all processes and iterations. The usual ratio of iterations is not that of their sums if
    /// long iterations differ in another way than short ones. The effect is then the smaller one, and the difference is none
    /// if they contradict each other.
    fn whole(&self, mut shift: Shift, tolerance: Tolerance) -> Difference {
        let before = self.times()[0] + tolerance.floor;
        let per_iteration = [0, 1].map(|run| {
            let iterations = self.iterations[run].iter().copied().max().unwrap_or(0);
            (self.times()[run].max(0.0) + tolerance.floor) / iterations.max(1) as f64
        });
        let of_sums = (per_iteration[1] / per_iteration[0]).ln();
        if of_sums.signum() != shift.log.signum() || of_sums.abs() < 0.5 * tolerance.log {
            shift.log = 0.0;
            shift.probability = 1.0;
        } else if of_sums.abs() < shift.log.abs() {
            shift.log = of_sums;
        }
        Difference {
            part: Part::Whole,
            shift,
            impact: shift.log.exp_m1() * before,
        }
    }

    /// Returns the logarithms of the times of iterations in a run, per process.
    fn logs_of(&self, run: usize, series: &Series, tolerance: Tolerance) -> Vec<f64> {
        let all = self.iterations[run].iter().copied().max().unwrap_or(0);
        let processes = self.of[run].len().max(1) as f64;
        let floor = tolerance.floor / all.max(1) as f64;
        let logs = (0..).zip(series.blocks()).map(|(block, of)| {
            let before = block * series.length();
            let iterations = all.saturating_sub(before).clamp(1, series.length()) as f64;
            (of.sum.max(0) as f64 / iterations / processes + floor).ln()
        });
        logs.collect()
    }

    /// Tests the fastest occurrences. Processes wait for each other in a call, but the last one to arrive does not, so its
    /// time is that of the communication itself. The second value is how many nanoseconds the fastest occurrence takes
    /// longer: that of most processes, but of any process in noisy runs, in which some always wait. Durations below
    /// `resolution` are all alike.
    #[must_use]
    pub fn fastest(&self, tolerance: Tolerance, resolution: f64) -> Option<(Shift, f64)> {
        let taking_part = self.of.map(|of| {
            // In exact runs, a process that hardly takes part, such as in a reduction that only the root waits for, does not
            // count. In noisy ones, it may be the only one that does not wait.
            let most = of.iter().map(|one| one.series.total()).max().unwrap_or(0);
            let least = if tolerance.is_noisy {
                i64::MIN
            } else {
                most / 10
            };
            let of = of.iter().filter(|one| one.series.total() >= least);
            of.map(|one| &one.series).collect::<Vec<&Series>>()
        });
        let logs = taking_part.each_ref().map(|of| {
            let mut all = Series::default();
            of.iter().for_each(|series| all.add_all(series));
            let logs = all.blocks().iter().filter_map(Block::fastest);
            logs.map(|time| (time + resolution).ln())
                .collect::<Vec<f64>>()
        });
        let least = taking_part.map(|of| {
            let of = of
                .into_iter()
                .map(|series| series.blocks().iter().filter_map(Block::fastest));
            let mut least: Vec<f64> = of.filter_map(|of| of.min_by(f64::total_cmp)).collect();
            least.sort_by(f64::total_cmp);
            let quartile = least.len() / 4;
            let rank = if tolerance.is_noisy { 0 } else { quartile };
            least.get(rank).copied().unwrap_or(0.0)
        });
        Some((Shift::unpaired(&logs[0], &logs[1])?, least[1] - least[0]))
    }

    /// Returns the spread of the ratios of single iterations in single processes; of the times of iterations if those of
    /// both runs do not correspond. `None` if there are too few.
    #[must_use]
    pub fn spread(&self, tolerance: Tolerance) -> Option<f64> {
        let mut deviations = Vec::new();
        let mut add = |logs: Vec<f64>| {
            if logs.len() < LEAST_VALUES {
                return;
            }
            let usual = median(&logs);
            deviations.extend(logs.into_iter().map(|log| log - usual));
        };
        if self.is_paired() {
            let [first, second] = self.of;
            for (one, two) in first.iter().zip(second) {
                add(Aligned::new(&one.series, &two.series).logs(tolerance.floor));
            }
        } else {
            let [first, second] = self.series();
            add(self.logs_of(0, &first, tolerance));
            add(self.logs_of(1, &second, tolerance));
        }
        (!deviations.is_empty()).then(|| spread(&deviations, 0.0))
    }

    /// Finds processes that differ while most others do not.
    fn in_processes(&self, tolerance: Tolerance, whole: f64) -> Option<Difference> {
        let [first, second] = self.of;
        let ratios = self.ratios(tolerance);
        let usual = median(&ratios);
        if usual.abs() > tolerance.log.max(0.5 * whole.abs()) {
            return None;
        }
        let outliers = conspicuous(&ratios, tolerance.log);
        let differences = outliers.iter().filter_map(|&index| {
            let aligned = Aligned::new(&first.get(index)?.series, &second.get(index)?.series);
            let mut shift = Shift::paired(&aligned.logs(tolerance.floor))?;
            shift.probability = (shift.probability * ratios.len() as f64).min(1.0);
            let before = aligned.before(0..aligned.blocks.len()) + tolerance.floor;
            Some((shift, shift.log.exp_m1() * before))
        });
        let (shift, impact) = differences.max_by(|one, two| one.1.abs().total_cmp(&two.1.abs()))?;
        let same = outliers
            .iter()
            .filter(|&&index| (ratios[index] - usual).signum() == shift.log.signum());
        let processes = same.filter_map(|&index| Some(first.get(index)?.process));
        let part = Part::Processes(processes.collect());
        Some(Difference {
            part,
            shift,
            impact,
        })
    }

    /// Finds iterations that differ while the others do not.
    fn in_iterations(
        &self,
        aligned: &Aligned,
        logs: &[f64],
        tolerance: Tolerance,
    ) -> Option<Difference> {
        let (range, tests) = conspicuous_range(logs, tolerance.log)?;
        let mut shift = Shift::paired(logs.get(range.clone())?)?;
        shift.probability = (shift.probability * tests).min(1.0);
        let before = aligned.before(range.clone()) / self.of[0].len().max(1) as f64;
        let iterations = range.start as u64 * aligned.length..range.end as u64 * aligned.length;
        Some(Difference {
            part: Part::Iterations(iterations),
            shift,
            impact: shift.log.exp_m1() * before,
        })
    }
}

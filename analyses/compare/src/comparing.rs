//! Two runs that are compared, with the options of the comparison.

use crate::ids::NodeId;
use crate::labels::Labels;
use crate::measure::{Run, Runs};

/// Options of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The greatest probability that a finding is due to chance.
    pub significance: f64,
    /// The least difference that is a finding, as a fraction of the time of its construct; `None` for one that fits the
    /// noise of the runs: see [`Comparison::tolerance`](crate::Comparison::tolerance).
    pub tolerance: Option<f64>,
    /// The least effect of a finding on the time of a process, as a fraction of the time of the run.
    pub least_impact: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            significance: 0.01,
            tolerance: None,
            least_impact: 0.001,
        }
    }
}

/// Two runs that are compared.
#[derive(Clone, Copy)]
pub(crate) struct Comparing<'a> {
    pub labels: Labels<'a>,
    pub runs: [&'a Run; 2],
    pub options: &'a Options,
    /// The time of the first run in nanoseconds.
    pub duration: f64,
}

impl<'a> Comparing<'a> {
    /// Begins the comparison of two of `runs`.
    pub fn new(runs: &'a Runs, both: [&'a Run; 2], options: &'a Options) -> Self {
        Self {
            labels: Labels::new(runs),
            runs: both,
            options,
            duration: both[0].duration().max(1.0),
        }
    }

    /// Returns whether `impact`, in nanoseconds per process, matters to the time of the run.
    pub fn matters(&self, impact: f64) -> bool {
        impact.abs() >= self.duration * self.options.least_impact
    }

    /// Returns the outermost loop that contains a loop, or the loop itself.
    pub fn outermost(&self, mut node: NodeId) -> NodeId {
        let nodes = &self.labels.runs.nodes;
        let parent = |node: NodeId| nodes.get(node.0 as usize).and_then(|node| node.parent);
        while let Some(around) = parent(node).filter(|around| *around != NodeId::PROGRAM) {
            node = around;
        }
        node
    }
}

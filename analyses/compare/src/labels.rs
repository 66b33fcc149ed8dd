//! Names constructs for people: loops by the calls in them, computation by the functions and the call after it.

use std::collections::BTreeMap;

use crate::finding::{Change, Finding, Quantity};
use crate::ids::{NameId, NodeId, PathId};
use crate::measure::Runs;
use crate::tally::{Activity, Construct};

/// The maximum number of calls that name a loop.
const MOST_CALLS: usize = 4;

/// The maximum number of functions that are shown of a call path.
const MOST_FUNCTIONS: usize = 3;

/// The share of the time that the function that calls everything else takes, at least.
const MAIN: f64 = 0.95;

/// The names of the constructs of some runs.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// The runs.
    pub runs: &'a Runs,
    /// The function that calls nearly everything else, if there is one. It is left out of call paths.
    main: Option<NameId>,
}

impl<'a> Labels<'a> {
    /// Prepares the names of the constructs of runs.
    #[must_use]
    pub fn new(runs: &'a Runs) -> Self {
        let mut times: BTreeMap<Option<NameId>, f64> = BTreeMap::new();
        for run in &runs.runs {
            let of = run
                .constructs
                .iter()
                .filter(|(construct, _)| !construct.is_message());
            for (construct, of) in of {
                let path = runs.paths.names(construct.path);
                let is_caller = construct.activity != Activity::Call || path.len() > 1;
                let outermost = path.first().copied().filter(|_| is_caller);
                let time: f64 = of.iter().map(|one| one.series.total() as f64).sum();
                *times.entry(outermost).or_default() += time;
            }
        }
        let all: f64 = times.values().sum();
        let longest = times.into_iter().max_by(|one, two| one.1.total_cmp(&two.1));
        let main = longest
            .filter(|(_, time)| *time >= MAIN * all)
            .and_then(|(name, _)| name);
        Self { runs, main }
    }

    fn name(&self, name: NameId) -> &str {
        self.runs.vocabulary.name(name)
    }

    /// Returns the functions of a call path, outermost first, without the one that calls everything else.
    fn functions(&self, path: PathId) -> Vec<String> {
        let mut names = self.runs.paths.names(path);
        if self.main.is_some() && names.first().copied() == self.main {
            names.remove(0);
        }
        let names = names.into_iter();
        names.map(|name| self.name(name).to_owned()).collect()
    }

    /// Returns the name of a loop, such as `loop 2.1 (MPI_Sendrecv)`; `None` for the whole program.
    fn loop_name(&self, node: NodeId) -> Option<String> {
        let node = self
            .runs
            .nodes
            .get(node.0 as usize)
            .filter(|node| node.parent.is_some())?;
        let mut calls: Vec<&str> = node
            .names
            .iter()
            .take(MOST_CALLS)
            .map(|&name| self.name(name))
            .collect();
        if node.names.len() > MOST_CALLS {
            calls.push("…");
        }
        Some(format!("loop {} ({})", node.number, calls.join(", ")))
    }

    /// Returns a finding about a construct, without any difference.
    pub fn finding(&self, construct: Construct) -> Finding {
        let path = self.functions(construct.path);
        let (what, quantity) = match construct.activity {
            Activity::Computation(before) => {
                let mut what = "computation".to_owned();
                if !path.is_empty() {
                    what += &format!(" in {}", shown(&path));
                }
                if let Some(before) = before {
                    what += &format!(" before {}", self.name(before));
                }
                (what, Quantity::Computation)
            }
            Activity::Call => (shown(&path), Quantity::Communication),
            Activity::Message(digits) => {
                let what = format!("messages of {} in {}", sizes(digits), shown(&path));
                (what, Quantity::Communication)
            }
        };
        let around = self.loop_name(construct.node);
        Finding {
            construct: around.map_or(what.clone(), |around| format!("{around}: {what}")),
            quantity,
            call_path: path,
            ..self.of_loop(construct.node)
        }
    }

    /// Returns a finding about a loop as a whole, or the whole program, without any difference.
    pub fn of_loop(&self, node: NodeId) -> Finding {
        let number = self
            .runs
            .nodes
            .get(node.0 as usize)
            .map(|node| node.number.clone());
        Finding {
            construct: self.loop_name(node).unwrap_or_else(|| "program".to_owned()),
            number: number.filter(|number| !number.is_empty()),
            call_path: Vec::new(),
            change: Change::Slower,
            quantity: Quantity::Computation,
            ratio: None,
            significance: 1.0,
            spread: 0.0,
            impact: 0.0,
            amounts: [0.0; 2],
            processes: Vec::new(),
            iterations: None,
            is_consequence: false,
            series: [Vec::new(), Vec::new()],
        }
    }
}

/// Returns the innermost functions of a call path as text.
fn shown(path: &[String]) -> String {
    let skipped = path.len().saturating_sub(MOST_FUNCTIONS);
    let inner = path.get(skipped..).unwrap_or_default().join(" > ");
    if skipped > 0 {
        format!("… > {inner}")
    } else {
        inner
    }
}

/// Returns the range of sizes whose numbers of bytes have that many binary digits.
fn sizes(digits: u8) -> String {
    let from = 1_u64
        .checked_shl(u32::from(digits).saturating_sub(1))
        .unwrap_or(u64::MAX);
    let unit = |bytes: u64| match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes / 1_048_576),
        _ => format!("{} GiB", bytes / 1_073_741_824),
    };
    format!("{} to {}", unit(from), unit(from.saturating_mul(2)))
}

//! Collects call stacks with the time or the number of calls at their top, for flame graphs.
//!
//! Calls with the same name and the same callers form one stack, even if they are different nodes.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_fold::dag::{Dag, LabelId};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::TraceError;
use rayon::prelude::*;

use super::times::{WalkStep, walk};

/// The quantity that a stack is weighted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// Ticks in which the top of the stack was the innermost call.
    #[default]
    Time,
    /// The number of times that the top of the stack was called.
    Calls,
}

/// A call stack and its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The index of the stack below the innermost call, if there is one.
    pub below: Option<u32>,
    /// The innermost call.
    pub label: LabelId,
    /// The weight of the innermost call, without the calls within it.
    pub weight: i64,
}

/// Returns the stacks of all locations. Each stack comes after the stack below it. Calls deeper than `depth` add
/// their weight to the stack at that depth.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or if the work was stopped.
pub fn stacks(
    store: &StoreReader,
    dag: &Dag,
    weight: Weight,
    depth: usize,
    progress: &Progress,
) -> Result<Vec<Stack>, TraceError> {
    let of_locations = dag
        .roots
        .par_iter()
        .map(|&root| {
            let mut stacks = Stacks::default();
            // The open stacks, and the number of open calls that are deeper.
            let (mut open, mut deeper) = (Vec::new(), 0u64);
            walk(store, dag, root, progress, &mut |passed| match passed {
                WalkStep::Enter { node } if open.len() < depth => {
                    if let Some(label) = dag.label(node) {
                        open.push(stacks.on(open.last().copied(), label));
                    }
                }
                WalkStep::Enter { .. } => deeper += 1,
                WalkStep::End { exclusive, .. } => {
                    if let Some(&top) = open.last() {
                        stacks.weigh(top, weight.of_call(exclusive));
                    }
                    match deeper {
                        0 => drop(open.pop()),
                        _ => deeper -= 1,
                    }
                }
                WalkStep::All(_) => {}
            })?;
            Ok(stacks)
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    let mut all = Stacks::default();
    for stacks in of_locations {
        let mut numbers: Vec<u32> = Vec::with_capacity(stacks.stacks.len());
        for stack in stacks.stacks {
            let below = stack.below.and_then(|below| numbers.get(below as usize));
            let number = all.on(below.copied(), stack.label);
            all.weigh(number, stack.weight);
            numbers.push(number);
        }
    }
    Ok(all.stacks)
}

impl Weight {
    fn of_call(self, exclusive: i64) -> i64 {
        match self {
            Self::Time => exclusive,
            Self::Calls => 1,
        }
    }
}

#[derive(Default)]
struct Stacks {
    stacks: Vec<Stack>,
    numbers: HashMap<(Option<u32>, LabelId), u32, FixedState>,
}

impl Stacks {
    /// Returns the index of the stack with `label` on top of the stack `below`, and adds that stack if it is new.
    fn on(&mut self, below: Option<u32>, label: LabelId) -> u32 {
        let stacks = &mut self.stacks;
        *self.numbers.entry((below, label)).or_insert_with(|| {
            stacks.push(Stack {
                below,
                label,
                weight: 0,
            });
            (stacks.len() - 1) as u32
        })
    }

    fn weigh(&mut self, stack: u32, weight: i64) {
        if let Some(stack) = self.stacks.get_mut(stack as usize) {
            stack.weight = stack.weight.wrapping_add(weight);
        }
    }
}

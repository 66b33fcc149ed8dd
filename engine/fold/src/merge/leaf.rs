//! Builds the systems that merging begins with, one per process.

use std::sync::Arc;

use foldtrace_trace::{Operand, SymbolTable};

use super::system::{Construct, Flow, Kind, LoopStep, Member, System};
use super::{MergeError, Process, Wiring};
use crate::model as local;

/// The data that the models of all processes have in common.
#[derive(Clone, Copy)]
pub(super) struct Leaves<'a> {
    pub wiring: &'a Wiring,
    pub symbols: &'a SymbolTable,
}

/// The loops around a construct of a model, the outermost first.
#[derive(Clone, Debug)]
struct Nest {
    /// The process of the model, which all of its events share.
    alone: Arc<[Process]>,
    /// The current index of each loop; 0 for a loop that stays.
    indices: Vec<i64>,
    /// The number of the loop in the merged model, from outside; `None` for a loop that is unrolled.
    depths: Vec<Option<u16>>,
    /// The number of loops that stay.
    kept: u16,
    /// The number of events and loops that the process may still have.
    terms_left: u64,
}

impl Nest {
    fn count_term(&mut self) -> Result<(), MergeError> {
        let left = self.terms_left.checked_sub(1);
        self.terms_left = left.ok_or(MergeError::TooManyTerms)?;
        Ok(())
    }
}

impl Leaves<'_> {
    /// Returns the constructs of a process. A loop is unrolled if its messages use other channels from iteration to
    /// iteration, or if the count of an inner loop grows. Also returns the number of its events and loops.
    pub fn constructs(
        &self,
        process: Process,
        model: &[local::Construct],
        max_terms: u64,
    ) -> Result<(Vec<Construct>, u64), MergeError> {
        let mut constructs = Vec::new();
        let mut nest = Nest {
            alone: Arc::from([process]),
            indices: Vec::new(),
            depths: Vec::new(),
            kept: 0,
            terms_left: max_terms,
        };
        self.convert(process, model, &mut nest, &mut constructs)?;
        Ok((constructs, max_terms - nest.terms_left))
    }

    fn convert(
        &self,
        process: Process,
        model: &[local::Construct],
        nest: &mut Nest,
        result: &mut Vec<Construct>,
    ) -> Result<(), MergeError> {
        for construct in model {
            match construct {
                local::Construct::Event(event) => {
                    nest.count_term()?;
                    result.push(self.event_in(process, event, nest)?);
                }
                local::Construct::Loop(inner) => {
                    let count = inner.count.at(&nest.indices);
                    let depth = nest.indices.len();
                    if count > 1 && !self.varies_with(process, &inner.body, depth) {
                        let body = self.iteration(process, &inner.body, nest)?;
                        nest.count_term()?;
                        let body = Arc::new(System::sequence(body));
                        result.push(Construct::repeat(count as u64, body));
                        continue;
                    }
                    nest.depths.push(None);
                    for index in 0..count {
                        nest.indices.push(index);
                        self.convert(process, &inner.body, nest, result)?;
                        nest.indices.pop();
                    }
                    nest.depths.pop();
                }
            }
        }
        Ok(())
    }

    /// Returns the constructs of an iteration of a loop that stays.
    fn iteration(
        &self,
        process: Process,
        body: &[local::Construct],
        nest: &mut Nest,
    ) -> Result<Vec<Construct>, MergeError> {
        let mut constructs = Vec::new();
        nest.indices.push(0);
        nest.depths.push(Some(nest.kept));
        nest.kept += 1;
        self.convert(process, body, nest, &mut constructs)?;
        nest.kept -= 1;
        nest.depths.pop();
        nest.indices.pop();
        Ok(constructs)
    }

    fn event_in(
        &self,
        process: Process,
        event: &local::EventConstruct,
        nest: &Nest,
    ) -> Result<Construct, MergeError> {
        let symbol = event
            .symbol_at(&nest.indices, self.symbols)
            .ok_or(MergeError::MissingSymbol)?;
        let steps = event.steps.iter().filter_map(|step| {
            let depth = (*nest.depths.get(usize::from(step.depth))?)?;
            Some(LoopStep {
                slot: step.slot,
                distance: nest.kept - 1 - depth,
                coefficient: step.coefficient,
            })
        });
        let mut steps: Vec<LoopStep> = steps.collect();
        steps.sort_unstable_by_key(|step| (step.slot, step.distance));
        let member = Member { process, symbol };
        Ok(self.event(member, &nest.alone, steps.into()))
    }

    /// Returns an event of a process, `alone`.
    pub fn event(
        &self,
        member: Member,
        alone: &Arc<[Process]>,
        steps: Box<[LoopStep]>,
    ) -> Construct {
        let Some(role) = self.wiring.role(member.process, member.symbol) else {
            return Construct::event(member, alone, steps, Flow::new());
        };
        let flow = role.ends.iter().map(|&end| (end, 1)).collect();
        if role.is_collective {
            Construct::collective(vec![member], role.synchronises, flow)
        } else {
            Construct::event(member, alone, steps, flow)
        }
    }

    /// Returns whether the iterations of the loop at `depth`, which has this body, differ in more than the tags of
    /// messages whose channels are for all tags.
    fn varies_with(&self, process: Process, body: &[local::Construct], depth: usize) -> bool {
        let mentions = |step: &local::Step| usize::from(step.depth) == depth;
        body.iter().any(|construct| match construct {
            local::Construct::Event(event) => {
                let mut steps = event.steps.iter().filter(|step| mentions(step));
                steps.any(|step| !self.is_free_tag(process, event, step))
            }
            local::Construct::Loop(l) => {
                l.count.steps.iter().any(mentions) || self.varies_with(process, &l.body, depth)
            }
        })
    }

    /// Returns whether a step is that of a tag in a channel for all tags.
    fn is_free_tag(
        &self,
        process: Process,
        event: &local::EventConstruct,
        step: &local::Step,
    ) -> bool {
        let tag = self.symbols.kind(event.symbol).slot(Operand::Tag);
        let role = self.wiring.role(process, event.symbol);
        tag == Some(usize::from(step.slot)) && role.is_some_and(|role| role.has_all_tags)
    }
}

/// Returns the constructs of one process in a system, as a model of its own.
pub(super) fn project(system: &System, process: Process) -> Vec<local::Construct> {
    project_at(system, process, 0)
}

/// Returns the constructs of one process in a system that is in `depth` loops.
fn project_at(system: &System, process: Process, depth: u16) -> Vec<local::Construct> {
    let own = system.constructs.iter().filter(|c| c.covers(process));
    let constructs = own.filter_map(|construct| match &construct.kind {
        Kind::Event { member, steps } => Some(event(*member, LoopStep::steps(steps, depth))),
        Kind::Collective { members, .. } => {
            let index = members.binary_search_by_key(&process, |member| member.process);
            Some(event(members[index.ok()?], Vec::new()))
        }
        Kind::Loop { count, body } => Some(local::Construct::Loop(local::LoopConstruct {
            count: local::Count {
                base: *count as i64,
                steps: Vec::new(),
            },
            body: Arc::from(project_at(body, process, depth + 1)),
        })),
    });
    constructs.collect()
}

const fn event(member: Member, steps: Vec<local::Step>) -> local::Construct {
    let symbol = member.symbol;
    local::Construct::Event(local::EventConstruct { symbol, steps })
}

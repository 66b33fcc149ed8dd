//! Builds the systems that merging begins with, one per process.

use std::sync::Arc;

use foldtrace_trace::{SymbolId, SymbolTable};

use super::system::{Construct, Kind, Member, System};
use super::{Process, Wiring};
use crate::model as local;

/// The data that the models of all processes have in common.
#[derive(Clone, Copy)]
pub(super) struct Leaves<'a> {
    pub wiring: &'a Wiring,
    pub symbols: &'a SymbolTable,
}

/// An error: a model needs a symbol that the table does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damaged;

impl Leaves<'_> {
    /// Returns the constructs of a process. Loops whose numbers grow are unrolled, because their messages differ from
    /// iteration to iteration.
    pub fn constructs(
        &self,
        process: Process,
        model: &[local::Construct],
    ) -> Result<Vec<Construct>, Damaged> {
        let mut constructs = Vec::new();
        self.convert(process, model, &mut Vec::new(), &mut constructs)?;
        Ok(constructs)
    }

    fn convert(
        &self,
        process: Process,
        model: &[local::Construct],
        indices: &mut Vec<i64>,
        result: &mut Vec<Construct>,
    ) -> Result<(), Damaged> {
        for construct in model {
            match construct {
                local::Construct::Event(event) => {
                    let symbol = event.symbol_at(indices, self.symbols).ok_or(Damaged)?;
                    result.push(self.event(process, symbol));
                }
                local::Construct::Loop(inner) => {
                    let depth = indices.len();
                    let count = inner.count.at(indices);
                    let turns = if grows_with(&inner.body, depth) {
                        count
                    } else {
                        1
                    };
                    let mut body = Vec::new();
                    for index in 0..turns.min(count) {
                        indices.push(index);
                        self.convert(process, &inner.body, indices, &mut body)?;
                        indices.pop();
                    }
                    if turns == count {
                        result.append(&mut body);
                    } else if count > 0 {
                        let body = Arc::new(System::sequence(body));
                        result.push(Construct::repeat(count as u64, body));
                    }
                }
            }
        }
        Ok(())
    }

    pub fn event(&self, process: Process, symbol: SymbolId) -> Construct {
        let member = Member { process, symbol };
        let Some(role) = self.wiring.role(process, symbol) else {
            return Construct::event(member, Vec::new());
        };
        let flow = role.ends.iter().map(|&end| (end, 1)).collect();
        if role.is_collective {
            Construct::collective(vec![member], role.synchronises, flow)
        } else {
            Construct::event(member, flow)
        }
    }
}

/// Returns whether any number in a body depends on the index of the loop at `depth`.
fn grows_with(body: &[local::Construct], depth: usize) -> bool {
    let mentions =
        |steps: &[local::Step]| steps.iter().any(|step| usize::from(step.depth) == depth);
    body.iter().any(|construct| match construct {
        local::Construct::Event(event) => mentions(&event.steps),
        local::Construct::Loop(l) => mentions(&l.count.steps) || grows_with(&l.body, depth),
    })
}

/// Returns the constructs of one process in a system, as a model of its own.
pub(super) fn project(system: &System, process: Process) -> Vec<local::Construct> {
    let own = system.constructs.iter().filter(|c| c.covers(process));
    let constructs = own.filter_map(|construct| match &construct.kind {
        Kind::Event(member) => Some(plain(member.symbol)),
        Kind::Collective { members, .. } => {
            let index = members.binary_search_by_key(&process, |member| member.process);
            Some(plain(members[index.ok()?].symbol))
        }
        Kind::Loop { count, body } => Some(local::Construct::Loop(local::LoopConstruct {
            count: local::Count {
                base: *count as i64,
                steps: Vec::new(),
            },
            body: Arc::from(project(body, process)),
        })),
    });
    constructs.collect()
}

fn plain(symbol: SymbolId) -> local::Construct {
    local::Construct::Event(local::EventConstruct {
        symbol,
        steps: Vec::new(),
    })
}

//! Substitutes the index of a loop in the numbers of its body, when the loop is cut, shifted, nested or unrolled.

use std::sync::Arc;

use foldtrace_trace::SymbolTable;

use super::system::{Construct, Kind, LoopStep, Member, System};
use crate::model::{EventConstruct, Step};

/// The index of a loop as an affine function of the indices of the loops that replace it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Index {
    constant: u64,
    /// The growth with the indices of the loops that replace it, the innermost first.
    coefficients: Vec<u64>,
}

impl Index {
    /// The loop is replaced by its iteration number `index`.
    pub const fn fixed(index: u64) -> Self {
        Self {
            constant: index,
            coefficients: Vec::new(),
        }
    }

    /// The first `iterations` of the loop are left out.
    pub fn after(iterations: u64) -> Self {
        Self {
            constant: iterations,
            coefficients: vec![1],
        }
    }

    /// The loop is replaced by two loops, of which the inner one has `iterations`.
    pub fn nested(iterations: u64) -> Self {
        Self {
            constant: 0,
            coefficients: vec![1, iterations],
        }
    }

    /// Substitutes the index in a construct of the loop's body. Returns `None` if the table lacks a symbol.
    pub fn substitute(&self, construct: &Construct, symbols: &SymbolTable) -> Option<Construct> {
        self.at_distance(0, construct, symbols)
    }

    /// Substitutes the index in the body of the loop. Returns `None` if the table lacks a symbol.
    pub fn substitute_all(&self, body: &Arc<System>, symbols: &SymbolTable) -> Option<Arc<System>> {
        self.in_system(0, body, symbols)
    }

    fn is_identity(&self) -> bool {
        self.constant == 0 && self.coefficients == [1]
    }

    fn in_system(
        &self,
        distance: u16,
        system: &Arc<System>,
        symbols: &SymbolTable,
    ) -> Option<Arc<System>> {
        if !system.has_steps || self.is_identity() {
            return Some(Arc::clone(system));
        }
        let constructs = system.constructs.iter();
        let constructs: Option<Vec<Construct>> = constructs
            .map(|construct| self.at_distance(distance, construct, symbols))
            .collect();
        let constructs = constructs?;
        Some(Arc::new(System {
            has_steps: constructs.iter().any(Construct::has_steps),
            constructs,
            links: system.links.clone(),
            open: system.open.clone(),
            matched: system.matched.clone(),
        }))
    }

    /// Substitutes the index of the loop at `distance`, as counted by [`LoopStep::distance`].
    fn at_distance(
        &self,
        distance: u16,
        construct: &Construct,
        symbols: &SymbolTable,
    ) -> Option<Construct> {
        let kind = match &construct.kind {
            Kind::Event { member, steps } if !steps.is_empty() => {
                self.in_event(distance, *member, steps, symbols)?
            }
            Kind::Loop { count, body } => Kind::Loop {
                count: *count,
                body: self.in_system(distance + 1, body, symbols)?,
            },
            kind => kind.clone(),
        };
        Some(Construct {
            kind,
            ..construct.clone()
        })
    }

    fn in_event(
        &self,
        distance: u16,
        member: Member,
        steps: &[LoopStep],
        symbols: &SymbolTable,
    ) -> Option<Kind> {
        let substituted = steps.iter().filter(|step| step.distance == distance);
        let first = EventConstruct {
            symbol: member.symbol,
            steps: substituted
                .map(|step| Step {
                    slot: step.slot,
                    depth: 0,
                    coefficient: step.coefficient,
                })
                .collect(),
        };
        let symbol = first.symbol_at(&[self.constant as i64], symbols)?;
        let loops = self.coefficients.len() as u16;
        let mut all = Vec::with_capacity(steps.len());
        for step in steps {
            if step.distance == distance {
                let replaced = (0..).zip(&self.coefficients);
                all.extend(replaced.map(|(inner, &coefficient)| LoopStep {
                    distance: distance + inner,
                    coefficient: step.coefficient.wrapping_mul(coefficient as i64),
                    ..*step
                }));
            } else {
                let is_outside = step.distance > distance;
                let distance = if is_outside {
                    step.distance + loops - 1
                } else {
                    step.distance
                };
                all.push(LoopStep { distance, ..*step });
            }
        }
        all.sort_unstable_by_key(|step| (step.slot, step.distance));
        Some(Kind::Event {
            member: Member { symbol, ..member },
            steps: all.into(),
        })
    }
}

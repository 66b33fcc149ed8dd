//! Locates the instances of every construct in the stream.
//!
//! A position is a polynomial in the indices of the enclosing loops, so any instance is located without expanding the
//! model (Ketterlin et al., RR-8562, section V.B, figure 8).

use super::{Construct, Count, LoopConstruct, Model, Polynomial};

/// The place of a construct. Places form the same tree as the constructs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The position of an instance in the stream, in terms of the indices of all enclosing loops.
    pub position: Polynomial,
    /// The position relative to the start of the current iteration of the innermost enclosing loop.
    pub relative: Polynomial,
    /// The number of events per instance.
    pub length: Polynomial,
    /// The number of events per iteration of a loop, which may depend on the loop's own index; 1 for an event.
    pub iteration: Polynomial,
    /// The places of the constructs in a loop's body.
    pub body: Vec<Placed>,
}

/// The places of all constructs of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// One entry per top-level construct of the model.
    pub constructs: Vec<Placed>,
}

impl Layout {
    /// Computes the places of all constructs.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            constructs: sequence(&model.constructs, &Polynomial::default(), 0).0,
        }
    }
}

/// Returns the places of a sequence that begins at `start`, and the length of the sequence.
fn sequence(
    constructs: &[Construct],
    start: &Polynomial,
    depth: usize,
) -> (Vec<Placed>, Polynomial) {
    let mut relative = Polynomial::default();
    let mut placed = Vec::with_capacity(constructs.len());
    for construct in constructs {
        let position = start.add(&relative);
        let next = match construct {
            Construct::Event(_) => Placed {
                position,
                relative: relative.clone(),
                length: Polynomial::constant(1),
                iteration: Polynomial::constant(1),
                body: Vec::new(),
            },
            Construct::Loop(l) => place_loop(l, position, relative.clone(), depth),
        };
        relative = relative.add(&next.length);
        placed.push(next);
    }
    (placed, relative)
}

fn place_loop(
    l: &LoopConstruct,
    position: Polynomial,
    relative: Polynomial,
    depth: usize,
) -> Placed {
    // The length of an iteration does not depend on where the loop begins, but the positions in its body do. The
    // length is therefore computed first.
    let (_, iteration) = sequence(&l.body, &Polynomial::default(), depth + 1);
    let before = iteration.sum_below(depth, &Polynomial::index(depth));
    let (body, _) = sequence(&l.body, &position.add(&before), depth + 1);
    let length = iteration.sum_below(depth, &count(&l.count));
    Placed {
        position,
        relative,
        length,
        iteration,
        body,
    }
}

/// Converts a count to a polynomial.
fn count(count: &Count) -> Polynomial {
    let steps = count
        .steps
        .iter()
        .map(|s| (usize::from(s.depth), s.coefficient));
    Polynomial::affine(count.base, steps)
}

#[cfg(test)]
mod tests {
    use super::super::{EventConstruct, Step};
    use super::*;
    use foldtrace_trace::SymbolId;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Walks all instances and compares their positions with a counter.
    fn walk(constructs: &[Construct], placed: &[Placed], indices: &mut Vec<i64>, next: &mut i64) {
        for (construct, place) in constructs.iter().zip(placed) {
            assert_eq!(place.position.at(indices), Some(*next));
            let start = *next;
            match construct {
                Construct::Event(_) => *next += 1,
                Construct::Loop(l) => {
                    let count = l.count.at(indices);
                    for i in 0..count {
                        indices.push(i);
                        let iteration = *next;
                        walk(&l.body, &place.body, indices, next);
                        assert_eq!(place.iteration.at(indices), Some(*next - iteration));
                        indices.pop();
                    }
                }
            }
            assert_eq!(place.length.at(indices), Some(*next - start));
        }
    }

    fn constructs(depth: u16) -> BoxedStrategy<Vec<Construct>> {
        let event = Just(Construct::Event(EventConstruct {
            symbol: SymbolId::new(0),
            steps: vec![],
        }));
        if depth == 3 {
            return prop::collection::vec(event, 1..3).boxed();
        }
        let steps = prop::collection::vec((0..depth.max(1), 0i64..3), 0..2);
        let nested =
            (0i64..4, steps, constructs(depth + 1)).prop_map(move |(base, steps, body)| {
                let steps = steps
                    .into_iter()
                    .filter(|&(d, _)| d < depth)
                    .map(|(depth, coefficient)| Step {
                        slot: 0,
                        depth,
                        coefficient,
                    })
                    .collect();
                Construct::Loop(LoopConstruct {
                    count: Count { base, steps },
                    body: Arc::from(body),
                })
            });
        prop::collection::vec(prop_oneof![event, nested], 1..3).boxed()
    }

    proptest! {
        #[test]
        fn every_instance_has_the_position_of_the_layout(constructs in constructs(0)) {
            let model = Model { constructs: Arc::from(constructs), events: 0 };
            let layout = Layout::new(&model);
            walk(&model.constructs, &layout.constructs, &mut Vec::new(), &mut 0);
        }
    }
}

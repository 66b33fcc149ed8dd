//! Follows the outline of a location, token by token, and reports the loops and iterations that tokens are in.

use crate::ids::NodeId;
use crate::outline::{Item, Outline};

/// An iteration of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iteration {
    /// The loop.
    pub node: NodeId,
    /// The number of earlier iterations of the loop in this location.
    pub number: u64,
}

/// The place of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The iteration of the innermost loop that contains the token.
    pub own: Iteration,
    /// The iteration of the innermost execution of a loop that contains both the token and the one before it.
    pub common: Iteration,
}

#[derive(Clone, Debug)]
struct Level<'a> {
    items: &'a [Item],
    next: usize,
    /// The number of tokens that are left of the current item.
    tokens: u64,
    /// The number of iterations after the current one.
    left: i64,
    /// The iteration of the loop, or of the loop around it if the loop is not compared.
    iteration: Iteration,
    is_compared: bool,
}

/// A walk over the tokens of a location.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    assigned: &'a [Option<NodeId>],
    levels: Vec<Level<'a>>,
    indices: Vec<i64>,
    /// The number of iterations of each loop so far.
    iterations: Vec<u64>,
}

impl<'a> Walk<'a> {
    /// Begins at the first token. `assigned` has the node of each loop, and `nodes` is the number of nodes.
    pub fn new(outline: &'a Outline, assigned: &'a [Option<NodeId>], nodes: usize) -> Self {
        let program = Level {
            items: &outline.items,
            next: 0,
            tokens: 0,
            left: 0,
            iteration: Iteration::default(),
            is_compared: true,
        };
        Self {
            assigned,
            levels: vec![program],
            indices: Vec::new(),
            iterations: vec![0; nodes],
        }
    }

    /// Advances to the next token, and returns its place. After the last token, it remains in the program.
    pub fn next(&mut self) -> Place {
        let mut shared = self.levels.len();
        loop {
            let depth = self.levels.len();
            let Some(level) = self.levels.last_mut() else {
                return Place::default();
            };
            if level.tokens > 0 {
                level.tokens -= 1;
                break;
            }
            match level.items.get(level.next) {
                Some(Item::Tokens(number)) => {
                    level.tokens = *number;
                    level.next += 1;
                }
                Some(Item::Loop(inner)) => {
                    level.next += 1;
                    let count = inner.count.at(&self.indices);
                    if count <= 0 || inner.body.is_empty() {
                        continue;
                    }
                    let node = self.assigned.get(inner.index).copied().flatten();
                    let around = level.iteration;
                    let iteration = node.map_or(around, |node| begin(&mut self.iterations, node));
                    self.indices.push(0);
                    self.levels.push(Level {
                        items: &inner.body,
                        next: 0,
                        tokens: 0,
                        left: count - 1,
                        iteration,
                        is_compared: node.is_some(),
                    });
                }
                None if level.left > 0 => {
                    level.left -= 1;
                    level.next = 0;
                    if level.is_compared {
                        level.iteration = begin(&mut self.iterations, level.iteration.node);
                    }
                    if let Some(index) = self.indices.last_mut() {
                        *index += 1;
                    }
                }
                None if depth == 1 => break,
                None => {
                    self.levels.pop();
                    self.indices.pop();
                    shared = shared.min(depth - 1);
                }
            }
        }
        let at = |depth: usize| {
            self.levels
                .get(depth.saturating_sub(1))
                .map(|level| level.iteration)
        };
        Place {
            own: at(self.levels.len()).unwrap_or_default(),
            common: at(shared).unwrap_or_default(),
        }
    }

    /// Returns the number of iterations of each loop so far.
    pub fn into_iterations(self) -> Vec<u64> {
        self.iterations
    }
}

/// Begins the next iteration of a loop.
fn begin(iterations: &mut [u64], node: NodeId) -> Iteration {
    let Some(number) = iterations.get_mut(node.0 as usize) else {
        return Iteration::default();
    };
    *number += 1;
    Iteration {
        node,
        number: *number - 1,
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_fold::Count;
    use proptest::prelude::*;

    use super::*;
    use crate::outline::{Loop, Names};

    /// A sequence of tokens and loops. A loop has a number of iterations, and is compared or not.
    #[derive(Clone, Debug)]
    enum Part {
        Tokens(u64),
        Loop(i64, bool, Vec<Part>),
    }

    fn parts() -> impl Strategy<Value = Vec<Part>> {
        let tokens = (1..4_u64).prop_map(Part::Tokens);
        let nested = tokens.prop_recursive(3, 24, 4, |inner| {
            let body = prop::collection::vec(inner, 1..4);
            (1..5_i64, any::<bool>(), body)
                .prop_map(|(count, is_compared, body)| Part::Loop(count, is_compared, body))
        });
        prop::collection::vec(nested, 0..5)
    }

    /// Numbers the loops, and appends the node of each to `assigned`.
    fn items(parts: &[Part], assigned: &mut Vec<Option<NodeId>>) -> Vec<Item> {
        let item = |part: &Part| match part {
            Part::Tokens(number) => Item::Tokens(*number),
            Part::Loop(count, is_compared, body) => {
                let index = assigned.len();
                assigned.push(is_compared.then_some(NodeId(index as u32 + 1)));
                Item::Loop(Loop {
                    index,
                    count: Count {
                        base: *count,
                        steps: Vec::new(),
                    },
                    names: Names::new(),
                    body: items(body, assigned),
                })
            }
        };
        parts.iter().map(item).collect()
    }

    /// The executions of loops around a token: of each, the node, the number of the execution, and the iteration.
    type Around = Vec<(Option<NodeId>, u64, u64)>;

    /// Lists what is around each token, one after the other.
    fn expand(
        items: &[Item],
        assigned: &[Option<NodeId>],
        around: &mut Around,
        executions: &mut u64,
        iterations: &mut Vec<u64>,
        tokens: &mut Vec<Around>,
    ) {
        for item in items {
            match item {
                Item::Tokens(number) => tokens.extend((0..*number).map(|_| around.clone())),
                Item::Loop(inner) => {
                    *executions += 1;
                    let execution = *executions;
                    for _ in 0..inner.count.base {
                        let iteration = iterations[inner.index];
                        iterations[inner.index] += 1;
                        around.push((assigned[inner.index], execution, iteration));
                        expand(
                            &inner.body,
                            assigned,
                            around,
                            executions,
                            iterations,
                            tokens,
                        );
                        around.pop();
                    }
                }
            }
        }
    }

    /// Returns the innermost iteration of a loop that is compared.
    fn innermost(around: &[(Option<NodeId>, u64, u64)]) -> Iteration {
        let compared = around.iter().rev().find_map(|&(node, _, number)| {
            Some(Iteration {
                node: node?,
                number,
            })
        });
        compared.unwrap_or_default()
    }

    proptest! {
        #[test]
        fn places_are_those_of_the_expanded_outline(parts in parts()) {
            let mut assigned = Vec::new();
            let outline = Outline {
                items: items(&parts, &mut assigned),
                loops: assigned.len(),
                names: Names::new(),
            };
            let (mut tokens, mut iterations) = (Vec::new(), vec![0; assigned.len()]);
            expand(&outline.items, &assigned, &mut Vec::new(), &mut 0, &mut iterations, &mut tokens);
            let mut walk = Walk::new(&outline, &assigned, assigned.len() + 1);
            let mut before: Around = Vec::new();
            for around in tokens {
                let place = walk.next();
                prop_assert_eq!(place.own, innermost(&around));
                // The executions that contain both tokens, whatever their iterations.
                let shared = before.iter().zip(&around).take_while(|(one, two)| one.1 == two.1).count();
                prop_assert_eq!(place.common, innermost(&around[..shared]));
                before = around;
            }
            prop_assert_eq!(walk.next(), Place::default());
            for (node, iterations) in assigned.iter().zip(iterations).filter_map(|(node, number)| Some(((*node)?, number))) {
                prop_assert_eq!(walk.iterations[node.0 as usize], iterations);
            }
        }
    }
}

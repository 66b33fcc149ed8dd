//! Unrolls loops so that calls of single iterations can be left out.

use foldtrace_logical::model::Number;

use super::count::matters;
use super::program::{Action, Call, Construct, Loop, Message};

/// At most this many terms in an unrolled loop; a loop that would be longer is kept.
const MOST_TERMS: usize = 1 << 14;

/// Unrolls the outermost loops that contain `chosen` calls and whose index affects messages or iteration counts.
/// Returns `None` if there are no such loops, or if all of them would be too long.
pub(super) fn unrolled(
    program: &[Construct],
    chosen: &impl Fn(&Call) -> bool,
) -> Option<Vec<Construct>> {
    let mut unroll = Unroll {
        chosen,
        is_changed: false,
    };
    let program = unroll.body(program, 0);
    unroll.is_changed.then_some(program)
}

struct Unroll<'a, F> {
    chosen: &'a F,
    is_changed: bool,
}

impl<F: Fn(&Call) -> bool> Unroll<'_, F> {
    fn body(&mut self, body: &[Construct], depth: usize) -> Vec<Construct> {
        let mut all = Vec::with_capacity(body.len());
        for construct in body {
            match construct {
                Construct::Loop(inner) if self.is_concerned(&inner.body) => {
                    match iterations(inner, depth) {
                        Some(iterations) => {
                            self.is_changed = true;
                            all.extend(iterations);
                        }
                        None => all.push(Construct::Loop(Loop {
                            count: inner.count.clone(),
                            body: self.body(&inner.body, depth + 1),
                        })),
                    }
                }
                _ => all.push(construct.clone()),
            }
        }
        all
    }

    fn is_concerned(&self, body: &[Construct]) -> bool {
        body.iter().any(|construct| match construct {
            Construct::Call(call) => (self.chosen)(call),
            Construct::Loop(inner) => self.is_concerned(&inner.body),
        })
    }
}

/// Returns the iterations of a loop at `depth`, one after another.
///
/// Returns `None` if the index of the loop affects neither messages nor iteration counts, if the iteration count
/// depends on enclosing loops, or if the result would be too long.
fn iterations(inner: &Loop, depth: usize) -> Option<Vec<Construct>> {
    let count = usize::try_from(inner.count.base).ok()?;
    let is_short = count.checked_mul(terms(&inner.body))? <= MOST_TERMS;
    let is_constant = inner.count.growth.iter().all(|&(_, by)| by == 0);
    if !is_short || !is_constant || !matters(&inner.body, depth) {
        return None;
    }
    let iterations = (0..inner.count.base).flat_map(|index| at(&inner.body, depth, index));
    Some(iterations.collect())
}

fn terms(body: &[Construct]) -> usize {
    let terms = body.iter().map(|construct| match construct {
        Construct::Call(_) => 1,
        Construct::Loop(inner) => 1 + terms(&inner.body),
    });
    terms.sum()
}

/// Returns a copy of the body of a loop at `depth`, with the index of the loop replaced by `index`.
fn at(body: &[Construct], depth: usize, index: i64) -> Vec<Construct> {
    let number = |number: &Number| number_at(number, depth, index);
    let message = |message: &Message| Message {
        direction: number(&message.direction),
        tag: number(&message.tag),
        communicator: message.communicator,
    };
    let constructs = body.iter().map(|construct| match construct {
        Construct::Loop(inner) => Construct::Loop(Loop {
            count: number(&inner.count),
            body: at(&inner.body, depth, index),
        }),
        Construct::Call(call) => Construct::Call(Call {
            action: match &call.action {
                Action::Send(sent) => Action::Send(message(sent)),
                Action::Receive(received) => Action::Receive(message(received)),
                Action::Take(taken) => Action::Take(message(taken)),
                Action::Collective {
                    operation,
                    root,
                    communicator,
                } => Action::Collective {
                    operation: *operation,
                    root: number(root),
                    communicator: *communicator,
                },
            },
            ..call.clone()
        }),
    });
    constructs.collect()
}

fn number_at(number: &Number, depth: usize, index: i64) -> Number {
    let mut base = number.base;
    let mut growth = Vec::with_capacity(number.growth.len());
    for &(of, by) in &number.growth {
        match usize::from(of).cmp(&depth) {
            std::cmp::Ordering::Less => growth.push((of, by)),
            std::cmp::Ordering::Equal => base = base.wrapping_add(by.wrapping_mul(index)),
            std::cmp::Ordering::Greater => growth.push((of - 1, by)),
        }
    }
    Number { base, growth }
}

#[cfg(test)]
mod tests {
    use super::super::count::visit;
    use super::super::program::Size;
    use super::*;
    use foldtrace_logical::model::CommunicatorId;

    fn number(base: i64, growth: &[(u16, i64)]) -> Number {
        Number {
            base,
            growth: growth.to_vec(),
        }
    }

    fn send(direction: Number, tag: Number) -> Construct {
        Construct::Call(Call {
            origin: None,
            action: Action::Send(Message {
                direction,
                tag,
                communicator: CommunicatorId(0),
            }),
            guard: None,
            computing: None,
            size: Size::Exact(0),
            limit: None,
        })
    }

    fn repeated(count: Number, body: Vec<Construct>) -> Construct {
        Construct::Loop(Loop { count, body })
    }

    fn sent(program: &[Construct]) -> Vec<(i64, i64, u64)> {
        let mut sent = Vec::new();
        visit(program, &mut |call, indices, times| {
            let message = call.action.message().unwrap();
            sent.push((
                message.direction.at(indices),
                message.tag.at(indices),
                times,
            ));
        });
        sent
    }

    #[test]
    fn loops_written_out_send_the_same() {
        let innermost = repeated(
            number(1, &[(0, 1), (1, 2)]),
            vec![send(number(3, &[(1, 1)]), number(0, &[(2, 1), (0, 10)]))],
        );
        let middle = repeated(number(2, &[(0, 1)]), vec![innermost]);
        let program = vec![repeated(number(3, &[]), vec![middle])];
        let longer = unrolled(&program, &|_| true).unwrap();
        assert_eq!(sent(&longer), sent(&program));
        assert_eq!(longer.len(), 3);
        assert!(unrolled(&program, &|_| false).is_none());
        // The index of this loop has no effect on its body.
        let same = vec![repeated(
            number(9, &[]),
            vec![send(number(1, &[]), number(2, &[]))],
        )];
        assert!(unrolled(&same, &|_| true).is_none());
    }
}

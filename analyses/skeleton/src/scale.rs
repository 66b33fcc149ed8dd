//! Scales the iteration counts of loops so that a program takes a given fraction of its time.
//!
//! The weight of a construct is the time that its calls took. A loop of n iterations that is to be scaled by the
//! factor s gets n' = round(n s) iterations, but at least one; the remaining factor s n / n' is passed on to its
//! body. Calls outside of the loops of a body run once. The time that they take in excess is subtracted from the
//! loops next to them, down to half of the requested time of these loops: a slow start must not remove everything
//! else.

use foldtrace_logical::model::{Logical, Number};

use super::count::{matters, steers, visit};
use super::program::{Construct, Loop};

/// The ratio by which loops may fall below the requested factor, to compensate for calls outside of them.
const SLACK: f64 = 2.0;

/// The weights of calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    /// The weight of one instance of each call, over all processes, by the number of the call.
    each: Vec<f64>,
}

impl Weights {
    /// Returns the weights of the calls of a program: their times or, if no times were measured, 1 for each call.
    pub fn new(logical: &Logical, program: &[Construct]) -> Self {
        let mut instances = vec![0_u64; logical.measured.len()];
        visit(program, &mut |call, _, times| {
            let number = call.origin.map(|number| number as usize);
            if let Some(count) = number.and_then(|number| instances.get_mut(number)) {
                *count += times;
            }
        });
        let measured = logical.measured.iter().zip(instances);
        let each = measured.map(|(measured, instances)| {
            // A call that runs once mostly waits for the process that starts last, which says nothing about the
            // program.
            let communicating = match instances {
                0 | 1 => 0,
                _ => measured.communicating.sum,
            };
            // If the times of a trace go backwards, the sums may be so large that adding them as integers overflows.
            let ticks = measured.computing.sum as f64 + communicating as f64;
            ticks / instances.max(1) as f64
        });
        let each: Vec<f64> = each.collect();
        let is_measured = each.iter().any(|&weight| weight > 0.0);
        Self {
            each: if is_measured { each } else { Vec::new() },
        }
    }

    fn call(&self, origin: Option<u32>) -> f64 {
        let Some(number) = origin else { return 0.0 };
        if self.each.is_empty() {
            1.0
        } else {
            self.each.get(number as usize).copied().unwrap_or(0.0)
        }
    }

    /// Returns the weight of a construct at these indices.
    fn of_construct(&self, construct: &Construct, indices: &mut Vec<i64>) -> f64 {
        match construct {
            Construct::Call(call) => self.call(call.origin),
            Construct::Loop(inner) => {
                let count = inner.count.at(indices);
                self.of_iterations(&inner.body, count, indices)
            }
        }
    }

    /// Returns the weight of `count` iterations of a body.
    fn of_iterations(&self, body: &[Construct], count: i64, indices: &mut Vec<i64>) -> f64 {
        let is_varied = matters(body, indices.len());
        let mut of_index = |index| {
            indices.push(index);
            let sum: f64 = body.iter().map(|it| self.of_construct(it, indices)).sum();
            indices.pop();
            sum
        };
        if is_varied {
            (0..count).map(of_index).sum()
        } else {
            count.max(0) as f64 * of_index(0)
        }
    }
}

/// The loops to which the remaining factor is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// All loops, including inner ones.
    All,
    /// Only the outermost loops. Loops with equal iteration counts keep equal counts.
    Outermost,
}

/// Returns a program scaled by `factor`.
pub(super) fn scaled(
    program: &[Construct],
    factor: f64,
    weights: &Weights,
    depth: Depth,
) -> Vec<Construct> {
    let scaling = Scaling { weights, depth };
    scaling.body(program, factor, &mut Vec::new())
}

struct Scaling<'a> {
    weights: &'a Weights,
    depth: Depth,
}

impl Scaling<'_> {
    fn body(&self, body: &[Construct], factor: f64, indices: &mut Vec<i64>) -> Vec<Construct> {
        // If nothing needs to be scaled, rounding must not change anything.
        if (factor - 1.0).abs() < 1e-9 {
            return body.to_vec();
        }
        let weigh =
            |construct: &Construct| self.weights.of_construct(construct, &mut indices.clone());
        let weighed: Vec<f64> = body.iter().map(weigh).collect();
        let is_loop = |construct: &Construct| matches!(construct, Construct::Loop(_));
        let of_loops = body.iter().zip(&weighed).filter(|(it, _)| is_loop(it));
        let mut rest: f64 = of_loops.map(|(_, weight)| weight).sum();
        let all: f64 = weighed.iter().sum();
        let mut target = factor * all - (all - rest);
        let mut scaled = body.to_vec();
        // Loops with the same iteration count often belong together, and must keep the same count.
        let loops = loops_by_count(body);
        for alike in loops.chunk_by(|(_, one), (_, other)| one.count == other.count) {
            let own: f64 = alike.iter().map(|&(at, _)| weighed[at]).sum();
            let asked = match (self.depth, rest > 0.0) {
                (Depth::All, true) => (target / rest).clamp(factor / SLACK, factor),
                _ => factor,
            };
            for &(at, inner) in alike {
                let changed = Construct::Loop(self.loop_(inner, asked, indices));
                target -= self.weights.of_construct(&changed, indices);
                scaled[at] = changed;
            }
            rest -= own;
        }
        scaled
    }

    fn loop_(&self, inner: &Loop, factor: f64, indices: &mut Vec<i64>) -> Loop {
        let is_fixed = !inner.count.growth.is_empty() || steers(&inner.body, indices.len());
        let was = inner.count.base;
        let count = if is_fixed {
            was
        } else {
            self.iterations(inner, factor, indices)
        };
        let rest = match (self.depth, is_fixed) {
            (Depth::Outermost, false) => 1.0,
            (_, true) => factor,
            _ => {
                let weigh = |count| {
                    let weight =
                        self.weights
                            .of_iterations(&inner.body, count, &mut indices.clone());
                    if weight > 0.0 { weight } else { count as f64 }
                };
                factor * weigh(was) / weigh(count)
            }
        };
        // If counts of inner loops grow with the index of this loop, its middle iteration represents all iterations.
        indices.push(count / 2);
        let body = self.body(&inner.body, rest, indices);
        indices.pop();
        let count = if is_fixed {
            inner.count.clone()
        } else {
            Number::constant(count)
        };
        Loop { count, body }
    }

    /// Returns the number of iterations that comes closest to the factor.
    fn iterations(&self, inner: &Loop, factor: f64, indices: &mut Vec<i64>) -> i64 {
        let was = inner.count.base;
        let nearest = |count: f64| count.round().max(1.0) as i64;
        let all = self.weights.of_iterations(&inner.body, was, indices);
        if was < 1 {
            return was;
        }
        if all <= 0.0 || !matters(&inner.body, indices.len()) {
            return nearest(was as f64 * factor);
        }
        let weigh =
            |count, indices: &mut Vec<i64>| self.weights.of_iterations(&inner.body, count, indices);
        let target = all * factor;
        let (mut low, mut high) = (1, was);
        while weigh(high, indices) < target
            && high < i64::MAX / 2
            && high < was.saturating_mul(nearest(factor.ceil()))
        {
            high *= 2;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if weigh(middle, indices) < target {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_lower_closer = low > 1
            && (target - weigh(low - 1, indices)).abs() < (weigh(low, indices) - target).abs();
        low - i64::from(is_lower_closer)
    }
}

/// Returns the loops of a body with their places, sorted by their iteration counts. The lowest counts, which can follow
/// a factor least precisely, come first.
fn loops_by_count(body: &[Construct]) -> Vec<(usize, &Loop)> {
    let loops = body
        .iter()
        .enumerate()
        .filter_map(|(at, construct)| match construct {
            Construct::Loop(inner) => Some((at, inner)),
            Construct::Call(_) => None,
        });
    let mut loops: Vec<(usize, &Loop)> = loops.collect();
    loops.sort_by(|(_, one), (_, other)| {
        let [one, other] = [one, other].map(|it| (it.count.base, &it.count.growth));
        one.cmp(&other)
    });
    loops
}

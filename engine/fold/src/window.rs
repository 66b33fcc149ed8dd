//! The window of terms that a folder works on, and the recognition of three equal neighbours in it.
//!
//! A term is an event or a closed loop. Its *frame* is everything that must be equal for two terms to be iterations
//! of the same loop: shapes, nesting, and the growth of inner numbers. Its *constants* are the numbers that may
//! differ by a constant step. Three terms are in line if they have the same frame and their constants lie on a line.
//! If this holds for each of `i` neighbouring terms, they make a loop with a body of `i` terms.
//!
//! The window is as long as loops require. Terms before it are settled: they take part in no further loop and leave
//! as constructs, so memory is bounded for any stream.

use std::ops::Range;
use std::sync::Arc;

use foldtrace_trace::{Symbol, SymbolId, SymbolTable};

use super::frames::{Frame, Frames, NONE};
use super::shape::Shapes;
use super::{Construct, Count, EventConstruct, LoopConstruct, Step};

/// The number of loop bodies that fit into the window. A loop is made of three, and while the longest loop forms,
/// another one may form within its last iteration.
const BODIES: usize = 6;

/// A number of a term as a function of the indices of the enclosing loops.
#[derive(Clone, Debug, Default)]
struct Affine {
    base: i64,
    steps: Vec<(u16, i64)>,
}

impl Affine {
    fn steps(&self, slot: u8) -> impl Iterator<Item = Step> + '_ {
        self.steps.iter().map(move |&(depth, coefficient)| Step {
            slot,
            depth,
            coefficient,
        })
    }
}

/// A loop just made of terms that have left the window.
#[derive(Clone, Debug)]
pub(super) struct NewLoop {
    frame: u32,
    /// The constants of the body at loop index zero.
    constants: Vec<i64>,
    /// The body of the loop; depth 0 is this loop.
    pub body: Arc<[Construct]>,
    /// Whether all iterations are equal.
    pub constant: bool,
}

/// The number of consecutive terms in line at one distance, as of one push.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    push: u64,
    len: u32,
}

/// The window of terms.
#[derive(Clone, Debug)]
pub(super) struct Window {
    max_body: usize,
    frames: Frames,
    term_frames: Vec<u32>,
    /// For each term, the last earlier term with the same frame.
    previous: Vec<u32>,
    /// For each frame, the last term with it.
    last: Vec<u32>,
    starts: Vec<usize>,
    constants: Vec<i64>,
    /// The first constant of each term, or 0 if it has none; it distinguishes most terms.
    heads: Vec<i64>,
    runs: Vec<Run>,
    /// The number of the last push.
    push: u64,
    /// The number of the first push after terms were removed; earlier runs do not count.
    first_push: u64,
    /// With more frames than this, frames without any term are removed.
    max_frames: usize,
}

impl Window {
    pub fn new(max_body: usize) -> Self {
        Self {
            max_body,
            frames: Frames::default(),
            term_frames: Vec::new(),
            previous: Vec::new(),
            last: Vec::new(),
            starts: Vec::new(),
            constants: Vec::new(),
            heads: Vec::new(),
            runs: Vec::new(),
            push: 0,
            first_push: 1,
            max_frames: 0,
        }
    }

    /// Returns the number of terms.
    #[cfg(test)]
    pub fn terms(&self) -> usize {
        self.term_frames.len()
    }

    /// Returns the number of frames.
    #[cfg(test)]
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Appends an event.
    pub fn push_event(&mut self, symbol: SymbolId, shapes: &Shapes) {
        let frame = self.frames.of_symbol(symbol, shapes);
        self.starts.push(self.constants.len());
        shapes.append_numbers(symbol, &mut self.constants);
        self.push_frame(frame);
    }

    /// Appends a loop with `count` iterations.
    pub fn push_loop(&mut self, new: &NewLoop, count: i64) {
        self.starts.push(self.constants.len());
        self.constants.push(count);
        self.constants.extend_from_slice(&new.constants);
        self.push_frame(new.frame);
    }

    fn push_frame(&mut self, frame: u32) {
        if frame as usize >= self.last.len() {
            self.last.resize(frame as usize + 1, NONE);
        }
        let term = self.term_frames.len() as u32;
        self.previous
            .push(std::mem::replace(&mut self.last[frame as usize], term));
        self.term_frames.push(frame);
        let start = self.starts[term as usize];
        self.heads
            .push(self.constants.get(start).copied().unwrap_or(0));
        self.push += 1;
    }

    /// Moves the oldest terms to the end of `settled` if there are more than the window holds.
    pub fn settle(&mut self, symbols: &SymbolTable, settled: &mut Vec<Construct>) {
        let max_terms = self.max_body.saturating_mul(BODIES);
        let surplus = self.term_frames.len().saturating_sub(max_terms);
        // Many at a time, because the remaining terms have to move up.
        if surplus <= max_terms / 4 {
            return;
        }
        settled.extend(self.constructs(0..surplus, symbols));
        let first = self.starts[surplus];
        self.constants.drain(..first);
        self.starts.drain(..surplus);
        self.starts.iter_mut().for_each(|start| *start -= first);
        self.heads.drain(..surplus);
        self.term_frames.drain(..surplus);
        self.previous.drain(..surplus);
        let moved = |term: &mut u32| *term = term.checked_sub(surplus as u32).unwrap_or(NONE);
        let terms = self.previous.iter_mut().chain(&mut self.last);
        terms.filter(|term| **term != NONE).for_each(moved);
        self.forget_frames();
    }

    fn forget_frames(&mut self) {
        if self.frames.len() <= self.max_frames {
            return;
        }
        let new_ids = self.frames.keep(&self.term_frames);
        for frame in &mut self.term_frames {
            *frame = new_ids[*frame as usize];
        }
        let mut ids = new_ids.iter();
        self.last.retain(|_| ids.next() != Some(&NONE));
        self.last.resize(self.frames.len(), NONE);
        self.max_frames = 2 * self.frames.len();
    }

    fn constants_of(&self, term: usize) -> &[i64] {
        let end = self
            .starts
            .get(term + 1)
            .copied()
            .unwrap_or(self.constants.len());
        &self.constants[self.starts[term]..end]
    }

    fn in_line(&self, third: usize, distance: usize) -> bool {
        let (second, first) = (third - distance, third - 2 * distance);
        let frame = self.term_frames[third];
        if frame != self.term_frames[second] || frame != self.term_frames[first] {
            return false;
        }
        let (a, b, c) = (
            self.constants_of(first),
            self.constants_of(second),
            self.constants_of(third),
        );
        a.iter()
            .zip(b)
            .zip(c)
            .all(|((a, b), c)| c.wrapping_sub(*b) == b.wrapping_sub(*a))
    }

    /// Removes the last terms and returns their loop, if they are three iterations of the same body. The shortest
    /// such body is used.
    pub fn reduce(&mut self, symbols: &SymbolTable) -> Option<NewLoop> {
        let top = self.term_frames.len().checked_sub(1)?;
        let head = self.heads[top];
        let mut candidate = self.previous[top];
        while candidate != NONE {
            let distance = top - candidate as usize;
            if distance > self.max_body || 2 * distance > top {
                return None;
            }
            let (first, second) = (
                self.heads[top - 2 * distance],
                self.heads[candidate as usize],
            );
            let may_be = head.wrapping_sub(second) == second.wrapping_sub(first);
            if may_be && self.in_line(top, distance) && self.run(top, distance) >= distance {
                return Some(self.take_loop(distance, symbols));
            }
            candidate = self.previous[candidate as usize];
        }
        None
    }

    /// Returns the number of consecutive terms up to `top` that are in line at `distance`.
    fn run(&mut self, top: usize, distance: usize) -> usize {
        if self.runs.len() <= distance {
            self.runs.resize(distance + 1, Run::default());
        }
        let run = self.runs[distance];
        let len = if run.push == self.push - 1 && self.push > self.first_push {
            run.len + 1
        } else if self.push > self.first_push {
            // The previous term was not in line at this distance; otherwise the run would have been recorded.
            1
        } else {
            let longest = distance.min(top + 1 - 2 * distance);
            (0..longest)
                .take_while(|k| self.in_line(top - k, distance))
                .count() as u32
        };
        self.runs[distance] = Run {
            push: self.push,
            len,
        };
        len as usize
    }

    fn take_loop(&mut self, len: usize, symbols: &SymbolTable) -> NewLoop {
        let first = self.term_frames.len() - 3 * len;
        let (start, second) = (self.starts[first], self.starts[first + len]);
        let constants = self.constants[start..second].to_vec();
        let next = &self.constants[second..second + constants.len()];
        let steps: Vec<i64> = constants
            .iter()
            .zip(next)
            .map(|(a, b)| b.wrapping_sub(*a))
            .collect();
        let body = self.term_frames[first..first + len].to_vec();
        let frame = self.frames.of_loop(&body, &steps);

        for term in (first..self.term_frames.len()).rev() {
            self.last[self.term_frames[term] as usize] = self.previous[term];
        }
        self.term_frames.truncate(first);
        self.previous.truncate(first);
        self.starts.truncate(first);
        self.heads.truncate(first);
        self.constants.truncate(start);
        self.first_push = self.push + 1;

        let affine: Vec<Affine> = constants
            .iter()
            .zip(&steps)
            .map(|(&base, &step)| Affine {
                base,
                steps: step_at(0, step),
            })
            .collect();
        NewLoop {
            frame,
            constants,
            constant: steps.iter().all(|&step| step == 0),
            body: self.sequence(&body, &affine, 1, symbols),
        }
    }

    /// Appends all terms to `settled` as constructs.
    pub fn finish(self, symbols: &SymbolTable, settled: &mut Vec<Construct>) {
        settled.extend(self.constructs(0..self.term_frames.len(), symbols));
    }

    fn constructs(
        &self,
        terms: Range<usize>,
        symbols: &SymbolTable,
    ) -> impl Iterator<Item = Construct> {
        let mut affine = Vec::new();
        terms.map(move |term| {
            affine.clear();
            let constants = self.constants_of(term).iter();
            affine.extend(constants.map(|&base| Affine {
                base,
                steps: Vec::new(),
            }));
            self.construct(self.term_frames[term], &affine, 0, symbols)
        })
    }

    fn sequence(
        &self,
        frames: &[u32],
        mut constants: &[Affine],
        depth: u16,
        symbols: &SymbolTable,
    ) -> Arc<[Construct]> {
        frames
            .iter()
            .map(|&frame| {
                let (mine, rest) = constants.split_at(self.frames.constants(frame));
                constants = rest;
                self.construct(frame, mine, depth, symbols)
            })
            .collect()
    }

    fn construct(
        &self,
        frame: u32,
        constants: &[Affine],
        depth: u16,
        symbols: &SymbolTable,
    ) -> Construct {
        match self.frames.get(frame) {
            Frame::Event { like, .. } => {
                let mut symbol: Symbol = symbols.symbol(*like);
                let numbers = super::shape::slots(&symbol);
                let mut steps = Vec::new();
                for (&slot, number) in numbers.iter().zip(constants) {
                    symbol.operands[usize::from(slot)] = number.base as u64;
                    steps.extend(number.steps(slot));
                }
                // The event has occurred at zero indices, so its symbol is in the table.
                let symbol = symbols.find(&symbol).unwrap_or(*like);
                Construct::Event(EventConstruct { symbol, steps })
            }
            Frame::Loop { body, steps } => {
                let (count, constants) = match constants.split_first() {
                    Some((count, rest)) => (count.clone(), rest),
                    None => (Affine::default(), constants),
                };
                let inner: Vec<Affine> = constants
                    .iter()
                    .zip(steps)
                    .map(|(constant, &step)| {
                        let mut constant = constant.clone();
                        constant.steps.extend(step_at(depth, step));
                        constant
                    })
                    .collect();
                Construct::Loop(LoopConstruct {
                    count: Count {
                        base: count.base,
                        steps: count.steps(0).collect(),
                    },
                    body: self.sequence(body, &inner, depth + 1, symbols),
                })
            }
        }
    }
}

fn step_at(depth: u16, coefficient: i64) -> Vec<(u16, i64)> {
    if coefficient == 0 {
        Vec::new()
    } else {
        vec![(depth, coefficient)]
    }
}

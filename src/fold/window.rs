//! The window of terms that a folder works on, and the test for three equal neighbours.
//!
//! A term is an event or a closed loop. Its *frame* is everything that must be equal for two terms
//! to be iterations of one loop: shapes, nesting, and how inner numbers grow. Its *constants* are
//! the numbers that may differ by a constant step. Three terms are in line if their frames are one
//! and their constants lie on a line; the same for each of `i` neighbouring terms makes a loop of
//! `i` terms.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use foldtrace_trace::{Symbol, SymbolId, SymbolTable};
use hashbrown::HashTable;

use super::shape::Shapes;
use super::{Construct, Count, EventConstruct, LoopConstruct, Step};

const NONE: u32 = u32::MAX;
const HASHER: FixedState = FixedState::with_seed(0x6e6c_7200);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Frame {
    /// An event; `like` is a symbol of its shape.
    Event { like: SymbolId, numbers: u8 },
    /// A loop. `steps` has one entry for each constant of the body's terms; the loop's own
    /// constants are its count and then those of its body where its index is zero.
    Loop { body: Box<[u32]>, steps: Box<[i64]> },
}

/// Frames, interned: equal ones have one id.
#[derive(Clone, Debug, Default)]
struct Frames {
    frames: Vec<Frame>,
    ids: HashTable<u32>,
    of_shape: Vec<u32>,
}

impl Frames {
    fn constants(&self, frame: u32) -> usize {
        match &self.frames[frame as usize] {
            Frame::Event { numbers, .. } => usize::from(*numbers),
            Frame::Loop { steps, .. } => 1 + steps.len(),
        }
    }

    fn of_symbol(&mut self, symbol: SymbolId, shapes: &Shapes) -> u32 {
        let shape = shapes.shape(symbol) as usize;
        if shape >= self.of_shape.len() {
            self.of_shape.resize(shape + 1, NONE);
        }
        if self.of_shape[shape] == NONE {
            self.of_shape[shape] = self.frames.len() as u32;
            let numbers = shapes.numbers(symbol).len;
            self.frames.push(Frame::Event {
                like: symbol,
                numbers,
            });
        }
        self.of_shape[shape]
    }

    fn of_loop(&mut self, body: &[u32], steps: &[i64]) -> u32 {
        let hash = HASHER.hash_one((body, steps));
        let is = |frame: &Frame| matches!(frame, Frame::Loop { body: b, steps: s } if **b == *body && **s == *steps);
        if let Some(&id) = self.ids.find(hash, |&id| is(&self.frames[id as usize])) {
            return id;
        }
        let id = self.frames.len() as u32;
        self.frames.push(Frame::Loop {
            body: body.into(),
            steps: steps.into(),
        });
        let frames = &self.frames;
        self.ids
            .insert_unique(hash, id, |&id| match &frames[id as usize] {
                Frame::Loop { body, steps } => HASHER.hash_one((&**body, &**steps)),
                Frame::Event { .. } => 0,
            });
        id
    }
}

/// A number of a term as a function of the indices of the loops around it.
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

/// A loop that was just made of terms that left the window.
#[derive(Clone, Debug)]
pub(super) struct NewLoop {
    frame: u32,
    /// Constants of the body where the loop's index is zero.
    constants: Vec<i64>,
    /// What runs; depth 0 is this loop.
    pub body: Arc<[Construct]>,
    /// Whether all iterations are the same.
    pub constant: bool,
}

/// How long terms have been in line at one distance, as of one push.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    push: u64,
    len: u32,
}

/// The terms.
#[derive(Clone, Debug)]
pub(super) struct Window {
    max_body: usize,
    frames: Frames,
    term_frames: Vec<u32>,
    /// For each term the last one before it with the same frame.
    previous: Vec<u32>,
    /// For each frame the last term with it.
    last: Vec<u32>,
    starts: Vec<usize>,
    constants: Vec<i64>,
    /// The first constant of each term, 0 where it has none: what tells most terms apart.
    heads: Vec<i64>,
    runs: Vec<Run>,
    /// Number of the last push.
    push: u64,
    /// The first push after terms were taken away; runs before it do not count.
    first_push: u64,
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
            runs: vec![Run::default(); max_body + 1],
            push: 0,
            first_push: 1,
        }
    }

    /// Appends an event.
    pub fn push_event(&mut self, symbol: SymbolId, shapes: &Shapes) {
        let frame = self.frames.of_symbol(symbol, shapes);
        self.starts.push(self.constants.len());
        self.constants
            .extend_from_slice(shapes.numbers(symbol).values());
        self.push_frame(frame);
    }

    /// Appends a loop that has run `count` times.
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

    /// If the last terms are three iterations of the same, takes them away and gives their loop.
    /// The shortest body counts.
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

    /// For how many terms up to `top` the ones at `distance` have been in line.
    fn run(&mut self, top: usize, distance: usize) -> usize {
        let run = self.runs[distance];
        let len = if run.push == self.push - 1 && self.push > self.first_push {
            run.len + 1
        } else if self.push > self.first_push {
            // At the term before, this distance was not in line, or it would have been noted.
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

    /// The terms as constructs.
    pub fn constructs(&self, symbols: &SymbolTable) -> Arc<[Construct]> {
        let mut affine = Vec::new();
        (0..self.term_frames.len())
            .map(|term| {
                affine.clear();
                let constants = self.constants_of(term).iter();
                affine.extend(constants.map(|&base| Affine {
                    base,
                    steps: Vec::new(),
                }));
                self.construct(self.term_frames[term], &affine, 0, symbols)
            })
            .collect()
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
        match &self.frames.frames[frame as usize] {
            Frame::Event { like, .. } => {
                let mut symbol: Symbol = symbols.symbol(*like);
                let numbers = super::shape::slots(&symbol);
                let mut steps = Vec::new();
                for (&slot, number) in numbers.iter().zip(constants) {
                    symbol.operands[usize::from(slot)] = number.base as u64;
                    steps.extend(number.steps(slot));
                }
                // At zero indices the event was seen, so its symbol is in the table.
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

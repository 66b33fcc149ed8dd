//! Regularises loops: cuts them so that each has one counterpart per channel (RR-8562, section III.B.2).
//!
//! If the run of one construct ends within that of a loop at the other end of the channel, that loop has to be cut,
//! and so do all loops that it communicates with. Cuts are found first, for all loops at once, and are made only if
//! the search comes to an end: a loop that would be cut into many pieces, because it is one step ahead of another
//! loop, stays whole.

use std::collections::{BTreeMap, BTreeSet};

use foldtrace_trace::SymbolTable;

use super::End;
use super::lanes::{Lanes, Run};
use super::shift::{Shift, aligned, shifted};
use super::substitution::Index;
use super::system::{Construct, Kind, Matched};

/// The maximum number of cuts of a loop. A loop that would need more stays whole.
const MAX_CUTS: usize = 8;

/// The maximum number of passes over the constructs: the bodies of loops that were cut may contain loops themselves.
const MAX_ROUNDS: usize = 64;

/// Returns the constructs with loops split, unwrapped and shifted.
/// Returns `None` if the table lacks a symbol that the events need.
pub(super) fn regularise(
    mut constructs: Vec<Construct>,
    matched: &Matched,
    symbols: &SymbolTable,
) -> Option<Vec<Construct>> {
    for _ in 0..MAX_ROUNDS {
        let lanes = Lanes::new(&constructs, matched);
        let changes = Changes::find(&constructs, &lanes, symbols);
        if changes.is_empty() {
            break;
        }
        constructs = changes.apply(constructs, symbols)?;
    }
    Some(constructs)
}

/// The changes to loops, by the index of the construct.
#[derive(Debug, Default)]
struct Changes {
    /// The numbers of the iterations before which a loop is cut.
    cuts: BTreeMap<u32, BTreeSet<u64>>,
    /// The replacement of a loop.
    shifts: BTreeMap<u32, Shift>,
}

impl Changes {
    fn find(constructs: &[Construct], lanes: &Lanes, symbols: &SymbolTable) -> Self {
        let mut whole = vec![false; constructs.len()];
        loop {
            let mut search = Search {
                constructs,
                lanes,
                whole: &whole,
                cuts: BTreeMap::new(),
                fractions: BTreeMap::new(),
                stay: BTreeSet::new(),
            };
            search.run();
            let mut shifts = BTreeMap::new();
            for (&index, messages) in &search.fractions {
                match shifted(constructs, index, messages, symbols) {
                    Some(shift) => {
                        shifts.insert(index, shift);
                    }
                    None => {
                        search.stay.insert(index);
                    }
                }
            }
            if search.stay.is_empty() {
                return Self {
                    cuts: search.cuts,
                    shifts,
                };
            }
            // A loop may be ahead of another loop by a step that is a part of an iteration.
            let align = |&index: &u32| Some((index, aligned(constructs, lanes, index, symbols)?));
            let early: BTreeMap<u32, Shift> = search.stay.iter().filter_map(align).collect();
            if !early.is_empty() {
                return Self {
                    cuts: BTreeMap::new(),
                    shifts: early,
                };
            }
            for index in search.stay {
                whole[index as usize] = true;
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.cuts.is_empty() && self.shifts.is_empty()
    }

    fn apply(
        mut self,
        constructs: Vec<Construct>,
        symbols: &SymbolTable,
    ) -> Option<Vec<Construct>> {
        if !self.shifts.is_empty() {
            // Once loops have been shifted, the search may find different cuts.
            self.cuts.clear();
        }
        // If two loops would absorb the same constructs, the second one is shifted in the next round.
        let mut absorbed = BTreeSet::new();
        self.shifts.retain(|index, shift| {
            let is_free = |index| !absorbed.contains(index);
            let stays = is_free(index) && shift.absorbed.iter().all(is_free);
            if stays {
                absorbed.extend(shift.absorbed.iter().copied());
            }
            stays
        });
        let mut result = Vec::with_capacity(constructs.len());
        for (index, construct) in (0..).zip(constructs) {
            match (self.shifts.remove(&index), self.cuts.get(&index)) {
                (Some(shift), _) => result.extend(shift.replacement),
                (None, _) if absorbed.contains(&index) => (),
                (None, Some(cuts)) => split(&construct, cuts, symbols, &mut result)?,
                (None, None) => result.push(construct),
            }
        }
        Some(result)
    }
}

/// Cuts a loop before the given iterations. A piece with one iteration is not a loop.
/// Returns `None` if the table lacks a symbol.
fn split(
    construct: &Construct,
    cuts: &BTreeSet<u64>,
    symbols: &SymbolTable,
    result: &mut Vec<Construct>,
) -> Option<()> {
    let Kind::Loop { count, body } = &construct.kind else {
        return Some(());
    };
    let mut begin = 0;
    for &end in cuts.iter().chain([count]) {
        match end - begin {
            1 => {
                let index = Index::fixed(begin);
                for construct in &body.constructs {
                    result.push(index.substitute(construct, symbols)?);
                }
            }
            iterations => {
                let body = Index::after(begin).substitute_all(body, symbols)?;
                result.push(construct.with_iterations(iterations, body));
            }
        }
        begin = end;
    }
    Some(())
}

/// The search for cuts.
struct Search<'a> {
    constructs: &'a [Construct],
    lanes: &'a Lanes,
    /// Whether each loop must stay whole.
    whole: &'a [bool],
    cuts: BTreeMap<u32, BTreeSet<u64>>,
    /// Loops of which less than an iteration goes to a counterpart: the number of messages in that part, by end.
    fractions: BTreeMap<u32, BTreeMap<End, u64>>,
    /// Loops that turned out to have to stay whole.
    stay: BTreeSet<u32>,
}

/// A cut that has to be made at an end of a channel, and the loop that requires it; no loop requires a cut at the end
/// of a construct.
struct RequiredCut {
    by: Option<u32>,
    end: End,
    at: u64,
}

impl Search<'_> {
    fn run(&mut self) {
        let mut pending = Vec::new();
        for run in self.lanes.runs() {
            for at in [run.start, run.stop()] {
                let end = run.end.other();
                pending.push(RequiredCut { by: None, end, at });
                while let Some(required) = pending.pop() {
                    self.cut(&required, &mut pending);
                }
            }
        }
    }

    /// Records a cut, and adds the cuts that it requires to `pending`.
    fn cut(&mut self, required: &RequiredCut, pending: &mut Vec<RequiredCut>) {
        let Some(&run) = self.lanes.around(required.end, required.at) else {
            return;
        };
        let index = run.construct;
        let Some((count, _)) = self.constructs[index as usize].as_loop() else {
            return;
        };
        if self.whole[index as usize] {
            self.stay.extend(required.by);
            return;
        }
        let (iteration, rest) = iteration(&run, count, required.at);
        if rest != 0 {
            let fractions = self.fractions.entry(index).or_default();
            if *fractions.entry(required.end).or_insert(rest) != rest {
                self.stay.insert(index);
            }
            return;
        }
        let cuts = self.cuts.entry(index).or_default();
        if !cuts.insert(iteration) {
            return;
        }
        if cuts.len() > MAX_CUTS {
            self.stay.insert(index);
            return;
        }
        pending.extend(self.lanes.runs_of(index).map(|other| RequiredCut {
            by: Some(index),
            end: other.end.other(),
            at: other.start + iteration * (other.volume / count),
        }));
    }
}

/// Returns the iteration of a loop that contains a message, and the number of messages before it in that iteration.
fn iteration(run: &Run, count: u64, at: u64) -> (u64, u64) {
    let each = run.volume / count;
    let offset = at - run.start;
    (offset / each, offset % each)
}

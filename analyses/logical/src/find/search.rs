//! Searches for the best logical program: tries topologies, mappings of processes to their nodes, and ways to
//! write one program for all processes.

use foldtrace_stream::read::Progress;
use foldtrace_topology::TopologyReport;
use foldtrace_topology::recognition::{Match, Topology};
use foldtrace_trace::{ErrorKind, Remedy, TraceError};
use foldtrace_view::units::grouped;

use super::attempt::{Attempt, LONGEST_WORDS, ProcessWords, Processes};
use super::order;
use crate::model::{Wording, place};

/// The share of calls that a program must reproduce to be accepted without trying other wordings.
pub(super) const ENOUGH: f64 = 0.9;

/// The number of terms that weigh as much as one wrong call when programs are compared.
const WEIGHT: u64 = 2;

/// A program may replace another one if it has at most this many terms, or one term per [`CALLS_PER_TERM`] calls of
/// the trace: a longer program explains nothing.
const MOST_TERMS: u64 = 1 << 10;

/// The least number of calls per term of a program with more than [`MOST_TERMS`] terms.
const CALLS_PER_TERM: u64 = 4;

/// An exact program with at most this many terms is short enough: no shorter program is searched for.
const MOST_WRITTEN: u64 = 1 << 6;

/// An exact program with at least this many calls per term is short enough, too. A program without tags replaces a
/// longer one only if it is shorter by at least this factor.
const SHORTER: u64 = 4;

/// The wordings other than the default, in the order in which they are tried.
const WORDINGS: [Wording; 3] = [
    Wording {
        has_tags: false,
        is_ordered: true,
    },
    Wording {
        has_tags: true,
        is_ordered: false,
    },
    Wording {
        has_tags: false,
        is_ordered: false,
    },
];

/// The search for the best program of some processes.
pub(super) struct Search<'a> {
    pub processes: &'a Processes<'a>,
    pub is_portable: bool,
    pub progress: &'a Progress,
}

/// A topology and the node of each process in it.
type At = (Topology, Vec<u32>);

impl Search<'_> {
    /// Returns the attempt that reproduces the most calls with the fewest terms.
    ///
    /// Each topology is tried with the default wording first. If the best attempt reproduces all calls between
    /// neighbours, only a shorter program is searched for. If it reproduces at least [`ENOUGH`] of them, its words are
    /// also merged into an exact program, unless the program should be portable. Otherwise the other wordings are
    /// tried on each topology.
    ///
    /// # Errors
    /// Returns an error if there is no topology, a table is missing or damaged, or the work was stopped.
    pub fn best(&self, matches: Vec<Match>, found: &TopologyReport) -> Result<Attempt, TraceError> {
        let places = self.places(matches, found)?;
        let mut best = match self.as_recorded(&places)? {
            Some(exact) if exact.disagreement() == 0 => return self.shortened(exact, &places),
            Some(mut good) if good.coverage() >= ENOUGH => {
                if !self.is_portable {
                    let merged = good.words.clone().merged();
                    keep_better(&mut good, merged);
                }
                return Ok(good);
            }
            other => other,
        };
        let mut tried: Vec<ProcessWords> = best.iter().map(|best| best.words.clone()).collect();
        for wording in WORDINGS {
            for (topology, nodes) in &places {
                let at = (topology.clone(), nodes.clone());
                let words = self.processes.words(wording, at.0, at.1, self.progress)?;
                let Some(words) = words else {
                    continue;
                };
                tried.push(words.clone());
                let attempt = words.woven(self.processes.max_body);
                let best = match &mut best {
                    Some(best) => {
                        keep_better(best, Some(attempt));
                        best
                    }
                    none => none.insert(attempt),
                };
                if best.disagreement() == 0 {
                    return Ok(best.clone());
                }
            }
        }
        let mut best = best.ok_or_else(too_irregular)?;
        if !self.is_portable || best.coverage() < ENOUGH {
            for words in tried {
                self.progress.check()?;
                keep_better(&mut best, words.merged());
            }
        }
        Ok(best)
    }

    /// Returns `best`, which is exact, or a much shorter program that is exact except for tags. Tags that depend on the
    /// process may have prevented loops from being found.
    fn shortened(&self, best: Attempt, places: &[At]) -> Result<Attempt, TraceError> {
        let model = &best.program.model;
        if model.terms() <= MOST_WRITTEN || model.terms() * SHORTER <= model.events {
            return Ok(best);
        }
        let [without_tags, ..] = WORDINGS;
        let most = model.terms() / SHORTER;
        let mut shortest = best;
        for (topology, nodes) in places {
            let at = (topology.clone(), nodes.clone());
            let words = self
                .processes
                .words(without_tags, at.0, at.1, self.progress)?;
            let Some(words) = words else {
                continue;
            };
            let other = words.woven(self.processes.max_body);
            let terms = |attempt: &Attempt| attempt.program.model.terms();
            let is_shorter = terms(&other) <= most && terms(&other) < terms(&shortest);
            if other.wrong() == 0 && is_shorter {
                shortest = other;
            }
        }
        Ok(shortest)
    }

    /// Returns the topologies with the nodes of the processes, the most promising topology first.
    fn places(&self, matches: Vec<Match>, found: &TopologyReport) -> Result<Vec<At>, TraceError> {
        let processes = self.processes;
        let signs = match found.program.whole() {
            Some(whole) => Some((
                whole,
                order::signs(
                    processes.store,
                    &processes.understanding,
                    &processes.places,
                    (&whole.graph, &processes.ranks),
                    &found.sent.exchange,
                )?,
            )),
            None => None,
        };
        let mut places = Vec::new();
        for Match { topology, nodes } in matches {
            let mut signs = signs.iter().flat_map(|(whole, signs)| {
                let signs = signs.iter();
                signs.map(|signs| place(&whole.graph, &topology, &nodes, signs))
            });
            let [by_tags, by_order] = [signs.next().flatten(), signs.next().flatten()];
            drop(signs);
            let rank = match (&by_tags, &by_order) {
                (Some(_), _) => 0,
                (None, Some(_)) => 1,
                (None, None) => 2,
            };
            places.push((rank, topology, by_tags.or(by_order).unwrap_or(nodes)));
        }
        places.sort_by_key(|&(rank, ..)| rank);
        let places = places.into_iter();
        Ok(places
            .map(|(_, topology, nodes)| (topology, nodes))
            .collect())
    }

    /// Returns the best attempt with the default wording, or `None` if the words of the processes are too long.
    fn as_recorded(&self, places: &[At]) -> Result<Option<Attempt>, TraceError> {
        let mut best: Option<Attempt> = None;
        for (topology, nodes) in places {
            let (topology, nodes) = (topology.clone(), nodes.clone());
            let wording = Wording::default();
            let words = self
                .processes
                .words(wording, topology, nodes, self.progress)?;
            let Some(words) = words else {
                continue;
            };
            let attempt = words.woven(self.processes.max_body);
            let rank = |attempt: &Attempt| attempt.wrong() + attempt.program.model.terms();
            if best.as_ref().is_none_or(|best| rank(&attempt) < rank(best)) {
                best = Some(attempt);
            }
            if best.as_ref().is_some_and(|best| best.wrong() == 0) {
                break;
            }
        }
        Ok(best)
    }
}

/// The error for processes whose words are too long in any wording.
fn too_irregular() -> TraceError {
    let most = grouped(LONGEST_WORDS);
    let message = format!(
        "the processes make more than {most} calls and loops of calls together, too many for a logical program"
    );
    TraceError::new(ErrorKind::Usage, message).remedy(Remedy::ShowPatterns)
}

/// Replaces `best` with `other` if the weighted sum of wrong calls and terms is less, unless the program of `other`
/// is hardly shorter than the trace.
fn keep_better(best: &mut Attempt, other: Option<Attempt>) {
    let weight = |attempt: &Attempt| WEIGHT * attempt.wrong() + attempt.program.model.terms();
    let is_short = |attempt: &Attempt| {
        let total = attempt.total();
        let most = (total.reproduced + total.missing) / CALLS_PER_TERM;
        attempt.program.model.terms() <= most.max(MOST_TERMS)
    };
    if let Some(other) = other.filter(|other| is_short(other) && weight(other) < weight(best)) {
        *best = other;
    }
}

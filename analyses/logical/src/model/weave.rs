//! Weaves the words of all processes into one word that contains them.
//!
//! Xu et al. rewrite the trace of one process that has all neighbours. Here, all processes contribute, and none of
//! them needs to have all neighbours: the word of each process is the woven word without the directions in which the
//! process has no neighbour. A letter is emitted when it is the next letter of all processes that it concerns. If
//! there is no such letter, the next letters of all processes are aligned. A letter that only some of these processes
//! execute is restricted to them if they can be distinguished by their neighbours, as at an edge of a mesh; otherwise
//! the majority of the processes that the letter concerns decides.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;
use foldtrace_trace::SymbolId;

use super::Guard;
use super::align::{MOST_APART, Reach, WINDOW, beside, in_step};
use super::guarding::by_neighbours;

/// The word of some processes that execute the same calls.
pub struct Strand<W> {
    /// The word.
    pub word: W,
    /// The number of letters of the word.
    pub length: u64,
    /// The number of processes.
    pub weight: u64,
    /// Whether the node of the processes allows them to execute the letters of each row of symbols.
    pub does: Vec<bool>,
    /// Whether the processes have a neighbour in each direction.
    pub neighbours: Vec<bool>,
}

/// A letter of the woven word, and a guard if only some of the processes that it concerns execute it.
pub type Woven = (SymbolId, Option<Guard>);

struct Thread<W> {
    strand: Strand<W>,
    /// The next letters. The first one is the head; there is always a head unless the word has ended.
    next: VecDeque<SymbolId>,
    taken: u64,
}

impl<W: Iterator<Item = SymbolId>> Thread<W> {
    fn does(&self, letter: SymbolId) -> bool {
        self.strand.does.get(letter.row()) == Some(&true)
    }

    /// Looks ahead at up to `letters` next letters. Returns whether there are more.
    fn look(&mut self, letters: usize) -> bool {
        let missing = letters.saturating_sub(self.next.len());
        self.next.extend(self.strand.word.by_ref().take(missing));
        self.taken + (letters as u64) < self.strand.length
    }

    fn take(&mut self, letters: usize) {
        self.next.drain(..letters);
        self.taken += letters as u64;
        self.look(1);
    }
}

/// A letter of the aligned words, and the threads that contain it.
struct Beside {
    letter: SymbolId,
    threads: Vec<usize>,
}

/// An iterator that weaves the words of strands into one word.
pub struct Weave<W> {
    threads: Vec<Thread<W>>,
    /// The threads, beginning with those that can execute the most letters.
    order: Vec<usize>,
    /// For each letter that is a head, the threads whose head it is.
    heads: HashMap<SymbolId, Vec<usize>, FixedState>,
    /// For each row of letters, the number of threads that can execute them.
    concerns: Vec<usize>,
    /// Letters that are the head of all threads that they concern.
    ready: Vec<SymbolId>,
    /// For each row of letters, the value of `come` when one was last chosen as a ready letter; 0 if none ever was.
    last: Vec<u64>,
    come: u64,
    /// Letters that were decided on by alignment and are yet to be emitted.
    decided: VecDeque<Woven>,
    reach: Reach,
}

impl<W: Iterator<Item = SymbolId>> Weave<W> {
    /// Creates a weave of the words of `strands`, whose alphabet has `letters` rows.
    pub fn new(strands: Vec<Strand<W>>, letters: usize) -> Self {
        let mut concerns = vec![0; letters];
        let threads = strands.into_iter().map(|strand| Thread {
            strand,
            next: VecDeque::new(),
            taken: 0,
        });
        let mut threads: Vec<Thread<W>> = threads.collect();
        for thread in &mut threads {
            thread.look(1);
            for (count, &does) in concerns.iter_mut().zip(&thread.strand.does) {
                *count += usize::from(does);
            }
        }
        let mut order: Vec<usize> = (0..threads.len()).collect();
        order.sort_by_cached_key(|&thread| {
            let Strand { does, weight, .. } = &threads[thread].strand;
            let does = does.iter().filter(|&&does| does).count();
            (Reverse(does), Reverse(*weight))
        });
        let mut weave = Self {
            reach: Reach::new(threads.len()),
            threads,
            order,
            heads: HashMap::default(),
            concerns,
            ready: Vec::new(),
            last: vec![0; letters],
            come: 0,
            decided: VecDeque::new(),
        };
        weave.begin();
        weave
    }

    /// Registers the heads of all threads. No head may be registered.
    fn begin(&mut self) {
        self.ready.clear();
        for thread in 0..self.threads.len() {
            self.arrive(thread);
        }
    }

    /// Registers the new head of a thread.
    fn arrive(&mut self, thread: usize) {
        if let Some(&letter) = self.threads[thread].next.front() {
            let heads = self.heads.entry(letter).or_default();
            heads.push(thread);
            if heads.len() == self.concerns[letter.row()] {
                self.ready.push(letter);
            }
        }
    }

    /// Removes and returns a ready letter. If there are several, the least recent one is chosen, so that letters
    /// without a defined order, such as those of distant leaves of a tree, come in the same order every time.
    fn first_ready(&mut self) -> Option<SymbolId> {
        let ready = self.ready.iter().enumerate();
        let first = ready.min_by_key(|&(_, letter)| (self.last[letter.row()], letter));
        let index = first.map(|(index, _)| index)?;
        let letter = self.ready.swap_remove(index);
        self.come += 1;
        self.last[letter.row()] = self.come;
        Some(letter)
    }

    /// Aligns the next letters of all threads, and decides on them up to where all threads are in step again.
    fn decide(&mut self) {
        let mut window = WINDOW;
        loop {
            let mut is_all = true;
            for thread in &mut self.threads {
                is_all &= !thread.look(window);
            }
            let letters = self.lay(window);
            let agrees = letters.iter();
            let agrees = agrees.map(|l| l.threads.len() == self.concerns[l.letter.row()]);
            let end = in_step(agrees);
            let is_apart = letters.len() > MOST_APART * window;
            if end.is_some() || is_all || is_apart || !self.reach.exceeds(window) {
                self.reach.adapt(end.is_some());
                return self.commit(&letters[..end.unwrap_or(letters.len())]);
            }
            window *= 4;
        }
    }

    /// Aligns the next letters of all threads, at most `window` of each, beginning with the threads that can execute the most
    /// letters.
    fn lay(&self, window: usize) -> Vec<Beside> {
        let mut all: Vec<Beside> = Vec::new();
        for (index, &thread) in self.order.iter().enumerate() {
            let own = &self.threads[thread];
            let before = &self.order[..index];
            let is_known =
                |letter: SymbolId| before.iter().any(|&it| self.threads[it].does(letter));
            let (there, letters): (Vec<usize>, Vec<SymbolId>) = all
                .iter()
                .enumerate()
                .filter(|(_, beside)| own.does(beside.letter))
                .map(|(index, beside)| (index, beside.letter))
                .unzip();
            let mut mine = Vec::new();
            let shared = own.next.iter().take(window).enumerate();
            let shared = shared.filter(|&(_, &letter)| is_known(letter));
            let (here, own_letters): (Vec<usize>, Vec<SymbolId>) = shared.unzip();
            for (one, other) in beside(&letters, &own_letters) {
                mine.push((one.map(|i| there[i]), other.map(|i| here[i])));
            }
            all = joined(all, own.next.iter().take(window).copied(), &mine, thread);
        }
        all
    }

    /// Emits those of the aligned letters that all threads contain, that a guard on neighbours can restrict to their
    /// threads, or that the majority contains. All threads continue after these letters.
    fn commit(&mut self, letters: &[Beside]) {
        let mut taken = vec![0; self.threads.len()];
        for beside in letters {
            let weight = |thread: &usize| self.threads[*thread].strand.weight;
            let votes: u64 = beside.threads.iter().map(weight).sum();
            let all = 0..self.threads.len();
            let all: Vec<usize> = all
                .filter(|&thread| self.threads[thread].does(beside.letter))
                .collect();
            let neighbours = |thread: usize| &*self.threads[thread].strand.neighbours;
            let guard = by_neighbours(&all, |thread| beside.threads.contains(&thread), neighbours);
            if guard.is_some() || 2 * votes >= all.iter().map(weight).sum() {
                self.decided.push_back((beside.letter, guard));
            }
            for &thread in &beside.threads {
                taken[thread] += 1;
            }
        }
        for (thread, taken) in self.threads.iter_mut().zip(taken) {
            if let Some(head) = thread.next.front() {
                self.heads.remove(head);
            }
            thread.take(taken);
        }
        self.begin();
    }
}

/// Returns `all` with the letters of one more thread. `pairs` aligns the indices of `all` with those of the thread,
/// in order. A letter of the thread that is in no pair comes after its predecessor in the thread.
fn joined(
    all: Vec<Beside>,
    own: impl Iterator<Item = SymbolId>,
    pairs: &[(Option<usize>, Option<usize>)],
    thread: usize,
) -> Vec<Beside> {
    let mut together = Vec::with_capacity(all.len());
    let mut all = all.into_iter().enumerate().peekable();
    let mut own = own.enumerate().peekable();
    let alone = |letter| Beside {
        letter,
        threads: vec![thread],
    };
    for &(there, here) in pairs {
        if let Some(here) = here {
            while let Some((_, letter)) = own.next_if(|&(index, _)| index < here) {
                together.push(alone(letter));
            }
        }
        if let Some(there) = there {
            while let Some((_, beside)) = all.next_if(|&(index, _)| index < there) {
                together.push(beside);
            }
        }
        let mine = here.and_then(|_| own.next());
        match (there.and_then(|_| all.next()), mine) {
            (Some((_, mut beside)), mine) => {
                beside.threads.extend(mine.map(|_| thread));
                together.push(beside);
            }
            (None, Some((_, letter))) => together.push(alone(letter)),
            (None, None) => (),
        }
    }
    together.extend(own.map(|(_, letter)| alone(letter)));
    together.extend(all.map(|(_, beside)| beside));
    together
}

impl<W: Iterator<Item = SymbolId>> Iterator for Weave<W> {
    type Item = Woven;

    fn next(&mut self) -> Option<Woven> {
        loop {
            if let Some(woven) = self.decided.pop_front() {
                return Some(woven);
            }
            if let Some(letter) = self.first_ready() {
                for thread in self.heads.remove(&letter).unwrap_or_default() {
                    self.threads[thread].take(1);
                    self.arrive(thread);
                }
                return Some((letter, None));
            }
            if self.threads.iter().all(|thread| thread.next.is_empty()) {
                return None;
            }
            self.decide();
        }
    }
}

//! One word of which the words of all processes are parts.
//!
//! Xu et al. rewrite the trace of one process that has all neighbours. Here all processes have a say, and
//! none has to have all neighbours, as none has at the edge of everything: the word is woven of the words of
//! all, so that each is what is left of it without the directions in which a process has no neighbour. A
//! letter is next when it is for all whom it concerns. Where that leads nowhere, the next letters of all are
//! laid beside each other. What only some do is done by them alone if having a neighbour tells them from the
//! others, as it does at an edge; otherwise the majority of those whom a letter concerns decides.

use std::collections::VecDeque;

use foldtrace_trace::SymbolId;

use super::Guard;
use super::align::{WIDEST, WINDOW, beside, in_step};
use super::guarding::by_neighbours;

/// The word of some processes that do the same.
pub struct Strand<W> {
    /// The word.
    pub word: W,
    /// Its letters.
    pub length: u64,
    /// How many processes these are.
    pub weight: u64,
    /// Whether they do a letter by their place alone, by the number of its symbol.
    pub does: Vec<bool>,
    /// Whether they have a neighbour in a direction.
    pub neighbours: Vec<bool>,
}

/// The next letter of the word of all, and who does it if not all whom it concerns do.
pub type Woven = (SymbolId, Option<Guard>);

struct Thread<W> {
    strand: Strand<W>,
    /// The next letters; the first is the head, and there is one unless the word is over.
    next: VecDeque<SymbolId>,
    taken: u64,
}

impl<W: Iterator<Item = SymbolId>> Thread<W> {
    fn does(&self, letter: SymbolId) -> bool {
        self.strand.does.get(letter.index()) == Some(&true)
    }

    /// Looks at up to so many next letters; whether there are more.
    fn look(&mut self, letters: usize) -> bool {
        let missing = letters.saturating_sub(self.next.len());
        self.next.extend(self.strand.word.by_ref().take(missing));
        self.taken + (self.next.len() as u64) < self.strand.length
    }

    fn take(&mut self, letters: usize) {
        self.next.drain(..letters);
        self.taken += letters as u64;
        self.look(1);
    }
}

/// A letter of words that stand beside each other, and the threads that have it.
struct Beside {
    letter: SymbolId,
    threads: Vec<usize>,
}

/// Weaves one word.
pub struct Weave<W> {
    threads: Vec<Thread<W>>,
    /// The threads whose head is a letter, by the letter.
    heads: Vec<Vec<usize>>,
    /// How many threads do a letter.
    concerns: Vec<usize>,
    /// Letters that are the head of all whom they concern.
    ready: Vec<SymbolId>,
    /// When each letter came last: how many had come before.
    last: Vec<u64>,
    come: u64,
    /// What was decided by majority.
    decided: VecDeque<Woven>,
}

impl<W: Iterator<Item = SymbolId>> Weave<W> {
    /// The words of `strands`, of an alphabet of so many letters.
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
        let mut weave = Self {
            threads,
            heads: vec![Vec::new(); letters],
            concerns,
            ready: Vec::new(),
            last: vec![0; letters],
            come: 0,
            decided: VecDeque::new(),
        };
        weave.begin();
        weave
    }

    fn begin(&mut self) {
        self.heads.iter_mut().for_each(Vec::clear);
        self.ready.clear();
        for thread in 0..self.threads.len() {
            self.arrive(thread);
        }
    }

    /// A thread has a new head.
    fn arrive(&mut self, thread: usize) {
        if let Some(&letter) = self.threads[thread].next.front() {
            let heads = &mut self.heads[letter.index()];
            heads.push(thread);
            if heads.len() == self.concerns[letter.index()] {
                self.ready.push(letter);
            }
        }
    }

    /// The letter that is ready, of several the one that has not come for the longest time: so what has no order, as
    /// the ends of a tree that never meet, comes in the same order again and again.
    fn first_ready(&mut self) -> Option<SymbolId> {
        let ready = self.ready.iter().enumerate();
        let first = ready.min_by_key(|&(_, letter)| (self.last[letter.index()], letter.0));
        let index = first.map(|(index, _)| index)?;
        let letter = self.ready.swap_remove(index);
        self.come += 1;
        self.last[letter.index()] = self.come;
        Some(letter)
    }

    /// Lays the next letters beside each other, and decides up to where all are in step again.
    fn decide(&mut self) {
        let mut window = WINDOW;
        loop {
            let mut is_all = true;
            for thread in &mut self.threads {
                is_all &= !thread.look(window);
            }
            let letters = self.lay();
            let agrees = letters.iter();
            let agrees = agrees.map(|l| l.threads.len() == self.concerns[l.letter.index()]);
            let end = in_step(agrees);
            if end.is_some() || is_all || window >= WIDEST {
                return self.commit(&letters[..end.unwrap_or(letters.len())]);
            }
            window *= 4;
        }
    }

    /// The next letters of all threads beside each other; those who do most begin.
    fn lay(&self) -> Vec<Beside> {
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        order.sort_by_key(|&thread| {
            let strand = &self.threads[thread].strand;
            let does = strand.does.iter().filter(|&&does| does).count();
            (usize::MAX - does, u64::MAX - strand.weight)
        });
        let mut all: Vec<Beside> = Vec::new();
        let mut known = vec![false; self.concerns.len()];
        for thread in order {
            let own = &self.threads[thread];
            let (there, letters): (Vec<usize>, Vec<SymbolId>) = all
                .iter()
                .enumerate()
                .filter(|(_, beside)| own.does(beside.letter))
                .map(|(index, beside)| (index, beside.letter))
                .unzip();
            let mut mine = Vec::new();
            let shared = own.next.iter().enumerate();
            let shared = shared.filter(|(_, letter)| known[letter.index()]);
            let (here, own_letters): (Vec<usize>, Vec<SymbolId>) = shared.unzip();
            for (one, other) in beside(&letters, &own_letters) {
                mine.push((one.map(|i| there[i]), other.map(|i| here[i])));
            }
            all = joined(all, own.next.iter().copied(), &mine, thread);
            for (known, &does) in known.iter_mut().zip(&own.strand.does) {
                *known |= does;
            }
        }
        all
    }

    /// What all have of these letters comes next, or those who are told apart by a neighbour, or the majority;
    /// all threads go on behind them.
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
            thread.take(taken);
        }
        self.begin();
    }
}

/// `all` with the letters of one more thread, where `pairs` says which of its letters are which of `all`, in
/// order; those that are in no pair come in behind what they stood behind.
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
                for thread in std::mem::take(&mut self.heads[letter.index()]) {
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

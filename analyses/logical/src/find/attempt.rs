//! Builds one candidate for the logical program of a store, for one mapping of its processes to nodes of a topology.

use std::sync::Arc;

use foldtrace_fold::DEFAULT_MAX_BODY;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_topology::recognition::Topology;
use foldtrace_trace::{LocationId, Position, SymbolId, TraceError};
use rayon::prelude::*;

use super::meanings::{MainLocation, Meanings, Understanding};
use crate::model::{
    Agreement, Alphabet, Budget, Folding, Meaning, Own, Word, Wording, compare, merge, unite,
};

/// The maximum number of terms that the words of all processes may have together. No program that makes sense of more
/// would be short. Each takes about 100 bytes.
pub(super) const LONGEST_WORDS: u64 = 1_000_000;

/// The properties of processes that do not depend on their nodes in a topology.
pub(super) struct Processes<'a> {
    pub store: &'a StoreReader,
    pub understanding: Understanding<'a>,
    pub ranks: Vec<u64>,
    pub places: Vec<MainLocation>,
    pub max_body: Option<usize>,
}

/// The calls of a process.
struct Done {
    own: Own,
    /// The number of calls whose peer is not a neighbour in the topology.
    outside: u64,
    /// The communicators that do not contain all processes.
    communicators: Vec<u64>,
}

/// The words of all processes, for one mapping of the processes to nodes of a topology.
#[derive(Clone)]
pub(super) struct ProcessWords {
    wording: Wording,
    topology: Topology,
    nodes: Vec<u32>,
    done: Arc<[Done]>,
}

/// The result of an attempt.
#[derive(Clone)]
pub(super) struct Attempt {
    /// The words that the program was made of.
    pub words: ProcessWords,
    pub topology: Topology,
    pub nodes: Vec<u32>,
    pub wording: Wording,
    /// The program, as a model of its letters.
    pub program: Own,
    /// The number of different programs that it was made of.
    pub parts: usize,
    /// For each process, how its calls and those of the program agree.
    pub agreement: Vec<Agreement>,
    /// For each process, the number of calls whose peer is not a neighbour in the topology.
    pub outside: Vec<u64>,
    /// For each process, the communicators that it uses and that do not contain all processes.
    pub communicators: Vec<Vec<u64>>,
}

impl Attempt {
    /// Returns the sum of the agreements of all processes.
    pub fn total(&self) -> Agreement {
        let agreement = self.agreement.iter().copied();
        agreement.fold(Agreement::default(), Agreement::with)
    }

    /// Counts the calls that the program does not reproduce, with or without a neighbour as their peer, and the calls
    /// it has in excess.
    pub fn wrong(&self) -> u64 {
        self.disagreement() + self.outside.iter().sum::<u64>()
    }

    /// Counts the calls between neighbours that the program does not reproduce, and the calls it has in excess.
    pub fn disagreement(&self) -> u64 {
        let total = self.total();
        total.missing + total.added
    }

    /// Returns the share of calls between neighbours that are both in the trace and in the program, out of those
    /// that are in either.
    pub fn coverage(&self) -> f64 {
        let reproduced = self.total().reproduced;
        let all = reproduced + self.disagreement();
        reproduced as f64 / all.max(1) as f64
    }
}

impl ProcessWords {
    /// Weaves all words into one program. Where words differ, the majority decides.
    pub fn woven(self, max_body: Option<usize>) -> Attempt {
        let (program, parts) = unite(self.own(), &self.topology, max_body);
        let topology = self.topology.clone();
        self.attempt(program, topology, parts)
    }

    /// Merges all words into one program that is exact for each of them: guards restrict calls to the processes
    /// that execute them. Returns `None` if the words have too little in common.
    pub fn merged(self) -> Option<Attempt> {
        let (program, topology, parts) = merge(self.own(), self.topology.clone())?;
        Some(self.attempt(program, topology, parts))
    }

    fn own(&self) -> Vec<(Own, u32)> {
        let own = self.done.iter().map(|done| done.own.clone());
        own.zip(self.nodes.iter().copied()).collect()
    }

    /// Compares a program with the words of all processes.
    fn attempt(self, program: Own, topology: Topology, parts: usize) -> Attempt {
        let text = program.alphabet.program(&program.model);
        let own = self.done.iter().map(|done| &done.own);
        let own = own.zip(self.nodes.iter().copied());
        let agreement = compare(&text, &topology, own);
        let done = self.done.iter();
        Attempt {
            agreement,
            outside: done.clone().map(|done| done.outside).collect(),
            communicators: done.map(|done| done.communicators.clone()).collect(),
            nodes: self.nodes.clone(),
            wording: self.wording,
            words: self,
            topology,
            program,
            parts,
        }
    }
}

impl Processes<'_> {
    /// Reads the words of all processes, each at its node in `nodes`. Returns `None` if they have more than
    /// [`LONGEST_WORDS`] terms together.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or if the work was stopped.
    pub fn words(
        &self,
        wording: Wording,
        topology: Topology,
        nodes: Vec<u32>,
        progress: &Progress,
    ) -> Result<Option<ProcessWords>, TraceError> {
        let budget = Budget::new(LONGEST_WORDS);
        let processes = 0..self.ranks.len() as u32;
        let done = processes.into_par_iter();
        let at = (&topology, &*nodes);
        let done = done.map(|process| self.word(wording, at, process, &budget, progress));
        let done: Option<Vec<Done>> = done.collect::<Result<_, TraceError>>()?;
        Ok(done.map(|done| ProcessWords {
            wording,
            topology,
            nodes,
            done: done.into(),
        }))
    }

    /// Passes the symbols of all events of a location to `take`.
    pub(super) fn for_each_symbol(
        &self,
        location: LocationId,
        progress: &Progress,
        mut take: impl FnMut(SymbolId),
    ) -> Result<(), TraceError> {
        let mut events = self.store.events(location, Position(0));
        let mut symbols = Vec::new();
        loop {
            progress.check()?;
            events.next_symbols(&mut symbols)?;
            progress.count(symbols.len());
            if symbols.is_empty() {
                return Ok(());
            }
            symbols.iter().copied().for_each(&mut take);
        }
    }

    /// Reads the word of one process. Returns `None` if the budget is spent.
    fn word(
        &self,
        wording: Wording,
        at: (&Topology, &[u32]),
        process: u32,
        budget: &Budget,
        progress: &Progress,
    ) -> Result<Option<Done>, TraceError> {
        let rank = self.ranks[process as usize];
        let place = self.places[process as usize];
        let mut meanings = Meanings::new(&self.understanding, wording, at, (process, rank));
        let max_body = self.max_body.unwrap_or(DEFAULT_MAX_BODY);
        let mut folding = Folding::new(Alphabet::new(at.0), max_body).within(budget);
        let mut word = Word::new(wording);
        let mut outside = place.elsewhere;
        if let Some(location) = place.location {
            self.for_each_symbol(location, progress, |symbol| {
                let meaning = meanings.meaning(symbol);
                outside += u64::from(meaning == Meaning::Outside);
                word.take(meaning, (), &mut |letter, ()| folding.take(letter));
            })?;
        }
        word.finish(&mut |letter, ()| folding.take(letter));
        let own = folding.finish_within();
        Ok(own.map(|own| Done {
            own,
            outside,
            communicators: meanings.into_communicators(),
        }))
    }
}

//! One attempt: the logical program of a store, with its processes at certain nodes of a topology.

use foldtrace_trace::{Position, TraceError};
use rayon::prelude::*;

use super::meanings::{Meanings, Place, Understanding};
use crate::analysis::logical::{
    Agreement, Alphabet, Folding, Follow, Instances, Meaning, Own, Word, unite,
};
use crate::analysis::topology::Topology;
use crate::fold::DEFAULT_MAX_BODY;
use crate::read::Progress;
use crate::store::StoreReader;

/// What is known of processes before they are at any node.
pub(super) struct Processes<'a> {
    pub store: &'a StoreReader,
    pub understanding: Understanding<'a>,
    pub ranks: Vec<u64>,
    pub places: Vec<Place>,
    pub max_body: Option<usize>,
}

/// What a process does.
struct Done {
    own: Own,
    /// Calls that concern somebody who is no neighbour.
    outside: u64,
    /// Communicators of some processes.
    communicators: Vec<u64>,
}

/// What came of an attempt.
pub(super) struct Attempt {
    pub topology: Topology,
    pub nodes: Vec<u32>,
    /// The program, as a model of its letters.
    pub program: Own,
    /// How many different programs it was made of.
    pub parts: usize,
    /// For each process, how its calls and those of the program agree.
    pub agreement: Vec<Agreement>,
    /// For each process, calls that concern somebody who is no neighbour.
    pub outside: Vec<u64>,
    /// For each process, the communicators of some processes that it uses.
    pub communicators: Vec<Vec<u64>>,
}

impl Attempt {
    /// What all agree on.
    pub fn total(&self) -> Agreement {
        let agreement = self.agreement.iter().copied();
        agreement.fold(Agreement::default(), Agreement::with)
    }

    /// Calls that the program does not reproduce, or that it has in excess.
    pub fn wrong(&self) -> u64 {
        let total = self.total();
        total.missing + total.added + self.outside.iter().sum::<u64>()
    }
}

impl Processes<'_> {
    /// The program with processes at these nodes.
    ///
    /// # Errors
    /// If a table is missing or damaged, or the work was stopped.
    pub fn attempt(
        &self,
        topology: Topology,
        nodes: Vec<u32>,
        progress: &Progress,
    ) -> Result<Attempt, TraceError> {
        let processes = 0..self.ranks.len() as u32;
        let done = processes.into_par_iter();
        let done = done.map(|process| self.read(&topology, &nodes, process, progress));
        let done: Vec<Done> = done.collect::<Result<_, _>>()?;
        let outside = done.iter().map(|done| done.outside).collect();
        let communicators = done.iter().map(|done| done.communicators.clone()).collect();
        let own: Vec<Own> = done.into_iter().map(|done| done.own).collect();
        let at = own.iter().cloned().zip(nodes.iter().copied());
        let (program, parts) = unite(at.collect(), &topology, self.max_body);
        let text = program.alphabet.program(&program.model);
        let agreement = own.par_iter().zip(&nodes).map(|(own, &node)| {
            let mut follow = Follow::new(Instances::new(&text, &topology, node));
            for symbol in own.model.expand(own.alphabet.symbols()) {
                if let Some(letter) = own.alphabet.letter(symbol) {
                    follow.take(letter, (), &mut |_, ()| ());
                }
            }
            follow.finish(&mut |_, ()| ())
        });
        let agreement = agreement.collect();
        Ok(Attempt {
            topology,
            nodes,
            program,
            parts,
            agreement,
            outside,
            communicators,
        })
    }

    /// What a process does, in words of the topology.
    fn read(
        &self,
        topology: &Topology,
        nodes: &[u32],
        process: u32,
        progress: &Progress,
    ) -> Result<Done, TraceError> {
        let rank = self.ranks[process as usize];
        let place = self.places[process as usize];
        let mut meanings = Meanings::new(&self.understanding, topology, nodes, process, rank);
        let max_body = self.max_body.unwrap_or(DEFAULT_MAX_BODY);
        let mut folding = Folding::new(Alphabet::new(topology), max_body);
        let mut word = Word::default();
        let mut outside = place.elsewhere;
        if let Some(location) = place.location {
            let mut events = self.store.events(location, Position(0));
            let mut symbols = Vec::new();
            loop {
                progress.check()?;
                events.next_symbols(&mut symbols)?;
                progress.count(symbols.len());
                if symbols.is_empty() {
                    break;
                }
                for &symbol in &symbols {
                    let meaning = meanings.of(symbol);
                    outside += u64::from(meaning == Meaning::Outside);
                    word.take(meaning, (), &mut |letter, ()| folding.take(letter));
                }
            }
        }
        word.finish(&mut |letter, ()| folding.take(letter));
        Ok(Done {
            own: folding.finish(),
            outside,
            communicators: meanings.into_communicators(),
        })
    }
}

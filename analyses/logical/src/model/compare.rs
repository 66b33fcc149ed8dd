//! Compares a program with the words of all processes.
//!
//! Aligning two long words takes time, and most processes of a program do the same. Processes with equal words that
//! execute the same calls of the program are therefore compared together.

use foldtrace_fold::Model;
use foldtrace_topology::recognition::{DirectionId, Topology};
use indexmap::{IndexMap, IndexSet};
use rayon::prelude::*;

use super::{Agreement, Construct, Follow, Guard, Instances, Letters, Own};

/// What the agreement of a process with a program depends on.
#[derive(PartialEq, Eq, Hash)]
struct Alike<'a> {
    letters: Letters,
    model: &'a Model,
    /// Whether the process has a neighbour in each direction.
    neighbours: Vec<bool>,
    /// Whether each guard of the program holds for the process.
    guards: Vec<bool>,
}

/// A process with its word and its node.
#[derive(Clone, Copy)]
struct Process<'a> {
    number: usize,
    own: &'a Own,
    node: u32,
}

/// Returns, for each process, how its word agrees with `program`; `own` contains the word and the node of each process.
#[must_use]
pub fn compare<'a>(
    program: &[Construct],
    topology: &Topology,
    own: impl Iterator<Item = (&'a Own, u32)>,
) -> Vec<Agreement> {
    let mut guards = IndexSet::new();
    collect_guards(program, &mut guards);
    let directions = (0..topology.directions.len() as u32).map(DirectionId);
    let mut alike: IndexMap<Alike<'_>, Vec<Process<'_>>> = IndexMap::new();
    for (number, (own, node)) in own.enumerate() {
        let neighbours = directions.clone();
        let neighbours = neighbours.map(|d| topology.neighbour(node, d).is_some());
        let guards = guards.iter().map(|guard| guard.holds(node, topology));
        let key = Alike {
            letters: own.alphabet.letters(),
            model: &own.model,
            neighbours: neighbours.collect(),
            guards: guards.collect(),
        };
        let process = Process { number, own, node };
        alike.entry(key).or_default().push(process);
    }
    let alike: Vec<_> = alike.into_iter().collect();
    let compared = alike.par_iter().flat_map_iter(|(alike, processes)| {
        let first = processes.first();
        let agreement = first.map(|&process| agreement(process, &alike.letters, program, topology));
        let agreement = agreement.unwrap_or_default();
        processes
            .iter()
            .map(move |process| (process.number, agreement))
    });
    let mut compared: Vec<(usize, Agreement)> = compared.collect();
    compared.sort_unstable_by_key(|&(number, _)| number);
    let compared = compared.into_iter();
    compared.map(|(_, agreement)| agreement).collect()
}

fn agreement(
    process: Process<'_>,
    letters: &Letters,
    program: &[Construct],
    topology: &Topology,
) -> Agreement {
    let Process { own, node, .. } = process;
    let mut follow = Follow::new(Instances::new(program, topology, node));
    for symbol in own.model.expand(own.alphabet.symbols()) {
        if let Some(letter) = letters.get(symbol) {
            follow.take(letter, (), &mut |_, ()| ());
        }
    }
    follow.finish(&mut |_, ()| ())
}

fn collect_guards(program: &[Construct], guards: &mut IndexSet<Guard>) {
    for construct in program {
        match construct {
            Construct::Call(call) => guards.extend(call.guard),
            Construct::Loop(inner) => collect_guards(&inner.body, guards),
        }
    }
}

//! The model of a program to the outside.

mod text;

pub use text::ProgramText;

use foldtrace_trace::{Names, SymbolTable, SymbolText, format_set};

use crate::fold::merge::{Construct, Kind, Member, Process};
use crate::program::Program;

/// A program with what its ids are called.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The program.
    pub program: &'a Program,
    /// What ids are called.
    pub names: &'a Names,
    /// What its symbols are.
    pub symbols: &'a SymbolTable,
}

/// The number of a construct: those of the loops around it and its own, from 1, as in `3.1`.
fn number(path: &[usize]) -> String {
    let parts: Vec<String> = path.iter().map(usize::to_string).collect();
    parts.join(".")
}

impl Words<'_> {
    /// What users call a process.
    #[must_use]
    pub fn process(&self, process: Process) -> String {
        self.names.label(self.program.location(process))
    }

    /// What users call some processes: `0-3,7` where they are ranks.
    pub fn processes(&self, processes: impl Iterator<Item = Process>) -> String {
        let labels: Vec<String> = processes.map(|process| self.process(process)).collect();
        let ranks: Option<Vec<u64>> = labels.iter().map(|label| label.parse().ok()).collect();
        ranks.map_or_else(|| labels.join(","), |ranks| format_set(&ranks))
    }

    /// An event as text.
    fn member(&self, member: &Member) -> SymbolText<'_> {
        let location = self.program.location(member.process);
        SymbolText::new(self.names, location, self.symbols.symbol(member.symbol))
    }

    /// An event or a collective operation as text: `0-15 sync MPI_Barrier 0-15`. Members that are not of
    /// one mind have their own words.
    pub(crate) fn construct(&self, construct: &Construct) -> String {
        match &construct.kind {
            Kind::Event(member) => self.member(member).to_string(),
            Kind::Collective { members, .. } => {
                let mut said: Vec<(String, Vec<Process>)> = Vec::new();
                for member in members.iter() {
                    let text = self.member(member).to_string();
                    let words = text.split_once(' ').map_or("", |(_, words)| words);
                    match said.iter_mut().find(|(same, _)| same == words) {
                        Some((_, processes)) => processes.push(member.process),
                        None => said.push((words.to_owned(), vec![member.process])),
                    }
                }
                let parts = said.into_iter().map(|(words, processes)| {
                    format!("{} {words}", self.processes(processes.into_iter()))
                });
                parts.collect::<Vec<_>>().join(" + ")
            }
            Kind::Loop { count, .. } => format!("loop of {count}"),
        }
    }
}

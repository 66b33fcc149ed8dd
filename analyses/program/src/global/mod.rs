//! The model of a program to the outside.

mod html;
mod json;
pub mod layout;
mod legend;
mod main_loops;
mod replay;
mod spmd;
mod style;
mod svg;
mod text;

pub use html::{Measured, program_html};
pub use json::{ProcessEntry, ProgramLoops, program_json};
pub use main_loops::{MAIN_LOOP_COLUMNS, MainLoopJson, main_loop_rows, main_loops_json};
pub use replay::ReplayedProgram;
pub use spmd::SpmdText;
pub use svg::{Heading, program_svg};
pub use text::ProgramText;

use foldtrace_fold::merge::{Construct, Kind, Member, Process};
use foldtrace_trace::{Names, SymbolId, SymbolTable, SymbolText, format_set};

use crate::Program;
use crate::local::Context;

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

impl<'a> Words<'a> {
    /// The words of a program of a store with these names and symbols.
    #[must_use]
    pub const fn new(program: &'a Program, names: &'a Names, symbols: &'a SymbolTable) -> Self {
        Self {
            program,
            names,
            symbols,
        }
    }

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

    fn context(&self, process: Process) -> Context<'_> {
        Context {
            names: self.names,
            symbols: self.symbols,
            location: self.program.location(process),
        }
    }

    /// An event as text.
    fn member(&self, member: &Member) -> SymbolText<'_> {
        let location = self.program.location(member.process);
        SymbolText::new(self.names, location, self.symbols.symbol(member.symbol))
    }

    /// An event as text that leads back to it.
    fn exact(&self, process: Process, symbol: SymbolId) -> String {
        let text = self.member(&Member { process, symbol });
        SymbolText {
            exact: true,
            ..text
        }
        .to_string()
    }

    /// An event or a collective operation as text: `0-15 sync MPI_Barrier 0-15`. Members that are not of
    /// one mind have their own words.
    #[must_use]
    pub fn construct(&self, construct: &Construct) -> String {
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

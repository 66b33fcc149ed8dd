//! Shows the merged model of a program as text, JSON, pictures and pages, and replays it.

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
pub use json::{
    ChannelJson, ConstructJson, DanglingJson, EndJson, LinkJson, LoopJson, MemberJson, ProcessJson,
    ProgramJson, Side, program_json,
};
pub use main_loops::{MAIN_LOOP_COLUMNS, MainLoopJson, main_loop_rows, main_loops_json};
pub use replay::ReplayedProgram;
pub use spmd::SpmdText;
pub use svg::{Heading, program_svg};
pub use text::ProgramText;

use std::collections::HashMap;

use foldtrace_fold::merge::{Construct, Kind, LoopStep, Member, Process};
use foldtrace_fold::{Step, functions};
use foldtrace_trace::{Names, SymbolId, SymbolTable, SymbolText, format_labels};
use indexmap::IndexMap;

use crate::Program;
use crate::local::Context;

/// A program with the names of everything that it refers to.
#[derive(Clone, Copy, Debug)]
pub struct ProgramLabels<'a> {
    /// The program.
    pub program: &'a Program,
    /// The names of the definitions.
    pub names: &'a Names,
    /// The symbols of its events.
    pub symbols: &'a SymbolTable,
}

/// Formats the number of a construct, such as `3.1`: the numbers of the enclosing loops and its own, from 1.
fn number(path: &[usize]) -> String {
    let parts: Vec<String> = path.iter().map(usize::to_string).collect();
    parts.join(".")
}

impl<'a> ProgramLabels<'a> {
    /// Creates the labels of a program from the names and the symbols of its store.
    #[must_use]
    pub const fn new(program: &'a Program, names: &'a Names, symbols: &'a SymbolTable) -> Self {
        Self {
            program,
            names,
            symbols,
        }
    }

    /// Returns the name of a process as users know it.
    #[must_use]
    pub fn process(&self, process: Process) -> String {
        self.names.label(self.program.location(process))
    }

    /// Returns the names of some processes as users know them, as in `0-3,7` if they are ranks.
    pub fn processes(&self, processes: impl Iterator<Item = Process>) -> String {
        let labels: Vec<String> = processes.map(|process| self.process(process)).collect();
        format_labels(&labels)
    }

    fn context(&self, process: Process) -> Context<'_> {
        Context {
            names: self.names,
            symbols: self.symbols,
            location: self.program.location(process),
        }
    }

    /// Returns an event as text.
    fn member(&self, member: &Member) -> SymbolText<'_> {
        let location = self.program.location(member.process);
        SymbolText::new(self.names, location, self.symbols.symbol(member.symbol))
    }

    /// Returns an event with functions of the indices of the enclosing loops instead of numbers.
    fn event(&self, member: &Member, steps: &[Step]) -> String {
        let text = self.member(member);
        let functions = functions(&text.symbol, steps).into_iter();
        let functions: Vec<(usize, String)> = functions
            .map(|(slot, _, function)| (slot, function.to_string()))
            .collect();
        SymbolText {
            functions: &functions,
            ..text
        }
        .to_string()
    }

    /// Returns an event or a collective operation in `depth` loops as text, such as `0-15 sync MPI_Barrier 0-15`.
    /// Members with different texts are listed separately.
    #[must_use]
    pub fn construct(&self, construct: &Construct, depth: usize) -> String {
        match &construct.kind {
            Kind::Event { member, steps } => {
                self.event(member, &LoopStep::steps(steps, depth as u16))
            }
            Kind::Collective { members, .. } => {
                let mut groups: IndexMap<String, Vec<Process>> = IndexMap::new();
                // Members with the same symbol have the same words, which may name all processes.
                let mut numbers: HashMap<SymbolId, usize> = HashMap::new();
                for member in members.iter() {
                    let number = *numbers.entry(member.symbol).or_insert_with(|| {
                        let text = self.member(member).to_string();
                        let words = text.split_once(' ').map_or("", |(_, words)| words);
                        let group = groups.entry(words.to_owned());
                        let number = group.index();
                        group.or_default();
                        number
                    });
                    groups[number].push(member.process);
                }
                let parts = groups.into_iter().map(|(words, processes)| {
                    format!("{} {words}", self.processes(processes.into_iter()))
                });
                parts.collect::<Vec<_>>().join(" + ")
            }
            Kind::Loop { count, .. } => format!("loop of {count}"),
        }
    }
}

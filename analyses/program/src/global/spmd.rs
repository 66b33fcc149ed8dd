//! Writes the model of a program as text in which processes with the same behaviour share constructs.

use std::fmt::{self, Display};

use foldtrace_fold::merge::{Item, LoopStep, Process, Relation, Shared, Spmd};
use foldtrace_fold::{Step, functions};
use foldtrace_trace::{Operand, Symbol, SymbolText};

use super::ProgramLabels;

/// A model in which processes with the same behaviour share constructs, as text:
///
/// ```text
/// for p in 0-15
///   p send p+1 mod 16 7
/// done
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SpmdText<'a> {
    words: ProgramLabels<'a>,
    model: &'a Spmd,
}

impl<'a> SpmdText<'a> {
    /// Creates the text of `model`, which was made from the program of `words`.
    #[must_use]
    pub const fn new(words: ProgramLabels<'a>, model: &'a Spmd) -> Self {
        Self { words, model }
    }

    fn items(&self, f: &mut fmt::Formatter<'_>, items: &[Item], depth: usize) -> fmt::Result {
        let (indent, loops) = (2 * depth, depth);
        for item in items {
            match item {
                Item::Collective(construct) => {
                    writeln!(
                        f,
                        "{:indent$}{}",
                        "",
                        self.words.construct(construct, depth)
                    )?;
                }
                Item::Loop {
                    count,
                    body,
                    processes,
                    ..
                } => {
                    let processes = self.words.processes(processes.iter().copied());
                    let last = count - 1;
                    writeln!(
                        f,
                        "{:indent$}for i{loops} = 0 to {last} // processes {processes}",
                        ""
                    )?;
                    self.items(f, &body.items, depth + 1)?;
                    writeln!(f, "{:indent$}done", "")?;
                }
                Item::Shared { processes, body } => {
                    let [first, rest @ ..] = &processes[..] else {
                        continue;
                    };
                    if rest.is_empty() {
                        self.shared(f, body, *first, None, indent, loops)?;
                        continue;
                    }
                    let all = self.words.processes(processes.iter().copied());
                    writeln!(f, "{:indent$}for p in {all}", "")?;
                    self.shared(f, body, *first, Some("p"), indent + 2, loops)?;
                    writeln!(f, "{:indent$}done", "")?;
                }
            }
        }
        Ok(())
    }

    /// Writes the constructs of one process, or of several processes that are all called `label`.
    fn shared(
        &self,
        f: &mut fmt::Formatter<'_>,
        body: &[Shared],
        process: Process,
        label: Option<&str>,
        indent: usize,
        loops: usize,
    ) -> fmt::Result {
        for shared in body {
            match shared {
                Shared::Event {
                    symbol,
                    steps,
                    peer,
                } => {
                    let steps = LoopStep::steps(steps, loops as u16);
                    let text = self.event(*symbol, &steps, peer.first().copied(), process, label);
                    writeln!(f, "{:indent$}{text}", "")?;
                }
                Shared::Loop { count, body, .. } => {
                    writeln!(f, "{:indent$}for i{loops} = 0 to {}", "", count - 1)?;
                    self.shared(f, body, process, label, indent + 2, loops + 1)?;
                    writeln!(f, "{:indent$}done", "")?;
                }
            }
        }
        Ok(())
    }

    fn event(
        &self,
        mut symbol: Symbol,
        steps: &[Step],
        peer: Option<Relation>,
        process: Process,
        label: Option<&str>,
    ) -> String {
        let functions = functions(&symbol, steps).into_iter();
        let mut functions: Vec<(usize, String)> = functions
            .map(|(slot, _, function)| (slot, function.to_string()))
            .collect();
        if let (Some(relation), Some(slot)) = (peer, symbol.kind.slot(Operand::Peer)) {
            let location = self.words.program.location(process);
            let own = self.words.names.rank(location).map_or(0, |(rank, _)| rank);
            symbol.operands[slot] = relation.of(own);
            if label.is_some() {
                functions.push((slot, relation.to_string()));
            }
        }
        let location = self.words.program.location(process);
        let text = SymbolText {
            label,
            functions: &functions,
            ..SymbolText::new(self.words.names, location, symbol)
        };
        text.to_string()
    }
}

impl Display for SpmdText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items(f, &self.model.system.items, 0)
    }
}

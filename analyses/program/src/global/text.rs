//! Writes the model of a program as text, in the form of RR-8562, figure 8.

use std::fmt::{self, Display};

use foldtrace_fold::merge::{Construct, Kind, Place, Placed, System};

use super::ProgramLabels;
use crate::Program;

/// The model of a program as text.
#[derive(Clone, Copy, Debug)]
pub struct ProgramText<'a> {
    words: ProgramLabels<'a>,
    has_positions: bool,
}

impl<'a> ProgramText<'a> {
    /// Creates the text of a model. With `has_positions`, it has the numbers of constructs, their positions in the
    /// current iteration of the enclosing loop as `// @{…}`, and the lengths of iterations as `// #{…}`.
    #[must_use]
    pub const fn new(words: ProgramLabels<'a>, has_positions: bool) -> Self {
        Self {
            words,
            has_positions,
        }
    }

    fn program(&self) -> &'a Program {
        self.words.program
    }

    fn system(
        &self,
        f: &mut fmt::Formatter<'_>,
        system: &System,
        placed: Option<&[Placed]>,
        path: &mut Vec<usize>,
    ) -> fmt::Result {
        let indent = 2 * path.len();
        for (index, construct) in system.constructs.iter().enumerate() {
            path.push(index + 1);
            let placed = placed.map(|placed| &placed[index]);
            write!(f, "{:indent$}", "")?;
            match &construct.kind {
                Kind::Loop { count, body } => {
                    write!(f, "for i{} = 0 to {}", path.len() - 1, count - 1)?;
                    self.number(f, path)?;
                    let processes = construct.processes.iter().copied();
                    write!(f, " processes {}", self.words.processes(processes))?;
                    if let Some(placed) = placed {
                        self.values(f, '@', construct, placed, |place| place.position)?;
                        write!(f, "\n{:indent$}  //", "")?;
                        self.values(f, '#', construct, placed, |place| place.iteration)?;
                    }
                    writeln!(f)?;
                    self.system(f, body, placed.map(|placed| &*placed.body), path)?;
                    write!(f, "{:indent$}done", "")?;
                }
                Kind::Event { .. } | Kind::Collective { .. } => {
                    let text = self.words.construct(construct, path.len() - 1);
                    write!(f, "{text}")?;
                    if let Some(placed) = placed {
                        self.number(f, path)?;
                        self.values(f, '@', construct, placed, |place| place.position)?;
                    }
                }
            }
            writeln!(f)?;
            path.pop();
        }
        Ok(())
    }

    fn number(&self, f: &mut fmt::Formatter<'_>, path: &[usize]) -> fmt::Result {
        write!(f, " // [{}]", super::number(path))
    }

    /// Writes a value per process; neighbouring processes with the same value share an entry.
    fn values(
        &self,
        f: &mut fmt::Formatter<'_>,
        sign: char,
        construct: &Construct,
        placed: &Placed,
        value: impl Fn(&Place) -> u64,
    ) -> fmt::Result {
        let pairs: Vec<_> = construct.processes.iter().zip(&placed.places).collect();
        write!(f, " {sign}{{")?;
        let same = pairs.chunk_by(|(p, a), (q, b)| p.0 + 1 == q.0 && value(a) == value(b));
        for (number, same) in same.enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let processes = same.iter().map(|(process, _)| **process);
            let label = self.words.processes(processes);
            write!(f, "{comma}{label}={}", value(same[0].1))?;
        }
        write!(f, "}}")
    }
}

impl Display for ProgramText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = &self.program().model.system;
        let placed = self.has_positions.then(|| system.places());
        self.system(f, system, placed.as_deref(), &mut Vec::new())
    }
}

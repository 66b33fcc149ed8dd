//! Writes loop models as text, in the form of Ketterlin et al. (RR-8562, figures 3 and 8).

use std::fmt::{self, Display};

use foldtrace_fold::{Construct, Layout, Model, Placed, Polynomial};
use foldtrace_trace::{LocationId, Names, SymbolTable, SymbolText};

use super::Context;

/// Options for the text of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Whether to add positions and lengths as comments: `// @{0=671}` after a construct is its position in the
    /// current iteration of the enclosing loop, `// #{0=644}` is the length of an iteration.
    pub positions: bool,
}

/// The model of one location as text.
#[derive(Clone, Copy, Debug)]
pub struct LoopsText<'a> {
    context: Context<'a>,
    model: &'a Model,
    options: TextOptions,
}

impl<'a> LoopsText<'a> {
    /// Creates the text of the model of `location`. `symbols` is the table that the model's symbols refer to.
    #[must_use]
    pub fn new(
        names: &'a Names,
        symbols: &'a SymbolTable,
        location: LocationId,
        model: &'a Model,
        options: TextOptions,
    ) -> Self {
        Self {
            context: Context {
                names,
                symbols,
                location,
            },
            model,
            options,
        }
    }

    fn sequence(
        &self,
        f: &mut fmt::Formatter<'_>,
        constructs: &[Construct],
        placed: Option<&[Placed]>,
        depth: usize,
    ) -> fmt::Result {
        for (i, construct) in constructs.iter().enumerate() {
            let place = placed.map(|placed| &placed[i]);
            let indent = 2 * depth;
            write!(f, "{:indent$}", "")?;
            match construct {
                Construct::Event(event) => {
                    let symbol = self.context.symbols.symbol(event.symbol);
                    let functions: Vec<_> = event
                        .functions(&symbol)
                        .into_iter()
                        .map(|(slot, _, function)| (slot, function.to_string()))
                        .collect();
                    let text = SymbolText::new(self.context.names, self.context.location, symbol);
                    write!(
                        f,
                        "{}",
                        SymbolText {
                            functions: &functions,
                            ..text
                        }
                    )?;
                    self.position(f, place)?;
                }
                Construct::Loop(l) => {
                    let last = l.count.polynomial().add(&Polynomial::constant(-1));
                    write!(f, "for i{depth} = 0 to {last}")?;
                    self.position(f, place)?;
                    if let Some(place) = place {
                        let label = self.context.names.label(self.context.location);
                        writeln!(f, "{:indent$}  // #{{{label}={}}}", "", place.iteration)?;
                    }
                    self.sequence(f, &l.body, place.map(|p| &p.body[..]), depth + 1)?;
                    writeln!(f, "{:indent$}done", "")?;
                }
            }
        }
        Ok(())
    }

    fn position(&self, f: &mut fmt::Formatter<'_>, place: Option<&Placed>) -> fmt::Result {
        match place {
            Some(place) => {
                let label = self.context.names.label(self.context.location);
                writeln!(f, " // @{{{label}={}}}", place.relative)
            }
            None => writeln!(f),
        }
    }
}

impl Display for LoopsText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = self.options.positions.then(|| Layout::new(self.model));
        let placed = layout.as_ref().map(|layout| &layout.constructs[..]);
        self.sequence(f, &self.model.constructs, placed, 0)
    }
}

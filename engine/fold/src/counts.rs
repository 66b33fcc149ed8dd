//! Counts the events of a model by the rows of their symbols, without expanding the model if possible.

use foldtrace_trace::{Operand, RowSums, SymbolTable};

use super::{Construct, EventConstruct, Model};

impl Model {
    /// Returns how often the symbols of each row of `symbols`, the table of the model's symbols, occur in the stream.
    /// If the tag of an event varies in a row for all tags, all its occurrences count for that row.
    #[must_use]
    pub fn counts(&self, symbols: &SymbolTable) -> RowSums {
        let mut counts = RowSums::default();
        match add(&self.constructs, 1, symbols, &mut counts) {
            Ok(()) => counts,
            Err(Varying) => self.expand(symbols).collect(),
        }
    }
}

/// An error: rows or counts in the model vary from iteration to iteration.
struct Varying;

fn add(
    constructs: &[Construct],
    times: u64,
    symbols: &SymbolTable,
    counts: &mut RowSums,
) -> Result<(), Varying> {
    for construct in constructs {
        match construct {
            Construct::Event(event) => {
                if !symbols.contains(event.symbol) || !stays_in_row(event, symbols) {
                    return Err(Varying);
                }
                if times > 0 {
                    counts.add(event.symbol, times);
                }
            }
            Construct::Loop(l) if l.count.steps.is_empty() => {
                let count = u64::try_from(l.count.base).unwrap_or(0);
                add(&l.body, times.saturating_mul(count), symbols, counts)?;
            }
            Construct::Loop(_) => return Err(Varying),
        }
    }
    Ok(())
}

/// Returns whether the symbols of an event are in the same row in all iterations, because at most their tags vary.
fn stays_in_row(event: &EventConstruct, symbols: &SymbolTable) -> bool {
    let varying_tag = match symbols.is_tagged(event.symbol) {
        true => symbols.kind(event.symbol).slot(Operand::Tag),
        false => None,
    };
    let mut steps = event.steps.iter();
    steps.all(|step| Some(usize::from(step.slot)) == varying_tag)
}

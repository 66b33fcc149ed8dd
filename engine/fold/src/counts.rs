//! Counts the events of each symbol of a model, without expanding it if possible.

use foldtrace_trace::{SymbolSums, SymbolTable};

use super::{Construct, Model};

impl Model {
    /// Returns how often each symbol occurs in the stream. `symbols` is the table of the model's symbols.
    #[must_use]
    pub fn counts(&self, symbols: &SymbolTable) -> SymbolSums {
        let mut counts = SymbolSums::default();
        match add(&self.constructs, 1, symbols, &mut counts) {
            Ok(()) => counts,
            Err(Varying) => self.expand(symbols).collect(),
        }
    }
}

/// An error: numbers in the model vary from iteration to iteration.
struct Varying;

fn add(
    constructs: &[Construct],
    times: u64,
    symbols: &SymbolTable,
    counts: &mut SymbolSums,
) -> Result<(), Varying> {
    for construct in constructs {
        match construct {
            Construct::Event(event) => {
                if !symbols.contains(event.symbol) || !event.steps.is_empty() {
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

//! Counts the events of each symbol of a model, without expanding it if possible.

use foldtrace_trace::SymbolTable;

use super::{Construct, Model};

impl Model {
    /// Returns how often each symbol occurs in the stream. `symbols` is the table of the model's symbols.
    #[must_use]
    pub fn counts(&self, symbols: &SymbolTable) -> Vec<u64> {
        let mut counts = vec![0; symbols.len()];
        add(&self.constructs, 1, &mut counts).unwrap_or_else(|Varying| {
            counts.fill(0);
            for symbol in self.expand(symbols) {
                counts[symbol.index()] += 1;
            }
        });
        counts
    }
}

/// An error: numbers in the model vary from iteration to iteration.
struct Varying;

fn add(constructs: &[Construct], times: u64, counts: &mut [u64]) -> Result<(), Varying> {
    for construct in constructs {
        match construct {
            Construct::Event(event) => match counts.get_mut(event.symbol.index()) {
                Some(count) if event.steps.is_empty() => *count = count.saturating_add(times),
                _ => return Err(Varying),
            },
            Construct::Loop(l) if l.count.steps.is_empty() => {
                let count = u64::try_from(l.count.base).unwrap_or(0);
                add(&l.body, times.saturating_mul(count), counts)?;
            }
            Construct::Loop(_) => return Err(Varying),
        }
    }
    Ok(())
}

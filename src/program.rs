//! The global model of a store: the models of its locations, merged along their communication.

mod costs;
pub mod outline;

pub use costs::{Cost, costs};

use foldtrace_trace::{ErrorKind, LocationId, SymbolTable, TraceError};

use crate::analysis::{Census, Wires};
use crate::dag::Meaning;
use crate::fold::merge::{Global, Process};
use crate::fold::{Construct, Model, Selection};
use crate::models;
use crate::store::StoreReader;

/// A program: its processes, how they communicate, and its model.
#[derive(Clone, Debug)]
pub struct Program {
    /// The location that each process of the model is.
    pub locations: Vec<LocationId>,
    /// Which events the model is of.
    pub selection: Selection,
    /// The channels between processes.
    pub wires: Wires,
    /// The model.
    pub model: Global,
}

impl Program {
    /// Merges the models of `locations` of a store.
    ///
    /// # Errors
    /// If a table is missing or damaged.
    pub fn of(
        store: &StoreReader,
        locations: &[LocationId],
        selection: Selection,
        max_body: Option<usize>,
    ) -> Result<Self, TraceError> {
        let symbols = store.symbols();
        let (mut of, mut folded) = (Vec::new(), Vec::new());
        for stored in models::of(store, locations, selection, max_body)? {
            let stored = stored?;
            if stored.model.events > 0 {
                of.push(stored.location);
                folded.push(stored.model);
            }
        }
        let census = of.iter().zip(&folded);
        let census: Census = census
            .map(|(&location, model)| count(location, model, symbols))
            .collect();
        let names = store.names();
        let communicators = Meaning::of(store).communicators(&census);
        let wires = Wires::new(&of, names, &communicators, &census, symbols);
        let model = Global::merge(&folded, &wires.wiring, symbols).ok_or_else(|| {
            let message = "a model has an event that the table of symbols does not have";
            TraceError::new(ErrorKind::Malformed, message)
                .hint("'foldtrace verify' says what is damaged")
        })?;
        Ok(Self {
            locations: of,
            selection,
            wires,
            model,
        })
    }

    /// The location that a process of the model is.
    #[must_use]
    pub fn location(&self, process: Process) -> LocationId {
        let location = self.locations.get(process.index());
        location.copied().unwrap_or_default()
    }
}

/// How often a location has which symbols, as its model says.
fn count(location: LocationId, model: &Model, symbols: &SymbolTable) -> Census {
    let mut counts = vec![0; symbols.len()];
    add(&model.constructs, 1, &mut counts).unwrap_or_else(|Varying| {
        counts.fill(0);
        for symbol in model.expand(symbols) {
            counts[symbol.index()] += 1;
        }
    });
    Census::of(location, &counts, symbols)
}

/// Numbers of the model differ from iteration to iteration.
struct Varying;

fn add(constructs: &[Construct], times: u64, counts: &mut [u64]) -> Result<(), Varying> {
    for construct in constructs {
        match construct {
            Construct::Event(event) => match counts.get_mut(event.symbol.index()) {
                Some(count) if event.steps.is_empty() => *count += times,
                _ => return Err(Varying),
            },
            Construct::Loop(l) if l.count.steps.is_empty() => {
                add(
                    &l.body,
                    times * u64::try_from(l.count.base).unwrap_or(0),
                    counts,
                )?;
            }
            Construct::Loop(_) => return Err(Varying),
        }
    }
    Ok(())
}

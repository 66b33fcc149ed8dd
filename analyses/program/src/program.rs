//! The merged model of a store: the models of its locations, merged along their communication.

use foldtrace_fold::Selection;
use foldtrace_fold::merge::{Global, MergeError, Process, Spmd};
use foldtrace_matching::{Census, Meaning, Wire, Wires};
use foldtrace_store::StoreReader;
use foldtrace_store::models_with;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    Diagnostic, Diagnostics, ErrorKind, LocationId, Names, Position, Remedy, Severity, Symbol,
    SymbolTable, TraceError,
};
use foldtrace_view::units::grouped;
use rayon::prelude::*;

/// A program: its processes, their communication, and its model.
#[derive(Clone, Debug)]
pub struct Program {
    /// The location of each process of the model.
    pub locations: Vec<LocationId>,
    /// The selection of events in the model.
    pub selection: Selection,
    /// The channels between processes.
    pub wires: Wires,
    /// The model.
    pub model: Global,
}

/// How the models of locations are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merging {
    /// The selection of events in the models.
    pub selection: Selection,
    /// The maximum number of terms in the body of a loop; `None` for the models in the store.
    pub max_body: Option<usize>,
    /// The maximum number of events and loops that the models of all locations may have together, after loops are
    /// unrolled whose iterations differ. Each takes about 300 bytes.
    pub max_terms: u64,
}

impl Merging {
    /// The usual value of `max_terms`. Nobody reads a larger model.
    pub const MAX_TERMS: u64 = 1_000_000;

    /// Returns the usual way to merge models of a selection of events.
    #[must_use]
    pub const fn new(selection: Selection) -> Self {
        Self {
            selection,
            max_body: None,
            max_terms: Self::MAX_TERMS,
        }
    }

    fn too_many_terms(&self) -> TraceError {
        let max = grouped(self.max_terms);
        let message = format!(
            "the models of the locations have more than {max} events and loops together, too many to merge"
        );
        TraceError::new(ErrorKind::Usage, message).remedy(Remedy::MaxTerms)
    }
}

impl Program {
    /// Merges the models of `locations` of a store.
    ///
    /// # Errors
    /// If the models have too many terms, a table is missing or damaged, or the work was stopped.
    pub fn from_store(
        store: &StoreReader,
        locations: &[LocationId],
        merging: &Merging,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let symbols = store.symbols();
        let Merging {
            selection,
            max_body,
            max_terms,
        } = *merging;
        let (mut of, mut folded, mut terms) = (Vec::new(), Vec::new(), 0);
        for stored in models_with(store, locations, selection, max_body, progress)? {
            let stored = stored?;
            terms += stored.model.terms();
            if terms > max_terms {
                return Err(merging.too_many_terms());
            }
            if stored.model.events > 0 {
                of.push(stored.location);
                folded.push(stored.model);
            }
        }
        let census = of.iter().zip(&folded);
        let census: Census = census
            .map(|(&location, model)| Census::from_model(location, model, symbols))
            .collect();
        // Loops over channels are unrolled.
        if census.routes(symbols) > max_terms {
            return Err(merging.too_many_terms());
        }
        let names = store.names();
        let communicators = Meaning::new(store).communicators(&census);
        let wires = Wires::new(&of, &folded, names, &communicators, &census, symbols);
        let model = Global::merge(&folded, &wires.wiring, symbols, max_terms);
        let model = model.map_err(|error| match error {
            MergeError::TooManyTerms => merging.too_many_terms(),
            MergeError::MissingSymbol => {
                TraceError::new(ErrorKind::Malformed, error.to_string()).remedy(Remedy::Verify)
            }
        })?;
        Ok(Self {
            locations: of,
            selection,
            wires,
            model,
        })
    }

    /// Returns the model in which processes with the same behaviour, up to their ranks, share constructs. Regions
    /// that differ only in their ids count as the same.
    #[must_use]
    pub fn shared(&self, names: &Names, symbols: &SymbolTable) -> Spmd {
        // A location without a rank is represented by its process number.
        let ranks = (0..).zip(&self.locations);
        let ranks = ranks.map(|(n, &location)| names.rank(location).map_or(n, |(rank, _)| rank));
        let ranks: Vec<u64> = ranks.collect();
        let canonical = symbols.iter().map(|(_, symbol)| names.canonical(symbol));
        let canonical: Vec<Symbol> = canonical.collect();
        Spmd::new(&self.model.system, &ranks, symbols, &canonical)
    }

    /// Reports messages and collective operations whose other end is not in the trace, one case per channel.
    #[must_use]
    pub fn dangling(&self) -> Diagnostics {
        let rank = |rank: Option<u64>| {
            rank.map_or("an unknown process".to_owned(), |rank| {
                format!("rank {rank}")
            })
        };
        let mut diagnostics = Diagnostics::default();
        for (end, count) in self.model.system.open() {
            let message = match self.wires.wire(end.channel()) {
                Some(&Wire::Messages {
                    sender,
                    receiver,
                    tag,
                }) => {
                    let (sender, receiver) = (rank(sender), rank(receiver));
                    let tag = tag.map_or(String::new(), |tag| format!(" with tag {tag}"));
                    let other = if end.is_source() { "receive" } else { "send" };
                    format!("messages from {sender} to {receiver}{tag} have no {other}")
                }
                Some(Wire::Collectives { .. }) | None => {
                    "not all members take part in a collective operation".to_owned()
                }
            };
            let case = Diagnostic::new(Severity::Note, "loops.dangling", message);
            diagnostics.report_many(case, count);
        }
        diagnostics
    }

    /// Returns the processes whose events differ from the expansion of the model, which indicates a bug or damage.
    /// Each process has the first position that differs, counted among the selected events.
    ///
    /// # Errors
    /// If a table is missing or damaged.
    pub fn differences(&self, store: &StoreReader) -> Result<Vec<(LocationId, u64)>, TraceError> {
        let processes: Vec<Process> = self.model.processes().collect();
        let differences = processes.into_par_iter().map(|process| {
            let location = self.location(process);
            let projected = self.model.project(process);
            let mut expected = projected.expand(store.symbols());
            let mut events = store.events(location, Position(0));
            let (mut symbols, mut position) = (Vec::new(), 0);
            loop {
                events.next_symbols(&mut symbols)?;
                if symbols.is_empty() {
                    let is_over = expected.next().is_none() && projected.events == position;
                    return Ok((!is_over).then_some((location, position)));
                }
                symbols.retain(|&symbol| self.selection.contains(store.symbols().kind(symbol)));
                for &symbol in &symbols {
                    if expected.next() != Some(symbol) {
                        return Ok(Some((location, position)));
                    }
                    position += 1;
                }
            }
        });
        let differences: Result<Vec<_>, TraceError> = differences.collect();
        Ok(differences?.into_iter().flatten().collect())
    }

    /// Returns the location of a process of the model.
    #[must_use]
    pub fn location(&self, process: Process) -> LocationId {
        let location = self.locations.get(process.index());
        location.copied().unwrap_or_default()
    }
}

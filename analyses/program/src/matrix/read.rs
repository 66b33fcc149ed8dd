//! Reads the matrix of a whole program from a store, one location at a time.

use foldtrace_fold::Selection;
use foldtrace_matching::{Census, Communicators, Meaning, Measure, ends_of_sends};
use foldtrace_store::{StoreReader, StoredModel, models_with};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, LocationId, Place, Quantity, Remedy, SymbolId, TraceError};
use rayon::prelude::*;

use super::Matrix;

/// The processes that send the messages of a store.
#[derive(Clone, Copy)]
struct Senders<'a> {
    store: &'a StoreReader,
    communicators: &'a Communicators,
}

impl Matrix {
    /// Computes the matrix of all messages sent in a store, including messages that are never received. Returns it with
    /// the locations that communicate, in the order of their ids.
    ///
    /// Messages follow from the loop models, in which each symbol is counted. Bytes are read from the store.
    ///
    /// # Errors
    /// If a table is missing or damaged, or the work was stopped.
    pub fn from_store(
        store: &StoreReader,
        measure: Measure,
        progress: &Progress,
    ) -> Result<(Self, Vec<LocationId>), TraceError> {
        // Ids of the same communicator have the same members, so no census is needed to tell the ids apart.
        let communicators = Meaning::new(store).communicators(&Census::default());
        let senders = Senders {
            store,
            communicators: &communicators,
        };
        let all: Vec<LocationId> = store.locations().collect();
        let mut matrix = Self::default();
        let mut communicating = Vec::new();
        for stored in models_with(store, &all, Selection::Communication, None, progress)? {
            let stored = stored?;
            if stored.model.events > 0 {
                senders.count(&mut matrix, &stored)?;
                communicating.push(stored.location);
            }
        }
        if measure == Measure::Bytes {
            let bytes = communicating.par_iter();
            let bytes = bytes.map(|&location| senders.bytes(location, progress));
            let bytes = bytes.try_reduce(Self::default, |sum, part| Ok(sum.with(part)))?;
            for traffic in matrix.pairs.values_mut() {
                traffic.bytes = Some(0);
            }
            matrix = matrix.with(bytes);
        }
        Ok((matrix, communicating))
    }

    /// Returns the sum of two matrices.
    fn with(mut self, other: Self) -> Self {
        for (pair, traffic) in other.pairs {
            *self.pairs.entry(pair).or_default() += traffic;
        }
        self
    }
}

impl Senders<'_> {
    /// Adds the messages that a location sends according to its model.
    fn count(self, matrix: &mut Matrix, stored: &StoredModel) -> Result<(), TraceError> {
        let counts = stored.model.counts(self.store.symbols()).sorted();
        let events = counts.iter().map(|&(_, count)| count);
        if events.fold(0, u64::saturating_add) != stored.model.events {
            let message = "a model has other events than it states";
            return Err(TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(self.store.path()).location(stored.location))
                .remedy(Remedy::Verify));
        }
        for (id, count) in counts {
            if let Some(pair) = self.pair(stored.location, id) {
                let messages = &mut matrix.pairs.entry(pair).or_default().messages;
                *messages = messages.saturating_add(count);
            }
        }
        Ok(())
    }

    /// Returns the bytes that a location sends.
    fn bytes(self, location: LocationId, progress: &Progress) -> Result<Matrix, TraceError> {
        let totals = self.store.totals(location, Quantity::Bytes, |events| {
            progress.count(events as usize);
            progress.check()
        })?;
        let mut matrix = Matrix::default();
        for (id, total) in totals {
            if let Some(pair) = self.pair(location, id) {
                let bytes = &mut matrix.pairs.entry(pair).or_default().bytes;
                *bytes = Some(bytes.unwrap_or(0).saturating_add(total));
            }
        }
        Ok(matrix)
    }

    /// Returns the sender and the receiver of the messages that a location sends with a symbol.
    fn pair(self, location: LocationId, id: SymbolId) -> Option<(Option<u64>, Option<u64>)> {
        let own = self.store.names().rank(location).map(|(rank, _)| rank);
        let symbol = self.store.symbols().symbol(id);
        ends_of_sends(&symbol, own, self.communicators)
    }
}

//! The communication of a store, and the stages of its run.

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, Timestamp, TraceError, TraceReader};

use super::{Communication, Stages};
use crate::{Census, CollectiveCalls, Communicators, Regions};

/// How a run is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Not at all.
    Whole,
    /// Into stages of at least this number of events each; without a number, of as many as make dividing worth the effort.
    Stages(Option<u64>),
}

/// The communication of a store, and the stages of its run.
#[derive(Clone, Debug)]
pub struct StagedRun {
    /// The regions.
    pub regions: Regions,
    /// The communicators.
    pub communicators: Communicators,
    /// The counts of its events.
    pub census: Census,
    /// The calls that are collective operations without events of their own.
    pub calls: CollectiveCalls,
    /// The stages.
    pub stages: Stages,
}

impl StagedRun {
    /// Returns the run of a store. `correct` corrects times as [`CollectiveCalls::from_store`] needs it.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn of_store(
        store: &StoreReader,
        correct: impl Fn(LocationId, Position, &mut [Timestamp]) + Sync,
        division: Division,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let (definitions, names, symbols) = (store.definitions(), store.names(), store.symbols());
        let census = Census::from_store(store, progress)?;
        let mut run = Self {
            regions: Regions::new(definitions, names, symbols),
            communicators: Communicators::new(definitions, names, &census, symbols),
            calls: CollectiveCalls::from_store(store, &census, correct, progress)?,
            census,
            stages: Stages::default(),
        };
        run.stages = match division {
            Division::Whole => Stages::whole(run.communication()),
            Division::Stages(least) => {
                Stages::of_store(store, run.communication(), least, progress)?
            }
        };
        Ok(run)
    }

    /// Returns the communication.
    #[must_use]
    pub const fn communication(&self) -> Communication<'_> {
        Communication {
            regions: &self.regions,
            communicators: &self.communicators,
            census: &self.census,
            calls: &self.calls,
        }
    }
}

//! Hardware counters outside of MPI, for the scaling of instructions and of instructions per cycle.

use foldtrace_matching::Paradigm;
use foldtrace_profile::{MetricSum, Options, Profile};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{EventKind, LocationId, TraceError};

/// The names of the counter of instructions, and of that of cycles.
const INSTRUCTIONS: [&str; 3] = ["PAPI_TOT_INS", "perf::INSTRUCTIONS", "instructions"];
const CYCLES: [&str; 3] = ["PAPI_TOT_CYC", "perf::CYCLES", "cycles"];

/// What the counters of all processes have counted outside of MPI; `None` for a counter that the trace does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// The number of instructions.
    pub instructions: Option<f64>,
    /// The number of cycles.
    pub cycles: Option<f64>,
}

impl Counters {
    /// Sums the counters of some locations of a store.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn from_store(
        store: &StoreReader,
        locations: &[LocationId],
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let mut symbols = store.symbols().iter();
        if !symbols.any(|(_, symbol)| symbol.kind == EventKind::Metric) {
            return Ok(Self::default());
        }
        let profile = foldtrace_profile::find(store, locations, Options::default(), progress)?;
        Ok(Self {
            instructions: counted(&profile, &INSTRUCTIONS),
            cycles: counted(&profile, &CYCLES),
        })
    }

    /// Returns the number of instructions per cycle.
    #[must_use]
    pub fn per_cycle(&self) -> Option<f64> {
        let (instructions, cycles) = self.instructions.zip(self.cycles)?;
        (cycles > 0.0).then_some(instructions / cycles)
    }
}

/// Returns what the counter with one of some names has counted outside of MPI.
fn counted(profile: &Profile, names: &[&str]) -> Option<f64> {
    let is_named = |name: &str| names.contains(&name);
    let metric = (profile.metrics.iter()).position(|metric| is_named(&metric.name))?;
    let sums = profile.locations.iter().flat_map(|it| &it.metrics);
    let is_useful = |sum: &&MetricSum| {
        let region = sum.region;
        region.is_none_or(|region| profile.paradigm(region) != Paradigm::Mpi)
    };
    let sums = sums.filter(|sum| sum.metric.0 as usize == metric);
    Some(sums.filter(is_useful).map(|sum| sum.exclusive).sum())
}

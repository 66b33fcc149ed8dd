//! What a page shows at once: the locations, the regions, and the timeline of a run.

use std::path::Path;

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{DefinitionKind, LocationId, Names, TraceError};
use serde::Serialize;

use crate::clock::PageClock;
use crate::pack::Columns;
use crate::timeline::Levels;

/// The basis of a page.
#[derive(Debug)]
pub(crate) struct Basis {
    pub clock: PageClock,
    pub head: BasisHead,
}

/// The basis without its columns.
#[derive(Debug, Serialize)]
pub(crate) struct BasisHead {
    /// The length of the run in nanoseconds.
    pub span: f64,
    pub regions: Vec<String>,
    locations: Vec<Location>,
    /// The nanoseconds of a bucket of each level of the timeline, the finest level first.
    widths: Vec<f64>,
}

/// A location of the page.
#[derive(Debug, Serialize)]
struct Location {
    /// The name on the command line.
    label: String,
    /// The name in the trace; empty if it has none.
    name: String,
}

impl Basis {
    /// Creates the basis of a page, and adds its columns. A timeline that the store does not have is derived in the folder
    /// `temporary`; a `fine` one is always derived.
    ///
    /// # Errors
    /// Returns an error if the store is damaged, a table cannot be written, or the work was stopped.
    pub fn of(
        store: &StoreReader,
        fine: bool,
        temporary: &Path,
        columns: &mut Columns,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let levels = Levels::of(store, fine, temporary, progress)?;
        let clock = PageClock::new(store, levels.origin());
        let span = store.time_span()?.unwrap_or_else(|| levels.span());
        let names = store.names();
        let locations = store.locations().map(|id| Location::new(id, names));
        let locations: Vec<Location> = locations.collect();
        levels.pack(locations.len(), clock.tick, columns);
        let widths = levels.widths().map(|width| width as f64 * clock.tick);
        Ok(Self {
            clock,
            head: BasisHead {
                // The run contains its last tick, in which calls may begin.
                span: clock.time(span.1.0) + clock.tick,
                locations,
                widths: widths.collect(),
                regions: levels.regions,
            },
        })
    }
}

impl Location {
    fn new(id: LocationId, names: &Names) -> Self {
        let name = names.name(DefinitionKind::Location, id.0);
        Self {
            label: names.label(id),
            name: name.unwrap_or_default().to_owned(),
        }
    }
}

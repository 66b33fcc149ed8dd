//! The overview of a page: tables and findings about a run, each with a link to what shows it.

mod communication;
mod efficiency;
mod iterations;
mod loops;
mod regions;
mod waiting;

use foldtrace_clock::Correction;
use foldtrace_profile::Profile;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, LocationId, Timestamp, TraceError};
use foldtrace_view::units::{Percent, Seconds, counted};
use serde::Serialize;

pub(crate) use communication::Channel;
pub(crate) use loops::MeasuredLoop;

/// A statement about the run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Finding {
    text: String,
    /// The state of the page that shows it, as in its address; empty if there is none.
    link: String,
}

/// A table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Table {
    title: &'static str,
    header: Vec<&'static str>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
struct Row {
    cells: Vec<String>,
    /// The state of the page that shows it, as in its address; empty if there is none.
    link: String,
}

/// What a page says about a run.
#[derive(Debug, Default)]
pub(crate) struct Overview {
    /// A line about the run.
    pub summary: String,
    pub findings: Vec<Finding>,
    pub tables: Vec<Table>,
    /// The messages between locations.
    pub channels: Vec<Channel>,
    /// The outermost loops that take the most time.
    pub loops: Vec<MeasuredLoop>,
    /// Problems of the analyses.
    pub diagnostics: Diagnostics,
}

/// The greatest number of rows of a table.
const ROWS: usize = 6;

/// A run that is looked at.
#[derive(Clone, Copy)]
struct Run<'a> {
    store: &'a StoreReader,
    /// The locations of the page, in order.
    locations: &'a [LocationId],
    profile: &'a Profile,
    /// The time at which the timeline starts.
    origin: Timestamp,
    progress: &'a Progress,
}

impl Overview {
    /// Analyses a run. `origin` is the time at which the timeline starts.
    ///
    /// # Errors
    /// Returns an error if a table of the store is missing or damaged, or the work was stopped.
    pub fn of(
        store: &StoreReader,
        locations: &[LocationId],
        profile: &Profile,
        origin: Timestamp,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let run = Run {
            store,
            locations,
            profile,
            origin,
            progress,
        };
        let mut overview = Self {
            summary: summary(run),
            ..Self::default()
        };
        overview.add_regions(run);
        let correction = Correction::of_store(store, None, progress)?;
        overview.add_efficiency(run, &correction)?;
        overview.add_waiting(run, &correction)?;
        overview.add_loops(run)?;
        overview.add_communication(run)?;
        Ok(overview)
    }
}

/// Returns what an analysis has found; `None` if the run is not one that it can analyse.
fn if_possible<T>(found: Result<T, TraceError>) -> Result<Option<T>, TraceError> {
    match found {
        Err(error) if error.kind == ErrorKind::Usage => Ok(None),
        found => found.map(Some),
    }
}

impl Run<'_> {
    /// Returns a state of the page that shows a region and, if it is one of the page, a location.
    fn link(&self, region: Option<&str>, location: Option<LocationId>) -> String {
        let mut link = form_urlencoded::Serializer::new(String::new());
        let index = |location| self.locations.iter().position(|&other| other == location);
        if let Some(index) = location.and_then(index) {
            link.append_pair("location", &index.to_string());
        }
        if let Some(region) = region {
            link.append_pair("region", region);
        }
        link.finish()
    }

    /// Returns the share of a time in the time of all locations with calls.
    fn share(&self, ticks: i64) -> f64 {
        ticks as f64 / (self.profile.total() as f64).max(1.0)
    }

    /// Returns the nanoseconds from the start of the timeline to a time.
    fn nanoseconds(&self, time: u64) -> f64 {
        1e9 * self.seconds(time.saturating_sub(self.origin.0) as f64).0
    }

    /// Returns a number of ticks in seconds.
    fn seconds(&self, ticks: f64) -> Seconds {
        Seconds(ticks / self.store.manifest().clock().ticks_per_second.max(1) as f64)
    }
}

/// Returns a line about a run.
fn summary(run: Run<'_>) -> String {
    let paradigms = run.profile.paradigms().into_iter();
    let shares = paradigms
        .map(|(paradigm, ticks)| format!("{} {}", paradigm.title(), Percent(run.share(ticks))));
    let shares: Vec<String> = shares.collect();
    format!(
        "{} in {}, {}: {}",
        counted(run.store.manifest().counts.events, "event"),
        counted(run.locations.len() as u64, "location"),
        run.seconds(run.profile.duration() as f64),
        if shares.is_empty() {
            "no calls".to_owned()
        } else {
            shares.join(", ")
        },
    )
}

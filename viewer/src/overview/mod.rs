//! The overview of a page: tables and findings about a run, each with a link to what shows it.

mod calls;
mod communication;
mod efficiency;
mod iterations;
mod lateness;
mod loops;
mod metrics;
mod model;
mod patterns;
mod regions;
mod wait_times;
mod waiting;

use std::ops::Range;

use foldtrace_clock::Correction;
use foldtrace_profile::{Options, Profile};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, LocationId, TraceError};
use foldtrace_view::units::{Percent, Seconds, counted};
use serde::Serialize;

use calls::pack_calls;
use communication::{Channel, add_waiting_channels, pack_channels};
use lateness::{FoundSteps, LatenessHead};
pub(crate) use loops::MeasuredLoop;
use loops::{LoopHead, pack_loops};
use metrics::MetricsHead;
use model::Form;
use patterns::PatternsHead;
use waiting::Waits;

use crate::basis::Basis;
use crate::clock::PageClock;
use crate::pack::Columns;

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
    /// The nanoseconds of all locations with calls together.
    total: f64,
    findings: Vec<Finding>,
    tables: Vec<Table>,
    /// The messages between locations.
    channels: Vec<Channel>,
    waits: Waits,
    lateness: LatenessHead,
    /// The outermost loops that take the most time.
    loops: Vec<MeasuredLoop>,
    /// The forms of the model of the program.
    model: Vec<Form>,
    patterns: PatternsHead,
    metrics: MetricsHead,
    /// The ranges of nanoseconds that links open, by what they are about, the most important ones first.
    linked: Vec<Vec<Range<f64>>>,
    /// Problems of the analyses.
    pub diagnostics: Diagnostics,
}

/// An overview without its columns.
#[derive(Debug, Serialize)]
pub(crate) struct OverviewHead<'a> {
    summary: &'a str,
    total: f64,
    findings: &'a [Finding],
    tables: &'a [Table],
    loops: Vec<LoopHead<'a>>,
    waits: &'a Waits,
    lateness: &'a LatenessHead,
    model: &'a [Form],
    patterns: &'a PatternsHead,
    metrics: &'a MetricsHead,
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
    clock: PageClock,
    progress: &'a Progress,
}

impl Overview {
    /// Analyses a run, and adds the columns of the overview. Other work is done meanwhile: `beside`.
    ///
    /// # Errors
    /// Returns an error if a table of the store is missing or damaged, or the work was stopped.
    pub fn of(
        store: &StoreReader,
        basis: &Basis,
        columns: &mut Columns,
        progress: &Progress,
        beside: impl FnOnce() + Send,
    ) -> Result<Self, TraceError> {
        let locations: Vec<LocationId> = store.locations().collect();
        let options = Options { has_tree: true };
        let profile = foldtrace_profile::find(store, &locations, options, progress)?;
        let run = Run {
            store,
            locations: &locations,
            profile: &profile,
            clock: basis.clock,
            progress,
        };
        let mut overview = Self {
            summary: summary(run),
            total: profile.total() as f64 * basis.clock.tick,
            ..Self::default()
        };
        overview.add_regions(run);
        let correction = Correction::of_store(store, None, progress)?;
        let (steps, others) = rayon::join(
            || {
                beside();
                FoundSteps::find(run, &correction)
            },
            || overview.add_others(run, basis.head.span, &correction, columns),
        );
        others?;
        overview.add_lateness(run, &steps?, columns)?;
        pack_calls(&profile, &basis.head.regions, columns);
        pack_loops(&overview.loops, basis.clock, columns);
        pack_channels(&overview.channels, "", basis.clock, columns);
        Ok(overview)
    }

    /// Adds everything that does not need the logical steps.
    fn add_others(
        &mut self,
        run: Run<'_>,
        span: f64,
        correction: &Correction,
        columns: &mut Columns,
    ) -> Result<(), TraceError> {
        self.add_efficiency(run, correction)?;
        self.add_loops(run)?;
        let waiting = self.add_waiting(run, span, correction, columns)?;
        self.add_communication(run)?;
        add_waiting_channels(&mut self.channels, waiting);
        self.add_patterns(run)?;
        self.add_metrics(run, span, columns)
    }

    /// Returns the outermost loops that take the most time.
    pub fn loops(&self) -> &[MeasuredLoop] {
        &self.loops
    }

    /// Returns the ranges of nanoseconds that links open, the most important ones first.
    pub fn linked_ranges(&self) -> Vec<Range<f64>> {
        let mut linked: Vec<_> = self
            .linked
            .iter()
            .flat_map(|ranges| ranges.iter().enumerate())
            .collect();
        linked.sort_by_key(|&(rank, _)| rank);
        // Addresses have whole nanoseconds.
        let ranges = linked.into_iter().map(|(_, range)| range);
        ranges
            .map(|range| (range.start - 1.0).max(0.0)..range.end + 1.0)
            .collect()
    }

    /// Returns the overview without its columns.
    pub fn head(&self) -> OverviewHead<'_> {
        OverviewHead {
            summary: &self.summary,
            total: self.total,
            findings: &self.findings,
            tables: &self.tables,
            loops: self.loops.iter().map(LoopHead::new).collect(),
            waits: &self.waits,
            lateness: &self.lateness,
            model: &self.model,
            patterns: &self.patterns,
            metrics: &self.metrics,
        }
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

    /// Returns a state of the page that selects a range of nanoseconds in a location, and the range around it that the page
    /// shows.
    fn link_to_range(&self, selected: &Range<f64>, location: LocationId) -> (String, Range<f64>) {
        let margin = (selected.end - selected.start) / 2.0;
        let shown = (selected.start - margin).max(0.0)..selected.end + margin;
        let link = format!(
            "t={:.0}..{:.0}&selected={:.0}..{:.0}&{}",
            shown.start,
            shown.end,
            selected.start,
            selected.end,
            self.link(None, Some(location)),
        );
        (link, shown)
    }

    /// Returns the share of a time in the time of all locations with calls.
    fn share(&self, ticks: i64) -> f64 {
        ticks as f64 / (self.profile.total() as f64).max(1.0)
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

//! How late each location is at each logical step, and where lateness begins.

use std::ops::Range;

use foldtrace_clock::Correction;
use foldtrace_steps::report::{ORIGIN_COLUMNS, StepLabels, headline, origin_rows};
use foldtrace_steps::{LatenessMap, Options, Origin, Summary, find};
use foldtrace_store::Field;
use foldtrace_trace::{LocationId, Position, TraceError};
use foldtrace_view::units::counted;
use serde::Serialize;

use super::{Overview, Row, Run};
use crate::pack::Columns;

/// The greatest number of ranges of steps of all locations together, and of one location.
const RANGES: usize = 250_000;
const MOST_RANGES: usize = 1024;

/// The number of operations under way that are kept, which bounds the memory.
const MOST_OPERATIONS: usize = 250_000;

/// The greatest number of events of a run whose partitions are merged, which may need all operations in memory.
const MOST_MERGED: u64 = 5_000_000;

/// The logical steps of a run.
#[derive(Debug)]
pub(super) struct FoundSteps {
    summary: Summary,
    map: LatenessMap,
    /// Whether partitions are merged, as by `foldtrace steps --leaps`.
    are_merged: bool,
}

/// The lateness of a run, besides its columns.
#[derive(Debug, Default, Serialize)]
pub(crate) struct LatenessHead {
    /// A line about the steps.
    summary: String,
    steps: u64,
    /// The number of steps in a range.
    steps_of_range: u64,
    header: Vec<&'static str>,
    /// The events in which most lateness begins.
    origins: Vec<Origins>,
}

/// Events of a kind in which lateness begins.
#[derive(Debug, Serialize)]
struct Origins {
    title: &'static str,
    rows: Vec<Row>,
}

impl FoundSteps {
    /// Finds the steps of a run. Problems with messages are not reported, because the analysis of waiting reports the same ones.
    pub fn find(run: Run<'_>, correction: &Correction) -> Result<Self, TraceError> {
        let options = Options {
            leaps: run.store.manifest().counts.events <= MOST_MERGED,
            most: Some(MOST_OPERATIONS),
            ..Options::default()
        };
        let locations = run.locations.iter().copied();
        let most = (RANGES / run.locations.len().max(1)).min(MOST_RANGES);
        let mut map = LatenessMap::new(locations, most);
        let (summary, _) = find(run.store, correction, &options, run.progress, &mut map)?;
        Ok(Self {
            summary,
            map,
            are_merged: options.leaps,
        })
    }

    /// Returns a line about the steps.
    fn line(&self) -> String {
        let mut parts = vec![headline(&self.summary)];
        if self.are_merged {
            parts.push("partitions are merged as by --leaps".to_owned());
        }
        let cut = self.summary.totals.cut_messages;
        if cut > 0 {
            parts.push(format!("partitions are cut at {}", counted(cut, "message")));
        }
        parts.join("; ")
    }
}

impl Overview {
    /// Adds how late each location is at each step, and where lateness begins.
    pub(super) fn add_lateness(
        &mut self,
        run: Run<'_>,
        found: &FoundSteps,
        columns: &mut Columns,
    ) -> Result<(), TraceError> {
        let FoundSteps { summary, map, .. } = found;
        pack(run, map, columns)?;
        let words = StepLabels {
            names: run.store.names(),
            symbols: run.store.symbols(),
            ticks_per_second: run.store.manifest().clock().ticks_per_second,
        };
        let origins = [
            ("Where lateness begins between operations", &summary.origins),
            (
                "Where lateness begins in operations",
                &summary.in_operations,
            ),
        ];
        let mut tables = Vec::new();
        for (title, origins) in origins {
            let (links, ranges): (Vec<_>, Vec<_>) = links(run, origins)?.into_iter().unzip();
            let rows = origin_rows(origins, words).into_iter().zip(links);
            tables.push(Origins {
                title,
                rows: rows.map(|(cells, link)| Row { cells, link }).collect(),
            });
            self.linked.push(ranges);
        }
        self.lateness = LatenessHead {
            summary: found.line(),
            steps: summary.totals.steps,
            steps_of_range: map.steps_of_range(),
            header: ORIGIN_COLUMNS.to_vec(),
            origins: tables,
        };
        Ok(())
    }
}

/// Returns a state of the page for each origin, which shows its time.
fn links(run: Run<'_>, origins: &[Origin]) -> Result<Vec<(String, Range<f64>)>, TraceError> {
    let events = origins.iter().map(|origin| &origin.event);
    let places: Vec<_> = events
        .clone()
        .map(|event| (event.location, event.position))
        .collect();
    let found = run.store.lookup().get_many(&places)?;
    let links = events.zip(found).map(|(event, first)| {
        let begin = run
            .clock
            .time(first.map_or(event.start.0, |first| first.time.0));
        let ticks = event.end.0.saturating_sub(event.start.0);
        let length = ticks.max(event.lateness) as f64 * run.clock.tick;
        run.link_to_range(&(begin..begin + length), event.location)
    });
    Ok(links.collect())
}

/// Adds the columns of a map, by location, then range of steps: the nanoseconds by which the latest event is late, and the
/// recorded time of that event.
fn pack(run: Run<'_>, map: &LatenessMap, columns: &mut Columns) -> Result<(), TraceError> {
    let mut firsts = Vec::new();
    let (mut ranges, mut steps) = (Vec::new(), Vec::new());
    let (mut late, mut times) = (Vec::new(), Vec::new());
    for (&location, row) in run.locations.iter().zip(map.rows()) {
        firsts.push(ranges.len() as u32);
        let mut positions = Vec::new();
        for (range, latest) in row {
            ranges.push(range as u32);
            steps.push(latest.step as f64);
            late.push((latest.lateness as f64 * run.clock.tick) as f32);
            positions.push(latest.position);
        }
        let recorded = recorded(run, location, &positions)?;
        times.extend(recorded.into_iter().map(|time| run.clock.time(time)));
    }
    firsts.push(ranges.len() as u32);
    columns.add_u32("lateness.first", firsts.into_iter());
    columns.add_u32("lateness.range", ranges.into_iter());
    columns.add_f64("lateness.step", steps.into_iter());
    columns.add_f32("lateness.late", late.into_iter());
    columns.add_f64("lateness.time", times.into_iter());
    Ok(())
}

/// Returns the recorded times of events.
fn recorded(
    run: Run<'_>,
    location: LocationId,
    positions: &[Position],
) -> Result<Vec<u64>, TraceError> {
    // A trace that contradicts itself may have steps that are not in the order of its events.
    let mut sorted = positions.to_vec();
    sorted.sort_unstable();
    let times = run.store.gather(location, &sorted, &[Field::Time])?.pop();
    let times = times.unwrap_or_default().values;
    let time = |&position: &Position| times.get(sorted.partition_point(|&other| other < position));
    Ok(positions.iter().filter_map(time).copied().collect())
}

//! Which processes wait for others, and which work makes them wait.

use std::ops::Range;

use foldtrace_clock::Correction;
use foldtrace_trace::TraceError;
use foldtrace_view::units::{Percent, Seconds};
use foldtrace_waits::{Class, Options, WaitLabels};
use serde::Serialize;

use super::wait_times::{WaitTimes, WaitingPairs};
use super::{Finding, Overview, ROWS, Row, Run, Table};
use crate::pack::Columns;

/// The waiting of a run, besides its columns.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Waits {
    /// The nanoseconds of a bucket.
    width: f64,
    /// The classes of wait states, by their place in the columns, from 1.
    classes: Vec<&'static str>,
    /// The longest wait states.
    longest: Vec<Row>,
}

impl Overview {
    /// Adds when processes wait in a run of `span` nanoseconds, for whom and why. Returns how long they wait for each other.
    pub(super) fn add_waiting(
        &mut self,
        run: Run<'_>,
        span: f64,
        correction: &Correction,
        columns: &mut Columns,
    ) -> Result<WaitingPairs, TraceError> {
        let options = Options::default();
        let mut times = WaitTimes::new(run.store, run.locations, &self.loops);
        let found =
            foldtrace_waits::find(run.store, correction, options, run.progress, &mut times)?;
        self.diagnostics.merge(found.diagnostics);
        let summary = &found.summary;
        let labels = WaitLabels {
            names: run.store.names(),
            regions: &found.regions,
            paths: &summary.paths,
            ticks_per_second: run.store.manifest().clock().ticks_per_second,
        };
        let (longest, ranges) = longest(run, &mut times, labels)?;
        self.waits = Waits {
            width: times.pack(run.clock, span, correction, columns)?,
            classes: Class::ALL.map(Class::title).to_vec(),
            longest,
        };
        self.linked.push(ranges);
        let (program, in_loops) = times.into_pairs();
        for (one, waiting) in self.loops.iter_mut().zip(in_loops) {
            one.add_waiting(waiting);
        }
        let waited = (summary.waited() as f64).max(1.0);
        let rows = summary.causes.iter().take(ROWS).map(|cause| {
            let region = labels.regions_of(cause.path).pop();
            Row {
                cells: vec![
                    labels.path(cause.path),
                    labels.location(cause.location),
                    run.seconds(cause.ticks).to_string(),
                    Percent(cause.ticks / waited).to_string(),
                ],
                link: run.link(region.as_deref(), Some(cause.location)),
            }
        });
        let rows: Vec<Row> = rows.collect();
        let Some(greatest) = rows.first() else {
            return Ok(program);
        };
        if let [path, location, _, share] = &greatest.cells[..] {
            self.findings.push(Finding {
                text: format!(
                    "Processes wait for others in {} of the time; {share} of it because of location {location}, {path}.",
                    Percent(waited / (summary.total as f64).max(1.0)),
                ),
                link: greatest.link.clone(),
            });
        }
        self.tables.push(Table {
            title: "What others wait for",
            header: vec!["call path", "location", "caused", "share"],
            rows,
        });
        Ok(program)
    }
}

/// Returns the longest wait states, each with a link to its time, and the ranges that the links open.
fn longest(
    run: Run<'_>,
    times: &mut WaitTimes<'_>,
    labels: WaitLabels<'_>,
) -> Result<(Vec<Row>, Vec<Range<f64>>), TraceError> {
    let rows = times.longest()?.into_iter().map(|(wait, start)| {
        let begin = run.clock.time(start);
        let selected = begin..begin + wait.ticks as f64 * run.clock.tick;
        let (link, range) = run.link_to_range(&selected, wait.location);
        let row = Row {
            cells: vec![
                Seconds(begin / 1e9).to_string(),
                labels.location(wait.location),
                wait.class.title().to_owned(),
                run.seconds(wait.ticks as f64).to_string(),
                labels.location(wait.late),
                format!(
                    "{}, {}",
                    labels.location(wait.cause),
                    labels.path(wait.cause_path)
                ),
            ],
            link,
        };
        (row, range)
    });
    Ok(rows.unzip())
}

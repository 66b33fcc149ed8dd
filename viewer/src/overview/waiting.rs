//! Which processes wait for others, and which work makes them wait.

use foldtrace_clock::Correction;
use foldtrace_trace::TraceError;
use foldtrace_view::units::Percent;
use foldtrace_waits::{Options, WaitLabels};

use super::{Finding, Overview, ROWS, Row, Run, Table};

impl Overview {
    /// Adds the causes of waiting in a run.
    pub(super) fn add_waiting(
        &mut self,
        run: Run<'_>,
        correction: &Correction,
    ) -> Result<(), TraceError> {
        let options = Options::default();
        let found = foldtrace_waits::find(run.store, correction, options, run.progress, &mut ())?;
        self.diagnostics.merge(found.diagnostics);
        let summary = &found.summary;
        let labels = WaitLabels {
            names: run.store.names(),
            regions: &found.regions,
            paths: &summary.paths,
            ticks_per_second: run.store.manifest().clock().ticks_per_second,
        };
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
            return Ok(());
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
        Ok(())
    }
}

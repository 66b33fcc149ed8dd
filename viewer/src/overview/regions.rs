//! The regions that take the most time, and those that some locations take longer for than others.

use foldtrace_matching::Paradigm;
use foldtrace_profile::RegionTotal;
use foldtrace_view::units::{Percent, grouped};

use super::{Finding, Overview, ROWS, Row, Run, Table};

/// An imbalance that is worth a finding: the slowest location takes a tenth longer than the mean.
const UNBALANCED: f64 = 1.1;

/// A share of the time that is worth a finding.
const MUCH: f64 = 0.05;

impl Overview {
    /// Adds the regions of a run.
    pub(super) fn add_regions(&mut self, run: Run<'_>) {
        let totals = run.profile.totals();
        if totals.is_empty() {
            return;
        }
        let rows = totals.iter().take(ROWS).map(|total| row(run, total));
        self.tables.push(Table {
            title: "Regions",
            header: vec!["region", "share", "calls", "imbalance", "slowest"],
            rows: rows.collect(),
        });
        let is_mpi =
            |total: &&RegionTotal| run.profile.paradigm(total.time.region) == Paradigm::Mpi;
        let longest_mpi = totals.iter().find(is_mpi);
        if let Some(longest) = longest_mpi {
            let mpi = totals.iter().filter(is_mpi);
            let ticks = mpi.map(|total| total.time.exclusive);
            let ticks = ticks.fold(0, i64::saturating_add);
            let name = run.profile.name(longest.time.region);
            self.findings.push(Finding {
                text: format!(
                    "MPI takes {} of the time, {name} alone {}.",
                    Percent(run.share(ticks)),
                    Percent(run.share(longest.time.exclusive)),
                ),
                link: run.link(Some(name), None),
            });
        }
        if let Some(longest) = totals.iter().find(|total| !is_mpi(total)) {
            let name = run.profile.name(longest.time.region);
            let begin = match longest_mpi {
                Some(_) => "Outside of MPI, most",
                None => "Most",
            };
            self.findings.push(Finding {
                text: format!(
                    "{begin} time is spent in {name}: {}.",
                    Percent(run.share(longest.time.exclusive)),
                ),
                link: run.link(Some(name), None),
            });
        }
        self.findings.extend(imbalance(run, &totals));
    }
}

fn row(run: Run<'_>, total: &RegionTotal) -> Row {
    let name = run.profile.name(total.time.region);
    let imbalance = total.imbalance.map(|factor| format!("{factor:.2}"));
    Row {
        cells: vec![
            name.to_owned(),
            Percent(run.share(total.time.exclusive)).to_string(),
            grouped(total.time.calls),
            imbalance.unwrap_or_default(),
            run.store.names().label(total.slowest),
        ],
        link: run.link(Some(name), None),
    }
}

/// Returns the finding about the region with the greatest imbalance among those that take much time.
fn imbalance(run: Run<'_>, totals: &[RegionTotal]) -> Option<Finding> {
    let long = totals
        .iter()
        .filter(|total| run.share(total.time.exclusive) >= MUCH);
    let factors = long.filter_map(|total| Some((total.imbalance?, total)));
    let unbalanced = factors.filter(|(factor, _)| *factor >= UNBALANCED);
    let (factor, worst) = unbalanced.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let name = run.profile.name(worst.time.region);
    Some(Finding {
        text: format!(
            "Location {} is in {name} {factor:.2} times as long as the mean of all locations.",
            run.store.names().label(worst.slowest),
        ),
        link: run.link(Some(name), Some(worst.slowest)),
    })
}

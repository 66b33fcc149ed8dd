//! The efficiencies of a run, and what limits them most.

use foldtrace_clock::Correction;
use foldtrace_trace::TraceError;
use foldtrace_view::units::Percent;

use super::{Finding, Overview, Row, Run, Table, if_possible};

impl Overview {
    /// Adds the efficiencies of a run; there are none without MPI.
    pub(super) fn add_efficiency(
        &mut self,
        run: Run<'_>,
        correction: &Correction,
    ) -> Result<(), TraceError> {
        let found = foldtrace_efficiency::find(run.store, correction, run.progress, &mut ());
        let Some(found) = if_possible(found)? else {
            return Ok(());
        };
        let program = found.program;
        // What limits a run, and the view that shows it.
        let factors = [
            ("load balance", program.load_balance(), "calls"),
            ("serialisation", program.serialisation(), "waiting"),
            ("transfer", program.transfer(), "communication"),
        ];
        let all = [("parallel efficiency", program.parallel(), "waiting")];
        let link = |view: &str| format!("view={view}");
        let rows = all.iter().chain(&factors).map(|(name, factor, view)| Row {
            cells: vec![(*name).to_owned(), Percent(*factor).to_string()],
            link: link(view),
        });
        self.tables.push(Table {
            title: "Efficiency",
            header: vec!["efficiency", ""],
            rows: rows.collect(),
        });
        let least = factors.iter().min_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
        self.findings
            .extend(least.map(|(name, factor, view)| Finding {
                text: format!(
                    "{} of the time of all processes is useful; what limits it most is {name}, {}.",
                    Percent(program.parallel()),
                    Percent(*factor),
                ),
                link: link(view),
            }));
        Ok(())
    }
}

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
        let factors = [
            ("load balance", program.load_balance()),
            ("serialisation", program.serialisation()),
            ("transfer", program.transfer()),
        ];
        let all = [("parallel efficiency", program.parallel())];
        let rows = all.iter().chain(&factors).map(|(name, factor)| Row {
            cells: vec![(*name).to_owned(), Percent(*factor).to_string()],
            link: String::new(),
        });
        self.tables.push(Table {
            title: "Efficiency",
            header: vec!["efficiency", ""],
            rows: rows.collect(),
        });
        let least = factors.iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
        self.findings.extend(least.map(|(name, factor)| Finding {
            text: format!(
                "{} of the time of all processes is useful; what limits it most is {name}, {}.",
                Percent(program.parallel()),
                Percent(*factor),
            ),
            link: String::new(),
        }));
        Ok(())
    }
}

//! The communication topology of a run.

use foldtrace_topology::Options;
use foldtrace_topology::show::answer;
use foldtrace_trace::TraceError;

use super::{Finding, Overview, Run, if_possible};

impl Overview {
    /// Adds the communication topology of a run, if it is a known one.
    pub(super) fn add_communication(&mut self, run: Run<'_>) -> Result<(), TraceError> {
        let found = foldtrace_topology::find(run.store, &Options::default(), run.progress);
        let Some(found) = if_possible(found)? else {
            return Ok(());
        };
        self.diagnostics.merge(found.diagnostics);
        let answers = found.program.answer();
        if !answers.is_empty() {
            self.findings.push(Finding {
                text: format!("Processes communicate as in a {}.", answer(&answers)),
                link: String::new(),
            });
        }
        Ok(())
    }
}

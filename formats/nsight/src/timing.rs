//! The common time of several exports, each of which counts from the start of its session.

use std::path::Path;

use foldtrace_database::{Survey, report_counts};
use foldtrace_trace::{
    DefinitionKind, Diagnostic, Diagnostics, Minter, Place, Severity, UNDEFINED,
};

use crate::export::Export;

/// When the sessions of exports began, and the range of all times.
pub(crate) struct Timing {
    /// The nanoseconds from the start of the first session to that of each.
    shifts: Vec<i64>,
    /// The times of all exports, in nanoseconds since the start of the first session.
    all: Survey,
    /// The start of the first session, in nanoseconds since 1970.
    date: Option<i64>,
}

impl Timing {
    /// Compares the dates of exports of the trace at `path`. Without a date, a session seems to begin with the first one.
    pub(crate) fn of(exports: &[Export], path: &Path, diagnostics: &mut Diagnostics) -> Self {
        let dates = exports.iter().filter(|export| export.survey.rows > 0);
        let first = dates.filter_map(|export| export.names.date).min();
        let mut timing = Self {
            shifts: Vec::with_capacity(exports.len()),
            all: Survey::default(),
            date: first,
        };
        for export in exports {
            let shift = first.and_then(|first| export.names.date?.checked_sub(first));
            let shifted = shift.and_then(|shift| Some((shift, export.survey.shifted(shift)?)));
            if shifted.is_none() && exports.len() > 1 {
                let message =
                    "the start of the session is unknown, and taken for that of the first session";
                let warning = Diagnostic::new(Severity::Warning, "nsight.no_date", message);
                diagnostics.report(warning.at(Place::file(&export.path)));
            }
            let (shift, survey) = shifted.unwrap_or_else(|| (0, export.survey.clone()));
            timing.shifts.push(shift);
            timing.all.add(&survey);
        }
        let negative = (
            u64::from(timing.all.origin() < 0),
            Severity::Note,
            "nsight.negative_time",
            "some times are before the start of the session; all times count from the earliest",
        );
        report_counts(path, [negative], diagnostics);
        timing
    }

    /// Returns the time of an export that becomes 0.
    pub(crate) fn origin(&self, export: usize) -> i64 {
        self.all.origin().wrapping_sub(self.shifts[export])
    }

    /// Defines the clock of the trace.
    pub(crate) fn define_clock(&self, minter: &mut Minter) {
        let clock = self.all.clock();
        let date = self.date.and_then(|date| date.checked_add(self.all.first));
        let date = date.and_then(|date| u64::try_from(date).ok());
        let fields = [
            clock.ticks_per_second,
            clock.global_offset,
            clock.trace_length,
            date.unwrap_or(UNDEFINED),
        ];
        minter.define(DefinitionKind::ClockProperties, &fields, &[], "");
    }
}
